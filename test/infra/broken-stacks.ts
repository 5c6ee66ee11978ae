// Ways to break the template, each as somebody might do it by hand; for every rule of the doctor at least one.
import { allow, allowOnQueue, attribute, type BrokenStack, remove, set, settingTo } from './broken-edits.ts';
import { brokenNetworks } from './broken-networks.ts';
import { brokenFunctions, brokenQueues } from './broken-wiring.ts';

const ledger = { 'Fn::GetAtt': ['LedgerTable', 'Arn'] };

const alarms: readonly BrokenStack[] = [
  {
    story: 'nobody hears of dead letters',
    rule: 'dead-letters-alarm',
    says: 'DeadLetterQueue has no alarm that one visible message sets off',
    edit: remove('DeadLettersAlarm'),
  },
  {
    story: 'ten results may lie dead before anybody hears of it',
    rule: 'dead-letters-alarm',
    says: 'ResultsDeadLetterQueue has no alarm that one visible message sets off',
    edit: set('ResultDeadLettersAlarm', 'Threshold', 10),
  },
  {
    story: 'an alarm is told to nobody',
    rule: 'alarm-reaches-somebody',
    says: 'HeldAlarm.AlarmActions names nobody, or is switched off',
    edit: set('HeldAlarm', 'AlarmActions', []),
  },
  {
    story: 'an alarm is silenced for the night, and for ever',
    rule: 'alarm-reaches-somebody',
    says: 'DeadLettersAlarm.AlarmActions names nobody, or is switched off',
    edit: set('DeadLettersAlarm', 'ActionsEnabled', false),
  },
];

const kept: readonly BrokenStack[] = [
  {
    story: 'no recovery of the ledger',
    rule: 'point-in-time-recovery',
    says: 'LedgerTable.PointInTimeRecoverySpecification is not on',
    edit: set('LedgerTable', 'PointInTimeRecoverySpecification', undefined),
  },
  {
    story: 'the ledger may be deleted',
    rule: 'deletion-protection',
    says: 'LedgerTable.DeletionProtectionEnabled is not true',
    edit: set('LedgerTable', 'DeletionProtectionEnabled', false),
  },
  {
    story: 'an update that replaces the ledger throws the old one away',
    rule: 'kept-on-replacement',
    says: 'LedgerTable.UpdateReplacePolicy is Delete',
    edit: attribute('LedgerTable', 'UpdateReplacePolicy', 'Delete'),
  },
  {
    story: 'provisioned capacity',
    rule: 'billing-on-demand',
    says: 'LedgerTable.BillingMode is not PAY_PER_REQUEST',
    edit: set('LedgerTable', 'BillingMode', 'PROVISIONED'),
  },
  {
    story: 'another partition key',
    rule: 'ledger-keys',
    says: 'LedgerTable.KeySchema is id:HASH, should be pk:HASH',
    edit: set('LedgerTable', 'KeySchema', [{ AttributeName: 'id', KeyType: 'HASH' }]),
  },
  {
    story: 'no index of open work',
    rule: 'open-work-index',
    says: 'LedgerTable.GlobalSecondaryIndexes.open-work is not there with the keys wk and wa',
    edit: set('LedgerTable', 'GlobalSecondaryIndexes', undefined),
  },
  {
    story: 'items that never go',
    rule: 'time-to-live',
    says: 'LedgerTable.TimeToLiveSpecification is off, should be on expiresAt',
    edit: set('LedgerTable', 'TimeToLiveSpecification', undefined),
  },
  {
    story: "the ledger under AWS's own key",
    rule: 'ledger-encryption',
    says: 'LedgerTable.SSESpecification names no key of this stack',
    edit: set('LedgerTable', 'SSESpecification', undefined),
  },
  {
    story: "card keys under AWS's own key",
    rule: 'ledger-encryption',
    says: 'CardKeysTable.SSESpecification names no key of this stack',
    edit: set('CardKeysTable', 'SSESpecification', undefined),
  },
  {
    story: 'card keys that can be had again',
    rule: 'card-keys-not-kept',
    says: 'CardKeysTable.PointInTimeRecoverySpecification is on',
    edit: set('CardKeysTable', 'PointInTimeRecoverySpecification', { PointInTimeRecoveryEnabled: true }),
  },
  {
    story: 'card keys that stream to somebody',
    rule: 'card-keys-not-kept',
    says: 'CardKeysTable.StreamSpecification is there',
    edit: set('CardKeysTable', 'StreamSpecification', { StreamViewType: 'OLD_IMAGE' }),
  },
  {
    story: 'card keys that stay behind',
    rule: 'card-keys-not-kept',
    says: 'CardKeysTable is kept or copied when it goes',
    edit: attribute('CardKeysTable', 'DeletionPolicy', 'Retain'),
  },
  {
    story: 'card keys that never go',
    rule: 'card-keys-not-kept',
    says: 'CardKeysTable.TimeToLiveSpecification is not on expiresAt',
    edit: set('CardKeysTable', 'TimeToLiveSpecification', undefined),
  },
  ...(
    [
      ['BATCHES_TABLE_NAME', 'LedgerTable', 'LedgerTable holds batches and their approvals as well'],
      ['CONTROLS_TABLE_NAME', 'LedgerTable', 'LedgerTable holds the controls as well'],
      ['CONTROLS_TABLE_NAME', 'BatchesTable', 'BatchesTable holds the controls as well'],
    ] as const
  ).map(([setting, table, says]) => ({
    story: `${setting} is that of ${table}`,
    rule: 'approvals-and-controls-apart',
    says,
    edit: settingTo(setting, table),
  })),
  {
    story: 'controls that can not be had again',
    rule: 'point-in-time-recovery',
    says: 'ControlsTable.PointInTimeRecoverySpecification is not on',
    edit: set('ControlsTable', 'PointInTimeRecoverySpecification', undefined),
  },
  {
    story: 'batches that are replaced by an empty table',
    rule: 'kept-on-replacement',
    says: 'BatchesTable.UpdateReplacePolicy is Delete',
    edit: attribute('BatchesTable', 'UpdateReplacePolicy', 'Delete'),
  },
  {
    story: 'batches that the sweeper can not find',
    rule: 'open-work-index',
    says: 'BatchesTable.GlobalSecondaryIndexes.open-work is not there with the keys wk and wa',
    edit: set('BatchesTable', 'GlobalSecondaryIndexes', undefined),
  },
  {
    story: 'card keys in the ledger, as they were',
    rule: 'card-keys-apart',
    says: 'LedgerTable holds the card keys as well',
    edit: settingTo('CARD_KEYS_TABLE_NAME', 'LedgerTable'),
  },
  {
    story: 'results in the clear',
    rule: 'queue-encryption',
    says: 'ResultsQueue.KmsMasterKeyId is not set',
    edit: set('ResultsQueue', 'KmsMasterKeyId', undefined),
  },
  {
    story: 'a key for ever',
    rule: 'key-rotation',
    says: 'WorkerKey.EnableKeyRotation is not true',
    edit: set('WorkerKey', 'EnableKeyRotation', undefined),
  },
  {
    story: 'a secret written into the template',
    rule: 'no-secret-in-template',
    says: 'WorkerSecret.SecretString stands in the template',
    edit: set('WorkerSecret', 'SecretString', '{"fake":"value"}'),
  },
];

