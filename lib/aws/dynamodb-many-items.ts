// Many items of one table by their keys. DynamoDB may leave some of a call unread when it is short of room; they are
// asked for again until all are there, with a pause that grows.
import { BatchGetItemCommand, type AttributeValue, type DynamoDBClient } from '@aws-sdk/client-dynamodb';

type Item = Record<string, AttributeValue>;

/** Where the items are. */
export interface ManyItemsSource {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly sleep: (ms: number) => Promise<void>;
}

const roundsAtMost = 8;

/** The items that exist, by key; at most 100 keys and 16 MB. Rejects when some stay unread. */
export async function manyItems(
  keys: readonly string[],
  { client, tableName, sleep }: ManyItemsSource,
  { consistent = false }: { readonly consistent?: boolean } = {},
): Promise<ReadonlyMap<string, Item>> {
  const found = new Map<string, Item>();
  let left: Item[] = [...new Set(keys)].map((pk) => ({ pk: { S: pk } }));
  for (let round = 0; left.length > 0; round += 1) {
    if (round === roundsAtMost) throw new Error('DynamoDB left items unread, again and again');
    if (round > 0) await sleep(50 * 2 ** round);
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys: left, ConsistentRead: consistent } } }),
    );
    for (const item of Responses?.[tableName] ?? []) found.set(item['pk']?.S ?? '', item);
    left = UnprocessedKeys?.[tableName]?.Keys ?? [];
  }
  return found;
}
