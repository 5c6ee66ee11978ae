// A client is sure that it asks AWS: a server whose certificate no authority vouches for is asked nothing, whatever the environment says.
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListKeysCommand } from '@aws-sdk/client-kms';
import { ListSecretsCommand } from '@aws-sdk/client-secrets-manager';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { afterEach, expect, it, vi } from 'vitest';
import { newDynamoDbClient } from '../../lib/aws/dynamodb-table.ts';
import { newKmsClient } from '../../lib/aws/kms-client.ts';
import { newSecretsManagerClient } from '../../lib/aws/secrets-manager-credentials.ts';
import { newSqsClient } from '../../lib/aws/sqs-queues.ts';
import { newStsClient } from '../../lib/batches/sts-identity.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';
import { answer, startRawServer } from '../support/raw-server.ts';

afterEach(() => vi.unstubAllEnvs());

const limits = { ...defaultLimits, awsAttempts: 1 };
const of = (endpoint: string) => ({
  endpoint,
  region: 'eu-central-1',
  credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
});

it.each<[service: string, ask: (endpoint: string) => Promise<unknown>]>([
  ['DynamoDB', (it) => newDynamoDbClient({ limits }, of(it)).send(new ListTablesCommand())],
  ['KMS', (it) => newKmsClient({ limits }, of(it)).send(new ListKeysCommand())],
  ['Secrets Manager', (it) => newSecretsManagerClient({ limits }, of(it)).send(new ListSecretsCommand())],
  ['SQS', (it) => newSqsClient({ limits }, of(it)).send(new ListQueuesCommand())],
  ['STS', (it) => newStsClient({ limits }, of(it)).send(new GetCallerIdentityCommand())],
])('%s is asked nothing under that certificate', async (_, ask) => {
  const server = await startRawServer('https', answer(200, '{}'));
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  await expect(ask(server.url)).rejects.toThrow(/self.signed|SELF_SIGNED/);
  expect(server.requests()).toBe(0);
});
