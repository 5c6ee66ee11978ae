// What an owner may choose in a stack, and what a change of anything else endangers. What is not listed here is refused: a
// property that nobody thought of is more likely a hole than a wish.
import type { Resource } from './stack.ts';

/** Whether a difference is refused, shown as the owner's choice, or not worth a line. */
export type Choice = 'refused' | 'shown' | 'nobody-cares';

interface Row {
  readonly type: RegExp;
  /** Of the property; an empty one is the resource as a whole. */
  readonly path: RegExp;
  readonly choice: Exclude<Choice, 'refused'>;
  /** For which values; default all. */
  readonly where?: (value: unknown, stage: string, it: Resource, shipped: unknown) => boolean;
}

/** Limits of the worker: the rule `settings` holds their relations. Anything else among the settings is refused. */
const limits =
  /^Environment\.Variables\.(GATEWAY_\w+_MS|SETTLE_RESERVE_MS|AWS_\w+_TIMEOUT_MS|LEASE_MS|FUNCTION_TIMEOUT_MS|MAX_RECEIVE_COUNT|CONCURRENCY|RETRY_\w+_SECONDS|DOUBT_\w+|LEAVE_RETRY_SECONDS|GATE_MAX_WAIT_SECONDS|CREDENTIALS_TTL_MS|OPEN_WORK_SHARDS(_READ)?)$/;

/** With less, the start alone takes a part of what a POST may take. */
const leastMegabytes = 256;
const leastLogDays = 14;
const shippedLogDays = 400;

const rows: readonly Row[] = [
  { type: /./, path: /^(Tags|Description|AlarmDescription|DisplayName)$/, choice: 'nobody-cares' },
  { type: /^AWS::(CloudWatch::Dashboard|Logs::QueryDefinition)$/, path: /^/, choice: 'nobody-cares' },
  {
    type: /^AWS::S3::Bucket/,
    path: /^$/,
    choice: 'nobody-cares',
    // The packager's for code, in whose place there may be one of their own.
    where: (_, __, { logicalId }) => logicalId.startsWith('ServerlessDeploymentBucket'),
  },
  { type: /^Template::Parameters$/, path: /\.(Default|Description)$/, choice: 'nobody-cares' },
  { type: /^Template::Outputs$/, path: /\.Description$/, choice: 'nobody-cares' },
  // One of their own beside the others: nothing refers to it.
  {
    type: /^Template::(Parameters|Conditions|Outputs)$/,
    path: /^\w+$/,
    choice: 'nobody-cares',
    where: (value, _, __, shipped) => shipped === undefined && value !== undefined,
  },
  {
    type: /^AWS::S3::Bucket$/,
    path: /^LifecycleConfiguration/,
    choice: 'shown',
    // Where it is kept is theirs to say; how long is not.
    where: (rules) => !/Expiration|Expired/.test(JSON.stringify(rules) ?? ''),
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
  { type: /^AWS::Lambda::Function$/, path: /^(TracingConfig\.Mode|Timeout|MemorySize)$/, choice: 'shown' },
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
    path: /^(ScalingConfig\.MaximumConcurrency|BatchSize|MaximumBatchingWindowInSeconds)$/,
    choice: 'shown',
    where: (value) => Number(value) >= 0,
  },
  { type: /^AWS::SQS::Queue$/, path: /^(VisibilityTimeout|RedrivePolicy\.maxReceiveCount)$/, choice: 'shown' },
  {
    type: /^AWS::CloudWatch::Alarm$/,
    path: /^(Threshold|Period|EvaluationPeriods|DatapointsToAlarm)$/,
    choice: 'shown',
    // Beyond, it is switched off in all but name.
    where: (value, _, { properties }, shipped) =>
      String(properties['ComparisonOperator']).startsWith('Less')
        ? Number(value) >= Number(shipped)
        : Number(value) <= 10 * Math.max(1, Number(shipped)),
  },
  {
    type: /^AWS::Events::Rule$/,
    path: /^State$/,
    choice: 'shown',
    where: (_, __, { logicalId }) => !logicalId.startsWith('Sweep'),
  },
  { type: /^AWS::Events::Rule$/, path: /^EventBusName$/, choice: 'shown' },
  // Each by its name: by a pattern anybody could say that an order is paid.
  {
    type: /^AWS::Events::Rule$/,
    path: /^EventPattern\.source$/,
    choice: 'shown',
    where: (sources) => Array.isArray(sources) && sources.every((it) => typeof it === 'string'),
  },
  {
    type: /./,
    path: /^DeletionPolicy$/,
    choice: 'shown',
    where: (policy, stage, { type }) =>
      policy === 'Retain' || (policy === 'Delete' && !stage.startsWith('prod') && type !== 'AWS::KMS::Key'),
  },
];

/** Whose the choice is where this property differs. */
export function choiceOf(it: Resource, path: string, stage: string, value?: unknown, shipped?: unknown): Choice {
  const row = rows.find(
    ({ type, path: paths, where = () => true }) =>
      type.test(it.type) && paths.test(path) && where(value, stage, it, shipped),
  );
  return row?.choice ?? 'refused';
}

const dangers: readonly (readonly [type: RegExp, danger: string])[] = [
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
  [/^AWS::Pipes::/, 'results leave for where nobody waits for them'],
  [/^AWS::S3::/, 'what the ledger has cut off is nowhere else: it can be read by others, changed, or lost'],
  [/^AWS::Logs::/, 'nobody can look up what happened to an order, or strangers can'],
];

/** What a difference in a resource of this type endangers; ends a sentence that begins with the fault. */
export function dangerOf(type: string): string {
  return dangers.find(([types]) => types.test(type))?.[1] ?? 'nobody has thought about what it does to this worker';
}

/**
 * Things beside the worker's own that are shown alone: those that give rights, move messages, lead its logs away, talk to others
 * or reach what is ours are refused.
 */
export function mayBeAdded({ type }: Resource): boolean {
  return /^AWS::(CloudWatch::.+|Logs::(LogGroup|MetricFilter|QueryDefinition)|S3::Bucket|SNS::Subscription|Budgets::.+)$/.test(
    type,
  );
}
