// What every batch of a queue has in common: records worked on a few at a time, each acknowledged only when its end is
// proven, and a partial batch response that lists all the others, so that it can't be empty by accident.
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { errorFields, type LogFields, traceIdOf } from './log-fields.ts';
import type { Result } from './result.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Ledger, Log } from './ports.ts';

/** How one record ended. */
export type RecordEnd =
  | { readonly kind: 'acknowledged' }
  | { readonly kind: 'returned'; readonly receiptHandle: string; readonly delaySeconds: number };

/** How the records of one queue are worked on. */
export interface RecordWork {
  readonly concurrency: number;
  /**
   * Takes a record as far as it goes alone; what it returns carries out its end. That is not awaited in the record's
   * place: a job that is settled makes room for the next while its result waits for nine others.
   */
  readonly work: (record: SQSRecord) => Promise<() => Promise<RecordEnd>>;
  /** Sends what the outboxes still hold, once every record is worked on. */
  readonly flush: () => void;
  /** Sets when the returned records are seen again; best effort. */
  readonly postpone: (returned: readonly { receiptHandle: string; delaySeconds: number }[]) => Promise<void>;
  readonly log: Log;
}

/** Works on all records and answers Lambda. */
export async function runRecords(records: readonly SQSRecord[], it: RecordWork): Promise<SQSBatchResponse> {
  const ends: Promise<RecordEnd>[] = [];
  await eachConcurrently(records, it.concurrency, async (record) => {
    const carryOut = await it.work(record);
    ends.push(carryOut());
  });
  it.flush();
  const returned = (await Promise.all(ends)).filter((end) => end.kind === 'returned');
  if (returned.length > 0) {
    await it.postpone(returned).catch((error: unknown) => it.log.write('warn', 'postpone-failed', errorFields(error)));
  }
  const handles = new Set(returned.map((end) => end.receiptHandle));
  const failed = ends.length === records.length ? records.filter((one) => handles.has(one.receiptHandle)) : records;
  it.log.write('info', 'batch', { records: records.length, failedRecords: failed.length });
  return { batchItemFailures: failed.map((one) => ({ itemIdentifier: one.messageId })) };
}

/**
 * Sets or takes away the mark of a result that is still to publish, where the ledger doesn't have it right already; false
 * where the ledger does not answer.
 */
export async function keepMark(
  entry: LedgerEntry | undefined,
  told: boolean,
  { ledger, log }: { readonly ledger: Ledger; readonly log: Log },
): Promise<boolean> {
  if (!entry || told !== (entry.unpublished ?? false)) return true;
  try {
    await ledger.markUnpublished(entry, !told);
    return true;
  } catch (error) {
    log.write('error', 'mark-failed', { merchant: entry.merchant, orderId: entry.orderId, ...errorFields(error) });
    return false;
  }
}

async function eachConcurrently<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}

/** What the log says of an order; of a message that never became one, what it named. */
export function orderFields(
  entry: LedgerEntry | undefined,
  result: Result | undefined,
  failure: Result['failure'],
): LogFields {
  const { operation, merchant, endpointId, orderId, batchId } = entry ?? result ?? {};
  return {
    ...(operation !== undefined && { operation }),
    ...(merchant !== undefined && { merchant }),
    ...(endpointId !== undefined && { endpointId }),
    ...(orderId !== undefined && { orderId }),
    ...(batchId !== undefined && { batchId }),
    ...(result && { resultId: result.resultId }),
    ...(entry && { state: entry.state, revision: entry.revision, attempts: entry.attempts }),
    ...(entry?.gatewayOrderId !== undefined && { gatewayOrderId: entry.gatewayOrderId }),
    ...(failure && { failureCode: failure.code }),
    ...(failure?.gatewayCode !== undefined && { gatewayCode: failure.gatewayCode }),
    ...(failure?.httpStatus !== undefined && { httpStatus: failure.httpStatus }),
  };
}

/** What the log says of the message itself. */
export function recordFields({ messageId, attributes }: SQSRecord): LogFields {
  const traceId = traceIdOf(attributes.AWSTraceHeader);
  return { messageId, ...(traceId !== undefined && { traceId }) };
}
