// The upgrade from a version that kept batches, controls and lanes in the ledger: what it left counts on, what the new version
// says of pauses reaches the old one, and nothing is lost whichever of the two is at work.
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbControls } from '../../lib/aws/dynamodb-controls.ts';
import { createDynamoDbDayTotals } from '../../lib/aws/dynamodb-day-totals.ts';
import { createDynamoDbLanes } from '../../lib/aws/dynamodb-lanes.ts';
import { createDynamoDbApprovals, headerKey } from '../../lib/batches/dynamodb-approvals.ts';
import { createDynamoDbBatches } from '../../lib/batches/dynamodb-batches.ts';
import { newBatch } from '../../lib/batches/batch.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { newLane } from '../../lib/payout/lane.ts';
import { createManualClock, startMs } from '../support/time-and-chance.ts';
import { describeBatches } from './batches-contract.ts';
import { describeControls } from './controls-contract.ts';
import { describeLanes } from './lanes-contract.ts';

let aws: EmbeddedAws;
let client: DynamoDBClient;

beforeAll(async () => {
  aws = await startEmbeddedAws();
  client = new DynamoDBClient(clientConfigOf(aws, 'DYNAMODB'));
});

afterAll(async () => {
  client.destroy();
  await aws.close();
});

const more = { itemLifeDays: 400, nowMs: () => startMs, sleep: async () => {} };
/** As the version before wrote and read: the ledger alone. */
const before = () => ({ ...more, client, tableName: aws.ledgerTableName });
const now = (tableName: string) => ({ ...more, client, tableName, earlierTableName: aws.ledgerTableName });
const batches = () => createDynamoDbBatches(now(aws.batchesTableName));
const controls = () => createDynamoDbControls(now(aws.controlsTableName));
const totals = (nowMs = more.nowMs) => createDynamoDbDayTotals({ ...now(aws.controlsTableName), nowMs });
const lanes = () => createDynamoDbLanes(now(aws.controlsTableName));

describeBatches('DynamoDB, while earlier items count', batches);
describeLanes('DynamoDB, while earlier items count', lanes);
describeControls('DynamoDB, while earlier items count', ({ nowMs }) => ({
  ...createDynamoDbControls({ ...now(aws.controlsTableName), nowMs }),
  ...totals(nowMs),
}));

const isIn = async (TableName: string, pk: string) =>
  (await client.send(new GetItemCommand({ TableName, Key: { pk: { S: pk } }, ConsistentRead: true }))).Item !==
  undefined;
const all = async <T>(items: AsyncIterable<T>) => Array.fromAsync(items);

describe('a batch that was registered in the ledger', () => {
  const content = (batchId: string) => ({
    batchId,
    fileHash: batchId.padEnd(64, '0'),
    contentHash: '12',
    rows: 1,
    totals: {},
  });
  const held = (batchId: string) =>
    newBatch({ ...content(batchId), by: 'ada', nowMs: startMs, heldUntilMs: startMs + 86_400_000 });
  const proof = { root: 'root', blind: 'blind', mac: 'mac' };
  const approval = { by: 'grace', atMs: startMs, expiresAtMs: startMs + 1_000 };

  it('keeps its approval and stays where it is until it is told', async () => {
    const old = createDynamoDbBatches(before());
    await old.register(held('old-1'));
    await old.approve(content('old-1'), approval, proof);
    const worker = createDynamoDbApprovals(now(aws.batchesTableName));
    expect(await worker.grantOf('old-1')).toMatchObject({ registrar: 'ada', approver: 'grace', ...proof });
    expect(await batches().startUpload('old-1', startMs)).toEqual({ kind: 'moved' });
    await batches().putPart('old-1', 0, [{ orderKey: 'acme-eu/A' }]);
    expect(await batches().finishUpload('old-1', startMs)).toEqual({ kind: 'moved' });
    expect(await old.find('old-1')).toMatchObject({ state: 'uploaded' });
    expect(await all(batches().parts({ batchId: 'old-1', parts: 1 }))).toHaveLength(1);
    expect((await all(batches().openBatches(startMs + 1))).map(({ batchId }) => batchId)).toContain('old-1');
    expect(await isIn(aws.batchesTableName, headerKey('old-1'))).toBe(false);
  });

  it('can be approved after the upgrade, by another person alone', async () => {
    await createDynamoDbBatches(before()).register(held('old-2'));
    const oneself = { ...approval, by: 'ada' };
    expect(await batches().approve(content('old-2'), oneself, proof)).toMatchObject({ kind: 'stands' });
    expect(await batches().approve(content('old-2'), approval, proof)).toEqual({ kind: 'moved' });
  });

  it('is not registered again, and its file is not taken again', async () => {
    const old = createDynamoDbBatches(before());
    await old.register(held('old-3'));
    await old.takeFile('hash-3', 'old-3');
    expect(await batches().register(held('old-3'))).toMatchObject({ kind: 'exists', batch: { batchId: 'old-3' } });
    expect(await batches().takeFile('hash-3', 'new-3')).toEqual({ kind: 'known', batchId: 'old-3' });
    expect(await batches().takeFile('hash-3', 'old-3')).toEqual({ kind: 'taken' });
    expect(await all(batches().registeredSince(startMs))).toContain('old-3');
  });

  it('a new one is registered in the table of batches, which is no part of the ledger', async () => {
    await batches().register(held('new-1'));
    expect(await isIn(aws.batchesTableName, headerKey('new-1'))).toBe(true);
    expect(await isIn(aws.ledgerTableName, headerKey('new-1'))).toBe(false);
  });
});

