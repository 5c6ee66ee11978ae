// The orders that senders have asked for.
import { isSameMoney } from './ledger-rules.ts';

/** One order as its sender knows it; several contents where an order id was used twice by mistake. */
export interface AskedOrder {
  readonly key: string;
  readonly contents: readonly { readonly currency: string; readonly minorUnits: bigint }[];
  /** The time from which the job that asks for it may not be sent, and the reason: it… */
  readonly until?: { readonly ms: number; readonly why: string };
}

/** The contents asked for so far, and this order's. */
export function withContentsOf(known: AskedOrder | undefined, order: AskedOrder): AskedOrder {
  const more = order.contents.filter((it) => !known?.contents.some((other) => isSameMoney(it, other)));
  return { key: order.key, contents: [...(known?.contents ?? []), ...more] };
}
