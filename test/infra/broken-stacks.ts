// Ways to break the template, each as somebody might do it by hand; for every rule of the doctor at least one.
import { allow, allowOnQueue, attribute, type BrokenStack, remove, set, settingTo, value } from './broken-edits.ts';
import { brokenNetworks } from './broken-networks.ts';
import { brokenFunctions, brokenQueues } from './broken-wiring.ts';

const ledger = { 'Fn::GetAtt': ['LedgerTable', 'Arn'] };

const alarms: readonly BrokenStack[] = [
  {
    story: 'nobody hears of dead letters',
    edit: remove('DeadLettersAlarm'),
  },
  {
    story: 'ten results may lie dead before anybody hears of it',
    edit: set('ResultDeadLettersAlarm', 'Threshold', 10),
  },
  {
    story: 'an alarm is told to nobody',
    edit: set('HeldAlarm', 'AlarmActions', []),
  },
  {
    story: 'an alarm is silenced for the night, and for ever',
    edit: set('DeadLettersAlarm', 'ActionsEnabled', false),
  },
];

const kept: readonly BrokenStack[] = [
  {
    story: 'no recovery of the ledger',
    edit: set('LedgerTable', 'PointInTimeRecoverySpecification', undefined),
  },
  {
    story: 'the ledger may be deleted',
    edit: set('LedgerTable', 'DeletionProtectionEnabled', false),
  },
  {
    story: 'an update that replaces the ledger throws the old one away',
    edit: attribute('LedgerTable', 'UpdateReplacePolicy', 'Delete'),
  },
  {
    story: 'provisioned capacity',
    edit: set('LedgerTable', 'BillingMode', 'PROVISIONED'),
  },
  {
    story: 'another partition key',
    edit: set('LedgerTable', 'KeySchema', [{ AttributeName: 'id', KeyType: 'HASH' }]),
  },
  {
    story: 'no index of open work',
    edit: set('LedgerTable', 'GlobalSecondaryIndexes', undefined),
  },
  {
    story: 'items that never go',
    edit: set('LedgerTable', 'TimeToLiveSpecification', undefined),
  },
  {
    story: "the ledger under AWS's own key",
    edit: set('LedgerTable', 'SSESpecification', undefined),
  },
  {
    story: "card keys under AWS's own key",
    edit: set('CardKeysTable', 'SSESpecification', undefined),
  },
  {
    story: 'card keys that can be had again',
    edit: set('CardKeysTable', 'PointInTimeRecoverySpecification', { PointInTimeRecoveryEnabled: true }),
  },
  {
    story: 'card keys that stream to somebody',
    edit: set('CardKeysTable', 'StreamSpecification', { StreamViewType: 'OLD_IMAGE' }),
  },
  {
    story: 'card keys that stay behind',
    edit: attribute('CardKeysTable', 'DeletionPolicy', 'Retain'),
  },
  {
    story: 'card keys that never go',
    edit: set('CardKeysTable', 'TimeToLiveSpecification', undefined),
  },
  ...(
    [
      ['BATCHES_TABLE_NAME', 'LedgerTable'],
      ['CONTROLS_TABLE_NAME', 'LedgerTable'],
      ['CONTROLS_TABLE_NAME', 'BatchesTable'],
    ] as const
  ).map(([setting, table]) => ({
    story: `${setting} is that of ${table}`,
    edit: settingTo(setting, table),
  })),
  {
    story: 'controls that can not be had again',
    edit: set('ControlsTable', 'PointInTimeRecoverySpecification', undefined),
  },
  {
    story: 'batches that are replaced by an empty table',
    edit: attribute('BatchesTable', 'UpdateReplacePolicy', 'Delete'),
  },
  {
    story: 'batches that the sweeper can not find',
    edit: set('BatchesTable', 'GlobalSecondaryIndexes', undefined),
  },
  {
    story: 'what waits is in no backup',
    edit: set('WaitingTable', 'PointInTimeRecoverySpecification', { PointInTimeRecoveryEnabled: false }),
  },
  {
    story: 'what waits goes by itself, and nobody is told',
    edit: set('WaitingTable', 'TimeToLiveSpecification', { AttributeName: 'ex', Enabled: true }),
  },
  {
    story: 'the index of lines shows bodies',
    edit: set('WaitingTable', 'GlobalSecondaryIndexes.0.Projection', { ProjectionType: 'ALL' }),
  },
  {
    story: 'everybody with a right of IAM opens what waits',
    edit: set('WaitingKey', 'KeyPolicy.Statement.1.Condition', undefined),
  },
  {
    story: 'card keys in the ledger, as they were',
    edit: settingTo('CARD_KEYS_TABLE_NAME', 'LedgerTable'),
  },
  {
    story: 'results in the clear',
    edit: set('ResultsQueue', 'KmsMasterKeyId', undefined),
  },
  {
    story: 'a key for ever',
    edit: set('WorkerKey', 'EnableKeyRotation', undefined),
  },
  {
    story: 'a secret written into the template',
    edit: set('WorkerSecret', 'SecretString', '{"fake":"value"}'),
  },
];

