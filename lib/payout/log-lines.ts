// What the log says of one delivery: enough to follow a job from its message over its order to its result, and from there
// over every look to its end.
import type { SQSRecord } from 'aws-lambda';
import type { LedgerEntry } from './ledger.ts';
import { type LogFields, traceIdOf } from './log-fields.ts';
import type { Result } from './result.ts';
import type { Disposition, JobMessage } from './disposition.ts';
import type { CheckEnd } from './check-end.ts';

/** The line of a delivery of a job. */
export function jobFields(record: SQSRecord, message: JobMessage, disposition: Disposition): LogFields {
  const { kind, entry, result } = disposition;
  const { originMessageId, receiveCount } = message;
  const failure =
    entry?.failure ?? result?.failure ?? (kind === 'retry' || kind === 'wait' ? disposition.failure : undefined);
  return {
    ...recordFields(record),
    ...(originMessageId !== record.messageId && { originMessageId }),
    receiveCount,
    disposition: kind,
    ...orderFields(entry, result, failure),
    ...((kind === 'retry' || kind === 'wait') && { delaySeconds: disposition.delaySeconds }),
  };
}

/** The line of a check. */
export function checkFields(record: SQSRecord, { entry, result, finding, next }: CheckEnd): LogFields {
  return {
    ...recordFields(record),
    ...orderFields(entry, result, entry?.failure),
    ...(finding && { finding }),
    ...(next && { delaySeconds: next.delaySeconds }),
  };
}

/** What the log says of an order; of a message that never became one, what it named. */
function orderFields(
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

function recordFields({ messageId, attributes }: SQSRecord): LogFields {
  const traceId = traceIdOf(attributes.AWSTraceHeader);
  return { messageId, ...(traceId !== undefined && { traceId }) };
}
