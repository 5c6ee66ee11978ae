// What somebody changes by hand in an account, with AWS's own calls, and where the doctor sees it.
import { CloudFormationClient, ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import * as logs from '@aws-sdk/client-cloudwatch-logs';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as events from '@aws-sdk/client-eventbridge';
import * as iam from '@aws-sdk/client-iam';
import * as kms from '@aws-sdk/client-kms';
import * as lambda from '@aws-sdk/client-lambda';
import * as sns from '@aws-sdk/client-sns';
import * as sqs from '@aws-sdk/client-sqs';
import { fakeCredentials } from './table.ts';

/** One edit: done, it is seen there. */
export interface ByHandEdit {
  readonly where: string;
  readonly edit: () => Promise<unknown>;
  /** Where the stack could not be taken down otherwise. */
  readonly undo?: () => Promise<unknown>;
}

const anybody = { Effect: 'Allow', Principal: '*', Action: '*', Resource: '*' };
const open = JSON.stringify({ Version: '2012-10-17', Statement: [anybody] });
const { Principal: _everybody, ...everything } = anybody;
const allOfIt = JSON.stringify({ Version: '2012-10-17', Statement: [everything] });

const trusting = JSON.stringify({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { AWS: '999999999999' }, Action: 'sts:AssumeRole' }],
});

/** The edits of a stack in moto. */
export async function byHandEdits(url: string, stage: string): Promise<readonly ByHandEdit[]> {
  const to = { region: 'eu-central-1', endpoint: url, credentials: fakeCredentials };
  const ids = await idsOf(new CloudFormationClient(to), `payouts-${stage}`);
  const id = (logicalId: string): string => ids.get(logicalId) ?? '';
  return [
    ...ofFunctions(new lambda.LambdaClient(to), id),
    ...ofPeople(new iam.IAMClient(to), id),
    ...ofKeys(new kms.KMSClient(to), id),
    ...ofQueues(new sqs.SQSClient({ ...to, useQueueUrlAsEndpoint: false }), id),
    ...ofTables(new dynamodb.DynamoDBClient(to), id),
    ...ofLogs(new logs.CloudWatchLogsClient(to), id),
    ...ofSchedules(new events.EventBridgeClient(to), id),
    {
      where: 'PageTopic.KmsMasterKeyId',
      edit: () => new sns.SNSClient(to).send(new sns.SetTopicAttributesCommand(anotherKey(id('PageTopic')))),
    },
  ];
}

async function idsOf(client: CloudFormationClient, StackName: string): Promise<ReadonlyMap<string, string>> {
  const { StackResourceSummaries = [] } = await client.send(new ListStackResourcesCommand({ StackName }));
  client.destroy();
  return new Map(StackResourceSummaries.map((it) => [it.LogicalResourceId ?? '', it.PhysicalResourceId ?? '']));
}

const anotherKey = (TopicArn: string) => ({
  TopicArn,
  AttributeName: 'KmsMasterKeyId',
  AttributeValue: 'alias/aws/sns',
});

type Id = (logicalId: string) => string;

