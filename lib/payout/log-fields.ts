// The vocabulary of the log: the fields that may be written at all, and the events by name. A field that is not on this page
// can't be logged, whatever is passed. The tables in infra/docs/operating.md are made from it, and no query there may
// name anything else.
import type { OrderView } from './order/projection.ts';
import type { Result } from './message/result.ts';

interface LogField {
  readonly is: 'text' | 'number';
  readonly meaning: string;
}

/** The fields beside `time`, `level` and `event`. */
export const logFields = {
  requestId: { is: 'text', meaning: 'the Lambda invocation' },
  traceId: { is: 'text', meaning: 'the X-Ray trace of the message, else of the invocation' },
  messageId: { is: 'text', meaning: 'the SQS message of this delivery' },
  receiveCount: { is: 'number', meaning: 'deliveries of this message, this one included' },
  operation: { is: 'text', meaning: 'of the job' },
  merchant: { is: 'text', meaning: 'of the job' },
  endpointId: { is: 'text', meaning: 'of the job' },
  orderId: { is: 'text', meaning: 'of the job' },
  orderKey: { is: 'text', meaning: 'merchant and order id of an item that cannot be read' },
  batchId: { is: 'text', meaning: 'of the job' },
  resultId: { is: 'text', meaning: 'the published result' },
  disposition: { is: 'text', meaning: 'the end of the delivery: `done`, `wait` or `dead`' },
  because: { is: 'text', meaning: 'why a job waits' },
  standing: { is: 'text', meaning: 'what became of the payment so far' },
  revision: { is: 'number', meaning: 'of the order; the higher one supersedes the lower' },
  attempts: { is: 'number', meaning: 'POSTs made for the order so far' },
  failureCode: { is: 'text', meaning: '`failure.code` of the result' },
  gatewayCode: { is: 'text', meaning: "the gateway's own error code" },
  httpStatus: { is: 'number', meaning: 'of the answer that led to the failure' },
  gatewayOrderId: { is: 'text', meaning: "the gateway's name for the order" },
  finding: { is: 'text', meaning: 'what an inquiry at the gateway has shown' },
  delaySeconds: { is: 'number', meaning: 'until the message or the next check comes' },
  durationMs: { is: 'number', meaning: 'from the delivery to its end in the ledger' },
  records: { is: 'number', meaning: 'messages of the batch' },
  failedRecords: { is: 'number', meaning: 'of these, those that come again' },
  awsCall: { is: 'text', meaning: 'service and call of AWS, as `DynamoDB PutItem`' },
  errorName: { is: 'text', meaning: 'class of an error; its text is never logged' },
  errorCode: { is: 'text', meaning: 'code of an error' },
  note: { is: 'text', meaning: 'who decided by hand, and why; cut short, without card numbers' },
} as const satisfies Record<string, LogField>;

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
  'invocation-malformed-response': '`worker`: the answer about a batch could not be read',
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
  readonly [Name in LogFieldName]?: (typeof logFields)[Name]['is'] extends 'number' ? number : string;
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
