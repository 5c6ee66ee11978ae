// The vocabulary of the log: the only fields and events that may be written. The table of events in infra/docs/operating.md is made from
// it, and a query of the stack may name nothing else.
import type { OrderView } from './order/projection.ts';
import type { Result } from './message/result.ts';

/** The fields beside `time`, `level` and `event`, each with its type. */
export const logFields = {
  requestId: 'text', // the Lambda invocation
  traceId: 'text', // the X-Ray trace of the message, else of the invocation
  messageId: 'text', // the SQS message of this delivery
  receiveCount: 'number', // deliveries of this message, this one included
  operation: 'text', // of the job
  merchant: 'text', // of the job
  endpointId: 'text', // of the job
  orderId: 'text', // of the job
  orderKey: 'text', // merchant and order id of an item that cannot be read
  batchId: 'text', // of the job
  resultId: 'text', // the published result
  disposition: 'text', // the end of the delivery: `done`, `wait` or `dead`
  because: 'text', // why a job waits
  standing: 'text', // what became of the payment so far
  revision: 'number', // of the order; the higher one supersedes the lower
  attempts: 'number', // POSTs made for the order so far
  failureCode: 'text', // `failure.code` of the result
  gatewayCode: 'text', // the gateway's own error code
  httpStatus: 'number', // of the answer that led to the failure
  gatewayOrderId: 'text', // the gateway's name for the order
  finding: 'text', // what an inquiry at the gateway has shown
  delaySeconds: 'number', // until the message or the next check comes
  durationMs: 'number', // from the delivery to its end in the ledger
  records: 'number', // messages of the batch
  failedRecords: 'number', // of these, those that come again
  awsCall: 'text', // service and call of AWS, as `DynamoDB PutItem`
  errorName: 'text', // class of an error; its text is never logged
  errorCode: 'text', // code of an error
  note: 'text', // who decided by hand, and why; cut short, without card numbers
} as const satisfies Record<string, 'text' | 'number'>;

/** Events, each with a fixed name of ours, and the meaning of its line. */
export const logEvents = {
  job: 'one delivery of a job, from message to result',
  check: 'one inquiry about an order, or an answer written late; `warn` for another amount or a reversal',
  callback: 'a proven callback; its facts are in the ledger',
  'callback-surprise': 'a callback that fits no attempt; `error` if it contradicts a published end',
  'callback-failed': 'a callback that could not be judged or stored: answered 503, the gateway repeats it',
  'callback-forged': 'a callback with a wrong `control` or an unknown merchant: answered 503',
  batch: 'the end of an invocation',
  'job-failed': 'an unexpected error; the message comes again',
  'orders-unreadable': 'newer code wrote `records` open orders that this version cannot read, this one among them',
  'check-failed': 'an unexpected error in an inquiry; the sweeper repeats it',
  'check-unreadable': 'a message of the checks queue that this version cannot read; in the end a dead letter',
  'waiting-failed': 'a job could not be parked or opened; it comes again',
  'release-failed': 'the leader could not release what waits; the next round tries again',
  'aws-call-failed': 'a call of AWS failed for good; the jobs that needed it wait or come again',
  'account-changed': 'an open order was sent to another account: asked there (`earlier`), or not at all (`unknown`)',
  'secret-not-refreshed': 'Secrets Manager did not answer; the last good secret stays in use',
  'ledger-unknown': 'a table is missing or replaced: everything is paused (disasters.md)',
  'worker-started': '`worker` polls',
  'worker-stopped': '`worker` has finished',
  'polling-failed': '`worker` could not receive',
  'invocation-threw': '`worker`: a whole batch failed',
  'invocation-timed-out': '`worker`: a batch outlasted the function time-out',
  'dead-letter-discarded': 'a person discarded a dead letter; its result was published before',
  'one-person-two-roles': 'a registrar tried to approve their own batch: refused',
  'decision-unproven': 'one person decided “not paid” where two must: the decision counts for nothing',
  'safeguards-changed': 'an approver changed what a merchant may pay',
  'batch-unbalanced': 'an ended batch differs from its control totals: a person must look',
  'batch-left-uploading': 'an abandoned upload: half sent, and nothing more for an hour',
  'batch-not-settled': 'reading a batch failed; the next sweep tries again',
  'sweep-failed': '`worker`: a sweep failed; the next one follows',
} as const;

/** A field of the log. */
export type LogFieldName = keyof typeof logFields;

/** One line of the log; only these fields can be written at all. */
export type LogFields = {
  readonly [Name in LogFieldName]?: (typeof logFields)[Name] extends 'number' ? number : string;
};

/** An event of the log. */
export type LogEvent = keyof typeof logEvents;

/** The fields of an error, never its message: that may quote what the error came from. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { errorName: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { errorCode: error.code } : {};
  return { errorName: error.name, ...code };
}

/** The root of a trace header ("Root=1-5759e988-bd862e3fe1be46a994272793;Parent=…;Sampled=1"); undefined without one. */
export function traceIdOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /(?:^|;)\s*Root=(1-[0-9a-f]{8}-[0-9a-f]{24})(?:;|$)/.exec(header)?.[1];
}

/** The log's fields of an order; of a message that never became one, the fields that it named. */
export function orderFields(
  order: Partial<OrderView> | undefined,
  result: Partial<Result> | undefined,
  failure: Result['failure'],
): LogFields {
  const { operation, merchant, endpointId, orderId, batchId } = order ?? result ?? {};
  const { standing, revision, attempts, gatewayOrderId } = order ?? {};
  return {
    operation,
    merchant,
    endpointId,
    orderId,
    batchId,
    resultId: result?.resultId,
    standing,
    revision,
    attempts,
    gatewayOrderId,
    failureCode: failure?.code,
    gatewayCode: failure?.gatewayCode,
    httpStatus: failure?.httpStatus,
  };
}

/** The parts of an SQS record that are logged. */
interface LoggedRecord {
  readonly messageId: string;
  readonly attributes: { readonly AWSTraceHeader?: string | undefined };
}

/** The log's fields of the message itself. */
export const recordFields = ({ messageId, attributes }: LoggedRecord): LogFields => ({
  messageId,
  traceId: traceIdOf(attributes.AWSTraceHeader),
});