describe('a pause', () => {
  const saying = { by: 'ops', reason: 'odd amounts', atMs: startMs };
  const pausedFor = async (merchant: string) => {
    const [old, current] = [createDynamoDbControls(before()), controls()];
    return [(await old.of(merchant)).paused, (await current.of(merchant)).paused];
  };

  it('that was made before the upgrade holds after it, and is shown with who and why', async () => {
    await createDynamoDbControls(before()).pause('m-1', true, saying);
    expect(await pausedFor('m-1')).toEqual([true, true]);
    expect(await controls().pauseOf('m-1')).toEqual(saying);
  });

  it('that the new tool makes stops a worker that is not replaced yet, or comes back', async () => {
    await controls().pause('m-2', true, saying);
    expect(await pausedFor('m-2')).toEqual([true, true]);
    await controls().pause('m-2', false, saying);
    expect(await pausedFor('m-2')).toEqual([false, false]);
    expect(await controls().pauseOf('m-2')).toBeUndefined();
  });

  it('that an old tool makes after the upgrade holds, and what it ends is ended by the new tool alone', async () => {
    await controls().pause('m-3', true, saying);
    await createDynamoDbControls(before()).pause('m-3', false, saying);
    expect(await pausedFor('m-3')).toEqual([false, true]);
  });

  it('is not lost by a ledger that does not answer: neither table alone is believed', async () => {
    const missing = createDynamoDbControls({ ...now(aws.controlsTableName), earlierTableName: 'not-there' });
    await expect(missing.of('m-4')).rejects.toThrow('not found');
    await expect(missing.pause('m-4', true, saying)).rejects.toThrow('not found');
  });

  it('of a batch called off holds in both, and of every merchant too', async () => {
    await createDynamoDbControls(before()).cancelBatch('called-off', saying);
    expect(await controls().of('m-5', 'called-off')).toMatchObject({ batchCancelled: true });
    await controls().cancelBatch('called-off-2', saying);
    expect(await createDynamoDbControls(before()).of('m-5', 'called-off-2')).toMatchObject({ batchCancelled: true });
  });
});

it('money in doubt counts by the larger sum of both versions', async () => {
  await createDynamoDbControls(before()).recordDoubt(new Map([['d-1', { EUR: 700n, USD: 1n }]]));
  await controls().recordDoubt(new Map([['d-1', { EUR: 500n, GBP: 2n }]]));
  expect(await controls().of('d-1')).toMatchObject({ doubt: { EUR: 700n, USD: 1n, GBP: 2n } });
});

it('a day’s cap holds over what both versions counted', async () => {
  const cap = { merchant: 'c-1', currency: 'EUR', day: '2026-11-22', limitMinorUnits: 1_000n };
  expect(await createDynamoDbDayTotals(before()).count(cap, 600n)).toBe('counted');
  expect(await totals().count(cap, 500n)).toBe('above');
  expect(await totals().count(cap, 400n)).toBe('counted');
  expect(await totals().count(cap, 1n)).toBe('above');
  expect(await totals().totalOf(cap)).toBe(1_000n);
});

it('a lane goes on from where it was left, by one of those who want it, and is named', async () => {
  const lane = { merchant: 'l-1', endpointId: '1144' };
  const left = { ...newLane({}, startMs), version: 1 };
  await createDynamoDbLanes(before()).write(lane, left);
  expect(await lanes().read(lane)).toEqual(left);
  expect(await lanes().write(lane, { ...left, version: 2 })).toBe('written');
  expect(await lanes().write(lane, { ...left, version: 2 })).toMatchObject({ version: 2 });
  expect(await lanes().read(lane)).toMatchObject({ version: 2 });
  expect(await createDynamoDbLanes(before()).read(lane)).toEqual(left);
  expect((await lanes().all()).filter(({ merchant }) => merchant === 'l-1')).toMatchObject([{ state: { version: 2 } }]);
  const other = createManualClock().nowMs();
  expect(await lanes().write({ ...lane, endpointId: '2' }, { ...newLane({}, other), version: 1 })).toBe('written');
});
