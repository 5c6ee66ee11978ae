// What somebody did to a stack by hand, or in a hurry, and no rule about numbers and rights would notice.
import { allow, allowOnQueue, attribute, remove, set, type Template } from './broken-edits.ts';

/** One of them. */
export interface UnseenEdit {
  readonly story: string;
  /** Part of where the doctor sees it. */
  readonly where: string;
  readonly edit: (template: Template) => unknown;
}

const variables = 'Environment.Variables';
const anybody = { Effect: 'Allow', Principal: '*', Action: '*', Resource: '*' };

/** Puts a resource beside the others. */
const add = (id: string, Type: string, Properties: Record<string, unknown>) => (template: Template) => {
  template.Resources[id] = { Type, Properties };
};

/** The list. */
export const unseenEdits: readonly UnseenEdit[] = [
  {
    story: 'the key is open to the world',
    where: 'WorkerKey.KeyPolicy.Statement',
    edit: set('WorkerKey', 'KeyPolicy.Statement', [anybody]),
  },
  { story: 'the key is disabled', where: 'WorkerKey.Enabled', edit: set('WorkerKey', 'Enabled', false) },
  {
    story: 'everything but one thing is allowed',
    where: 'CallbackRole.Policies',
    edit: allow('CallbackRole', { NotAction: 'iam:CreateUser', Resource: '*' }),
  },
  {
    story: 'everything but one table is allowed',
    where: 'CallbackRole.Policies',
    edit: allow('CallbackRole', { Action: 'dynamodb:UpdateItem', NotResource: 'arn:aws:dynamodb:::table/other' }),
  },
  {
    story: 'a policy on the table itself lets another account in',
    where: 'LedgerTable.ResourcePolicy',
    edit: set('LedgerTable', 'ResourcePolicy', { PolicyDocument: { Statement: [anybody] } }),
  },
  {
    story: 'anybody may publish alarms, and subscribe to them',
    where: 'PageTopicPolicy.PolicyDocument.Statement',
    edit: set('PageTopicPolicy', 'PolicyDocument.Statement', [anybody]),
  },
  {
    story: 'jobs are kept for a minute',
    where: 'JobsQueue.MessageRetentionPeriod',
    edit: set('JobsQueue', 'MessageRetentionPeriod', 60),
  },
  { story: 'the sweeper is gone', where: 'SweepLambdaFunction', edit: remove('SweepLambdaFunction') },
  {
    story: 'the sweeper is switched off',
    where: 'SweepEventsRuleSchedule1.State',
    edit: set('SweepEventsRuleSchedule1', 'State', 'DISABLED'),
  },
  {
    story: 'the sweeper comes once a day',
    where: 'SweepEventsRuleSchedule1.ScheduleExpression',
    edit: set('SweepEventsRuleSchedule1', 'ScheduleExpression', 'rate(1 day)'),
  },
  {
    story: 'the sweeper may not run',
    where: 'SweepLambdaFunction.ReservedConcurrentExecutions',
    edit: set('SweepLambdaFunction', 'ReservedConcurrentExecutions', 0),
  },
  { story: 'an alarm is gone', where: 'MoneyInDoubtAlarm', edit: remove('MoneyInDoubtAlarm') },
  {
    story: 'an alarm listens to another stage',
    where: 'HeldAlarm.Namespace',
    edit: set('HeldAlarm', 'Namespace', 'Payouts/dev'),
  },
  {
    story: 'an alarm rings elsewhere',
    where: 'HeldAlarm.AlarmActions',
    edit: set('HeldAlarm', 'AlarmActions', ['arn:aws:sns:eu-central-1:111122223333:nobody']),
  },
  {
    story: 'a password among the settings',
    where: `SubmitLambdaFunction.${variables}.GATEWAY_PASSWORD`,
    edit: set('SubmitLambdaFunction', `${variables}.GATEWAY_PASSWORD`, 'hunter2'),
  },
  {
    story: 'the ledger is asked for at a foreign endpoint',
    where: `${variables}.AWS_ENDPOINT_URL_DYNAMODB`,
    edit: set('SubmitLambdaFunction', `${variables}.AWS_ENDPOINT_URL_DYNAMODB`, 'https://ledger.example'),
  },
  {
    story: 'certificates are not looked at',
    where: `${variables}.NODE_TLS_REJECT_UNAUTHORIZED`,
    edit: set('SubmitLambdaFunction', `${variables}.NODE_TLS_REJECT_UNAUTHORIZED`, '0'),
  },
  {
    story: 'code is loaded before ours',
    where: `${variables}.NODE_OPTIONS`,
    edit: set('SubmitLambdaFunction', `${variables}.NODE_OPTIONS`, '--import=/opt/spy.mjs'),
  },
  {
    story: 'a layer brings it along',
    where: 'SubmitLambdaFunction.Layers',
    edit: set('SubmitLambdaFunction', 'Layers', ['arn:aws:lambda:eu-central-1:111122223333:layer:spy:1']),
  },
  {
    story: 'the second permission of the function URL is gone',
    where: 'CallbackLambdaPermissionFn',
    edit: remove('CallbackLambdaPermissionFn'),
  },
  {
    story: 'logs are kept for a day',
    where: 'SubmitLogGroup.RetentionInDays',
    edit: set('SubmitLogGroup', 'RetentionInDays', 1),
  },
  {
    story: 'any queue may take our dead letters for its own',
    where: 'DeadLetterQueue.RedriveAllowPolicy',
    edit: set('DeadLetterQueue', 'RedriveAllowPolicy', { redrivePermission: 'allowAll' }),
  },
  {
    story: 'inquire is fed by the jobs queue',
    where: 'InquireEventSourceMappingSQSChecksQueue.EventSourceArn',
    edit: set('InquireEventSourceMappingSQSChecksQueue', 'EventSourceArn', { 'Fn::GetAtt': ['JobsQueue', 'Arn'] }),
  },
  {
    story: 'a second function is fed by the jobs queue',
    where: 'Spy',
    edit: add('Spy', 'AWS::Lambda::EventSourceMapping', { EventSourceArn: { 'Fn::GetAtt': ['JobsQueue', 'Arn'] } }),
  },
  {
    story: 'a policy from beside gives a role more',
    where: 'More',
    edit: add('More', 'AWS::IAM::Policy', {
      Roles: [{ Ref: 'CallbackRole' }],
      PolicyDocument: { Statement: [anybody] },
    }),
  },
  {
    story: 'the ledger goes with the stack, in production',
    where: 'LedgerTable.DeletionPolicy',
    edit: attribute('LedgerTable', 'DeletionPolicy', 'Delete'),
  },
  {
    story: 'the worker secret is made anew',
    where: 'WorkerSecret.GenerateSecretString.PasswordLength',
    edit: set('WorkerSecret', 'GenerateSecretString.PasswordLength', 63),
  },
  {
    story: 'submit is taken out of its network',
    where: 'SubmitLambdaFunction.VpcConfig',
    edit: set('SubmitLambdaFunction', 'VpcConfig', undefined),
  },
  {
    story: 'the public door is put into it',
    where: 'CallbackLambdaFunction.VpcConfig',
    edit: set('CallbackLambdaFunction', 'VpcConfig', { SubnetIds: ['subnet-0aaaaaaa'] }),
  },
  {
    story: 'the network is joined to another one',
    where: 'Peering',
    edit: add('Peering', 'AWS::EC2::VPCPeeringConnection', { VpcId: { Ref: 'EgressNetwork' } }),
  },
  {
    story: 'a rule from beside lets others in',
    where: 'Inbound',
    edit: add('Inbound', 'AWS::EC2::SecurityGroupIngress', { GroupId: { Ref: 'FunctionsSecurityGroup' } }),
  },
  {
    story: 'tables of other accounts are reached',
    where: 'LedgerEndpoint.PolicyDocument.Statement',
    edit: set('LedgerEndpoint', 'PolicyDocument.Statement', [anybody]),
  },
  {
    story: 'queues of other accounts are reached',
    where: 'QueuesEndpoint.PolicyDocument.Statement',
    edit: set('QueuesEndpoint', 'PolicyDocument.Statement', [anybody]),
  },
  {
    story: 'the ledger is reached by way of the internet',
    where: 'LedgerEndpoint.RouteTableIds',
    edit: set('LedgerEndpoint', 'RouteTableIds', [{ Ref: 'PublicRoutes' }]),
  },
  {
    story: 'another account may put jobs, whoever it is',
    where: 'JobsQueuePolicy.PolicyDocument.Statement',
    edit: allowOnQueue('JobsQueuePolicy', { Principal: '*', Action: 'sqs:SendMessage', Resource: '*' }),
  },
  {
    story: 'producers may read results',
    where: 'ProducerPolicy.PolicyDocument.Statement',
    edit: set('ProducerPolicy', 'PolicyDocument.Statement', [anybody]),
  },
  {
    story: 'the policy of consumers is put upon a function',
    where: 'ConsumerPolicy.Roles',
    edit: set('ConsumerPolicy', 'Roles', [{ Ref: 'CallbackRole' }]),
  },
  {
    story: 'a rollout asks a function from beside',
    where: 'SubmitLiveAlias.UpdatePolicy',
    edit: attribute('SubmitLiveAlias', 'UpdatePolicy', {
      CodeDeployLambdaAliasUpdate: {
        ApplicationName: 'own',
        DeploymentGroupName: 'own',
        BeforeAllowTrafficHook: 'spy',
      },
    }),
  },
  {
    story: 'submit is rolled out at once, whatever was chosen',
    where: 'SubmitLiveAlias.UpdatePolicy',
    edit: attribute('SubmitLiveAlias', 'UpdatePolicy', undefined),
  },
  {
    story: 'a rollout watches nothing',
    where: 'SubmitRollout.AlarmConfiguration.Enabled',
    edit: set('SubmitRollout', 'AlarmConfiguration.Enabled', false),
  },
  {
    story: 'a rollout goes back where a gateway is slow',
    where: 'SubmitRollout.AlarmConfiguration.Alarms',
    edit: set('SubmitRollout', 'AlarmConfiguration.Alarms', [{ Name: { Ref: 'LaneSlowAlarm' } }]),
  },
  {
    story: 'a rollout does not watch the canary',
    where: 'SubmitRollout.AlarmConfiguration.Alarms',
    edit: set('SubmitRollout', 'AlarmConfiguration.Alarms', [{ Name: { Ref: 'ReleaseFailingAlarm' } }]),
  },
  {
    story: 'a canary order is sent that nobody has chosen',
    where: 'SweepLambdaFunction.Environment.Variables.CANARY',
    edit: set('SweepLambdaFunction', 'Environment.Variables.CANARY', '39915:1234567890'),
  },
  {
    story: 'a failed rollout stays',
    where: 'SubmitRollout.AutoRollbackConfiguration.Events',
    edit: set('SubmitRollout', 'AutoRollbackConfiguration.Events', ['DEPLOYMENT_FAILURE']),
  },
  {
    story: 'whoever rolls out may change the code',
    where: 'RolloutRole.Policies',
    edit: allow('RolloutRole', { Action: 'lambda:UpdateFunctionCode', Resource: '*' }),
  },
  {
    story: 'a rollout of another account puts the role on',
    where: 'RolloutRole.AssumeRolePolicyDocument.Statement',
    edit: set('RolloutRole', 'AssumeRolePolicyDocument.Statement.0.Condition', undefined),
  },
  {
    story: 'anybody may roll out',
    where: 'RolloutRole.AssumeRolePolicyDocument.Statement',
    edit: set('RolloutRole', 'AssumeRolePolicyDocument.Statement', [anybody]),
  },
  {
    story: 'a role loses its boundary',
    where: 'SubmitRole.PermissionsBoundary',
    edit: set('SubmitRole', 'PermissionsBoundary', undefined),
  },
];
