// The worker's tables as DynamoDB describes them, and their record in a secret: another service, which no loss of a table touches. The
// secret is apart from the keys of fingerprints, so that its readers and writers have no key in reach. Also the orders of the known ledger:
// only this file gives functions and tools their store.
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import type { WorkerConfig } from '../aws/env-config.ts';
import { createDynamoDbOrders } from '../aws/dynamodb-orders.ts';
import type { LedgerTable } from '../aws/dynamodb-table.ts';
import type { Orders } from '../payout/order/orders.ts';
import { readSecretText, writeNextSecretText } from '../aws/secrets-manager-secret-text.ts';
import {
  createKnownTables,
  type DescribedTable,
  type DescribedTables,
  type KnownTables,
  type TablesSource,
} from './known-tables.ts';
import { ordersWhileKnown } from './while-known.ts';

/** The settings that name the tables, and the secret beside them. */
type NamedTables = Pick<
  WorkerConfig,
  'ledgerTableName' | 'batchesTableName' | 'controlsTableName' | 'waitingTableName' | 'cardKeysTableName'
>;
type Named = NamedTables & Pick<WorkerConfig, 'ledgerSecretId'>;

const storedSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject({
    record: v.exactOptional(v.strictObject({ text: v.string(), mac: v.string() })),
    restoring: v.exactOptional(v.strictObject({ sinceMs: v.number(), by: v.string(), reason: v.string() })),
  }),
);

interface Clients {
  readonly dynamodb: DynamoDBClient;
  readonly secrets: SecretsManagerClient;
}

/** The tables that the settings name, with their record. */
export function createDynamoDbTables(config: Named, { dynamodb, secrets }: Clients): TablesSource {
  return {
    described: () => describedTables(config, dynamodb),
    async stored() {
      const secret = await readSecretText(secrets, config.ledgerSecretId);
      if (!secret) return {};
      const { text, version } = secret;
      const read = v.safeParse(storedSchema, text);
      return { ...(read.success ? read.output : { record: { text, mac: '' } }), version };
    },
    store: (next, { version }) => writeNextSecretText(secrets, config.ledgerSecretId, JSON.stringify(next), version),
  };
}

/** These tables as DynamoDB describes them. */
export async function describedTables(config: NamedTables, dynamodb: DynamoDBClient): Promise<DescribedTables> {
  const [ledger, batches, controls, waiting, cardKeys] = await Promise.all([
    described(config.ledgerTableName, dynamodb),
    described(config.batchesTableName, dynamodb),
    described(config.controlsTableName, dynamodb),
    described(config.waitingTableName, dynamodb),
    described(config.cardKeysTableName, dynamodb),
  ]);
  return { ledger, batches, controls, waiting, 'card-keys': cardKeys };
}

async function described(name: string, dynamodb: DynamoDBClient): Promise<DescribedTable> {
  try {
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: name }));
    // An emulator without ids of tables gives the moment at which the table was made, to the millisecond.
    const id = Table?.TableId ?? `made ${Table?.CreationDateTime?.toISOString()}`;
    return Table?.TableStatus === 'DELETING' ? { name } : { name, id };
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return { name };
    throw error;
  }
}

/** The comparison of these tables with their record. */
export const createTablesComparison = (
  config: Named,
  { macs, nowMs, ...clients }: Clients & Pick<Parameters<typeof createKnownTables>[0], 'macs' | 'nowMs'>,
): KnownTables => createKnownTables({ source: createDynamoDbTables(config, clients), macs, nowMs });

/** The orders of the table, whatever the table is: for the tool that takes a restored one into service. */
export const tableOrders = (table: LedgerTable): Orders => createDynamoDbOrders(table);

/** The orders of the known ledger. */
export const ordersOf = (table: LedgerTable, tables: KnownTables): Orders =>
  ordersWhileKnown(tableOrders(table), tables);
