// Edits of a template that would cost money, answers or secrets, as a person in a hurry makes them. Each must turn a rule red.
import type { Packaged } from './packaged.ts';

/** One of them. */
export interface WrongEdit {
  readonly story: string;
  /** The beginning of the rule that refuses it. */
  readonly rule: string;
  /** Of which stage file; default prod. */
  readonly stage?: string;
  readonly edit: (packaged: Edited) => void;
}

// A template is edited by path, as a person edits its text.
// oxlint-disable-next-line no-explicit-any
type Json = any;
/** A package that may be edited. */
export type Edited = { -readonly [Name in keyof Packaged]: Packaged[Name] } & { template: Json; stackPolicy: Json };

/** Sets a property, or takes it away with `undefined`. */
const set = (id: string, path: string, value: unknown) => (it: Edited) => {
  const names = path.split('.');
  const last = names.pop() ?? '';
  let at = it.template.Resources[id].Properties;
  for (const name of names) at = at[name];
  if (value === undefined) delete at[last];
  else at[last] = value;
};
/** Sets an attribute beside the properties. */
const attribute = (id: string, name: string, value: unknown) => (it: Edited) => {
  it.template.Resources[id][name] = value;
};
const add = (id: string, Type: string, Properties: object) => (it: Edited) => {
  it.template.Resources[id] = { Type, Properties };
};
const remove = (id: string) => (it: Edited) => {
  delete it.template.Resources[id];
};
/** Adds a statement to the document at a path. */
const allow = (id: string, path: string, statement: object) => (it: Edited) => {
  const document = path.split('.').reduce((at, name) => at[name], it.template.Resources[id].Properties);
  document.Statement.push({ Effect: 'Allow', ...statement });
};
/** Takes the statements away that name an action. */
const forget = (id: string, path: string, sid: RegExp) => (it: Edited) => {
  const document = path.split('.').reduce((at, name) => at[name], it.template.Resources[id].Properties);
  document.Statement = document.Statement.filter((one: object) => !sid.test(JSON.stringify(one)));
};
const changed = (id: string, path: string, change: (statement: Json) => void) => (it: Edited) => {
  const document = path.split('.').reduce((at, name) => at[name], it.template.Resources[id].Properties);
  for (const one of document.Statement) change(one);
};

const mapping = 'SubmitEventSourceMappingSQSJobsQueue';
const role = 'Policies.0.PolicyDocument';
const everything = { Action: '*', Resource: '*' };
const root = { AWS: { 'Fn::Sub': 'arn:${AWS::Partition}:iam::${AWS::AccountId}:root' } };
const stranger = { AWS: 'arn:aws:iam::999999999999:root' };
const ledger = { 'Fn::GetAtt': ['LedgerTable', 'Arn'] };

