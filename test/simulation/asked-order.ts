// The orders that senders have asked for.
import type { SeenOrder } from './seen.ts';

/** One order as its sender knows it; several sums where an order id was used twice by mistake, and none for a check. */
export interface AskedOrder {
  readonly key: string;
  readonly sums: readonly SeenOrder['money'][];
  /** The time from which the job that asks for it may not be sent, and the reason: it… */
  readonly until?: { readonly ms: number; readonly why: string };
}

/** An order without a job, or of other money. What a person or a callback has named before any job came is of no money yet. */
export function faultOfMoney({ key, money, beforehand }: SeenOrder, asked: AskedOrder | undefined): string | undefined {
  if (beforehand === true) return undefined;
  if (!asked) return `${key} is in the ledger without a job`;
  const isAsked = asked.sums.some((it) => it?.minorUnits === money?.minorUnits && it?.currency === money?.currency);
  return isAsked ? undefined : `${key} is of other money than was asked for`;
}
