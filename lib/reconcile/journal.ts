// Movements of money, for the books: a line each, on the day on which it is known. What was booked is never taken out of a
// journal: what undoes it is a line of its own.
import { formatMinorUnits, minorUnitsOfOthers } from '../gateway/money.ts';
import { payeeNameIn } from '../payout/message/job.ts';
import type { OrderView } from '../payout/order/projection.ts';

/** A kind of movement. */
const movementKinds = {
  paid: 'the gateway says that it is paid, or a person has',
  returned:
    'a reversal, chargeback or the like came through; of several parts the ledger knows the sum alone, booked on the day of the last',
  corrected: 'it was said to be paid, and later that it never was',
} as const;

/** The columns of a journal, in their order, each with what it says. The table of infra/docs/bulk-files.md is made from this. */
export const journalColumns = {
  day: 'in UTC',
  time: 'when the ledger learned of it',
  movement: Object.entries(movementKinds)
    .map(([kind, meaning]) => `\`${kind}\`: ${meaning}`)
    .join('; '),
  amount: 'what the payee got, as the gateway says it; with a minus where it came back',
  currency: 'ISO 4217',
  merchant: 'of the order',
  order_id: 'of the order',
  payee_name: 'who was paid, as the job had it',
  batch: 'of the order',
  gateway_order_id: "the gateway's id of the order",
  note: 'who decided by hand, and why; of what came back, what the gateway calls it',
} as const;

/** A line of a journal; columns that say nothing here are left out. */
export type Movement = Readonly<
  Partial<Record<Exclude<keyof typeof journalColumns, 'movement'>, string>> & {
    readonly day: string;
    readonly time: string;
    readonly movement: keyof typeof movementKinds;
    readonly amount: string;
    readonly currency: string;
  }
>;

/** The movements of an order, in the order of time. */
export function movementsOf(entry: OrderView): Movement[] {
  const { money, standing, history, note, reversal, updatedAtMs } = entry;
  if (!money) return [];
  const [text = '', currency = money.currency] = (entry.gatewayAmount ?? '').split(' ');
  const paidUnits = (text === '' ? undefined : minorUnitsOfOthers(text, currency)) ?? money.minorUnits;
  const line = (movement: Movement['movement'], atMs: number, minorUnits: bigint, words?: string): Movement => ({
    day: new Date(atMs).toISOString().slice(0, 10),
    time: new Date(atMs).toISOString(),
    movement,
    amount: formatMinorUnits(minorUnits, currency),
    currency,
    ...namesOf(entry),
    note: words || undefined,
  });
  // Said to be paid, and not, and paid again: each day had its line, and keeps it.
  // The states of an attempt in between move nothing: only an end does.
  const ends = history.filter((it) => ['paid', 'declined', 'failed', 'cancelled'].includes(it.standing));
  const turns = [...ends, { standing, atMs: updatedAtMs }].filter(
    (it, at, all) => (it.standing === 'paid') !== (at > 0 && all[at - 1]?.standing === 'paid'),
  );
  const lines = turns.map((it, at): Movement => {
    const words = at === turns.length - 1 ? note : undefined;
    return it.standing === 'paid'
      ? line('paid', it.atMs, paidUnits, words)
      : line('corrected', it.atMs, -paidUnits, words);
  });
  if (standing === 'paid' && reversal?.status === 'approved') {
    const back =
      reversal.amount === undefined ? paidUnits : (minorUnitsOfOthers(reversal.amount, currency) ?? paidUnits);
    lines.push(line('returned', reversal.atMs, -back, reversal.type));
  }
  return lines;
}

function namesOf({ merchant, orderId, context, batchId, gatewayOrderId }: OrderView) {
  return {
    merchant,
    order_id: orderId,
    payee_name: payeeNameIn(context),
    batch: batchId,
    gateway_order_id: gatewayOrderId,
  };
}
