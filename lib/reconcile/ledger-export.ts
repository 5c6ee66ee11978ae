// One order as a line of the ledger's export: everything that a merchant may see of it, and nothing else. Fingerprint,
// owner and lease stay in the ledger.
import * as v from 'valibot';
import { isCancelledBeforehand } from '../payout/claim.ts';
import { type LedgerEntry, moves, type OrderState } from '../payout/ledger.ts';
import { formatMinorUnits } from '../gateway/money.ts';
import { operationNames } from '../gateway/operations.ts';

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
