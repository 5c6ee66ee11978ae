// Queues, tables, keys and secrets as they are in the account.
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  GetResourcePolicyCommand as GetTablePolicyCommand,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import {
  DescribeKeyCommand,
  GetKeyPolicyCommand,
  GetKeyRotationStatusCommand,
  type KMSClient,
} from '@aws-sdk/client-kms';
import {
  DescribeSecretCommand,
  GetResourcePolicyCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { newDynamoDbClient } from '../../aws/dynamodb-table.ts';
import { newKmsClient } from '../../aws/kms-client.ts';
import { newSecretsManagerClient } from '../../aws/secrets-manager-credentials.ts';
import { newSqsClient } from '../../aws/sqs-queues.ts';
import { listOf } from '../../doctor/stack.ts';
import { patientAwsCalls } from '../../payout/limits.ts';
import { ifThere, parsed, type Reader } from './present.ts';

const aws = { limits: patientAwsCalls };

/** The readers. */
export function dataReaders(): Readonly<Record<string, Reader>> {
  // Its own address is where the region's queues are; a queue's URL names AWS whatever endpoint was chosen.
  const sqs = newSqsClient(aws, { useQueueUrlAsEndpoint: false });
  return { ...ofQueues(sqs), ...ofTables(newDynamoDbClient(aws)), ...ofKeys(newKmsClient(aws)), ...ofSecrets() };
}

function ofQueues(sqs: SQSClient): Readonly<Record<string, Reader>> {
  const attributesOf = async (QueueUrl: string) =>
    (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))).Attributes ?? {};
  return {
    'AWS::SQS::Queue': async (queueUrl) => {
      const { RedrivePolicy, RedriveAllowPolicy, SqsManagedSseEnabled, ...it } = await attributesOf(queueUrl);
      const { VisibilityTimeout, MessageRetentionPeriod, ReceiveMessageWaitTimeSeconds, KmsMasterKeyId } = it;
      return {
        properties: {
          VisibilityTimeout,
          MessageRetentionPeriod,
          ReceiveMessageWaitTimeSeconds,
          KmsMasterKeyId,
          KmsDataKeyReusePeriodSeconds: it.KmsDataKeyReusePeriodSeconds,
          DelaySeconds: it.DelaySeconds,
          MaximumMessageSize: it.MaximumMessageSize,
          RedrivePolicy: parsed(RedrivePolicy),
          RedriveAllowPolicy: parsed(RedriveAllowPolicy),
          // With a key of ours there is none of SQS's own, whatever it says.
          SqsManagedSseEnabled: KmsMasterKeyId === undefined ? SqsManagedSseEnabled : undefined,
        },
      };
    },
    'AWS::SQS::QueuePolicy': async (_, { Queues }) => {
      const [queueUrl = ''] = listOf(Queues).map(String);
      const { Policy } = await attributesOf(queueUrl);
      return Policy ? { properties: { PolicyDocument: parsed(Policy) } } : 'gone';
    },
  };
}

/** For how long a table can be had again where nothing else is said. */
const longestRecoveryDays = 35;

function ofTables(dynamodb: DynamoDBClient): Readonly<Record<string, Reader>> {
  return {
    'AWS::DynamoDB::Table': async (TableName) => {
      const given = { TableName };
      const [{ Table = {} }, { ContinuousBackupsDescription: backups }, { TimeToLiveDescription: timeToLive }] =
        await Promise.all([
          dynamodb.send(new DescribeTableCommand(given)),
          dynamodb.send(new DescribeContinuousBackupsCommand(given)),
          dynamodb.send(new DescribeTimeToLiveCommand(given)),
        ]);
      const ResourceArn = Table.TableArn ?? TableName;
      const policy = await ifThere(dynamodb.send(new GetTablePolicyCommand({ ResourceArn })));
      const recovery = backups?.PointInTimeRecoveryDescription;
      const days = recovery?.RecoveryPeriodInDays ?? longestRecoveryDays;
      const { AttributeName, TimeToLiveStatus } = timeToLive ?? {};
      const expires = (TimeToLiveStatus ?? '').startsWith('ENABL');
      return {
        properties: {
          ...shapeOf(Table),
          PointInTimeRecoverySpecification: {
            PointInTimeRecoveryEnabled: recovery?.PointInTimeRecoveryStatus === 'ENABLED',
            ...(days !== longestRecoveryDays && { RecoveryPeriodInDays: days }),
          },
          TimeToLiveSpecification: expires ? { AttributeName, Enabled: true } : undefined,
          ResourcePolicy: policy?.Policy ? { PolicyDocument: parsed(policy.Policy) } : undefined,
        },
      };
    },
  };
}