const access: readonly BrokenStack[] = [
  {
    story: 'the callback runs under the role of submit',
    edit: set('CallbackLambdaFunction', 'Role', { 'Fn::GetAtt': ['SubmitRole', 'Arn'] }),
  },
  {
    story: 'everything of SQS',
    edit: allow('SubmitRole', { Action: 'sqs:*', Resource: { 'Fn::GetAtt': ['JobsQueue', 'Arn'] } }),
  },
  {
    story: 'every secret of the account',
    edit: allow('SubmitRole', { Action: 'secretsmanager:GetSecretValue', Resource: '*' }),
  },
  {
    story: 'a policy of AWS, for the logs',
    edit: set('SweepRole', 'ManagedPolicyArns', ['arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole']),
  },
  {
    story: 'the sweeper tidies up',
    edit: allow('SweepRole', { Action: ['dynamodb:DeleteItem'], Resource: ledger }),
  },
  {
    story: 'the callback may claim',
    edit: allow('CallbackRole', { Action: 'dynamodb:PutItem', Resource: ledger }),
  },
  {
    story: 'another account may put on the role',
    edit: set('SubmitRole', 'AssumeRolePolicyDocument.Statement', [
      { Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::111122223333:root' }, Action: 'sts:AssumeRole' },
    ]),
  },
  {
    story: 'a URL for submit, to try it from outside',
    edit: set('CallbackLambdaFunctionUrl', 'TargetFunctionArn', { 'Fn::GetAtt': ['SubmitLambdaFunction', 'Arn'] }),
  },
  {
    story: 'the schedule may invoke from any rule of any account',
    edit: set('SweepLambdaPermissionEventsRuleSchedule1', 'SourceArn', undefined),
  },
  {
    story: 'the whole world may send jobs',
    edit: allowOnQueue('JobsQueuePolicy', { Principal: '*', Action: 'sqs:SendMessage', Resource: '*' }),
  },
  {
    story: 'plain HTTP is let in',
    edit: remove('ResultsQueuePolicy'),
  },
];

const elsewhere = 'arn:aws:iam::999999999999:';
const parameters: readonly BrokenStack[] = [
  ...['*', `${elsewhere}*`, `${elsewhere}root`, `${elsewhere}role/*`, 'arn:aws:iam::*:role/approver'].map((it) => ({
    story: `approvers are ${it}`,
    rule: 'approver-arns-are-somebody',
    says: `Parameters.ApproverArns names ${it}, which is not a role or user of one account`,
    edit: value('ApproverArns', `${elsewhere}role/approver,${it}`),
  })),
  {
    story: 'a whole account may pay',
    rule: 'producer-arns-are-somebody',
    says: `Parameters.ProducerArns names ${elsewhere}root`,
    edit: value('ProducerArns', `${elsewhere}root`),
  },
  {
    story: 'a whole account reads results',
    rule: 'consumer-arns-are-somebody',
    says: `Parameters.ConsumerArns names ${elsewhere}root`,
    edit: value('ConsumerArns', `${elsewhere}root`),
  },
  {
    story: 'callbacks without a reserve',
    rule: 'callbacks-with-a-reserve',
    says: 'Parameters.CallbackConcurrency reserves nothing, and callbacks are enabled',
    edit: value('Callbacks', 'ENABLED'),
  },
  {
    story: 'more than ten at once by a parameter, below a reserve of before',
    rule: 'reserved-concurrency',
    says: 'SubmitLambdaFunction.ReservedConcurrentExecutions is 20, below the 70 of its mappings together',
    edit: (template) => {
      value('BatchConcurrency', '50')(template);
      set('SubmitLambdaFunction', 'ReservedConcurrentExecutions', 20)(template);
    },
  },
  {
    story: 'an index that is written and not read',
    rule: 'settings',
    says: 'SubmitLambdaFunction.Environment settings are missing or wrong: unsafe limits: openWorkShardsRead',
    edit: value('OpenWorkShardsRead', '2'),
  },
  {
    story: 'submit runs the code of callback',
    rule: 'code-is-its-own',
    says: 'SubmitLambdaFunction.Code.S3Key is ',
    edit: (template) => {
      const callback = template.Resources['CallbackLambdaFunction']?.Properties as
        | { Code: { S3Key: unknown } }
        | undefined;
      set('SubmitLambdaFunction', 'Code.S3Key', callback?.Code.S3Key)(template);
    },
  },
];

const besideTheTemplate: readonly BrokenStack[] = [
  { story: 'the deployed stack has no policy', edit: (template) => (template.StackPolicy = {}) },
  {
    story: 'the policy of the deployed stack allows everything',
    edit: (template) => {
      const Statement = [{ Effect: 'Allow', Principal: '*', Action: 'Update:*', Resource: '*' }];
      template.StackPolicy = { Statement };
    },
  },
];

/** All of them. */
export const brokenStacks: readonly BrokenStack[] = [
  ...brokenNetworks,
  ...brokenQueues,
  ...brokenFunctions,
  ...kept,
  ...access,
  ...alarms,
  ...parameters,
  ...besideTheTemplate,
];
