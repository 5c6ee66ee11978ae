// A stack as it stands in the account: its template, with what somebody may have changed by hand read from the services.
import { DescribeStacksCommand, GetTemplateCommand, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { DescribeKeyCommand } from '@aws-sdk/client-kms';
import {
  GetAliasCommand,
  GetEventSourceMappingCommand,
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  GetFunctionRecursionConfigCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { newDynamoDbClient } from '../../aws/dynamodb-client.ts';
import { newKmsClient } from '../../aws/kms-client.ts';
import type { Properties } from '../../doctor/stack.ts';
import { patientAwsCalls } from '../../payout/limits.ts';
import { newCloudFormationClient } from './cloudformation-client.ts';
import { newLambdaClient } from './lambda-client.ts';
import { type NetworkPlace, networkPlaceOf, presentPlace } from './deployed-place.ts';
import { newSqsClient } from '../../aws/sqs-queues.ts';

const aws = { limits: patientAwsCalls };

/** Present values of one resource, by its physical id and what its template says; undefined ones are taken away. */
type Reader = (physicalId: string, template: Properties, ids: PhysicalIds) => Promise<Record<string, unknown>>;

/** Physical ids of the stack's resources by logical ones. */
type PhysicalIds = ReadonlyMap<string, string | undefined>;

interface Template {
  Resources: Record<string, { Type: string; Properties?: Properties; Condition?: string }>;
}

/** Reads the stack with that name. Rejects with the service's own error where it is not there or may not be read. */
export async function readDeployedStack(StackName: string): Promise<string> {
  const client = newCloudFormationClient(aws);
  const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName, TemplateStage: 'Processed' }));
  const template = JSON.parse(TemplateBody) as Template;
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
  const ids = new Map<string, string | undefined>();
  for await (const page of paginateListStackResources({ client }, { StackName }))
    for (const it of page.StackResourceSummaries ?? []) ids.set(it.LogicalResourceId ?? '', it.PhysicalResourceId);
  const readers = presentValues(networkPlaceOf(Stacks?.[0]?.Parameters ?? [], ids));
  const deployed: Template['Resources'] = {};
  for (const [logicalId, resource] of Object.entries(template.Resources)) {
    const { Properties: written = {}, Condition } = resource;
    // What its condition leaves out is not missing.
    if (!ids.has(logicalId)) {
      if (Condition !== undefined) deployed[logicalId] = resource;
      continue;
    }
    const physicalId = ids.get(logicalId);
    const present = physicalId === undefined ? {} : await presentOf(readers[resource.Type], physicalId, written, ids);
    // Deleted by hand: to the doctor it is gone, whatever CloudFormation believes.
    if (present === 'gone') continue;
    deployed[logicalId] = { ...resource, Properties: { ...written, ...present } };
  }
  return JSON.stringify({ Resources: deployed });
}

/** What the service says of it; `gone` where it knows no such thing. */
async function presentOf(read: Reader | undefined, physicalId: string, written: Properties, ids: PhysicalIds) {
  try {
    return (await read?.(physicalId, written, ids)) ?? {};
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (/^(ResourceNotFoundException|QueueDoesNotExist|NotFoundException)$/.test(name)) return 'gone';
    throw error;
  }
}

/**
 * A function's variables as they stand. What the template makes of other resources is left as it is written while it is
 * there: its text can't be compared with what came of it.
 */
function variablesOf(present: Readonly<Record<string, string>>, written: Properties): Record<string, unknown> {
  const { Variables = {} } = (written['Environment'] ?? {}) as {
    readonly Variables?: Readonly<Record<string, unknown>>;
  };
  return Object.fromEntries(
    Object.entries(present).map(([name, value]) => {
      const inTemplate = Variables[name];
      return [name, typeof inTemplate === 'object' ? inTemplate : value];
    }),
  );
}

function presentFunction(lambda: LambdaClient, place: NetworkPlace): Reader {
  return async (functionName, written) => {
    const given = { FunctionName: functionName };
    const [{ Timeout, Runtime, Environment, Layers, VpcConfig }, { ReservedConcurrentExecutions }, { RecursiveLoop }] =
      await Promise.all([
        lambda.send(new GetFunctionConfigurationCommand(given)),
        lambda.send(new GetFunctionConcurrencyCommand(given)),
        lambda.send(new GetFunctionRecursionConfigCommand(given)).catch(() => unread),
      ]);
    const Variables = variablesOf(Environment?.Variables ?? {}, written);
    return {
      Timeout,
      Runtime,
      Environment: { Variables },
      ...(Layers && Layers.length > 0 && { Layers: Layers.map(({ Arn }) => Arn) }),
      ReservedConcurrentExecutions,
      RecursiveLoop,
      VpcConfig: presentPlace(VpcConfig, written['VpcConfig'], place),
    };
  };
}

