// Closed batches over their table: a later result of an order makes its batch due.
import { type TimedTable, updateIf } from '../aws/dynamodb-table.ts';
import type { ClosedBatches } from './closed-batches.ts';
import { batchLayoutVersion, dueAt, headerKey } from './dynamodb-approvals.ts';

/** An open batch is not asked again for so long; the sweeper looks at a batch once more, later than that after its closing. */
const openForMs = 30_000;
const openAtMost = 1_000;

/** Closed batches over their table. */
export function createDynamoDbClosedBatches({ client, tableName, nowMs }: TimedTable): ClosedBatches {
  const openUntilMs = new Map<string, number>();
  return {
    async wake(batchId) {
      const atMs = nowMs();
      if ((openUntilMs.get(batchId) ?? 0) > atMs) return;
      const isClosed = await updateIf(client, tableName, {
        key: headerKey(batchId),
        condition: 'v <= :layout AND batchState = :closed',
        set: { wokenAt: { N: String(atMs) } },
        setIfAbsent: dueAt(atMs),
        values: { ':layout': { N: String(batchLayoutVersion) }, ':closed': { S: 'closed' } },
      });
      if (isClosed) return;
      if (openUntilMs.size >= openAtMost) openUntilMs.clear();
      openUntilMs.set(batchId, atMs + openForMs);
    },
  };
}
