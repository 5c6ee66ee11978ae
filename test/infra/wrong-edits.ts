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

/** One of a rule, by the name of the stage that shows it. */
const each = (rule: string, stage: string, edits: Readonly<Record<string, WrongEdit['edit']>>): readonly WrongEdit[] =>
  Object.entries(edits).map(([story, edit]) => ({ story, rule, stage, edit }));
const policy = 'PolicyDocument';
const sentence = (id: string, path: string, sid: RegExp, change: (statement: Json) => void) =>
  changed(id, path, (one) => sid.test(JSON.stringify(one)) && change(one));
const environment = (id: string, variable: string, value: unknown) =>
  set(id, `Environment.Variables.${variable}`, value);
const figure = 'Metrics.0.MetricStat.Metric';

const furtherEdits: readonly WrongEdit[] = [
  ...each('the settings of every function', 'prod', {
    'inquire asks another ledger': environment('InquireLambdaFunction', 'LEDGER_TABLE_NAME', 'payouts-prod-ledger-2'),
    'orders are kept in the table of batches': environment('SubmitLambdaFunction', 'LEDGER_TABLE_NAME', {
      Ref: 'BatchesTable',
    }),
    'results come back as jobs': environment('SubmitLambdaFunction', 'RESULTS_QUEUE_URL', { Ref: 'JobsQueue' }),
    'approvals are checked under another key': environment('SubmitLambdaFunction', 'APPROVAL_KEY_ID', {
      'Fn::GetAtt': ['WorkerKey', 'Arn'],
    }),
    'figures go to another stage': environment('SweepLambdaFunction', 'METRICS_NAMESPACE', 'Payouts/trial'),
    'TLS is not checked': environment('SubmitLambdaFunction', 'NODE_TLS_REJECT_UNAUTHORIZED', '0'),
    'the ledger is asked at another address': environment(
      'SubmitLambdaFunction',
      'AWS_ENDPOINT_URL_DYNAMODB',
      'https://example.com',
    ),
  }),
  ...each('functions run', 'prod', {
    'submit has an eighth of a processor': set('SubmitLambdaFunction', 'MemorySize', 128),
    'a function has the disk of another': set('SubmitLambdaFunction', 'FileSystemConfigs', [{}]),
  }),
  ...each('messages are received', 'prod', {
    'dead letters become results': set('JobsQueue', 'RedrivePolicy.deadLetterTargetArn', {
      'Fn::GetAtt': ['ResultsQueue', 'Arn'],
    }),
    'checks become jobs': set('ChecksQueue', 'RedrivePolicy.deadLetterTargetArn', {
      'Fn::GetAtt': ['JobsQueue', 'Arn'],
    }),
    'a dead-letter queue takes none': set('DeadLetterQueue', 'RedriveAllowPolicy', { redrivePermission: 'denyAll' }),
    'each job waits for a quarter of an hour': set('JobsQueue', 'DelaySeconds', 900),
    'a long job is refused': set('JobsQueue', 'MaximumMessageSize', 1024),
  }),
  ...each('no mapping', 'prod', {
    'a mapping is off by a text': set(mapping, 'Enabled', 'false'),
  }),
  ...each('the sweeper', 'prod', {
    'a failed sweep is tried again': set('SweepLambdaEvConf', 'MaximumRetryAttempts', 2),
    'nothing is said of a failed sweep': remove('SweepLambdaEvConf'),
  }),
  ...each('nothing else', 'prod', {
    'a schedule puts jobs': add('X', 'AWS::Events::Rule', {
      Targets: [{ Arn: { 'Fn::GetAtt': ['JobsQueue', 'Arn'] } }],
    }),
    'a stranger reads alarms': add('X', 'AWS::SNS::Subscription', {
      Protocol: 'https',
      Endpoint: 'https://example.com',
    }),
    'logs are copied': add('X', 'AWS::Logs::SubscriptionFilter', {}),
    'the worker’s secret is rotated': add('X', 'AWS::SecretsManager::RotationSchedule', {}),
    'a role is given rights from outside of it': add('X', 'AWS::IAM::Policy', {}),
  }),
  ...each('nothing else', 'example', {
    'a pipe deletes results unread': set('ResultsPipe', 'SourceParameters.FilterCriteria', {}),
  }),
  ...each('an event of a paid order', 'example', {
    'every sender of events pays': set('OrderPaidRule', 'EventPattern', { 'detail-type': ['OrderPaid'] }),
    'an event that is not taken is lost': set('OrderPaidRule', 'Targets.0.DeadLetterConfig', undefined),
    'a text of an event is a field of the job': set(
      'OrderPaidRule',
      'Targets.0.InputTransformer.InputTemplate',
      '{"params": "<amount>"}',
    ),
  }),
  ...each('the network', 'example', {
    'functions are let in to': set('FunctionsSecurityGroup', 'SecurityGroupIngress', [{ CidrIp: '0.0.0.0/0' }]),
    'one zone carries both': set('PrivateRouteB', 'NatGatewayId', { Ref: 'NatGatewayA' }),
    'code changes the network': (it) =>
      void it.template.Resources.NetworkPolicy.Properties.PolicyDocument.Statement.pop(),
    'the ledger’s endpoint leads to any table': changed('LedgerEndpoint', policy, (one) => (one.Resource = '*')),
    'submit is outside of its network': set('SubmitLambdaFunction', 'VpcConfig', undefined),
  }),
  ...each('strangers', 'prod', {
    'another account’s rule calls submit': add('X', 'AWS::Lambda::Permission', {
      Principal: 'events.amazonaws.com',
      SourceArn: 'arn:aws:events:eu-central-1:999999999999:rule/x',
    }),
  }),
  ...each('data outlives', 'prod', {
    'the stack policy binds one person': (it) => (it.stackPolicy[1].Principal = { AWS: 'x' }),
    'the stack policy binds one resource': (it) => (it.stackPolicy[1].Resource = 'LogicalResourceId/X'),
    'the stack policy binds all the others': (it) =>
      (it.stackPolicy[1].Condition = { StringNotEquals: it.stackPolicy[1].Condition.StringEquals }),
  }),
  ...each('tables can be had', 'prod', {
    'the ledger can be had again for a day': set(
      'LedgerTable',
      'PointInTimeRecoverySpecification.RecoveryPeriodInDays',
      1,
    ),
    'orders expire': set('LedgerTable', 'TimeToLiveSpecification.AttributeName', 'at'),
    'waiting jobs expire, untold': set('WaitingTable', 'TimeToLiveSpecification', {
      AttributeName: 'ex',
      Enabled: true,
    }),
    'the ledger has a stream': set('LedgerTable', 'StreamSpecification', { StreamViewType: 'NEW_IMAGE' }),
    'the ledger is copied to a stream of Kinesis': set('LedgerTable', 'KinesisStreamSpecification', {}),
    'payday is throttled by a limit': set('LedgerTable', 'OnDemandThroughput', { MaxWriteRequestUnits: 5 }),
  }),
  ...each('queues, topics', 'prod', {
    'plain HTTP is refused to a purge alone': changed('QueuesPolicy', policy, (one) => (one.Action = 'sqs:PurgeQueue')),
    'TLS is refused': changed('QueuesPolicy', policy, (one) => (one.Condition.Bool['aws:SecureTransport'] = 'true')),
    'plain HTTP is refused to one person': changed('QueuesPolicy', policy, (one) => (one.Principal = { AWS: 'x' })),
    'plain HTTP is refused for another queue': changed('QueuesPolicy', policy, (one) => (one.Resource = 'arn:x')),
    'the bucket takes plain HTTP': changed(
      'ServerlessDeploymentBucketPolicy',
      policy,
      (one) => (one.Action = 's3:GetObject'),
    ),
  }),
  ...each('the bucket', 'prod', {
    'the bucket of code is not encrypted': set('ServerlessDeploymentBucket', 'BucketEncryption', undefined),
    'the bucket of code has a list of readers': set('ServerlessDeploymentBucket', 'AccessControl', 'PublicRead'),
  }),
  ...each('queues take', 'prod', {
    'alarms of every account ring': sentence('PageTopicPolicy', policy, /Allow/, (one) => delete one.Condition),
    'the account reads the worker’s secret': allow('WorkerSecretPolicy', 'ResourcePolicy', {
      Principal: root,
      Action: 'secretsmanager:GetSecretValue',
      Resource: '*',
    }),
    'the worker’s secret may be public': set('WorkerSecretPolicy', 'BlockPublicPolicy', false),
  }),
  ...each('approvers alone', 'prod', {
    'the operator approves by a pattern': allow('OperatorPolicy', policy, { Action: 'kms:Gen*', Resource: '*' }),
    'submit approves by a pattern': allow('SubmitRole', role, { Action: 'kms:GenerateMa?', Resource: '*' }),
  }),
  ...each('the policies of keys', 'prod', {
    'administrators grant the worker’s key': sentence('WorkerKey', 'KeyPolicy', /Administration/, (one) =>
      one.Action.push('kms:CreateGrant'),
    ),
    'keys are copied to another Region': sentence('WorkerKey', 'KeyPolicy', /Administration/, (one) =>
      one.Action.push('kms:ReplicateKey'),
    ),
    'events of every account use the key': sentence(
      'WorkerKey',
      'KeyPolicy',
      /EventsAndAlarms/,
      (one) => delete one.Condition,
    ),
    'a service more uses the key': sentence('WorkerKey', 'KeyPolicy', /EventsAndAlarms/, (one) =>
      one.Principal.Service.push('lambda.amazonaws.com'),
    ),
    'a role grants the approvals’ key': allow('ApprovalKey', 'KeyPolicy', {
      Principal: { AWS: 'arn:role/x' },
      Action: 'kms:CreateGrant',
      Resource: '*',
    }),
    'a key can be gone within a week': set('WorkerKey', 'PendingWindowInDays', 7),
    'a key is never rotated': set('WorkerKey', 'EnableKeyRotation', false),
    'the policy of a key may lock all out': set('ApprovalKey', 'BypassPolicyLockoutSafetyCheck', true),
  }),
  ...each('what a policy allows', 'prod', {
    'the operator may do all but this': allow('OperatorPolicy', policy, { NotAction: 'iam:*', Resource: '*' }),
    'submit may delete all but this': allow('SubmitRole', role, { Action: 'dynamodb:DeleteItem', NotResource: 'x' }),
    'submit is an administrator': set('SubmitRole', 'ManagedPolicyArns', [
      'arn:aws:iam::aws:policy/AdministratorAccess',
    ]),
    'the operator changes code': allow('OperatorPolicy', policy, {
      Action: 'lambda:UpdateFunctionCode',
      Resource: '*',
    }),
    'the operator assumes roles': allow('OperatorPolicy', policy, { Action: 'sts:AssumeRole', Resource: '*' }),
    'submit decides': set('DeciderPolicy', 'Roles', [{ Ref: 'SubmitRole' }]),
    'a whole group approves': set('ApproverPolicy', 'Groups', ['everybody']),
  }),
  ...each('what a policy allows', 'example', {
    'the sweeper signs': set('SigningPolicy', 'Roles', [{ Ref: 'SubmitRole' }, { Ref: 'SweepRole' }]),
    'keys sign by any algorithm': changed('SigningPolicy', policy, (one) => delete one.Condition),
  }),
  ...each('roles of functions', 'prod', {
    'submit deletes the ledger': allow('SubmitRole', role, { Action: 'dynamodb:DeleteTable', Resource: ledger }),
    'submit deletes orders by the batch': allow('SubmitRole', role, {
      Action: 'dynamodb:BatchWriteItem',
      Resource: ledger,
    }),
    'the sweeper empties queues': allow('SweepRole', role, {
      Action: 'sqs:PurgeQueue',
      Resource: { 'Fn::GetAtt': ['JobsQueue', 'Arn'] },
    }),
  }),
  ...each('alarms ring', 'prod', {
    'ten times the doubt is borne': set('MoneyInDoubtAlarm', 'Threshold', 10),
    'held orders ring if there are none': set('HeldAlarm', 'ComparisonOperator', 'LessThanThreshold'),
    'held orders ring after an hour': (it) => {
      set('HeldAlarm', 'EvaluationPeriods', 60)(it);
      set('HeldAlarm', 'DatapointsToAlarm', 60)(it);
    },
    'the lowest figure counts': set('HeldAlarm', 'Metrics.0.MetricStat.Stat', 'Minimum'),
    'held orders ring by what waits': set('HeldAlarm', `${figure}.MetricName`, 'waitingJobs'),
    'an alarm has a dimension that no figure has': set('HeldAlarm', `${figure}.Dimensions`, [
      { Name: 'Stage', Value: 'prod' },
    ]),
    'a queue’s metric is misspelt': set('JobsDeadAlarm', `${figure}.MetricName`, 'MessagesVisible'),
    'a queue’s dimension is misspelt': set('JobsDeadAlarm', `${figure}.Dimensions.0.Name`, 'Queue'),
    'doubt waits for the morning': set('MoneyInDoubtAlarm', 'AlarmActions', [{ Ref: 'TicketTopic' }]),
    'reversals are not heard': set('AfterTheEndAlarm', 'Metrics.0.Expression', 'FILL(contradictions,0)'),
  }),
  ...each('alarms ring', 'example', {
    'events of paid orders are lost in silence': remove('OrderPaidDeadLettersAlarm'),
  }),
];

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
  { story: 'a leader is cut', rule: 'a function has the time', edit: set('SweepLambdaFunction', 'Timeout', 60) },
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
  { story: 'a mapping is gone', rule: 'no mapping', edit: remove('InquireEventSourceMappingSQSChecksQueue') },
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
  { story: 'the sweeper has no schedule', rule: 'the sweeper', edit: remove('SweepEventsRuleSchedule1') },
  { story: 'the sweeper is off', rule: 'the sweeper', edit: set('SweepEventsRuleSchedule1', 'State', 'DISABLED') },
  {
    story: 'the sweeper comes hourly',
    rule: 'the sweeper',
    edit: set('SweepEventsRuleSchedule1', 'ScheduleExpression', 'rate(1 hour)'),
  },
  // The door.
  {
    story: 'the door takes the concurrency of what pays',
    rule: 'strangers',
    stage: 'example',
    edit: set('DoorLambdaFunction', 'ReservedConcurrentExecutions', undefined),
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
  { story: 'an alarm is gone', rule: 'alarms ring', edit: remove('MoneyInDoubtAlarm') },
  {
    story: 'an alarm waits for a figure that the worker does not publish',
    rule: 'alarms are heard',
    edit: set('HeldAlarm', 'Metrics.0.MetricStat.Metric.MetricName', 'heldOrders'),
  },
  {
    story: 'an alarm waits for a queue that is not there',
    rule: 'alarms ring',
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
  ...furtherEdits,
];
