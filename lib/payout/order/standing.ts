// What became of a payment: the only table of words for states. Every list, page, message and program reads a standing here. An order gives
// its own from its facts; modules that hold something without an order give one of these too.
import type { ResultStatus } from '../message/result.ts';

/** Why an order is held: it waits for a person. */
export type HoldReason =
  /** It is unknown whether the gateway has the order, and the time to find out is over. */
  | 'unproven'
  /** The gateway knows no such order; the contract leaves the conclusion to a person. */
  | 'not-at-gateway'
  /** The gateway knows of two transactions: it may be paid twice. */
  | 'several'
  /** The gateway has a transaction of this order id that is no attempt known here. */
  | 'unknown-transaction'
  /** A decline came that names no attempt, and the account cannot be asked which one it is. */
  | 'unclear-decline'
  /** The gateway has the order, under a status that proves neither that money moved nor that none did. */
  | 'inconclusive'
  /** The gateway has the order with another amount, and did not correct it until the horizon. */
  | 'amount-differs'
  /** The gateway took the order, and reported no end until the horizon. */
  | 'no-end'
  /** Never processed, and its single-use card data is spent: a job with newly sealed data may be sent. */
  | 'card-data'
  /** The order has as many attempts as it may have. */
  | 'too-many';

/** Why an order is over. */
export const endReasons = [
  'declined',
  'refused',
  'expired',
  'denied',
  'waited-too-long',
  'discarded',
  'cancelled',
  'decided',
] as const;
/** Why an order is over. */
export type EndReason = (typeof endReasons)[number];

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

/** Holds of an order whose payment was never sent or is proven unprocessed. */
const unpaidHolds: ReadonlySet<HoldReason> = new Set(['card-data', 'too-many']);

/** The part of a status (fold.ts) that a standing depends on. */
type Concluded =
  | { readonly kind: 'new' | 'sending' | 'verifying' | 'ready' | 'in-doubt' | 'approved' }
  | { readonly kind: 'accepted'; readonly attempt: { readonly askable: boolean } }
  | { readonly kind: 'held'; readonly reason: HoldReason }
  | { readonly kind: 'over'; readonly reason: EndReason };

/** The standing of an order by its status. */
export function standingOfStatus(status: Concluded, movesMoney: boolean): Standing {
  switch (status.kind) {
    case 'new':
      return 'not-started';
    case 'ready':
      return 'waiting';
    case 'sending':
    case 'verifying':
      return 'sending';
    case 'in-doubt':
      return 'in-doubt';
    case 'held':
      return movesMoney && !unpaidHolds.has(status.reason) ? 'held' : 'held-unpaid';
    case 'accepted':
      return standingOfTaken(status.attempt.askable, movesMoney);
    case 'approved':
      return standingOfPaid(movesMoney);
    case 'over':
      return standingOfEnd(status.reason);
    default:
      return status satisfies never;
  }
}

/** The standing of an order that the gateway took. `askable`: the gateway can be asked how it ends. */
export function standingOfTaken(askable: boolean, movesMoney: boolean): Standing {
  if (askable) return 'confirming';
  return movesMoney ? 'accepted' : 'checked';
}

/** The standing of an order that was paid. A check moves no money, whatever the gateway or a person says of it. */
export const standingOfPaid = (movesMoney: boolean): Standing => (movesMoney ? 'paid' : 'checked');

/** The standing of an order that has ended. */
export const standingOfEnd = (reason: EndReason): Standing =>
  reason === 'cancelled' || reason === 'declined' ? reason : 'failed';
