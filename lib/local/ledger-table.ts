// The ledger table as a plain constant, so that every suite creates the same table whichever emulator it talks to.
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

/**
 * One item per order under the partition key `pk`; on-demand billing. Time to live is not part of CreateTable: in AWS
 * it is switched on for the attribute `expiresAt` (epoch seconds), dynalite has no such call and keeps items for ever.
 * A later GSI adds its keys to `AttributeDefinitions` and itself under `GlobalSecondaryIndexes`; no other key changes.
 */
export const ledgerTableDefinition: Omit<CreateTableCommandInput, 'TableName'> = {
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};
