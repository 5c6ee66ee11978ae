// What an outsider tried, who knew the stack and none of the doctor's rules: one line each, all of them unsafe.
import { attribute, set, type Template } from './broken-edits.ts';

const variables = 'Environment.Variables';
const everybody = { Effect: 'Allow', Principal: '*', Action: '*', Resource: '*' };
const stranger = { AWS: 'arn:aws:iam::999999999999:root' };
const live = (id: string) => ({ 'Fn::Join': [':', [{ 'Fn::GetAtt': [id, 'Arn'] }, 'live']] });
const jobs = { 'Fn::GetAtt': ['JobsQueue', 'Arn'] };
const mapping = 'SubmitEventSourceMappingSQSJobsQueue';

/** Resource, property and what stands there then; undefined for taken away. */
const changes: readonly (readonly [id: string, path: string, value: unknown])[] = [
  // Settings: where the worker sends, whom it believes, what is loaded before it.
  ['SubmitLambdaFunction', `${variables}.HTTP_PROXY`, 'http://proxy.example.com:3128'],
  ['SubmitLambdaFunction', `${variables}.HTTPS_PROXY`, 'http://proxy.example.com:3128'],
  ['SubmitLambdaFunction', `${variables}.NODE_EXTRA_CA_CERTS`, '/opt/ca.pem'],
  ['SubmitLambdaFunction', `${variables}.SSL_CERT_FILE`, '/opt/ca.pem'],
  ['SubmitLambdaFunction', `${variables}.AWS_LAMBDA_EXEC_WRAPPER`, '/opt/wrap'],
  ['SubmitLambdaFunction', `${variables}.NODE_PATH`, '/opt/nodejs'],
  ['SubmitLambdaFunction', `${variables}.AWS_ENDPOINT_URL`, 'https://aws.example.com'],
  ['SubmitLambdaFunction', `${variables}.AWS_ENDPOINT_URL_SECRETS_MANAGER`, 'https://secrets.example.com'],
  ['SubmitLambdaFunction', `${variables}.AWS_REGION`, 'us-east-1'],
  ['SubmitLambdaFunction', `${variables}.SECRET_PREFIX`, 'payouts/dev/'],
  ['SweepLambdaFunction', `${variables}.SECRET_PREFIX`, 'payouts/dev/'],
  ['SubmitLambdaFunction', `${variables}.JOBS_QUEUE_URL`, { Ref: 'BatchJobsQueue' }],
  ['SubmitLambdaFunction', `${variables}.RESULTS_QUEUE_URL`, { Ref: 'ChecksQueue' }],
  ['SubmitLambdaFunction', `${variables}.LEDGER_TABLE_NAME`, { 'Fn::Sub': 'payouts-dev-ledger' }],
  ['InquireLambdaFunction', `${variables}.DEAD_LETTER_QUEUE_URL`, { Ref: 'ResultsDeadLetterQueue' }],
  ['SubmitLambdaFunction', `${variables}.APPROVAL_KEY_ID`, { 'Fn::GetAtt': ['WorkerKey', 'Arn'] }],
  ['SubmitLambdaFunction', `${variables}.METRICS_NAMESPACE`, 'Payouts/dev'],
  ['SubmitLambdaFunction', `${variables}.LEDGER_TABLE_NAME`, '{Ref:LedgerTable}'],
  // Functions.
  ['SubmitLambdaFunction', 'Layers', ['arn:aws:lambda:eu-central-1:999999999999:layer:more:1']],
  ['SubmitLambdaFunction', 'Handler', 'other.handler'],
  ['SubmitLambdaFunction', 'Code.S3Bucket', 'somebody-elses-bucket'],
  ['SubmitLambdaFunction', 'Code', { ZipFile: 'exports.handler = () => {}' }],
  ['SubmitLambdaFunction', 'Role', { 'Fn::GetAtt': ['SweepRole', 'Arn'] }],
  ['SubmitLambdaFunction', 'FileSystemConfigs', [{ Arn: 'arn:aws:elasticfilesystem:x', LocalMountPath: '/mnt/x' }]],
  ['SubmitLambdaFunction', 'KmsKeyArn', 'arn:aws:kms:eu-central-1:999999999999:key/1'],
  ['SubmitLambdaFunction', 'DeadLetterConfig', { TargetArn: 'arn:aws:sqs:eu-central-1:999999999999:theirs' }],
  ['SubmitLambdaFunction', 'ReservedConcurrentExecutions', 0],
  ['InquireLambdaFunction', 'ReservedConcurrentExecutions', 0],
  ['SubmitLambdaFunction', 'LoggingConfig', { LogGroup: 'elsewhere' }],
  ['SubmitLambdaFunction', 'RuntimeManagementConfig', { UpdateRuntimeOn: 'Manual', RuntimeVersionArn: 'arn:old' }],
  ['SubmitLambdaFunction', 'PackageType', 'Image'],
  ['SubmitLiveAlias', 'FunctionVersion', '$LATEST'],
  ['SubmitLiveAlias', 'RoutingConfig', { AdditionalVersionWeights: [{ FunctionVersion: '3', FunctionWeight: 0.5 }] }],
  ['SubmitLiveAlias', 'FunctionName', { Ref: 'SweepLambdaFunction' }],
  ['SweepLambdaEvConf', 'MaximumRetryAttempts', 2],
  ['SweepLambdaEvConf', 'DestinationConfig', { OnFailure: { Destination: 'arn:aws:sns:eu-central-1:999999999999:x' } }],
  // What feeds them.
  [mapping, 'Enabled', false],
  [mapping, 'FilterCriteria', { Filters: [{ Pattern: '{"body":{"merchant":["acme"]}}' }] }],
  [mapping, 'FunctionName', live('InquireLambdaFunction')],
  [mapping, 'FunctionName', { 'Fn::GetAtt': ['SubmitLambdaFunction', 'Arn'] }],
  [mapping, 'EventSourceArn', { 'Fn::GetAtt': ['ResultsQueue', 'Arn'] }],
  [mapping, 'BatchSize', 500],
  [mapping, 'ScalingConfig.MaximumConcurrency', -1],
  [mapping, 'DestinationConfig', { OnFailure: { Destination: 'arn:aws:sqs:eu-central-1:999999999999:theirs' } }],
  ['SweepEventsRuleSchedule2', 'State', 'DISABLED'],
  ['SweepEventsRuleSchedule3', 'Targets', []],
  ['SweepEventsRuleSchedule4', 'ScheduleExpression', 'rate(7 days)'],
  ['OrderPaidRule', 'EventPattern.source', [{ prefix: '' }]],
  ['OrderPaidRule', 'EventPattern', {}],
  ['CallbackLambdaFunctionUrl', 'TargetFunctionArn', live('SubmitLambdaFunction')],
  ['CallbackLambdaFunctionUrl', 'Cors', { AllowOrigins: ['*'] }],
  ['CallbackLambdaPermissionFn', 'Principal', '999999999999'],
  ['SweepLambdaPermissionEventsRuleSchedule1', 'SourceArn', undefined],
  // Rights.
  ['SubmitRole', 'AssumeRolePolicyDocument.Statement', [{ ...everybody, Action: 'sts:AssumeRole' }]],
  [
    'SubmitRole',
    'AssumeRolePolicyDocument.Statement',
    [{ Effect: 'Allow', Principal: stranger, Action: 'sts:AssumeRole' }],
  ],
  ['SweepRole', 'ManagedPolicyArns', ['arn:aws:iam::aws:policy/AdministratorAccess']],
  ['SweepRole', 'PermissionsBoundary', undefined],
  [
    'SweepRole',
    'Policies',
    [{ PolicyName: 'sweep', PolicyDocument: { Statement: { Effect: 'Allow', NotAction: 'x:*', Resource: '*' } } }],
  ],
  ['ApproverPolicy', 'PolicyDocument.Statement', [everybody]],
  ['OperatorPolicy', 'Users', ['somebody']],
  ['WorkerKey', 'KeyPolicy.Statement', { ...everybody, Principal: stranger }],
  ['WorkerKey', 'EnableKeyRotation', false],
  ['ApprovalKey', 'Enabled', false],
  ['ApprovalKey', 'KeyUsage', 'SIGN_VERIFY'],
  ['WorkerKey', 'PendingWindowInDays', 7],
  ['WorkerKeyAlias', 'TargetKeyId', { Ref: 'ApprovalKey' }],
  [
    'ResultsQueuePolicy',
    'PolicyDocument.Statement',
    [{ ...everybody, Principal: stranger, Action: 'sqs:ReceiveMessage' }],
  ],
  ['WorkerSecretPolicy', 'ResourcePolicy.Statement', [{ ...everybody, Action: 'secretsmanager:GetSecretValue' }]],
  ['WorkerSecret', 'KmsKeyId', 'alias/aws/secretsmanager'],
  ['WorkerSecret', 'ReplicaRegions', [{ Region: 'us-east-1' }]],
  // Queues.
  ['JobsQueue', 'DelaySeconds', 900],
  ['JobsQueue', 'MaximumMessageSize', 1024],
  ['JobsQueue', 'KmsMasterKeyId', undefined],
  ['JobsQueue', 'RedrivePolicy.maxReceiveCount', 1],
  ['JobsQueue', 'RedriveAllowPolicy', { redrivePermission: 'allowAll' }],
  ['ResultsQueue', 'MessageRetentionPeriod', 60],
  ['DeadLetterQueue', 'RedrivePolicy', { deadLetterTargetArn: jobs, maxReceiveCount: 5 }],
  // Tables.
  ['LedgerTable', 'TimeToLiveSpecification.AttributeName', 'wa'],
  ['LedgerTable', 'StreamSpecification', { StreamViewType: 'NEW_AND_OLD_IMAGES' }],
  ['LedgerTable', 'KinesisStreamSpecification', { StreamArn: 'arn:aws:kinesis:eu-central-1:999999999999:stream/x' }],
  ['LedgerTable', 'OnDemandThroughput', { MaxWriteRequestUnits: 1 }],
  ['LedgerTable', 'PointInTimeRecoverySpecification.RecoveryPeriodInDays', 1],
  ['LedgerTable', 'GlobalSecondaryIndexes.0.Projection.ProjectionType', 'KEYS_ONLY'],
  ['ControlsTable', 'ResourcePolicy', { PolicyDocument: { Statement: [everybody] } }],
  ['CardKeysTable', 'TableName', { Ref: 'LedgerTable' }],
  // Alarms, logs.
  ['DeadLettersAlarm', 'TreatMissingData', 'ignore'],
  ['HeldAlarm', 'Threshold', 1_000_000],
  ['MoneyInDoubtAlarm', 'Period', 86_400],
  ['HeldAlarm', 'ComparisonOperator', 'LessThanThreshold'],
  ['HeldAlarm', 'MetricName', 'becameHeld2'],
  ['HeldAlarm', 'Statistic', 'Minimum'],
  ['HeldAlarm', 'Dimensions', [{ Name: 'stage', Value: 'dev' }]],
  ['SweeperSilentAlarm', 'TreatMissingData', 'notBreaching'],
  ['SweeperSilentAlarm', 'Threshold', -1],
  ['PageTopic', 'KmsMasterKeyId', undefined],
  ['PageEmailSubscription', 'FilterPolicy', { never: ['ever'] }],
  ['SubmitLogGroup', 'KmsKeyId', undefined],
  ['SubmitLogGroup', 'LogGroupName', '/elsewhere'],
];