/** The list. */
export const wrongEdits: readonly WrongEdit[] = [
  // Settings and code.
  {
    story: 'a setting is missing',
    rule: 'settings',
    edit: set('SubmitLambdaFunction', 'Environment.Variables.LEDGER_TABLE_NAME', undefined),
  },
  {
    story: 'a limit of doubt is no limit',
    rule: 'settings',
    edit: set('SweepLambdaFunction', 'Environment.Variables.DOUBT_ALARM', 'EUR'),
  },
  {
    story: 'more shards are written than read',
    rule: 'settings',
    edit: set('InquireLambdaFunction', 'Environment.Variables.OPEN_WORK_SHARDS', 32),
  },
  {
    story: 'the function that pays runs the code of another',
    rule: 'functions run',
    edit: set('SubmitLambdaFunction', 'Handler', 'dist/sweep.handler'),
  },
  {
    story: 'code comes from a bucket of another',
    rule: 'functions run',
    edit: set('SubmitLambdaFunction', 'Code.S3Bucket', 'payouts-code-111122223333-eu-central-1'),
  },
  {
    story: 'the sweeper has the rights of submit',
    rule: 'functions run',
    edit: set('SweepLambdaFunction', 'Role', { 'Fn::GetAtt': ['SubmitRole', 'Arn'] }),
  },
  {
    story: 'a layer sees every call',
    rule: 'functions run',
    edit: set('SubmitLambdaFunction', 'Layers', ['arn:aws:lambda:eu-central-1:1:layer:x:1']),
  },
  {
    story: 'logs are text again',
    rule: 'functions run',
    edit: set('SubmitLambdaFunction', 'LoggingConfig', undefined),
  },
  {
    story: 'a function more',
    rule: 'functions run',
    edit: (it) => (it.template.Resources['PayLambdaFunction'] = it.template.Resources['SubmitLambdaFunction']),
  },
  // Time.
  {
    story: 'submit ends sooner than it plans',
    rule: 'a function has the time',
    edit: set('SubmitLambdaFunction', 'Timeout', 60),
  },
  {
    story: 'inquire ends between question and answer',
    rule: 'a function has the time',
    edit: set('InquireLambdaFunction', 'Timeout', 30),
  },
  {
    story: 'the visibility time-out is left at its default',
    rule: 'a function has the time',
    edit: set('JobsQueue', 'VisibilityTimeout', undefined),
  },
  {
    story: 'a message comes again while it is at work',
    rule: 'a function has the time',
    edit: set('ChecksQueue', 'VisibilityTimeout', 120),
  },
  { story: 'two sweeps overlap', rule: 'a function has the time', edit: set('SweepLambdaFunction', 'Timeout', 90) },
  // Receives and mappings.
  {
    story: 'jobs that wait become dead letters',
    rule: 'messages are received',
    edit: set('JobsQueue', 'RedrivePolicy.maxReceiveCount', 5),
  },
  {
    story: 'one throttle makes a dead letter',
    rule: 'messages are received',
    edit: set('ChecksQueue', 'RedrivePolicy.maxReceiveCount', 1),
  },
  {
    story: 'a queue has no dead letters',
    rule: 'messages are received',
    edit: set('ResultsQueue', 'RedrivePolicy', undefined),
  },
  {
    story: 'one failure brings the whole batch back',
    rule: 'no mapping',
    edit: set(mapping, 'FunctionResponseTypes', undefined),
  },
  {
    story: 'a filter deletes what fits none',
    rule: 'no mapping',
    edit: set(mapping, 'FilterCriteria', { Filters: [{ Pattern: '{}' }] }),
  },
  { story: 'a mapping is off', rule: 'no mapping', edit: set(mapping, 'Enabled', false) },
  {
    story: 'connections to the gateway have no bound',
    rule: 'no mapping',
    edit: set(mapping, 'ScalingConfig', undefined),
  },
  {
    story: 'a batch is larger than what is worked on at once',
    rule: 'no mapping',
    edit: set(mapping, 'BatchSize', 100),
  },
  { story: 'a mapping is gone', rule: 'no mapping', edit: remove('InquireEventSourceMappingSQSCallbacksQueue') },
  {
    story: 'a queue feeds another function',
    rule: 'no mapping',
    edit: set(mapping, 'FunctionName', { 'Fn::GetAtt': ['SweepLambdaFunction', 'Arn'] }),
  },
  {
    story: 'throttled messages count as received',
    rule: 'no mapping',
    edit: set('SubmitLambdaFunction', 'ReservedConcurrentExecutions', 5),
  },
  {
    story: 'Lambda drops a lane after sixteen rounds',
    rule: 'no mapping',
    edit: set('SubmitLambdaFunction', 'RecursiveLoop', 'Terminate'),
  },
  { story: 'three sweepers instead of four', rule: 'four sweepers', edit: remove('SweepEventsRuleSchedule3') },
  { story: 'a sweeper is off', rule: 'four sweepers', edit: set('SweepEventsRuleSchedule2', 'State', 'DISABLED') },
  {
    story: 'the sweeper comes hourly',
    rule: 'four sweepers',
    edit: set('SweepEventsRuleSchedule1', 'ScheduleExpression', 'rate(1 hour)'),
  },
  // The door.
  {
    story: 'the door takes the concurrency of what pays',
    rule: 'strangers',
    stage: 'example',
    edit: set('CallbackLambdaFunction', 'ReservedConcurrentExecutions', undefined),
  },
  {
    story: 'submit has a public address',
    rule: 'strangers',
    edit: add('SubmitUrl', 'AWS::Lambda::Url', {
      AuthType: 'NONE',
      TargetFunctionArn: { 'Fn::GetAtt': ['SubmitLambdaFunction', 'Arn'] },
    }),
  },
  {
    story: 'everybody may call a function',
    rule: 'strangers',
    edit: add('Open', 'AWS::Lambda::Permission', {
      Action: 'lambda:InvokeFunction',
      Principal: '*',
      FunctionName: { 'Fn::GetAtt': ['SubmitLambdaFunction', 'Arn'] },
    }),
  },
  {
    story: 'another account may put jobs',
    rule: 'strangers',
    edit: allow('JobsQueuePolicy', 'PolicyDocument', { Principal: stranger, Action: 'sqs:SendMessage', Resource: '*' }),
  },
  {
    story: 'another account may read secrets',
    rule: 'strangers',
    edit: allow('WorkerSecretPolicy', 'ResourcePolicy', {
      Principal: stranger,
      Action: 'secretsmanager:GetSecretValue',
      Resource: '*',
    }),
  },
  // Data.
  {
    story: 'the ledger goes with the stack',
    rule: 'data outlives',
    edit: attribute('LedgerTable', 'DeletionPolicy', 'Delete'),
  },
  {
    story: 'the ledger may be replaced',
    rule: 'data outlives',
    edit: attribute('LedgerTable', 'UpdateReplacePolicy', undefined),
  },
  {
    story: 'a key is deleted with the stack',
    rule: 'data outlives',
    edit: attribute('WaitingKey', 'DeletionPolicy', undefined),
  },
  {
    story: 'keys of CVVs are kept',
    rule: 'data outlives',
    edit: attribute('CardKeysTable', 'DeletionPolicy', 'Retain'),
  },
  {
    story: 'a first deployment that fails leaves its names taken',
    rule: 'data outlives',
    edit: attribute('JobsQueue', 'DeletionPolicy', 'Retain'),
  },
  {
    story: 'the stack policy allows all',
    rule: 'data outlives',
    edit: (it) => (it.stackPolicy = it.stackPolicy.slice(0, 1)),
  },
  {
    story: 'the stack policy forgets the tables',
    rule: 'data outlives',
    edit: (it) => (it.stackPolicy = JSON.parse(JSON.stringify(it.stackPolicy).replace('"AWS::DynamoDB::Table",', ''))),
  },
  {
    story: 'the ledger is under a key of AWS',
    rule: 'data is encrypted',
    edit: set('LedgerTable', 'SSESpecification', { SSEEnabled: true }),
  },
  {
    story: 'encryption is switched off',
    rule: 'data is encrypted',
    edit: set('LedgerTable', 'SSESpecification.SSEEnabled', false),
  },
  { story: 'a queue is not encrypted', rule: 'data is encrypted', edit: set('JobsQueue', 'KmsMasterKeyId', undefined) },
  { story: 'logs lose their key', rule: 'data is encrypted', edit: set('SubmitLogGroup', 'KmsKeyId', undefined) },
  {
    story: 'the ledger cannot be restored',
    rule: 'tables can be had',
    edit: set('LedgerTable', 'PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled', false),
  },
  {
    story: 'one call deletes the ledger',
    rule: 'tables can be had',
    edit: set('LedgerTable', 'DeletionProtectionEnabled', false),
  },
  {
    story: 'keys of CVVs can be restored',
    rule: 'tables can be had',
    edit: set('CardKeysTable', 'PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled', true),
  },
  { story: 'payday is throttled', rule: 'tables can be had', edit: set('LedgerTable', 'BillingMode', 'PROVISIONED') },
  {
    story: 'dead letters are deleted after four days',
    rule: 'messages and logs',
    edit: set('DeadLetterQueue', 'MessageRetentionPeriod', 345_600),
  },
  { story: 'logs are kept for a day', rule: 'messages and logs', edit: set('SubmitLogGroup', 'RetentionInDays', 1) },
  // Who may.
  {
    story: 'a queue takes plain HTTP',
    rule: 'queues, topics',
    edit: (it) => void it.template.Resources.QueuesPolicy.Properties.Queues.pop(),
  },
  {
    story: 'a topic takes plain HTTP',
    rule: 'queues, topics',
    edit: forget('PageTopicPolicy', 'PolicyDocument', /SecureTransport/),
  },
  {
    story: 'the bucket of code is public',
    rule: 'the bucket',
    edit: set('ServerlessDeploymentBucket', 'PublicAccessBlockConfiguration', undefined),
  },
  {
    story: 'the bucket has a name that can be guessed',
    rule: 'the bucket',
    edit: set('ServerlessDeploymentBucket', 'BucketName', 'payouts-code'),
  },
  {
    story: 'a rule puts jobs that no stage file names',
    rule: 'queues take',
    edit: allow('JobsQueuePolicy', 'PolicyDocument', {
      Principal: { Service: 'events.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: '*',
    }),
  },
  {
    story: 'the worker approves',
    rule: 'approvers alone',
    edit: allow('SubmitRole', role, { Action: 'kms:GenerateMac', Resource: '*' }),
  },
  {
    story: 'the operator may do everything with keys',
    rule: 'approvers alone',
    edit: allow('OperatorPolicy', 'PolicyDocument', { Action: 'kms:*', Resource: '*' }),
  },
  {
    story: 'the registrar no longer refuses to approve',
    rule: 'approvers alone',
    edit: forget('RegistrarPolicy', 'PolicyDocument', /GenerateMac/),
  },
  {
    story: 'the account’s administrators approve',
    rule: 'the policies of keys',
    edit: allow('ApprovalKey', 'KeyPolicy', { Principal: root, Action: 'kms:*', Resource: '*' }),
  },
  {
    story: 'no approver is named',
    rule: 'the policies of keys',
    edit: forget('ApprovalKey', 'KeyPolicy', /GenerateMac/),
  },
  {
    story: 'a session without a person approves',
    rule: 'the policies of keys',
    edit: changed('ApprovalKey', 'KeyPolicy', (one) => delete one.Condition?.StringNotLike),
  },
  {
    story: 'everybody with a policy opens waiting jobs',
    rule: 'the policies of keys',
    edit: changed('WaitingKey', 'KeyPolicy', (one) => delete one.Condition),
  },
  {
    story: 'the worker’s key is used directly',
    rule: 'the policies of keys',
    edit: changed('WorkerKey', 'KeyPolicy', (one) => one.Sid === 'UseThroughServices' && delete one.Condition),
  },
  {
    story: 'the worker cannot use its key',
    rule: 'the policies of keys',
    edit: forget('WorkerKey', 'KeyPolicy', /UseThroughServices/),
  },
  {
    story: 'nobody can manage a key',
    rule: 'the policies of keys',
    edit: forget('WaitingKey', 'KeyPolicy', /Administration/),
  },
  { story: 'submit may do everything', rule: 'roles of functions', edit: allow('SubmitRole', role, everything) },
  {
    story: 'submit forgets orders',
    rule: 'roles of functions',
    edit: allow('SubmitRole', role, { Action: 'dynamodb:DeleteItem', Resource: ledger }),
  },
  {
    story: 'the sweeper may call all of a table',
    rule: 'roles of functions',
    edit: allow('SweepRole', role, { Action: 'dynamodb:*', Resource: ledger }),
  },
  {
    story: 'people may assume the role of submit',
    rule: 'roles of functions',
    edit: allow('SubmitRole', 'AssumeRolePolicyDocument', { Principal: root, Action: 'sts:AssumeRole' }),
  },
  {
    story: 'the operator may do everything',
    rule: 'roles of functions',
    edit: allow('OperatorPolicy', 'PolicyDocument', everything),
  },
  {
    story: 'a role escapes its boundary',
    rule: 'roles of functions',
    stage: 'example',
    edit: set('SubmitRole', 'PermissionsBoundary', undefined),
  },
  // Alarms.
  { story: 'no person hears of held orders', rule: 'alarms are heard', edit: set('HeldAlarm', 'AlarmActions', []) },
  { story: 'an alarm is muted', rule: 'alarms are heard', edit: set('HeldAlarm', 'ActionsEnabled', false) },
  { story: 'an alarm is gone', rule: 'alarms are heard', edit: remove('MoneyInDoubtAlarm') },
  {
    story: 'an alarm waits for a figure that the worker does not publish',
    rule: 'alarms are heard',
    edit: set('HeldAlarm', 'Metrics.0.MetricStat.Metric.MetricName', 'heldOrders'),
  },
  {
    story: 'an alarm waits for a queue that is not there',
    rule: 'alarms are heard',
    edit: set('JobsDeadAlarm', 'Metrics.0.MetricStat.Metric.Dimensions.0.Value', 'payouts-prod-jobs-dlq'),
  },
  {
    story: 'the silence of the sweeper rings no alarm',
    rule: 'alarms are heard',
    edit: set('SweeperSilentAlarm', 'TreatMissingData', 'notBreaching'),
  },
  {
    story: 'an alarm has no section of the runbook',
    rule: 'alarms are heard',
    edit: set('HeldAlarm', 'AlarmDescription', 'infra/docs/runbook.md#holding'),
  },
];
