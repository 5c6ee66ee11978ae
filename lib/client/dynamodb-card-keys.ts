// `payouts-client/card-keys`: where a sender leaves the keys of CVVs. A door of its own, because it needs DynamoDB's client, and
// whoever sends no CVV does not.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbCardKeyStore } from '../card-data/dynamodb-card-key-store.ts';
import { systemClock } from '../aws/system.ts';
import type { CardKeyStore } from '../card-data/sealed-params.ts';

/** The worker's ledger as the place for keys. Its client may put and update items there, and needs nothing else. */
export function cardKeyStore(client: DynamoDBClient, ledgerTableName: string): CardKeyStore {
  return createDynamoDbCardKeyStore({ client, tableName: ledgerTableName, nowMs: systemClock.nowMs });
}
