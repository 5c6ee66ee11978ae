// The ledger's book: an order as it is compared with the other two. All that reconciliation knows of the ledger is concluded here.
import { amountFields, formatMinorUnits } from '../gateway/money.ts';
import { meaningOfLine } from '../gateway/gateway-report.ts';
import type { OperationName } from '../gateway/operations.ts';
import { isCancelledBeforehand, type OrderView } from '../payout/order/projection.ts';
import type { Standing } from '../payout/order/standing.ts';

/** The ledger's record of an order, as far as it is compared. */
export interface LedgerRecord {
  readonly operation: OperationName;
  /** What became of it. */
  readonly standing: Standing;
  readonly final: boolean;
  /** 0 while nothing was published of it. */
  readonly revision: number;
  readonly attempts: number;
  /** The digest of what is known of it. */
  readonly compared?: string;
  /** A restore of the table may have lost others, or the gateway has named an order that is none of these. */
  readonly mayHaveMore?: true;
  readonly amount?: string;
  readonly currency?: string;
  readonly gatewayOrderId?: string;
  /** Every id by which the gateway may list a payment of it. */
  readonly gatewayIds?: readonly string[];
  /** So much of it was undone later, as a decimal. */
  readonly reversed?: string;
  /** The order has no result yet: it goes on by itself, or was cancelled before its job came. */
  readonly withoutResult?: true;
  /** When it was sent last, else when it was claimed first. */
  readonly atMs: number;
}

/** The record of an order. */
export function ledgerRecordOf(entry: OrderView): LedgerRecord {
  const { operation, standing, final, revision, attempts, money, history } = entry;
  return {
    operation,
    standing,
    final,
    revision,
    attempts,
    compared: entry.seen,
    mayHaveMore: entry.mayHaveMore,
    ...(money && amountFields(money)),
    gatewayOrderId: entry.gatewayOrderId,
    gatewayIds: gatewayIdsOf(entry),
    reversed: reversedOf(entry),
    withoutResult: entry.result === undefined || isCancelledBeforehand(entry) || undefined,
    atMs: history.findLast((it) => it.standing === 'sending')?.atMs ?? entry.createdAtMs,
  };
}

/** Each id by which the gateway may list a payment of the order. */
function gatewayIdsOf({ gatewayOrderId, gatewayAlias, earlierAttempts = [] }: OrderView) {
  const ids = [gatewayOrderId, gatewayAlias, ...earlierAttempts.map((it) => it.gatewayOrderId)];
  const known = ids.filter((id) => id !== undefined);
  return known.length === 0 ? undefined : known;
}

/** A reversal that is not approved, or a mere dispute, has undone nothing yet. */
function reversedOf({ standing, reversal, money }: OrderView): string | undefined {
  if (!money || !reversal || standing !== 'paid') return undefined;
  if (meaningOfLine(reversal, new Map()) !== 'reversed') return undefined;
  return reversal.amount ?? formatMinorUnits(money.minorUnits, money.currency);
}