/** Things that are put beside the others. */
const additions: readonly (readonly [type: string, properties: Readonly<Record<string, unknown>>])[] = [
  [
    'AWS::Lambda::Permission',
    { FunctionName: live('SubmitLambdaFunction'), Action: 'lambda:InvokeFunction', Principal: '*' },
  ],
  ['AWS::Lambda::Url', { TargetFunctionArn: live('SubmitLambdaFunction'), AuthType: 'NONE' }],
  ['AWS::Lambda::Alias', { FunctionName: { Ref: 'SubmitLambdaFunction' }, FunctionVersion: '1', Name: 'old' }],
  ['AWS::Lambda::LayerVersion', { Content: {} }],
  [
    'AWS::IAM::RolePolicy',
    { RoleName: { Ref: 'SubmitRole' }, PolicyName: 'x', PolicyDocument: { Statement: [everybody] } },
  ],
  ['AWS::IAM::AccessKey', { UserName: 'somebody' }],
  ['AWS::SQS::QueuePolicy', { Queues: [{ Ref: 'JobsQueue' }], PolicyDocument: { Statement: [everybody] } }],
  ['AWS::SQS::QueueInlinePolicy', { Queue: { Ref: 'JobsQueue' }, PolicyDocument: { Statement: [everybody] } }],
  ['AWS::SNS::TopicPolicy', { Topics: [{ Ref: 'PageTopic' }], PolicyDocument: { Statement: [everybody] } }],
  ['AWS::KMS::ReplicaKey', { PrimaryKeyArn: { 'Fn::GetAtt': ['WorkerKey', 'Arn'] } }],
  ['AWS::SecretsManager::RotationSchedule', { SecretId: { Ref: 'WorkerSecret' } }],
  [
    'AWS::Logs::SubscriptionFilter',
    { LogGroupName: { Ref: 'SubmitLogGroup' }, DestinationArn: 'arn:aws:logs:x:999999999999:y' },
  ],
  ['AWS::Logs::ResourcePolicy', { PolicyDocument: '{}' }],
  [
    'AWS::S3::BucketPolicy',
    { Bucket: { Ref: 'ServerlessDeploymentBucket' }, PolicyDocument: { Statement: [everybody] } },
  ],
  ['AWS::Pipes::Pipe', { Source: jobs, Target: 'arn:aws:sqs:eu-central-1:999999999999:theirs' }],
  ['AWS::Scheduler::Schedule', { Target: { Arn: live('SubmitLambdaFunction') } }],
  ['AWS::Events::Rule', { Targets: [{ Arn: jobs, Id: 'jobs' }] }],
  ['AWS::DynamoDB::GlobalTable', {}],
  ['Custom::Anything', { ServiceToken: 'arn:aws:lambda:eu-central-1:999999999999:function:x' }],
  ['AWS::CloudFormation::Stack', { TemplateURL: 'https://elsewhere.example.com/template.json' }],
];

