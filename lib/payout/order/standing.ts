// What became of a payment: the only table of words for states. Every list, page, message and program reads a standing here. An order gives
// its own from its facts; modules that hold something without an order give one of these too.
import type { ResultStatus } from '../message/result.ts';

/** The properties of one standing. Its name in the table is its word, for people and in JSON. */
interface StandingRow {
  /** One sentence: what it means for the money. */
  readonly meaning: string;
  /** Nothing follows by itself, and no person is awaited. */
  readonly isFinal: boolean;
  readonly moneyMayHaveMoved: boolean;
  readonly needsPerson: boolean;
  /** How a person sends the payment again: not at all, by the name of its end, or as any other job. */
  readonly retry: 'no' | 'by name' | 'plain';
  /** The status of the results that say so; without one, nothing is published of it. */
  readonly result?: ResultStatus;
}

const open = { isFinal: false, moneyMayHaveMoved: false, needsPerson: false, retry: 'no' } as const;
const final = { ...open, isFinal: true } as const;

const table = {
  /** A payout without an order. */
  'not-started': { ...open, meaning: 'No order has begun; its message may be queued, delayed or given up.' },
  /** A parked job, or an order that was refused for a reason that is not its own. */
  waiting: { ...open, meaning: 'Waits to be sent; no money moved.' },
  sending: { ...open, moneyMayHaveMoved: true, meaning: 'Being sent to the gateway.' },
  'in-doubt': {
    ...open,
    result: 'in-doubt',
    moneyMayHaveMoved: true,
    meaning: 'The gateway may have paid; the gateway is being asked.',
  },
  held: {
    ...open,
    result: 'held',
    moneyMayHaveMoved: true,
    needsPerson: true,
    meaning: 'Money may have moved; a person must decide.',
  },
  'held-unpaid': { ...open, result: 'held', needsPerson: true, meaning: 'No money moved; a person must decide.' },
  confirming: {
    ...open,
    result: 'accepted',
    moneyMayHaveMoved: true,
    meaning: 'Accepted by the gateway; the gateway is asked whether the payment ended well.',
  },
  accepted: {
    ...final,
    result: 'accepted',
    moneyMayHaveMoved: true,
    meaning: 'Accepted by the gateway, which cannot be asked for more.',
  },
  paid: { ...final, result: 'approved', moneyMayHaveMoved: true, meaning: 'Paid.' },
  /** A check moves no money. */
  checked: { ...final, result: 'accepted', meaning: 'Checked by the gateway; a check moves no money.' },
  declined: { ...final, result: 'declined', retry: 'by name', meaning: 'Refused by the gateway; no money moved.' },
  failed: { ...final, result: 'failed', retry: 'by name', meaning: 'Not sent, or not processed; no money moved.' },
  cancelled: { ...final, result: 'cancelled', meaning: 'Cancelled; no money moved, and the payment is never sent.' },
  /** A message that became no order. */
  rejected: {
    ...final,
    result: 'rejected',
    retry: 'plain',
    meaning: 'The message was refused and became no order; no money moved by it.',
  },
  /** The order of this id has other content, and is left as it is. */
  'id-taken': { ...final, meaning: 'Its order id belongs to another payment; this one was not sent.' },
  /** A message on the dead-letter queue, of which no order began. */
  'dead-letter': { ...open, needsPerson: true, retry: 'plain', meaning: 'Given up as a dead letter; not sent.' },
  /** Nothing is concluded from an item of a newer version. */
  unreadable: {
    ...open,
    moneyMayHaveMoved: true,
    needsPerson: true,
    meaning: 'Written by a newer version of the worker; this version cannot read it.',
  },
} as const satisfies Readonly<Record<string, StandingRow>>;

/** What became of a payment. */
export type Standing = keyof typeof table;

/** Each standing with its properties, in the order in which lists show them. */
export const standings: Readonly<Record<Standing, StandingRow>> = table;

/** Their names, in the same order. */
export const standingNames = Object.keys(table) as readonly Standing[];
