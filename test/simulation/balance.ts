// Conservation: accepted + declined + failed + doubtful + open = submitted, in orders and in minor units per currency.
// The left side is added up from the ledger, the right side from what senders have sent.
import type { SeenOrder, SeenOrders } from './seen.ts';
import { isSameMoney } from './ledger-rules.ts';
import type { AskedOrder } from './asked-order.ts';
import type { Truth } from './truth.ts';

/** Orders and money. */
interface Sum {
  orders: number;
  readonly minorUnits: Map<string, bigint>;
}

/** The balance of a world. */
export interface Balance {
  /** The first mismatch; undefined when everything adds up. Checks only when the ledger or the senders did something. */
  fault(): string | undefined;
}

type Entries = SeenOrders;

/** A balance over the truth and the ledger. */
export function createBalance(truth: Truth, entries: Entries): Balance {
  let seen = -1;
  return {
    fault() {
      if (seen === truth.moves()) return undefined;
      seen = truth.moves();
      return isEachAsAsked(truth, entries) ? undefined : faultOfSums(truth, entries);
    },
  };
}

/** Where each order holds the very money that was asked for, the sums are the same and need not be added up. */
function isEachAsAsked({ orders }: Truth, entries: Entries): boolean {
  for (const entry of entries.values()) {
    const asked = orders.get(entry.key);
    if (isBeforehand(entry)) continue;
    if (!asked || !isAmong(asked.contents, entry.money)) return false;
  }
  return true;
}

function isAmong(contents: AskedOrder['contents'], money: SeenOrder['money']): boolean {
  if (!money) return contents.length === 0;
  for (const it of contents) if (isSameMoney(it, money)) return true;
  return false;
}

function faultOfSums({ orders }: Truth, entries: Entries): string | undefined {
  const held = emptySum();
  const asked = emptySum();
  for (const entry of entries.values()) {
    const order = orders.get(entry.key);
    if (order || !isBeforehand(entry)) add(held, isBeforehand(entry) ? order?.contents[0] : entry.money);
  }
  for (const { key, contents } of orders.values()) {
    // Orders that no worker has claimed yet are open.
    if (!entries.has(key)) add(held, contents[0]);
    add(asked, contentOf(contents, entries.get(key)));
  }
  return faultOf(held, asked);
}

/** A person or a callback has named it before a job of it came: nothing is known of its money. */
const isBeforehand = ({ beforehand }: SeenOrder) => beforehand === true;

/** Where one order id was used for several contents, the one that was claimed is the order. */
function contentOf(contents: AskedOrder['contents'], entry: SeenOrder | undefined): SeenOrder['money'] {
  return entry && !isBeforehand(entry) ? contents.find((it) => isSameMoney(it, entry.money)) : contents[0];
}

function faultOf(held: Sum, asked: Sum): string | undefined {
  if (held.orders !== asked.orders) return `the ledger accounts for ${held.orders} orders of ${asked.orders}`;
  for (const [currency, units] of asked.minorUnits) {
    const heldUnits = held.minorUnits.get(currency) ?? 0n;
    if (heldUnits !== units) return `the ledger accounts for ${heldUnits} minor units of ${units} in ${currency}`;
  }
  return undefined;
}

function emptySum(): Sum {
  return { orders: 0, minorUnits: new Map() };
}

function add(sum: Sum, money: SeenOrder['money']): void {
  sum.orders += 1;
  if (money) sum.minorUnits.set(money.currency, (sum.minorUnits.get(money.currency) ?? 0n) + money.minorUnits);
}
