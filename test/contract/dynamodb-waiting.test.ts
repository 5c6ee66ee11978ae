// What waits, in DynamoDB on the embedded emulator; with DYNAMODB_ENDPOINT set, on any other emulator at that address.
import { randomUUID } from 'node:crypto';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { createDynamoDbDrainRights } from '../../lib/aws/dynamodb-drain-rights.ts';
import { createDynamoDbLanes } from '../../lib/aws/dynamodb-lanes.ts';
import { createDynamoDbWaiting } from '../../lib/aws/dynamodb-waiting.ts';
import { waitingTableDefinition } from '../../lib/local/ledger-table.ts';
import { newLane } from '../../lib/payout/lanes/lane.ts';
import { describeDrainRights, describeWaiting } from './waiting-contract.ts';
import { aDynamoDb } from './dynamodb.ts';

const tableName = `waiting-${randomUUID()}`;
const controls = `controls-${randomUUID()}`;
const dynamoDb = aDynamoDb([tableName, waitingTableDefinition], controls);

const sleep = async () => {};
describeWaiting('DynamoDB', () => createDynamoDbWaiting({ client: dynamoDb.client, tableName, sleep }));
describeDrainRights(
  'DynamoDB',
  () => createDynamoDbDrainRights({ client: dynamoDb.client, tableName: controls, sleep }),
  Date.now,
);

it('no right stands among the lanes, and no lane among the rights', async () => {
  const lane = { merchant: 'beside', endpointId: '7' };
  const rights = createDynamoDbDrainRights({ client: dynamoDb.client, tableName: controls, sleep });
  const cursors = { urgent: [], row: [] };
  await rights.write(lane, { number: 1, writer: 'w', nextAtMs: 0, leaseUntilMs: 0, cursors });
  expect(
    (await createDynamoDbLanes({ client: dynamoDb.client, tableName: controls, sleep }).read(lane)).state,
  ).toBeUndefined();
});

it('a right and a lane that newer code wrote are listed as such beside those that can be read', async () => {
  const [newer, known] = [
    { merchant: 'newer', endpointId: '1' },
    { merchant: 'known', endpointId: '1' },
  ];
  const right = { number: 1, writer: 'w', nextAtMs: 0, leaseUntilMs: 0, cursors: { urgent: [], row: [] } };
  const state = { ...newLane({}, 0), version: 1 };
  const rights = createDynamoDbDrainRights({ client: dynamoDb.client, tableName: controls, sleep });
  const lanes = createDynamoDbLanes({ client: dynamoDb.client, tableName: controls, sleep });
  for (const lane of [newer, known]) {
    await rights.write(lane, right);
    await lanes.write(lane, state);
  }
  const overwritten = (pk: string, attribute: string) => ({
    TableName: controls,
    Item: { pk: { S: pk }, version: { N: '2' }, format: { N: '2' }, [attribute]: { S: '{}' } },
  });
  await dynamoDb.client.send(new PutItemCommand(overwritten('~drain/newer/1', 'drain')));
  await dynamoDb.client.send(new PutItemCommand(overwritten('~lane/newer/1', 'lane')));
  expect(await rights.all()).toEqual(
    expect.arrayContaining([
      { ...newer, right: 'unreadable' },
      { ...known, right },
    ]),
  );
  expect(await lanes.all()).toEqual(expect.arrayContaining([newer, { ...known, state }]));
});
