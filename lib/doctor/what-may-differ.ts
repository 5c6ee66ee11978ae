// The parts of a stack that its owner may choose, and the danger of changing any other. A property that is not listed is refused:
// nobody thought of it, so it is more likely a hole than a wish.
import type { Resource } from './stack.ts';

/** Whether a difference is refused, shown as the owner's choice, or not worth a line. */
export type Choice = 'refused' | 'shown' | 'nobody-cares';

interface Row {
  readonly type: RegExp;
  /** The path of the property; an empty one is the resource as a whole. */
  readonly path: RegExp;
  readonly choice: Exclude<Choice, 'refused'>;
  /** For which values; default all. */
  readonly where?: (value: unknown, it: Resource, shipped: unknown) => boolean;
}

/** Limits of the worker: the rule `settings` holds their relations. Anything else among the settings is refused. */
const limits =
  /^Environment\.Variables\.(GATEWAY_\w+_MS|SETTLE_RESERVE_MS|AWS_\w+_TIMEOUT_MS|LEASE_MS|FUNCTION_TIMEOUT_MS|MAX_RECEIVE_COUNT|CONCURRENCY|RETRY_\w+_SECONDS|DOUBT_\w+|LEAVE_RETRY_SECONDS|UNKNOWN_MERCHANT_WAIT_SECONDS|OPEN_WORK_SHARDS(_READ)?)$/;

/** With less, the start alone takes a part of what a POST may take. */
const leastMegabytes = 256;
const leastLogDays = 14;
const shippedLogDays = 400;

const rows: readonly Row[] = [
  { type: /./, path: /^(Tags|Description|AlarmDescription|DisplayName)$/, choice: 'nobody-cares' },
  { type: /^AWS::(CloudWatch::Dashboard|Logs::QueryDefinition)$/, path: /^/, choice: 'nobody-cares' },
  { type: /^Template::Parameters$/, path: /\.(Default|Description)$/, choice: 'nobody-cares' },
  { type: /^Template::Outputs$/, path: /\.Description$/, choice: 'nobody-cares' },
  // One of their own beside the others: nothing refers to it.
  {
    type: /^Template::(Parameters|Conditions|Outputs)$/,
    path: /^\w+$/,
    choice: 'nobody-cares',
    where: (value, _, shipped) => shipped === undefined && value !== undefined,
  },
  {
    type: /^AWS::Lambda::Function$/,
    path: /^MemorySize$/,
    choice: 'nobody-cares',
    where: (megabytes) => Number(megabytes) >= leastMegabytes,
  },
  {
    type: /^AWS::Lambda::Function$/,
    path: /^(EphemeralStorage\b|Code\.(S3Key|S3ObjectVersion)$)/,
    choice: 'nobody-cares',
  },
  { type: /^AWS::Lambda::Version$/, path: /^CodeSha256$/, choice: 'nobody-cares' },
  // Somebody has rolled back; to which commit is said there.
  {
    type: /^AWS::Lambda::Alias$/,
    path: /^FunctionVersion$/,
    choice: 'shown',
    where: (value) => /^\d+\b/.test(String(value)),
  },
  {
    type: /^AWS::Logs::LogGroup$/,
    path: /^RetentionInDays$/,
    choice: 'nobody-cares',
    where: (days) => Number(days) >= shippedLogDays,
  },
  {
    type: /^AWS::Logs::LogGroup$/,
    path: /^RetentionInDays$/,
    choice: 'shown',
    where: (days) => Number(days) >= leastLogDays,
  },
  { type: /^AWS::Lambda::Function$/, path: /^(Timeout|MemorySize)$/, choice: 'shown' },
  {
    type: /^AWS::Lambda::Function$/,
    path: /^ReservedConcurrentExecutions/,
    choice: 'shown',
    // Nought is a function that is switched off.
    where: (reserved) => reserved === undefined || Number(reserved) > 0,
  },
  { type: /^AWS::Lambda::Function$/, path: limits, choice: 'shown' },
  {
    type: /^AWS::Lambda::EventSourceMapping$/,
    path: /^ScalingConfig\.MaximumConcurrency$/,
    choice: 'shown',
    // As Lambda takes it.
    where: (value) => Number(value) >= 2 && Number(value) <= 1000,
  },
  {
    type: /^AWS::Lambda::EventSourceMapping$/,
    path: /^(BatchSize|MaximumBatchingWindowInSeconds)$/,
    choice: 'shown',
    where: (value) => Number(value) >= 0,
  },
  { type: /^AWS::SQS::Queue$/, path: /^(VisibilityTimeout|RedrivePolicy\.maxReceiveCount)$/, choice: 'shown' },
  {
    type: /^AWS::CloudWatch::Alarm$/,
    path: /^(Threshold|Period|EvaluationPeriods|DatapointsToAlarm)$/,
    choice: 'shown',
    // Beyond, it is switched off in all but name; what one event sets off must be set off by one.
    where: (value, { properties }, shipped) => {
      if (String(properties['ComparisonOperator']).startsWith('Less')) return Number(value) >= Number(shipped);
      const isOfOne = properties['MetricName'] === 'ApproximateNumberOfMessagesVisible';
      return Number(value) <= (isOfOne ? Number(shipped) : 10 * Math.max(1, Number(shipped)));
    },
  },
  {
    type: /./,
    path: /^DeletionPolicy$/,
    choice: 'shown',
    // Resources that go with their stack on purpose stay so: a key of a CVV that is kept opens it (PCI DSS 3.3.1).
    where: (policy, _, shipped) => policy === 'Retain' && shipped !== 'Delete',
  },
];

