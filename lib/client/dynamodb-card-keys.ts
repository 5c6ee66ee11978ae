// `payouts-client/card-keys`: the store where a sender leaves the keys of CVVs. An entry point of its own, because it needs DynamoDB's
// client, and a sender of no CVV does not.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbCardKeyStore } from '../card-data/dynamodb-card-key-store.ts';
import { systemClock } from '../aws/system.ts';
import type { CardKeyStore } from '../card-data/sealed-params.ts';

/** The worker's table of card keys. The client's role may put items there, and needs no other right on any table. */
export function cardKeyStore(client: DynamoDBClient, cardKeysTableName: string): CardKeyStore {
  const { deposit } = createDynamoDbCardKeyStore({ client, tableName: cardKeysTableName, nowMs: systemClock.nowMs });
  return { deposit };
}