/** What a template says beside its resources. */
const beside: readonly (readonly [story: string, where: string, edit: (template: Whole) => unknown])[] = [
  [
    'the door is opened whatever the parameter says',
    'Conditions.CallbacksOn',
    ({ Conditions }) => (Conditions['CallbacksOn'] = { 'Fn::Equals': ['a', 'a'] }),
  ],
  [
    'a condition is turned round',
    'Conditions.ProducersGiven',
    ({ Conditions }) =>
      (Conditions['ProducersGiven'] = { 'Fn::Equals': [{ 'Fn::Join': ['', { Ref: 'ProducerArns' }] }, ''] }),
  ],
  [
    'anybody may be a producer',
    'Parameters.ProducerArns.AllowedPattern',
    ({ Parameters }) => delete Parameters['ProducerArns']?.['AllowedPattern'],
  ],
  [
    'an output names another queue',
    'Outputs.JobsQueueUrl.Value',
    ({ Outputs }) => Object.assign(Outputs['JobsQueueUrl'] ?? {}, { Value: { Ref: 'ResultsQueue' } }),
  ],
  ['a macro may write all of it anew', 'Transform', (template) => Object.assign(template, { Transform: 'Anybodys' })],
  [
    'the ledger is not kept when it is replaced',
    'LedgerTable.UpdateReplacePolicy',
    attribute('LedgerTable', 'UpdateReplacePolicy', 'Delete'),
  ],
  [
    'the sweeper is there for another condition',
    'SweepLambdaFunction.Condition',
    attribute('SweepLambdaFunction', 'Condition', 'CallbacksOn'),
  ],
];

type Whole = Template & Record<'Conditions' | 'Parameters' | 'Outputs', Record<string, Record<string, unknown>>>;

/** The list: what was done, and part of where it is seen. */
export const outsidersEdits: readonly { story: string; where: string; edit: (template: Template) => unknown }[] = [
  ...changes.map(([id, path, value]) => ({
    story: `${id}.${path} is ${JSON.stringify(value)?.slice(0, 60)}`,
    where: id,
    edit: set(id, path, value),
  })),
  ...additions.map(([type, properties]) => ({
    story: `there is a ${type}`,
    where: 'Beside',
    edit: (template: Template) => (template.Resources['Beside'] = { Type: type, Properties: { ...properties } }),
  })),
  ...beside.map(([story, where, edit]) => ({ story, where, edit: (template: Template) => edit(template as Whole) })),
];
