// What waits, in DynamoDB on the embedded emulator; with DYNAMODB_ENDPOINT set, on any other emulator at that address.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createDynamoDbDrainRights } from '../../lib/aws/dynamodb-drain-rights.ts';
import { createDynamoDbLanes } from '../../lib/aws/dynamodb-lanes.ts';
import { createDynamoDbWaiting } from '../../lib/aws/dynamodb-waiting.ts';
import { waitingTableDefinition } from '../../lib/local/ledger-table.ts';
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