/** The services that are asked; of every other type the template is believed. */
function presentValues(place: NetworkPlace): Readonly<Record<string, Reader>> {
  // Its own address is where the region's queues are; a queue's URL names AWS whatever endpoint was chosen.
  const sqs = newSqsClient(aws, { useQueueUrlAsEndpoint: false });
  const dynamodb = newDynamoDbClient(aws);
  const lambda = newLambdaClient(aws);
  const kms = newKmsClient(aws);
  return {
    'AWS::SQS::Queue': async (queueUrl, { RedrivePolicy: written }) => {
      const { Attributes = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }),
      );
      const { RedrivePolicy: present, VisibilityTimeout, MessageRetentionPeriod } = Attributes;
      return { VisibilityTimeout, MessageRetentionPeriod, RedrivePolicy: redriveOf(present, written) };
    },
    'AWS::DynamoDB::Table': async (tableName) => {
      const given = { TableName: tableName };
      const [{ Table }, { ContinuousBackupsDescription: backups }, { TimeToLiveDescription: timeToLive }] =
        await Promise.all([
          dynamodb.send(new DescribeTableCommand(given)),
          dynamodb.send(new DescribeContinuousBackupsCommand(given)),
          dynamodb.send(new DescribeTimeToLiveCommand(given)),
        ]);
      const recovery = backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
      const { AttributeName, TimeToLiveStatus } = timeToLive ?? {};
      return {
        DeletionProtectionEnabled: Table?.DeletionProtectionEnabled,
        BillingMode: Table?.BillingModeSummary?.BillingMode ?? 'PROVISIONED',
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: recovery === 'ENABLED' },
        TimeToLiveSpecification: { AttributeName, Enabled: (TimeToLiveStatus ?? '').startsWith('ENABL') },
      };
    },
    'AWS::KMS::Key': async (KeyId) => {
      const described = await kms.send(new DescribeKeyCommand({ KeyId })).catch(() => undefined);
      const { Enabled = 'unknown: kms:DescribeKey gave no answer' } = described?.KeyMetadata ?? {};
      return { Enabled };
    },
    'AWS::Lambda::Function': presentFunction(lambda, place),
    'AWS::Lambda::Alias': aliasReader(lambda),
    'AWS::Lambda::EventSourceMapping': mappingReader(lambda),
  };
}

function mappingReader(lambda: LambdaClient): Reader {
  return async (uuid) => {
    const present = await lambda.send(new GetEventSourceMappingCommand({ UUID: uuid }));
    const { BatchSize, MaximumBatchingWindowInSeconds, FunctionResponseTypes, FilterCriteria, ScalingConfig } = present;
    const Enabled = !(present.State ?? '').startsWith('Disabl');
    return {
      BatchSize,
      MaximumBatchingWindowInSeconds,
      FunctionResponseTypes,
      FilterCriteria,
      ScalingConfig,
      Enabled,
    };
  };
}

/** The version that an alias names: as it is written while it is the stack's own, else which it is, and of what commit. */
function aliasReader(lambda: LambdaClient): Reader {
  return async (aliasArn, { FunctionVersion: written }, ids) => {
    const [, functionName = '', Name = ''] = /function:([^:]+):([^:]+)$/.exec(aliasArn) ?? [];
    const alias = await lambda.send(new GetAliasCommand({ FunctionName: functionName, Name }));
    const version = alias.FunctionVersion ?? '';
    const routed = Object.keys(alias.RoutingConfig?.AdditionalVersionWeights ?? {}).length > 0 && {
      RoutingConfig: alias.RoutingConfig,
    };
    const [own = ''] = (written as { readonly 'Fn::GetAtt'?: readonly string[] })['Fn::GetAtt'] ?? [];
    if (ids.get(own)?.endsWith(`:${version}`)) return { ...routed };
    const { Description } = await lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName: functionName, Qualifier: version }),
    );
    return { FunctionVersion: `${version}, rolled back: ${Description ?? 'of no known commit'}`, ...routed };
  };
}

/** What can't be asked about is told as a danger, not believed. */
const unread = { RecursiveLoop: 'unknown: lambda:GetFunctionRecursionConfig gave no answer' };

/** The present count of receives; the target stays as the template names it while it is still the same kind of policy. */
function redriveOf(present: string | undefined, written: unknown): unknown {
  if (present === undefined) return undefined;
  const { maxReceiveCount } = JSON.parse(present) as { readonly maxReceiveCount?: unknown };
  return typeof written === 'object' ? { ...written, maxReceiveCount } : written;
}
