// One order as a line of the ledger's export: everything that a merchant may see of it, and nothing else. Fingerprint,
// owner and lease stay in the ledger.
import * as v from 'valibot';
import { formatMinorUnits } from '../gateway/money.ts';
import { operationNames } from '../gateway/operations.ts';
import { type LedgerEntry, moves, type OrderState } from '../payout/ledger.ts';
import { isCancelledBeforehand } from '../payout/fingerprint.ts';

const states = Object.keys(moves) as OrderState[];
const text = v.string();
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A line of the export. */
export const exportedOrderSchema = v.object({
  version: v.literal(1),
  /** `orderKey` of ledger.ts. */
  key: v.pipe(text, v.regex(/^[^/]+\/./)),
  operation: v.picklist(operationNames),
  state: v.picklist(states),
  final: v.boolean(),
  revision: v.pipe(count, v.minValue(1)),
  attempts: count,
  endpointId: v.exactOptional(text),
  amount: v.exactOptional(text),
  currency: v.exactOptional(text),
  gatewayOrderId: v.exactOptional(text),
  failureCode: v.exactOptional(text),
  failureMessage: v.exactOptional(text),
  note: v.exactOptional(text),
  batchId: v.exactOptional(text),
  /** No job of it has come: it was cancelled before. */
  beforehand: v.exactOptional(v.literal(true)),
  /** Its result is still to be told. */
  untold: v.exactOptional(v.literal(true)),
  createdAt: text,
  updatedAt: text,
});

/** A line of the export. */
export type ExportedOrder = v.InferOutput<typeof exportedOrderSchema>;

/** The line of an order. */
export function exportedOrder(entry: LedgerEntry): ExportedOrder {
  const { key, operation, state, final, revision, attempts, endpointId, money, failure } = entry;
  return {
    version: 1,
    key,
    operation,
    state,
    final,
    revision,
    attempts,
    ...(endpointId !== '' && { endpointId }),
    ...(money && { amount: formatMinorUnits(money.minorUnits, money.currency), currency: money.currency }),
    ...(entry.gatewayOrderId !== undefined && { gatewayOrderId: entry.gatewayOrderId }),
    ...(failure && { failureCode: failure.code, failureMessage: failure.message }),
    ...(entry.note !== undefined && { note: entry.note }),
    ...(entry.batchId !== undefined && { batchId: entry.batchId }),
    ...(isCancelledBeforehand(entry) && { beforehand: true as const }),
    ...(entry.unpublished && { untold: true as const }),
    createdAt: new Date(entry.createdAtMs).toISOString(),
    updatedAt: new Date(entry.updatedAtMs).toISOString(),
  };
}

// What each of three books can say about one order, as far as money goes: the ledger, the results that were told, and the
// gateway's own report.

/** What the ledger says, as far as money goes. */
export const ledgerSides = [
  'none',
  /** An eligibility check: it moves no money, and the gateway's report does not have it. */
  'no money',
  /** Never sent: waiting to be sent again, failed, cancelled, or held by a cap. */
  'not sent',
  /** Claimed, its answer not written yet; in doubt; or held after it was sent. */
  'unknown',
  'accepted',
  'approved',
  'declined',
] as const;

/** What the results say beside the ledger. */
export const resultSides = [
  /** The newest says what the ledger says, or there was nothing to tell yet. */
  'same',
  'none',
  /** The newest is of an earlier revision of the order. */
  'behind',
  /** The newest is of a later revision: the ledger was exported before it. */
  'ahead',
  /** The same revision was told otherwise. */
  'other',
] as const;

/** What the gateway's report says. */
export const gatewaySides = ['none', 'paid', 'paid more than once', 'unpaid', 'under way'] as const;

/** One of {@link ledgerSides}. */
export type LedgerSide = (typeof ledgerSides)[number];
/** One of {@link resultSides}. */
export type ResultSide = (typeof resultSides)[number];
/** One of {@link gatewaySides}. */
export type GatewaySide = (typeof gatewaySides)[number];

/** One order in all three books. */
export interface ThreeSides {
  readonly ledger: LedgerSide;
  readonly result: ResultSide;
  readonly gateway: GatewaySide;
  /** Ledger and gateway name another amount or currency; false where one of them names none. */
  readonly amountDiffers: boolean;
}
