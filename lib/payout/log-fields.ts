// The vocabulary of the log: the fields that may be written at all, and the events by name. A field that is not on this page
// can't be logged, whatever is passed. The table in infra/docs/metrics-and-log.md is made from it, and no query there may
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
  traceId: { is: 'text', meaning: 'the X-Ray trace: of the message where it bears one, else of the invocation' },
  messageId: { is: 'text', meaning: 'the SQS message of this delivery' },
  receiveCount: { is: 'number', meaning: 'how often SQS has delivered this message, this time included' },
  operation: { is: 'text', meaning: 'of the job' },
  merchant: { is: 'text', meaning: 'of the job' },
  endpointId: { is: 'text', meaning: 'of the job' },
  orderId: { is: 'text', meaning: 'of the job' },
  orderKey: { is: 'text', meaning: 'merchant and order id as the ledger has them, where the entry can not be read' },
  batchId: { is: 'text', meaning: 'of the job' },
  resultId: { is: 'text', meaning: 'the result that was made, as its consumer reads it' },
  disposition: { is: 'text', meaning: 'what becomes of the message: `done`, `wait` or `dead`' },
  because: { is: 'text', meaning: 'why a job waits: a row of the table of waits' },
  state: { is: 'text', meaning: 'the state of the order in the ledger now' },
  revision: { is: 'number', meaning: 'of the order; the higher one supersedes the lower' },
  attempts: { is: 'number', meaning: 'POSTs made for the order so far' },
  failureCode: { is: 'text', meaning: 'why it did not go through: `failure.code` of the result' },
  gatewayCode: { is: 'text', meaning: "the gateway's own error code" },
  httpStatus: { is: 'number', meaning: 'of the answer that led to the failure' },
  gatewayOrderId: { is: 'text', meaning: "the gateway's name for the order" },
  finding: { is: 'text', meaning: 'what an inquiry at the gateway has shown' },
  delaySeconds: { is: 'number', meaning: 'until the message or the next check comes' },
  durationMs: { is: 'number', meaning: 'from taking up the message to its end in the ledger' },
  records: { is: 'number', meaning: 'messages of the batch' },
  failedRecords: { is: 'number', meaning: 'of these, those that stay on their queue' },
  awsCall: { is: 'text', meaning: 'service and call of AWS, as `DynamoDB PutItem`' },
  errorName: { is: 'text', meaning: 'class of an error; its text is never logged' },
  errorCode: { is: 'text', meaning: 'code of an error' },
  note: { is: 'text', meaning: 'who decided by hand, and why; cut short, without card numbers' },
} as const satisfies Record<string, LogField>;

/** Events, each with a fixed name of ours, and the meaning of its line. */
export const logEvents = {
  job: 'one delivery of a job, from message to result',
  check:
    'one check of an order, with its `finding` where the gateway was asked, or an answer that is written late; `warn` where the gateway reports another amount, or a reversal',
  callback: 'an authentic callback of the gateway, whose facts are in the ledger',
  'callback-surprise':
    'a callback that fits nowhere, by its `finding`: `recorded` on its order, or of no order; `error` where it `contradicts` an end or the identity of its order',
  'callback-failed':
    'a callback that could not be judged or stored (a secret, the ledger or the function does not answer): it is answered 503, and comes again',
  'callback-forged': 'a callback with a wrong `control`, or for a merchant that does not exist: it is answered 503',
  batch: 'the end of an invocation',
  'job-failed': 'a job met an error that nobody foresaw; its message comes again',
  'orders-unreadable':
    'newer code wrote `records` orders that are in doubt, held or unpublished, this one among them: only newer code can go on with them',
  'check-failed': 'a check or an answer met an error that nobody foresaw; it comes again, the check by the sweeper',
  'check-unreadable':
    'a message of the checks queue that this version can not read; it comes again, and is a dead letter in the end',
  'waiting-failed': 'a job that is to wait could not be parked, or not opened; it comes again',
  'release-failed': 'the leader could not read or move what waits, or send its references; the next round tries again',
  'mark-failed': 'a result that was (or could not be) published could not be marked so; it may be published once more',
  'aws-call-failed': 'AWS refused a call or never answered it, for good: the jobs that needed it wait, or come again',
  'account-changed':
    'an open order was sent to another account than its secret names now: asked there (`earlier`), or of nobody (`unknown`)',
  'secret-not-refreshed': 'Secrets Manager did not answer; the last good secret serves',
  'ledger-unknown':
    'a table is missing, or is not the one of the record: nothing is sent, asked or stored (procedures/restore-the-ledger.md)',
  'worker-started': '`worker` polls',
  'worker-stopped': '`worker` has finished what it had',
  'polling-failed': '`worker` could not receive',
  'invocation-threw': '`worker`: a whole batch failed',
  'invocation-malformed-response': '`worker`: the answer about a batch could not be read',
  'invocation-timed-out': '`worker`: a batch outlasted the function time-out',
  'dead-letter-discarded': 'a person has thrown a dead letter away; its result was published before',
  'one-person-two-roles':
    'somebody tried to approve a batch that they had registered themselves, in whatever role: refused, and logged',
  'decision-unproven':
    'one person decided that an order is not paid, where two must: the decision counts for nothing, the order is in doubt',
  'safeguards-changed': 'an approver has changed what a merchant may pay, or what two persons must release',
  'batch-unbalanced':
    'all rows of a batch have ended, and do not add up to its control totals: not closed, a person must look',
  'batch-left-uploading':
    'half of a batch is sent, and nothing more of it for an hour: go on with it, or call it off; logged each quarter of an hour',
  'batch-not-settled': 'reading a batch failed; the next sweep follows',
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

/** The parts of an order that the log names. */
type LoggedOrder = Pick<
  OrderView,
  'operation' | 'merchant' | 'endpointId' | 'orderId' | 'batchId' | 'state' | 'revision' | 'attempts' | 'gatewayOrderId'
>;

/** The log's fields of an order; of a message that never became one, the fields that it named. */
export function orderFields(
  entry: LoggedOrder | undefined,
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

/** The parts of an SQS record that are logged. */
interface LoggedRecord {
  readonly messageId: string;
  readonly attributes: { readonly AWSTraceHeader?: string | undefined };
}

/** The log's fields of the message itself. */
export function recordFields({ messageId, attributes }: LoggedRecord): LogFields {
  const traceId = traceIdOf(attributes.AWSTraceHeader);
  return { messageId, ...(traceId !== undefined && { traceId }) };
}