const access: readonly BrokenStack[] = [
  {
    story: 'the callback runs under the role of submit',
    rule: 'one-role-per-function',
    says: 'CallbackLambdaFunction.Role is also that of SubmitLambdaFunction',
    edit: set('CallbackLambdaFunction', 'Role', { 'Fn::GetAtt': ['SubmitRole', 'Arn'] }),
  },
  {
    story: 'everything of SQS',
    rule: 'no-wildcard-action',
    says: 'SubmitRole allows sqs:*',
    edit: allow('SubmitRole', { Action: 'sqs:*', Resource: { 'Fn::GetAtt': ['JobsQueue', 'Arn'] } }),
  },
  {
    story: 'every secret of the account',
    rule: 'no-wildcard-resource',
    says: 'SubmitRole allows secretsmanager:GetSecretValue on *',
    edit: allow('SubmitRole', { Action: 'secretsmanager:GetSecretValue', Resource: '*' }),
  },
  {
    story: 'a policy of AWS, for the logs',
    rule: 'no-managed-policy',
    says: 'SweepRole.ManagedPolicyArns has arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole',
    edit: set('SweepRole', 'ManagedPolicyArns', ['arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole']),
  },
  {
    story: 'the sweeper tidies up',
    rule: 'nothing-is-deleted',
    says: 'SweepRole allows dynamodb:DeleteItem',
    edit: allow('SweepRole', { Action: ['dynamodb:DeleteItem'], Resource: ledger }),
  },
  {
    story: 'the callback may claim',
    rule: 'only-submit-claims',
    says: 'CallbackRole allows dynamodb:PutItem on the ledger',
    edit: allow('CallbackRole', { Action: 'dynamodb:PutItem', Resource: ledger }),
  },
  {
    story: 'another account may put on the role',
    rule: 'roles-for-services',
    says: 'SubmitRole.AssumeRolePolicyDocument trusts arn:aws:iam::111122223333:root',
    edit: set('SubmitRole', 'AssumeRolePolicyDocument.Statement', [
      { Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::111122223333:root' }, Action: 'sts:AssumeRole' },
    ]),
  },
  {
    story: 'a URL for submit, to try it from outside',
    rule: 'one-public-door',
    says: 'CallbackLambdaFunctionUrl opens SubmitLambdaFunction to the world',
    edit: set('CallbackLambdaFunctionUrl', 'TargetFunctionArn', { 'Fn::GetAtt': ['SubmitLambdaFunction', 'Arn'] }),
  },
  {
    story: 'the schedule may invoke from any rule of any account',
    rule: 'invoked-by-nobody-else',
    says: 'SweepLambdaPermissionEventsRuleSchedule1 lets events.amazonaws.com invoke it from anywhere',
    edit: set('SweepLambdaPermissionEventsRuleSchedule1', 'SourceArn', undefined),
  },
  {
    story: 'the whole world may send jobs',
    rule: 'queue-policies-narrow',
    says: 'JobsQueuePolicy lets * in without a condition',
    edit: allowOnQueue('JobsQueuePolicy', { Principal: '*', Action: 'sqs:SendMessage', Resource: '*' }),
  },
  {
    story: 'plain HTTP is let in',
    rule: 'no-plain-http',
    says: 'ResultsQueue has no policy that refuses plain HTTP',
    edit: remove('ResultsQueuePolicy'),
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
];
