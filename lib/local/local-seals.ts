// Card data of a local run: sealed before it is put on the queue, as `payouts submit --card-keys` does, under keys that are
// made for this run.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { newDynamoDbClient } from '../aws/dynamodb-table.ts';
import { newSecretsManagerClient } from '../aws/secrets-manager-credentials.ts';
import { createDynamoDbCardKeyStore } from '../card-data/dynamodb-card-key-store.ts';
import { createSecretsManagerKeyring } from '../card-data/secrets-manager-keyring.ts';
import { plainCardFields } from '../payout/message/card-fields.ts';
import { parseJob } from '../payout/message/job.ts';
import { type CardKeySet, type JobToSeal, sealJob, type SealOptions } from '../client/jose-seal-job.ts';
import type { EmbeddedAws } from './embedded-aws.ts';
import { clientConfigOf } from './local-environment.ts';
import { localCalls } from './local-limits.ts';

/** The messages, card data sealed; what is no job, or has none, is sent as it is. */
export async function sealedJobs(bodies: readonly string[], aws: EmbeddedAws): Promise<string[]> {
  if (!bodies.some(hasPlainCardData)) return [...bodies];
  const dynamodb = newDynamoDbClient(localCalls, clientConfigOf(aws, 'DYNAMODB'));
  const secretsManager = newSecretsManagerClient(localCalls, {
    ...clientConfigOf(aws, 'DYNAMODB'),
    endpoint: aws.secrets.url,
  });
  try {
    const { cardKeysTableName: tableName } = aws;
    const options = {
      jwks: await newKeys(secretsManager),
      cardKeys: createDynamoDbCardKeyStore({ client: dynamodb, tableName, nowMs: Date.now }),
    };
    return await Promise.all(bodies.map((body) => (hasPlainCardData(body) ? sealed(body, options) : body)));
  } finally {
    dynamodb.destroy();
    secretsManager.destroy();
  }
}

async function newKeys(client: SecretsManagerClient): Promise<CardKeySet> {
  const ring = createSecretsManagerKeyring({ client, prefix: 'payouts/' });
  await ring.add('local', 'ec');
  return (await ring.publicKeys()) as CardKeySet;
}

function hasPlainCardData(body: string): boolean {
  const parsed = parseJob(body);
  return parsed.kind === 'job' && plainCardFields(parsed.job).length > 0;
}

async function sealed(body: string, options: SealOptions): Promise<string> {
  return JSON.stringify(await sealJob(JSON.parse(body) as JobToSeal, options));
}
