// The ledger's orders of a file, read before anything is sent: an order id is the one key by which the worker recognises an earlier
// request. Nothing here moves an order; the worker decides again when the row comes.
import { type FingerprintKeys, fingerprints } from '../payout/message/fingerprint.ts';
import type { Job } from '../payout/message/job.ts';
import { attemptsOf } from '../payout/order/facts.ts';
import { maySend } from '../payout/order/fold.ts';
import type { Content, Order } from '../payout/order/order.ts';
import { type OrderView, viewOf } from '../payout/order/projection.ts';
import { standings } from '../payout/order/standing.ts';
import { contentComparedWith, isVisiblySame } from '../payout/submit/content.ts';
import { addTo, type CurrencyTotal, type Totals } from './tally.ts';

/** An order as the ledger has it; `unreadable` for one of newer code. */
export interface KnownOrder {
  readonly order?: Order;
  readonly unreadable?: boolean;
}

/** Orders as the ledger has them. */
export interface KnownOrders {
  /** The orders by order key; unknown ones are left out. May lag behind a moment, unless it is to be consistent. */
  read(orderKeys: readonly string[], how?: { readonly consistent: boolean }): Promise<ReadonlyMap<string, KnownOrder>>;
}

/** The kinds of rows whose order the ledger knows. */
export const knownKinds = {
  /** Sent with the same content, or being sent. */
  sent: 'sent already, with the same content: not sent again',
  ended: 'declined, failed or called off under this order id: not sent again',
  'other-content': 'the order id was used for another payment: refused',
} as const;

/** One of {@link knownKinds}. */
export type KnownKind = keyof typeof knownKinds;

/** The kind of a row by its order in the ledger; undefined if the row would be sent all the same. */
export function knownAs(job: Job, order: Order, keys: FingerprintKeys | undefined): KnownKind | undefined {
  const { content, facts } = order;
  if (content && !isSameContent(job, content, keys)) return 'other-content';
  const view = viewOf(order);
  if (maySend(facts, job.resends === undefined ? {} : { resends: job.resends })) return undefined;
  return isEndedUnpaid(view) ? 'ended' : 'sent';
}

/** True if the order's last attempt has reopened the very end that the job names. */
export const isOpenedBy = ({ resends }: Job, { facts }: Order): boolean =>
  resends !== undefined && attemptsOf(facts).at(-1)?.reopens === resends;

/** True for an order that is proven unpaid, and that nothing pays by itself any more. */
export const isEndedUnpaid = ({ standing }: Pick<OrderView, 'standing'>): boolean =>
  standing === 'cancelled' || standings[standing].retry === 'by name';

/** Without the worker's keys, or under a key that is not among them, two contents are compared by what they show. */
function isSameContent(job: Job, content: Content, keys: FingerprintKeys | undefined): boolean {
  const compared = contentComparedWith(content, job, keys ? fingerprints(job, keys) : []);
  return compared === 'same' || (compared === 'unknown key' && isVisiblySame(content, job));
}

/** Rows and money by kind; rows that move no money have no currency. */
export interface KnownRows {
  readonly rows: number;
  /** The rest, which really moves. */
  readonly moving: CountedMoney;
  readonly known: Readonly<Partial<Record<KnownKind, CountedMoney>>>;
}

/** Rows, and their money by currency. */
export interface CountedMoney {
  readonly rows: number;
  readonly money: Totals;
}

interface Counting {
  rows: number;
  readonly money: Record<string, CurrencyTotal>;
}

/** Counts rows; nothing is counted yet. */
export function createKnownRowsCounter() {
  const moving: Counting = { rows: 0, money: {} };
  const known: Partial<Record<KnownKind, Counting>> = {};
  let rows = 0;
  return {
    add({ money }: Job, kind: KnownKind | undefined): void {
      rows += 1;
      const sum = kind ? (known[kind] ??= { rows: 0, money: {} }) : moving;
      sum.rows += 1;
      if (money) addTo(sum.money, { ...money, count: 1 });
    },
    taken: (): KnownRows => ({ rows, moving, known }),
  };
}
