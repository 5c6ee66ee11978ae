// Decisions that the gateway's own report allows about orders whose money may have moved. Only where every
// line of the report has the same status, and there are as many as the order was sent: a line of one attempt is nothing to another.
import type { LedgerRecord } from './ledger-record.ts';
import { isGatewayId } from '../gateway/gateway-outcome.ts';
import type { Standing } from '../payout/order/standing.ts';
import {
  type GatewayRecord,
  isOfAnother,
  isSameMoney,
  type Judged,
  linesOnce,
  type OrderInBooks,
} from './reconcile.ts';

/** A decision about an order, as a person would make it. */
export interface ReportDecision {
  readonly key: string;
  readonly as: 'paid' | 'not-paid';
  /** The digest of what was read of the order: one that has moved since is another question. */
  readonly compared: string;
  readonly gatewayOrderId?: string;
  /** As the gateway writes it. */
  readonly amount: string;
  readonly currency: string;
}

/** Orders that a person may decide. */
const undecided: ReadonlySet<Standing> = new Set(['held', 'held-unpaid', 'in-doubt', 'confirming', 'accepted']);

/** The decision; undefined if the report leaves the order in doubt, or is about some of its attempts alone. */
export function reportDecisionOf(
  key: string,
  { ledger, gateway }: OrderInBooks,
  { name }: Judged,
): ReportDecision | undefined {
  if (!ledger?.compared || !undecided.has(ledger.standing)) return undefined;
  const { compared } = ledger;
  const lines = linesOnce(gateway, ledger);
  if (name === 'doubt-resolved-paid' || name === 'accepted-and-paid') {
    const paid = lines.find(({ meaning }) => meaning === 'paid');
    return paid && { key, as: 'paid', compared, ...wordsOf(paid) };
  }
  if (
    (name !== 'doubt-resolved-unpaid' && name !== 'unpaid-though-accepted') ||
    ledger.mayHaveMore ||
    paymentsIn(lines) < ledger.attempts ||
    !lines.every((line) => isOfOrder(line, ledger))
  )
    return undefined;
  const [line, ...others] = lines;
  if (!line) return undefined;
  const { gatewayOrderId: _, ...money } = wordsOf(line);
  const words = others.length === 0 ? wordsOf(line) : money;
  return { key, as: 'not-paid', compared, ...words };
}

/** How many payments these surely are: lines without an id may all be one. */
const paymentsIn = (lines: readonly GatewayRecord[]): number =>
  Math.max(new Set(lines.flatMap(({ gatewayOrderId }) => gatewayOrderId ?? [])).size, 1);

/** A refusal of another sum or payment, or without an id where the order bears one, says nothing of what was sent. */
const isOfOrder = (line: GatewayRecord, ledger: LedgerRecord): boolean =>
  isSameMoney(line, { amount: ledger.amount ?? '', currency: ledger.currency ?? '' }) &&
  !isOfAnother(line, ledger) &&
  (ledger.gatewayIds === undefined || line.gatewayOrderId !== undefined);

const wordsOf = ({ amount, currency, gatewayOrderId: id }: GatewayRecord) => ({
  amount,
  currency,
  ...(id !== undefined && isGatewayId(id) && { gatewayOrderId: id }),
});
