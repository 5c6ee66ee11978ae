// The approval of a batch out of its header, key and all: what the worker needs of batches, and no more than that, so
// that its bundle stays small.
import { type AttributeValue, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Grants } from './batch.ts';

/** The version of the layout of batches; an item of a higher one was written by newer code and is left alone. */
export const batchLayoutVersion = 1;

/** The header of a batch; `~batch/…` holds what operators said of it (the controls). */
export const headerKey = (batchId: string): string => `~bulk/${batchId}`;

/** Grants over the ledger's table. Reads see every earlier write. */
export function createDynamoDbApprovals({
  client,
  tableName,
}: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}): Grants {
  return {
    async grantOf(batchId) {
      const { Item } = await client.send(
        new GetItemCommand({ TableName: tableName, Key: { pk: { S: headerKey(batchId) } }, ConsistentRead: true }),
      );
      const key = Item?.['approvalKey']?.S;
      const ends = Item?.['approvalEnds']?.N;
      if (key === undefined || ends === undefined || !isUnderstood(Item?.['v'])) return undefined;
      return { key, expiresAtMs: Number(ends) };
    },
  };
}

function isUnderstood(layout: AttributeValue | undefined): boolean {
  return layout?.N !== undefined && Number(layout.N) <= batchLayoutVersion;
}
