// The controls in DynamoDB on the embedded emulator; with DYNAMODB_ENDPOINT set, on any other emulator at that address.
import { randomUUID } from 'node:crypto';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { createDynamoDbControls } from '../../lib/aws/dynamodb-controls.ts';
import { createDynamoDbDayTotals } from '../../lib/aws/dynamodb-day-totals.ts';
import type { CapDay } from '../../lib/payout/operate/caps.ts';
import { createManualClock, type ManualClock, startMs } from '../support/time-and-chance.ts';
import { type AllControls, describeControls } from './controls-contract.ts';
import { aDynamoDb } from './dynamodb.ts';

const tableName = `controls-${randomUUID()}`;
const dynamoDb = aDynamoDb(tableName);
const saying = { by: 'ops', reason: 'odd amounts', atMs: startMs };

const controlsOver = (
  client: DynamoDBClient,
  { nowMs }: Pick<ManualClock, 'nowMs'> = createManualClock(),
  table = tableName,
): AllControls => {
  const options = { client, tableName: table, nowMs };
  return { ...createDynamoDbControls(options), ...createDynamoDbDayTotals(options) };
};

describeControls('DynamoDB', (clock) => controlsOver(dynamoDb.client, clock));

it('money in doubt stops a worker whose clock is a minute ahead of the sweeper’s', async () => {
  const sweeper = controlsOver(dynamoDb.client);
  const worker = controlsOver(dynamoDb.client, { nowMs: () => startMs + 180_000 + 59_000 });
  const merchant = `m-${randomUUID()}`;
  await sweeper.recordDoubt(new Map([[merchant, { EUR: 100n }]]));
  expect((await worker.of(merchant)).doubt).toEqual({ EUR: 100n });
});

async function itemOf(pk: string) {
  const Key = { pk: { S: pk } };
  return (await dynamoDb.client.send(new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }))).Item;
}

/** Counts what is asked of DynamoDB, and lets a story have it go wrong. */
function watched(fault: (call: number) => 'up' | 'down' | 'answer lost' = () => 'up') {
  const client = dynamoDb.newClient();
  const commands: string[] = [];
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        commands.push(commandName);
        const state = fault(commands.length);
        const output = state === 'down' ? undefined : await next(args);
        if (output && state === 'up') return output;
        throw Object.assign(new Error('no answer'), { name: 'TimeoutError' });
      },
    // Inside the SDK's own repetition.
    { step: 'finalizeRequest', priority: 'low' },
  );
  return { client, commands };
}

const dayOf = (merchant: string): CapDay => ({ merchant, currency: 'EUR', day: '2026-11-21' });
const oneOrder = (perDay: bigint) => ({ perDay, ordersPerDay: 1n });

describe('while DynamoDB does not answer', () => {
  it('the last known control serves, and the next answer counts again', async () => {
    let state: 'up' | 'down' = 'up';
    const shaky = watched(() => state);
    const clock = createManualClock();
    const worker = controlsOver(shaky.client, clock);
    const desk = controlsOver(dynamoDb.client, clock);
    await desk.pause('shaky', true, saying);
    expect(await worker.of('shaky')).toMatchObject({ paused: true });
    state = 'down';
    await desk.pause('shaky', false, saying);
    clock.advance(3_600_000);
    expect(await worker.of('shaky')).toMatchObject({ paused: true });
    // What was never read is not made up.
    await expect(worker.of('somebody-new')).rejects.toThrow('no answer');
    state = 'up';
    expect(await worker.of('shaky')).toMatchObject({ paused: false });
    expect(await worker.of('somebody-new')).toMatchObject({ paused: false });
    shaky.client.destroy();
  });

  it('an amount may be counted twice, never not at all', async () => {
    const day = dayOf('counted-twice');
    const forgetful = watched((call) => (call === 1 ? 'answer lost' : 'up'));
    expect(await controlsOver(forgetful.client).count(day, oneOrder(1_000n), { perDay: 10_000n })).toBe('counted');
    expect(await itemOf('~day/counted-twice/EUR/2026-11-21')).toMatchObject({ perDay: { N: '2000' } });
    forgetful.client.destroy();
  });
});