function ofFunctions(client: lambda.LambdaClient, id: Id): readonly ByHandEdit[] {
  const submit = { FunctionName: id('SubmitLambdaFunction') };
  const settings = [
    ['SubmitLambdaFunction', 'NODE_OPTIONS', '--require /opt/more.js'],
    ['InquireLambdaFunction', 'AWS_ENDPOINT_URL_DYNAMODB', 'https://db.example.com'],
    ['SweepLambdaFunction', 'NODE_TLS_REJECT_UNAUTHORIZED', '0'],
    ['CallbackLambdaFunction', 'LEDGER_TABLE_NAME', 'payouts-dev-ledger'],
    ['SubmitLambdaFunction', 'SECRET_PREFIX', 'payouts/dev/'],
  ] as const;
  const configured = (logicalId: string, where: string, changed: object): ByHandEdit => ({
    where: `${logicalId}.${where}`,
    edit: () => client.send(new lambda.UpdateFunctionConfigurationCommand({ FunctionName: id(logicalId), ...changed })),
  });
  const added = (where: string, command: () => Promise<unknown>) => ({
    where: `SubmitLambdaFunction.${where}`,
    edit: command,
  });
  return [
    ...settings.map(([logicalId, name, value]) => ({
      where: `${logicalId}.Environment.Variables.${name}`,
      edit: async () => {
        const given = { FunctionName: id(logicalId) };
        const { Environment } = await client.send(new lambda.GetFunctionConfigurationCommand(given));
        const Variables = { ...Environment?.Variables, [name]: value };
        return client.send(new lambda.UpdateFunctionConfigurationCommand({ ...given, Environment: { Variables } }));
      },
    })),
    configured('SubmitLambdaFunction', 'Timeout', { Timeout: 30 }),
    configured('CallbackLambdaFunction', 'Handler', { Handler: 'other.handler' }),
    configured('SweepLambdaFunction', 'Role', { Role: 'arn:aws:iam::123456789012:role/administrator' }),
    {
      where: 'SweepLambdaFunction.ReservedConcurrentExecutions',
      edit: () =>
        client.send(
          new lambda.PutFunctionConcurrencyCommand({
            FunctionName: id('SweepLambdaFunction'),
            ReservedConcurrentExecutions: 0,
          }),
        ),
    },
    added('Permission everybody', () =>
      client.send(
        new lambda.AddPermissionCommand({
          ...submit,
          StatementId: 'everybody',
          Action: 'lambda:InvokeFunction',
          Principal: '*',
        }),
      ),
    ),
    added('Url', () => client.send(new lambda.CreateFunctionUrlConfigCommand({ ...submit, AuthType: 'NONE' }))),
    added('Mapping', () =>
      client.send(
        new lambda.CreateEventSourceMappingCommand({
          ...submit,
          EventSourceArn: `arn:aws:sqs:eu-central-1:123456789012:${id('ResultsQueue').split('/').pop()}`,
          Enabled: false,
        }),
      ),
    ),
    {
      where: 'SubmitEventSourceMappingSQSJobsQueue.FilterCriteria',
      edit: () =>
        client.send(
          new lambda.UpdateEventSourceMappingCommand({
            UUID: id('SubmitEventSourceMappingSQSJobsQueue'),
            FilterCriteria: { Filters: [{ Pattern: '{"body":{"operation":["payout"]}}' }] },
          }),
        ),
    },
  ];
}

function ofPeople(client: iam.IAMClient, id: Id): readonly ByHandEdit[] {
  const RoleName = id('SubmitRole');
  const PolicyArn = id('ConsumerPolicy');
  return [
    {
      where: 'SubmitRole.Policies',
      edit: () => client.send(new iam.PutRolePolicyCommand({ RoleName, PolicyName: 'more', PolicyDocument: allOfIt })),
      undo: () => client.send(new iam.DeleteRolePolicyCommand({ RoleName, PolicyName: 'more' })),
    },
    {
      where: 'InquireRole.Policies',
      edit: () => client.send(new iam.DeleteRolePolicyCommand({ RoleName: id('InquireRole'), PolicyName: 'inquire' })),
    },
    {
      where: 'SubmitRole.AssumeRolePolicyDocument',
      edit: () => client.send(new iam.UpdateAssumeRolePolicyCommand({ RoleName, PolicyDocument: trusting })),
    },
    {
      where: 'SweepRole.ManagedPolicyArns',
      edit: () => client.send(new iam.AttachRolePolicyCommand({ RoleName: id('SweepRole'), PolicyArn })),
      undo: () => client.send(new iam.DetachRolePolicyCommand({ RoleName: id('SweepRole'), PolicyArn })),
    },
    {
      where: 'CallbackRole.PermissionsBoundary',
      edit: () =>
        client.send(
          new iam.PutRolePermissionsBoundaryCommand({ RoleName: id('CallbackRole'), PermissionsBoundary: PolicyArn }),
        ),
    },
    {
      where: 'ProducerPolicy.PolicyDocument.Statement',
      edit: () =>
        client.send(
          new iam.CreatePolicyVersionCommand({
            PolicyArn: id('ProducerPolicy'),
            PolicyDocument: allOfIt,
            SetAsDefault: true,
          }),
        ),
      undo: async () => {
        const given = { PolicyArn: id('ProducerPolicy') };
        await client.send(new iam.SetDefaultPolicyVersionCommand({ ...given, VersionId: 'v1' }));
        await client.send(new iam.DeletePolicyVersionCommand({ ...given, VersionId: 'v2' }));
      },
    },
  ];
}

function ofKeys(client: kms.KMSClient, id: Id): readonly ByHandEdit[] {
  const KeyId = id('WorkerKey');
  return [
    {
      where: 'WorkerKey.KeyPolicy.Statement',
      edit: () => client.send(new kms.PutKeyPolicyCommand({ KeyId, PolicyName: 'default', Policy: open })),
    },
    { where: 'WorkerKey.EnableKeyRotation', edit: () => client.send(new kms.DisableKeyRotationCommand({ KeyId })) },
    { where: 'WorkerKey.Enabled', edit: () => client.send(new kms.DisableKeyCommand({ KeyId })) },
    {
      where: 'ApprovalKey.KeyState',
      edit: () => client.send(new kms.ScheduleKeyDeletionCommand({ KeyId: id('ApprovalKey'), PendingWindowInDays: 7 })),
    },
  ];
}

