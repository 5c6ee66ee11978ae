// `payouts/card-keys`: where a sender leaves the keys of CVVs. A door of its own, because it needs DynamoDB's client, and
// whoever sends no CVV does not.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbCardKeyDepot } from '../adapters/dynamodb-card-key-depot.ts';
import { systemClock } from '../adapters/system.ts';
import type { CardKeyDepot } from '../app/card-ports.ts';

/** The worker's ledger as the place for keys. Its client may put and update items there, and needs nothing else. */
export function cardKeyDepot(client: DynamoDBClient, ledgerTableName: string): CardKeyDepot {
  return createDynamoDbCardKeyDepot({ client, tableName: ledgerTableName, nowMs: systemClock.nowMs });
}
