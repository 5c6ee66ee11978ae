// Conservation: accepted + declined + failed + doubtful + open = submitted, in orders and in minor units per currency.
// The left side is added up from the ledger, the right side from what senders have sent.
import type { LedgerEntry } from '../../lib/domain/ledger.ts';
import { isSameMoney, type Standing, standingOf } from './ledger-rules.ts';
import type { AskedOrder, Truth } from './truth.ts';

/** Orders and money in one standing. */
interface Sum {
  orders: number;
  readonly minorUnits: Map<string, bigint>;
}

/** The balance of a world. */
export interface Balance {
  /** What does not add up; undefined when all does. Looks only when the ledger or the senders did something. */
  fault(): string | undefined;
}

/** The sums by standing, orders that no worker has claimed yet being open. */
function sumsOf(truth: Truth, entries: ReadonlyMap<string, LedgerEntry>): Record<Standing, Sum> {
  const sums: Record<Standing, Sum> = {
    open: emptySum(),
    accepted: emptySum(),
    approved: emptySum(),
    declined: emptySum(),
    failed: emptySum(),
    doubtful: emptySum(),
    'held by cap': emptySum(),
    cancelled: emptySum(),
  };
  for (const entry of entries.values()) {
    const asked = truth.orders.get(entry.key);
    if (asked || !isBeforehand(entry)) add(sums[standingOf(entry)], moneyOf(entry, asked));
  }
  for (const { key, contents } of truth.orders.values()) if (!entries.has(key)) add(sums.open, contents[0]);
  return sums;
}

/** Cancelled before a job of it came: such an entry knows nothing of the money. */
const isBeforehand = ({ state, money }: LedgerEntry) => state === 'cancelled' && money === undefined;

function moneyOf(entry: LedgerEntry, asked: AskedOrder | undefined): LedgerEntry['money'] {
  return isBeforehand(entry) ? asked?.contents[0] : entry.money;
}

/** A balance over the truth and the ledger. */
export function createBalance(truth: Truth, entries: ReadonlyMap<string, LedgerEntry>): Balance {
  let seen = -1;
  return {
    fault() {
      if (seen === truth.moves()) return undefined;
      seen = truth.moves();
      const held = emptySum();
      for (const { orders, minorUnits } of Object.values(sumsOf(truth, entries))) {
        held.orders += orders;
        for (const [currency, units] of minorUnits) addUnits(held, currency, units);
      }
      const asked = emptySum();
      for (const { key, contents } of truth.orders.values()) add(asked, contentOf(contents, entries.get(key)));
      return faultOf(held, asked);
    },
  };
}

/** Where one order id was used for several contents, the one that was claimed is the order. */
function contentOf(contents: AskedOrder['contents'], entry: LedgerEntry | undefined): LedgerEntry['money'] {
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

function add(sum: Sum, money: LedgerEntry['money']): void {
  sum.orders += 1;
  if (money) addUnits(sum, money.currency, money.minorUnits);
}

function addUnits({ minorUnits }: Sum, currency: string, units: bigint): void {
  minorUnits.set(currency, (minorUnits.get(currency) ?? 0n) + units);
}