function shapeOf(table: TableDescription): Readonly<Record<string, unknown>> {
  const { SSEDescription: sse, StreamSpecification: stream, DeletionProtectionEnabled } = table;
  const indexes = [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])];
  return {
    KeySchema: table.KeySchema,
    AttributeDefinitions: table.AttributeDefinitions,
    GlobalSecondaryIndexes: indexes.map(({ IndexName, KeySchema, Projection }) => ({
      IndexName,
      KeySchema,
      Projection,
    })),
    BillingMode: table.BillingModeSummary?.BillingMode ?? 'PROVISIONED',
    DeletionProtectionEnabled,
    SSESpecification:
      sse?.SSEType === undefined
        ? undefined
        : {
            SSEEnabled: /^(ENABL|UPDAT)/.test(sse.Status ?? ''),
            SSEType: sse.SSEType,
            KMSMasterKeyId: sse.KMSMasterKeyArn,
          },
    StreamSpecification: stream?.StreamEnabled ? { StreamViewType: stream.StreamViewType } : undefined,
    Replicas: table.Replicas?.map(({ RegionName }) => RegionName),
  };
}

function ofKeys(kms: KMSClient): Readonly<Record<string, Reader>> {
  return {
    'AWS::KMS::Key': async (KeyId) => {
      const { KeyMetadata } = await kms.send(new DescribeKeyCommand({ KeyId }));
      const { Policy } = await kms.send(new GetKeyPolicyCommand({ KeyId, PolicyName: 'default' }));
      const { Enabled, KeyState, KeySpec, KeyUsage } = KeyMetadata ?? {};
      const isSymmetric = KeySpec === 'SYMMETRIC_DEFAULT';
      const rotation = isSymmetric ? await kms.send(new GetKeyRotationStatusCommand({ KeyId })) : undefined;
      return {
        properties: {
          Enabled,
          KeySpec: isSymmetric ? undefined : KeySpec,
          KeyUsage: KeyUsage === 'ENCRYPT_DECRYPT' ? undefined : KeyUsage,
          EnableKeyRotation: rotation?.KeyRotationEnabled === true ? true : undefined,
          KeyPolicy: parsed(Policy),
          // The line above covers a disabled one.
          KeyState: /^(Enabled|Disabled)$/.test(KeyState ?? '') ? undefined : KeyState,
        },
      };
    },
    'AWS::KMS::Alias': async (alias, { TargetKeyId }) => {
      const { KeyMetadata: { KeyId, Arn } = {} } = await kms.send(new DescribeKeyCommand({ KeyId: alias }));
      return { properties: { TargetKeyId: String(TargetKeyId).startsWith('arn:') ? Arn : KeyId } };
    },
  };
}

function ofSecrets(): Readonly<Record<string, Reader>> {
  const secrets: SecretsManagerClient = newSecretsManagerClient(aws);
  return {
    'AWS::SecretsManager::Secret': async (SecretId) => {
      const it = await secrets.send(new DescribeSecretCommand({ SecretId }));
      if (it.DeletedDate !== undefined) return 'gone';
      return {
        properties: {
          KmsKeyId: it.KmsKeyId,
          // Neither is ours: a key that changes by itself is a fingerprint that nobody recognises.
          RotationEnabled: it.RotationEnabled === true ? true : undefined,
          ReplicaRegions: it.ReplicationStatus?.map(({ Region }) => Region),
        },
      };
    },
    'AWS::SecretsManager::ResourcePolicy': async (_, { SecretId }) => {
      const it = await secrets.send(new GetResourcePolicyCommand({ SecretId: String(SecretId) }));
      return it.ResourcePolicy ? { properties: { ResourcePolicy: parsed(it.ResourcePolicy) } } : 'gone';
    },
  };
}
