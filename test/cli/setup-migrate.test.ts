// `payouts setup --migrate`: a ledger that an earlier version kept batches and controls in, brought to tables of their own.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDynamoDbControls } from '../../lib/aws/dynamodb-controls.ts';
import { createDynamoDbLanes } from '../../lib/aws/dynamodb-lanes.ts';
import { newBatch } from '../../lib/batches/batch.ts';
import { createDynamoDbBatches } from '../../lib/batches/dynamodb-batches.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { clientConfigOf, workerEnvironment } from '../../lib/local/local-environment.ts';
import { localWorkerLimits } from '../../lib/local/local-limits.ts';
import { newLane } from '../../lib/payout/lane.ts';
import { runCli } from './support/cli.ts';

let aws: EmbeddedAws;
let client: DynamoDBClient;
const dayMs = 86_400_000;
const nowMs = Date.now();

beforeAll(async () => {
  aws = await startEmbeddedAws();
  client = new DynamoDBClient(clientConfigOf(aws, 'DYNAMODB'));
});

afterAll(async () => {
  client.destroy();
  await aws.close();
});

const table = (tableName: string) => ({
  client,
  tableName,
  itemLifeDays: 400,
  nowMs: () => nowMs,
  sleep: async () => {},
});
const migrate = async () => {
  const run = await runCli(['setup', '--migrate', '--json'], {
    env: workerEnvironment(aws, localWorkerLimits.environment),
  });
  return { code: run.code, ...(JSON.parse(run.stdout) as { brought: number; left: string[] }) };
};

it('brings what stops payments and what is known of files, names the batches to wait for, and ends no pause', async () => {
  const old = { ...table(aws.ledgerTableName) };
  const before = createDynamoDbControls(old);
  const saying = { by: 'ops', reason: 'odd amounts', atMs: nowMs };
  await before.pause('paused', true, saying);
  await before.pause('paused-since', true, saying);
  await before.pause('resumed', false, saying);
  await before.cancelBatch('called-off', saying);
  const lane = { merchant: 'paused', endpointId: '1' };
  await createDynamoDbLanes(old).write(lane, { ...newLane({}, nowMs), version: 1 });
  const batches = createDynamoDbBatches(old);
  const content = { fileHash: 'ab'.repeat(32), contentHash: '12', rows: 1, totals: {}, by: 'ada' };
  await batches.register(newBatch({ ...content, batchId: 'young', nowMs }));
  await batches.register(newBatch({ ...content, batchId: 'open', nowMs: nowMs - 40 * dayMs }));
  const late = { nowMs: nowMs - 40 * dayMs, heldUntilMs: nowMs - 39 * dayMs };
  await batches.register(newBatch({ ...content, batchId: 'never-approved', ...late }));
  await batches.takeFile('hash', 'young');

  const own = table(aws.controlsTableName);
  await createDynamoDbControls(own).pause('paused-since', false, { ...saying, by: 'newer' });
  await createDynamoDbControls(own).pause('resumed', true, { ...saying, by: 'newer' });

  expect(await migrate()).toEqual({ code: 1, brought: 5, left: ['open', 'young'] });
  const now = createDynamoDbControls(own);
  const paused = ['paused', 'paused-since', 'resumed'].map(async (it) => (await now.of(it)).paused);
  expect(await Promise.all(paused)).toEqual([true, true, true]);
  expect(await now.of('paused', 'called-off')).toMatchObject({ batchCancelled: true });
  expect(await now.pauseOf('resumed')).toMatchObject({ by: 'newer' });
  expect(await createDynamoDbLanes(own).all()).toMatchObject([lane]);
  const apart = createDynamoDbBatches(table(aws.batchesTableName));
  expect(await apart.takeFile('hash', 'again')).toEqual({ kind: 'known', batchId: 'young' });
  expect(await apart.find('young')).toBeUndefined();

  expect(await migrate()).toMatchObject({ code: 1, brought: 0 });
});
