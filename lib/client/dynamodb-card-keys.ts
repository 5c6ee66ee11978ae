// `payouts-client/card-keys`: the store for the keys of sealed CVVs. A separate entry point, as it needs DynamoDB's client, which
// senders without CVVs do not install.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbCardKeyStore } from '../card-data/dynamodb-card-key-store.ts';
import { systemClock } from '../aws/system.ts';
import type { CardKeyStore } from '../card-data/sealed-params.ts';

/** The worker's table of card keys. The client's role needs the right to put items into it, and no other. */
export function cardKeyStore(client: DynamoDBClient, cardKeysTableName: string): CardKeyStore {
  const { deposit } = createDynamoDbCardKeyStore({ client, tableName: cardKeysTableName, nowMs: systemClock.nowMs });
  return { deposit };
}
