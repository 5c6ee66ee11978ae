// The other side of a benchmark, in a process of its own so that its work is not counted as the handler's: AWS (instant,
// or the emulators of `payouts local`) and a gateway. Started by start-servers.ts.
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startEmbeddedAws } from '../../../lib/local/embedded-aws.ts';
import { clientConfigOf, workerEnvironment } from '../../../lib/local/local-environment.ts';
import { secretsFor, startInstantAws } from './instant-aws.ts';
import { startInstantGateway } from './instant-gateway.ts';
import type { Manner } from './listen.ts';
import { idempotencyTableName } from './start-servers.ts';

let latencyMs = 0;
const manner = JSON.parse(process.argv[3] ?? '{}') as Manner;
const gatewayUrl = await startInstantGateway(() => latencyMs, manner);

const secretOf = secretsFor(gatewayUrl);

process.on('message', (afterMs: number) => {
  latencyMs = afterMs;
  process.send?.({ kind: 'set' });
});
process.send?.({ kind: 'ready', environment: await environmentOf(process.argv[2] === 'emulators') });

async function environmentOf(emulators: boolean): Promise<Record<string, string>> {
  if (!emulators) {
    const url = await startInstantAws(secretOf, manner);
    const environment = {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'FAKE-BENCH-KEY-ID',
      AWS_SECRET_ACCESS_KEY: 'fake-bench-secret-key',
      AWS_ENDPOINT_URL_SQS: url,
      AWS_ENDPOINT_URL_DYNAMODB: url,
      AWS_ENDPOINT_URL_KMS: url,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: url,
    };
    const queue = (name: string) => `${url}/000000000000/${name}`;
    const queueUrls = {
      jobs: queue('jobs'),
      batchJobs: queue('batch-jobs'),
      jobsDeadLetter: queue('dead'),
      results: queue('results'),
      checks: queue('checks'),
      references: queue('references'),
    };
    return workerEnvironment(
      {
        environment,
        queueUrls,
        ledgerTableName: 'bench-ledger',
        cardKeysTableName: 'bench-keys',
        batchesTableName: 'bench-batches',
        controlsTableName: 'bench-controls',
        waitingTableName: 'bench-waiting',
      },
      {},
    );
  }
  const aws = await startEmbeddedAws();
  for (const name of ['payouts/contract/bench', 'payouts/keys/bench', 'payouts/bench'])
    aws.secrets.put(name, secretOf(name));
  aws.secrets.put('payouts/_worker', secretOf('_worker'));
  await aws.registered();
  const dynamodb = new DynamoDBClient(clientConfigOf(aws, 'DYNAMODB'));
  await dynamodb.send(
    new CreateTableCommand({
      TableName: idempotencyTableName,
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  dynamodb.destroy();
  return workerEnvironment(aws, {});
}