/** The choice that a difference in this property is. */
export function choiceOf(it: Resource, path: string, value?: unknown, shipped?: unknown): Choice {
  const row = rows.find(
    ({ type, path: paths, where = () => true }) => type.test(it.type) && paths.test(path) && where(value, it, shipped),
  );
  return row?.choice ?? 'refused';
}

const dangers: readonly (readonly [type: RegExp, danger: string])[] = [
  [/^Template::StackPolicy/, 'an update may replace or delete what cannot be had again: an empty ledger pays again'],
  [/^Template::/, 'what is there, for whom and under which name is decided otherwise than it was tried'],
  [/^AWS::KMS::/, 'whoever may use the key reads payouts and secrets, and without it the ledger is noise'],
  [/^AWS::DynamoDB::/, 'the memory of what was paid can be lost or changed: what it forgets is paid again'],
  [/^AWS::SQS::QueuePolicy$/, 'whoever can put a message can pay, whoever reads one knows who is paid what'],
  [/^AWS::SQS::/, 'jobs, answers or dead letters go where nobody looks, or are gone before anybody did'],
  [/^AWS::IAM::/, 'somebody may do what this worker never asks for'],
  [/^AWS::Lambda::(Permission|Url)/, 'the wrong ones are let in, or the gateway is kept out and ends are never heard'],
  [/^AWS::Lambda::/, 'the function runs otherwise than it was tried: what it does to money, nobody knows'],
  [/^AWS::SecretsManager::/, 'keys are read by others, or orders that are open are not recognised any more'],
  [/^AWS::CloudWatch::/, 'something stands still or is paid twice, and no person hears of it'],
  [/^AWS::EC2::/, 'payments leave by an address that the gateway does not list, or strangers get near what pays'],
  [/^AWS::SNS::/, 'alarms are heard by nobody, or by strangers'],
  [/^AWS::Events::/, 'what stands still is not set moving, or what moves money comes from elsewhere'],
  [/^AWS::CodeDeploy::/, 'a release that crashes goes into use all the same, or somebody else decides what is in use'],
  [/^AWS::Pipes::/, 'results leave for where nobody waits for them'],
  [/^AWS::Logs::/, 'nobody can look up what happened to an order, or strangers can'],
];

/** The danger of a difference in a resource of this type; ends a sentence that begins with the fault. */
export function dangerOf(type: string): string {
  return dangers.find(([types]) => types.test(type))?.[1] ?? 'nobody has thought about what it does to this worker';
}

/**
 * Things beside the worker's own that are shown alone: those that give rights, move messages, lead its logs away or talk to others
 * are refused.
 */
export function mayBeAdded({ type }: Resource): boolean {
  return /^AWS::(CloudWatch::.+|Logs::(LogGroup|MetricFilter|QueryDefinition)|S3::Bucket|SNS::Subscription|Budgets::.+)$/.test(
    type,
  );
}