function ofQueues(client: sqs.SQSClient, id: Id): readonly ByHandEdit[] {
  const letters = JSON.stringify({
    deadLetterTargetArn: 'arn:aws:sqs:eu-central-1:123456789012:payouts-moto-checks-dead',
    maxReceiveCount: 1000,
  });
  const edits = [
    ['JobsQueue', 'MessageRetentionPeriod', '60'],
    ['JobsQueue', 'RedrivePolicy', letters],
    ['BatchJobsQueue', 'DelaySeconds', '900'],
    ['ChecksQueue', 'VisibilityTimeout', '10'],
    ['ResultsQueue', 'KmsMasterKeyId', 'alias/aws/sqs'],
  ] as const;
  return edits.map(([logicalId, name, value]) => ({
    where: `${logicalId}.${name}`,
    edit: () =>
      client.send(new sqs.SetQueueAttributesCommand({ QueueUrl: id(logicalId), Attributes: { [name]: value } })),
  }));
}

function ofTables(client: dynamodb.DynamoDBClient, id: Id): readonly ByHandEdit[] {
  const updated = (logicalId: string, where: string, changed: object): ByHandEdit => ({
    where: `${logicalId}.${where}`,
    edit: () => client.send(new dynamodb.UpdateTableCommand({ TableName: id(logicalId), ...changed })),
  });
  const TableName = id('BatchesTable');
  const off = { PointInTimeRecoveryEnabled: false };
  const slow = { ReadCapacityUnits: 1, WriteCapacityUnits: 1 };
  return [
    updated('LedgerTable', 'DeletionProtectionEnabled', { DeletionProtectionEnabled: false }),
    updated('LedgerTable', 'StreamSpecification', {
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    }),
    updated('ControlsTable', 'BillingMode', {
      BillingMode: 'PROVISIONED',
      ProvisionedThroughput: slow,
    }),
    updated('BatchesTable', 'GlobalSecondaryIndexes', {
      GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'open-work' } }],
    }),
    {
      where: 'BatchesTable.PointInTimeRecoverySpecification',
      edit: () =>
        client.send(new dynamodb.UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification: off })),
    },
    {
      where: 'BatchesTable.TimeToLiveSpecification',
      edit: () =>
        client.send(
          new dynamodb.UpdateTimeToLiveCommand({
            TableName,
            TimeToLiveSpecification: { AttributeName: 'pk', Enabled: true },
          }),
        ),
    },
    {
      where: 'LedgerTable.ResourcePolicy',
      edit: () =>
        client.send(
          new dynamodb.PutResourcePolicyCommand({
            ResourceArn: `arn:aws:dynamodb:eu-central-1:123456789012:table/${id('LedgerTable')}`,
            Policy: open,
          }),
        ),
    },
  ];
}

function ofLogs(client: logs.CloudWatchLogsClient, id: Id): readonly ByHandEdit[] {
  return [
    {
      where: 'SubmitLogGroup.RetentionInDays',
      edit: () =>
        client.send(new logs.PutRetentionPolicyCommand({ logGroupName: id('SubmitLogGroup'), retentionInDays: 1 })),
    },
    {
      where: 'CallbackLogGroup',
      edit: () => client.send(new logs.DeleteLogGroupCommand({ logGroupName: id('CallbackLogGroup') })),
      undo: () => client.send(new logs.CreateLogGroupCommand({ logGroupName: id('CallbackLogGroup') })),
    },
  ];
}

function ofSchedules(client: events.EventBridgeClient, id: Id): readonly ByHandEdit[] {
  const [Name, Rule] = [id('SweepEventsRuleSchedule1'), id('SweepEventsRuleSchedule2')];
  return [
    { where: 'SweepEventsRuleSchedule1.State', edit: () => client.send(new events.DisableRuleCommand({ Name })) },
    {
      where: 'SweepEventsRuleSchedule3.ScheduleExpression',
      edit: () =>
        client.send(
          new events.PutRuleCommand({ Name: id('SweepEventsRuleSchedule3'), ScheduleExpression: 'rate(1 day)' }),
        ),
    },
    {
      where: 'SweepEventsRuleSchedule2.Targets',
      edit: () => client.send(new events.RemoveTargetsCommand({ Rule, Ids: ['sweepSchedule'] })),
    },
  ];
}
