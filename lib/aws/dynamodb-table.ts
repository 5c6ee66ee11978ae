// The ledger's table over one client: each client has connections of its own, and opening one costs a handshake.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { WorkerConfig } from './env-config.ts';
import { systemClock } from './system.ts';

/** What every adapter of the table is made with. */
export interface LedgerTable {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** Of items that are no orders. */
  readonly itemLifeDays: number;
  readonly endedLifeDays?: number;
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** The table that the settings name. */
export function ledgerTable(
  { ledgerTableName: tableName, limits }: Pick<WorkerConfig, 'ledgerTableName' | 'limits'>,
  client: DynamoDBClient,
): LedgerTable {
  const { nowMs, sleep } = systemClock;
  const { batchItemLifeDays: itemLifeDays, ledgerItemLifeDays: endedLifeDays } = limits;
  return { client, tableName, itemLifeDays, ...(endedLifeDays !== undefined && { endedLifeDays }), nowMs, sleep };
}
