// Edits of a template that would cost money, answers or secrets, as a person in a hurry makes them. Each must turn a rule red.
import type { Packaged } from './packaged.ts';

/** One of them. */
export interface WrongEdit {
  readonly story: string;
  /** The beginning of the rule that refuses it. */
  readonly rule: string;
  /** Of which stage file. */
  readonly stage: string;
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

/** The list. */
export const wrongEdits: readonly WrongEdit[] = [
  ...each('the settings of every function', 'prod', {
    'inquire asks another ledger': environment('InquireLambdaFunction', 'LEDGER_TABLE_NAME', 'payouts-prod-ledger-2'),
    'results come back as jobs': environment('SubmitLambdaFunction', 'RESULTS_QUEUE_URL', { Ref: 'JobsQueue' }),
    'approvals are checked under another key': environment('SubmitLambdaFunction', 'APPROVAL_KEY_ID', {
      'Fn::GetAtt': ['WorkerKey', 'Arn'],
    }),
    'figures go to another stage': environment('SweepLambdaFunction', 'METRICS_NAMESPACE', 'Payouts/trial'),
    'TLS is not checked': environment('SubmitLambdaFunction', 'NODE_TLS_REJECT_UNAUTHORIZED', '0'),
  }),
  ...each('functions run', 'prod', {
    'the function that pays runs the code of another': set('SubmitLambdaFunction', 'Handler', 'dist/sweep.handler'),
    'code comes from a bucket of another': set(
      'SubmitLambdaFunction',
      'Code.S3Bucket',
      'payouts-code-111122223333-eu-central-1',
    ),
    'the sweeper has the rights of submit': set('SweepLambdaFunction', 'Role', { 'Fn::GetAtt': ['SubmitRole', 'Arn'] }),
    'a layer sees every call': set('SubmitLambdaFunction', 'Layers', ['arn:aws:lambda:eu-central-1:1:layer:x:1']),
    'logs are text again': set('SubmitLambdaFunction', 'LoggingConfig', undefined),
    'a function more': (it) =>
      (it.template.Resources['PayLambdaFunction'] = it.template.Resources['SubmitLambdaFunction']),
    'submit has an eighth of a processor': set('SubmitLambdaFunction', 'MemorySize', 128),
    'a function has the disk of another': set('SubmitLambdaFunction', 'FileSystemConfigs', [{}]),
  }),
  ...each('messages are received', 'prod', {
    'jobs that wait become dead letters': set('JobsQueue', 'RedrivePolicy.maxReceiveCount', 5),
    'a queue has no dead letters': set('ResultsQueue', 'RedrivePolicy', undefined),
    'dead letters become results': set('JobsQueue', 'RedrivePolicy.deadLetterTargetArn', {
      'Fn::GetAtt': ['ResultsQueue', 'Arn'],
    }),
    'a dead-letter queue takes none': set('DeadLetterQueue', 'RedriveAllowPolicy', { redrivePermission: 'denyAll' }),
    'each job waits for a quarter of an hour': set('JobsQueue', 'DelaySeconds', 900),
    'a long job is refused': set('JobsQueue', 'MaximumMessageSize', 1024),
  }),
  ...each('no mapping', 'prod', {
    'one failure brings the whole batch back': set(mapping, 'FunctionResponseTypes', undefined),
    'a filter deletes what fits none': set(mapping, 'FilterCriteria', { Filters: [{ Pattern: '{}' }] }),
    'a mapping is off': set(mapping, 'Enabled', false),
    'connections to the gateway have no bound': set(mapping, 'ScalingConfig', undefined),
    'a batch is larger than what is worked on at once': set(mapping, 'BatchSize', 100),
    'a mapping is gone': remove('InquireEventSourceMappingSQSChecksQueue'),
    'a queue feeds another function': set(mapping, 'FunctionName', { 'Fn::GetAtt': ['SweepLambdaFunction', 'Arn'] }),
    'throttled messages count as received': set('SubmitLambdaFunction', 'ReservedConcurrentExecutions', 5),
    'a mapping is off by a text': set(mapping, 'Enabled', 'false'),
  }),
  ...each('the sweeper', 'prod', {
    'the sweeper has no schedule': remove('SweepEventsRuleSchedule1'),
    'the sweeper is off': set('SweepEventsRuleSchedule1', 'State', 'DISABLED'),
    'the sweeper comes hourly': set('SweepEventsRuleSchedule1', 'ScheduleExpression', 'rate(1 hour)'),
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
    'submit has a public address': add('SubmitUrl', 'AWS::Lambda::Url', {
      AuthType: 'NONE',
      TargetFunctionArn: { 'Fn::GetAtt': ['SubmitLambdaFunction', 'Arn'] },
    }),
    'everybody may call a function': add('Open', 'AWS::Lambda::Permission', {
      Action: 'lambda:InvokeFunction',
      Principal: '*',
      FunctionName: { 'Fn::GetAtt': ['SubmitLambdaFunction', 'Arn'] },
    }),
    'another account may put jobs': allow('JobsQueuePolicy', 'PolicyDocument', {
      Principal: stranger,
      Action: 'sqs:SendMessage',
      Resource: '*',
    }),
    'another account may read secrets': allow('WorkerSecretPolicy', 'ResourcePolicy', {
      Principal: stranger,
      Action: 'secretsmanager:GetSecretValue',
      Resource: '*',
    }),
    'another account’s rule calls submit': add('X', 'AWS::Lambda::Permission', {
      Principal: 'events.amazonaws.com',
      SourceArn: 'arn:aws:events:eu-central-1:999999999999:rule/x',
    }),
  }),
  ...each('data outlives', 'prod', {
    'the ledger goes with the stack': attribute('LedgerTable', 'DeletionPolicy', 'Delete'),
    'the ledger may be replaced': attribute('LedgerTable', 'UpdateReplacePolicy', undefined),
    'a key is deleted with the stack': attribute('WaitingKey', 'DeletionPolicy', undefined),
    'keys of CVVs are kept': attribute('CardKeysTable', 'DeletionPolicy', 'Retain'),
    'a first deployment that fails leaves its names taken': attribute('JobsQueue', 'DeletionPolicy', 'Retain'),
    'the stack policy allows all': (it) => (it.stackPolicy = it.stackPolicy.slice(0, 1)),
    'the stack policy forgets the tables': (it) =>
      (it.stackPolicy = JSON.parse(JSON.stringify(it.stackPolicy).replace('"AWS::DynamoDB::Table",', ''))),
    'the stack policy binds one person': (it) => (it.stackPolicy[1].Principal = { AWS: 'x' }),
    'the stack policy binds one resource': (it) => (it.stackPolicy[1].Resource = 'LogicalResourceId/X'),
    'the stack policy binds all the others': (it) =>
      (it.stackPolicy[1].Condition = { StringNotEquals: it.stackPolicy[1].Condition.StringEquals }),
  }),
  ...each('tables can be had', 'prod', {
    'the ledger cannot be restored': set(
      'LedgerTable',
      'PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled',
      false,
    ),
    'one call deletes the ledger': set('LedgerTable', 'DeletionProtectionEnabled', false),
    'keys of CVVs can be restored': set(
      'CardKeysTable',
      'PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled',
      true,
    ),
    'payday is throttled': set('LedgerTable', 'BillingMode', 'PROVISIONED'),
    'the ledger can be had again for a day': set(
      'LedgerTable',
      'PointInTimeRecoverySpecification.RecoveryPeriodInDays',
      1,
    ),
    'orders expire': set('LedgerTable', 'TimeToLiveSpecification', {
      AttributeName: 'expiresAt',
      Enabled: true,
    }),
    'batches and who approved them are kept for ever': set('BatchesTable', 'TimeToLiveSpecification', {}),
    'waiting jobs expire, untold': set('WaitingTable', 'TimeToLiveSpecification', {
      AttributeName: 'expiry',
      Enabled: true,
    }),
    'the ledger has a stream': set('LedgerTable', 'StreamSpecification', { StreamViewType: 'NEW_IMAGE' }),
    'the ledger is copied to a stream of Kinesis': set('LedgerTable', 'KinesisStreamSpecification', {}),
    'payday is throttled by a limit': set('LedgerTable', 'OnDemandThroughput', { MaxWriteRequestUnits: 5 }),
  }),
  ...each('queues, topics', 'prod', {
    'a queue takes plain HTTP': (it) => void it.template.Resources.QueuesPolicy.Properties.Queues.pop(),
    'a topic takes plain HTTP': forget('PageTopicPolicy', 'PolicyDocument', /SecureTransport/),
    'plain HTTP is refused to a purge alone': changed('QueuesPolicy', policy, (one) => (one.Action = 'sqs:PurgeQueue')),
    'TLS is refused': changed('QueuesPolicy', policy, (one) => (one.Condition.Bool['aws:SecureTransport'] = 'true')),
    'plain HTTP is refused to one person': changed('QueuesPolicy', policy, (one) => (one.Principal = { AWS: 'x' })),
    'the bucket takes plain HTTP': changed(
      'ServerlessDeploymentBucketPolicy',
      policy,
      (one) => (one.Action = 's3:GetObject'),
    ),
  }),
  ...each('the bucket', 'prod', {
    'the bucket of code is public': set('ServerlessDeploymentBucket', 'PublicAccessBlockConfiguration', undefined),
    'the bucket has a name that can be guessed': set('ServerlessDeploymentBucket', 'BucketName', 'payouts-code'),
    'the bucket of code is not encrypted': set('ServerlessDeploymentBucket', 'BucketEncryption', undefined),
    'the bucket of code has a list of readers': set('ServerlessDeploymentBucket', 'AccessControl', 'PublicRead'),
  }),
  ...each('queues take', 'prod', {
    'a rule puts jobs that no stage file names': allow('JobsQueuePolicy', 'PolicyDocument', {
      Principal: { Service: 'events.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: '*',
    }),
    'alarms of every account ring': sentence('PageTopicPolicy', policy, /Allow/, (one) => delete one.Condition),
    'the account reads the worker’s secret': allow('WorkerSecretPolicy', 'ResourcePolicy', {
      Principal: root,
      Action: 'secretsmanager:GetSecretValue',
      Resource: '*',
    }),
    'the worker’s secret may be public': set('WorkerSecretPolicy', 'BlockPublicPolicy', false),
  }),
  ...each('approvers alone', 'prod', {
    'the registrar no longer refuses to approve': forget('RegistrarPolicy', 'PolicyDocument', /GenerateMac/),
    'the operator approves by a pattern': allow('OperatorPolicy', policy, { Action: 'kms:Gen*', Resource: '*' }),
    'submit approves by a pattern': allow('SubmitRole', role, { Action: 'kms:GenerateMa?', Resource: '*' }),
  }),
  ...each('the policies of keys', 'prod', {
    'the account’s administrators approve': allow('ApprovalKey', 'KeyPolicy', {
      Principal: root,
      Action: 'kms:*',
      Resource: '*',
    }),
    'no approver is named': forget('ApprovalKey', 'KeyPolicy', /GenerateMac/),
    'a session without a person approves': changed(
      'ApprovalKey',
      'KeyPolicy',
      (one) => delete one.Condition?.StringNotLike,
    ),
    'everybody with a policy opens waiting jobs': changed('WaitingKey', 'KeyPolicy', (one) => delete one.Condition),
    'the worker’s key is used directly': changed(
      'WorkerKey',
      'KeyPolicy',
      (one) => one.Sid === 'UseThroughServices' && delete one.Condition,
    ),
    'the worker cannot use its key': forget('WorkerKey', 'KeyPolicy', /UseThroughServices/),
    'no one can manage a key': forget('WaitingKey', 'KeyPolicy', /Administration/),
    'administrators grant the worker’s key': sentence('WorkerKey', 'KeyPolicy', /Administration/, (one) =>
      one.Action.push('kms:CreateGrant'),
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
    'submit may do everything': allow('SubmitRole', role, everything),
    'submit forgets orders': allow('SubmitRole', role, { Action: 'dynamodb:DeleteItem', Resource: ledger }),
    'the sweeper may call all of a table': allow('SweepRole', role, { Action: 'dynamodb:*', Resource: ledger }),
    'people may assume the role of submit': allow('SubmitRole', 'AssumeRolePolicyDocument', {
      Principal: root,
      Action: 'sts:AssumeRole',
    }),
    'the operator may do everything': allow('OperatorPolicy', 'PolicyDocument', everything),
    'the sweeper empties queues': allow('SweepRole', role, {
      Action: 'sqs:PurgeQueue',
      Resource: { 'Fn::GetAtt': ['JobsQueue', 'Arn'] },
    }),
  }),
  ...each('alarms ring', 'prod', {
    'an alarm is gone': remove('MoneyInDoubtAlarm'),
    'an alarm waits for a queue that is not there': set(
      'JobsDeadAlarm',
      'Metrics.0.MetricStat.Metric.Dimensions.0.Value',
      'payouts-prod-jobs-dlq',
    ),
    'ten times the doubt is borne': set('MoneyInDoubtAlarm', 'Threshold', 10),
    'held orders ring if there are none': set('HeldAlarm', 'ComparisonOperator', 'LessThanThreshold'),
    'held orders ring after an hour': (it) => {
      set('HeldAlarm', 'EvaluationPeriods', 60)(it);
      set('HeldAlarm', 'DatapointsToAlarm', 60)(it);
    },
    'an alarm has a dimension that no figure has': set('HeldAlarm', `${figure}.Dimensions`, [
      { Name: 'Stage', Value: 'prod' },
    ]),
    'a queue’s metric is misspelt': set('JobsDeadAlarm', `${figure}.MetricName`, 'MessagesVisible'),
    'doubt waits for the morning': set('MoneyInDoubtAlarm', 'AlarmActions', [{ Ref: 'TicketTopic' }]),
    'reversals are not heard': set('AfterTheEndAlarm', 'Metrics.0.Expression', 'FILL(contradictions,0)'),
  }),
  ...each('alarms ring', 'example', {
    'events of paid orders are lost in silence': remove('OrderPaidDeadLettersAlarm'),
  }),
  ...each('settings', 'prod', {
    'a setting is missing': set('SubmitLambdaFunction', 'Environment.Variables.LEDGER_TABLE_NAME', undefined),
    'a limit of doubt is no limit': set('SweepLambdaFunction', 'Environment.Variables.DOUBT_ALARM', 'EUR'),
    'more shards are written than read': set('InquireLambdaFunction', 'Environment.Variables.OPEN_WORK_SHARDS', 32),
  }),
  ...each('a function has the time', 'prod', {
    'submit ends sooner than it plans': set('SubmitLambdaFunction', 'Timeout', 60),
    'inquire ends between question and answer': set('InquireLambdaFunction', 'Timeout', 30),
    'the visibility time-out is left at its default': set('JobsQueue', 'VisibilityTimeout', undefined),
    'a message comes again while it is at work': set('ChecksQueue', 'VisibilityTimeout', 120),
    'a leader is cut': set('SweepLambdaFunction', 'Timeout', 60),
  }),
  ...each('strangers', 'example', {
    'the door takes the concurrency of what pays': set('DoorLambdaFunction', 'ReservedConcurrentExecutions', undefined),
  }),
  ...each('data is encrypted', 'prod', {
    'the ledger is under a key of AWS': set('LedgerTable', 'SSESpecification', { SSEEnabled: true }),
    'encryption is switched off': set('LedgerTable', 'SSESpecification.SSEEnabled', false),
    'a queue is not encrypted': set('JobsQueue', 'KmsMasterKeyId', undefined),
    'logs lose their key': set('SubmitLogGroup', 'KmsKeyId', undefined),
  }),
  ...each('messages and logs', 'prod', {
    'dead letters are deleted after four days': set('DeadLetterQueue', 'MessageRetentionPeriod', 345_600),
    'logs are kept for a day': set('SubmitLogGroup', 'RetentionInDays', 1),
  }),
  ...each('roles of functions', 'example', {
    'a role escapes its boundary': set('SubmitRole', 'PermissionsBoundary', undefined),
  }),
  ...each('alarms are heard', 'prod', {
    'no person hears of held orders': set('HeldAlarm', 'AlarmActions', []),
    'an alarm is muted': set('HeldAlarm', 'ActionsEnabled', false),
    'an alarm waits for a figure that the worker does not publish': set(
      'HeldAlarm',
      'Metrics.0.MetricStat.Metric.MetricName',
      'heldOrders',
    ),
    'the silence of the sweeper rings no alarm': set('SweeperSilentAlarm', 'TreatMissingData', 'notBreaching'),
    'an alarm has no section of the runbook': set('HeldAlarm', 'AlarmDescription', 'infra/docs/runbook.md#holding'),
  }),
];
