// The parts of batches in the ledger's table: five hundred rows an item, and how they ended once they all have.
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { BatchParts } from './batch-ports.ts';
import { packedTally, partItem, partKey, partOf } from './batch-item.ts';
import { putIfAbsent, updateIf } from '../aws/dynamodb-conditional-write.ts';
import { batchLayoutVersion } from './dynamodb-approvals.ts';
import { manyItems, type ManyItemsSource } from '../aws/dynamodb-many-items.ts';

/** Where the parts are and how long they live. */
export interface DynamoDbPartsOptions extends ManyItemsSource {
  readonly itemLifeDays: number;
  readonly nowMs: () => number;
}

/** Parts read by one call: at their largest they stay far below what an answer may hold. */
const partsPerRead = 20;

/** Parts over the ledger's table. */
export function createDynamoDbBatchParts(options: DynamoDbPartsOptions): BatchParts {
  const { client, tableName, itemLifeDays, nowMs } = options;

  async function isThere(batchId: string, n: number): Promise<boolean> {
    const { Item } = await client.send(
      new GetItemCommand({
        TableName: tableName,
        Key: { pk: { S: partKey(batchId, n) } },
        ConsistentRead: true,
        ProjectionExpression: 'pk',
      }),
    );
    return Item !== undefined;
  }

  return {
    async putPart(batchId, n, rows) {
      const expiresAt = { N: String(Math.ceil(nowMs() / 1000) + itemLifeDays * 86_400) };
      await putIfAbsent(client, tableName, { ...partItem(batchId, n, rows), expiresAt });
    },
    nextPart: (batchId) => firstMissing((n) => isThere(batchId, n)),
    async *parts({ batchId, parts }) {
      for (let from = 0; from < parts; from += partsPerRead) {
        const keys = Array.from({ length: Math.min(partsPerRead, parts - from) }, (_, at) =>
          partKey(batchId, from + at),
        );
        const items = await manyItems(keys, options, { consistent: true });
        for (const key of keys) {
          const item = items.get(key);
          if (item) yield partOf(item);
        }
      }
    },
    async settlePart(batchId, n, tally) {
      await updateIf(client, tableName, {
        key: partKey(batchId, n),
        condition: 'v <= :layout AND attribute_not_exists(tally)',
        set: { tally: { S: packedTally(tally) } },
        values: { ':layout': { N: String(batchLayoutVersion) } },
      });
    },
  };
}

/** The first number that is not there, where all below it are: steps that double, then halving what is left. */
async function firstMissing(isThere: (n: number) => Promise<boolean>): Promise<number> {
  let below = -1;
  let missing = 0;
  while (await isThere(missing)) {
    below = missing;
    missing = missing * 2 + 1;
  }
  while (missing - below > 1) {
    const middle = Math.floor((below + missing) / 2);
    if (await isThere(middle)) below = middle;
    else missing = middle;
  }
  return missing;
}
