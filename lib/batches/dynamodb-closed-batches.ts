// Closed batches over their table: a later result of an order makes its batch due.
import { type TimedTable, updateIf } from '../aws/dynamodb-table.ts';
import type { ClosedBatches } from './closed-batches.ts';
import { batchLayoutVersion, dueAt, headerKey } from './dynamodb-approvals.ts';

/** Later results of a batch within this time cost one write: the sweeper does not rest a batch that was woken in the last 50 seconds. */
const servesMs = 30_000;
const keptAtMost = 1_000;

/** Closed batches over their table. An open one is due anyway. */
export function createDynamoDbClosedBatches({ client, tableName, nowMs }: TimedTable): ClosedBatches {
  const wokenUntilMs = new Map<string, number>();
  return {
    async wake(batchId) {
      const atMs = nowMs();
      if ((wokenUntilMs.get(batchId) ?? 0) > atMs) return;
      await updateIf(client, tableName, {
        key: headerKey(batchId),
        // No state is named: the roles that wake batches have no right to name one.
        condition: 'attribute_exists(pk) AND v <= :layout',
        set: { wokenAt: { N: String(atMs) } },
        setIfAbsent: dueAt(atMs),
        values: { ':layout': { N: String(batchLayoutVersion) } },
      });
      if (wokenUntilMs.size >= keptAtMost) wokenUntilMs.clear();
      wokenUntilMs.set(batchId, atMs + servesMs);
    },
  };
}
