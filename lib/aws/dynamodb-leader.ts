// The leader's name: one item in the table of controls.
import type { Leader } from '../payout/wait/release.ts';
import { type DynamoDbTable, itemAt, S, updateIf } from './dynamodb-table.ts';

const key = '~leader';

/** The leader's item over one table. */
export const createDynamoDbLeader = (table: DynamoDbTable): Leader => ({
  read: async () => (await itemAt(table, key))?.['leader']?.S,
  async write(name) {
    await updateIf(table.client, table.tableName, { key, set: { leader: S(name) } });
  },
});
