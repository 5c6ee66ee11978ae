// Parked jobs in DynamoDB on the embedded emulator; with DYNAMODB_ENDPOINT set, on any other emulator at that address.
import { randomUUID } from 'node:crypto';
import { createDynamoDbLeader } from '../../lib/aws/dynamodb-leader.ts';
import { createDynamoDbWaiting } from '../../lib/aws/dynamodb-waiting.ts';
import { waitingTableDefinition } from '../../lib/local/ledger-table.ts';
import { describeLeader, describeWaiting } from './waiting-contract.ts';
import { aDynamoDb } from './dynamodb.ts';

const tableName = `waiting-${randomUUID()}`;
const controls = `controls-${randomUUID()}`;
const dynamoDb = aDynamoDb([tableName, waitingTableDefinition], controls);

describeWaiting('DynamoDB', () => createDynamoDbWaiting({ client: dynamoDb.client, tableName }));
describeLeader('DynamoDB', () => createDynamoDbLeader({ client: dynamoDb.client, tableName: controls }));
