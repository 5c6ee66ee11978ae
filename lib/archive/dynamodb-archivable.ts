// The ledger's table as the archiver meets it: a scan of ended orders page by page, and writes that hold only while nothing of
// the item has changed. No item is ever deleted or put anew; what newer code has added to one stays.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { entryOf, type Item, movingAttributes } from '../aws/ledger-item.ts';
import type { ArchivableLedger, EndedOrder } from './archive-orders.ts';

const pk = { S: '~archive' };

/** What a remainder has not, of all that an order may have. */
const cutOff = ['sa', 'em', 'no', 'lo', 'ji', 'wk', 'wa', 'expiresAt'] as const;

/** Whatever else may come to an ended order: a mark, words of the gateway, ids, a key, the archive itself. */
const mayCome = [
  'un',
  'fa',
  'ga',
  'gl',
  'up',
  'ea',
  'gm',
  'rs',
  'od',
  'jk',
  'ar',
  'av',
  'su',
  'sm',
  ...cutOff,
] as const;

/** Over one table. Long: the port's calls share the client that they close over. */
export function createDynamoDbArchivable({
  client,
  tableName: TableName,
}: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}): ArchivableLedger {
  return {
    async page(after) {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName,
          // Whoever writes goes by a condition over all that was read, so an old read costs nothing.
          FilterExpression:
            'attribute_exists(st) AND fi = :yes AND attribute_not_exists(un) AND (attribute_not_exists(ar) OR av <> rv)',
          ExpressionAttributeValues: { ':yes': { BOOL: true } },
          ...(after !== undefined && { ExclusiveStartKey: { pk: { S: after } } }),
        }),
      );
      const next = LastEvaluatedKey?.['pk']?.S;
      return { orders: Items.flatMap(endedOrder), ...(next !== undefined && { next }) };
    },
    async mark() {
      const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk } }));
      return Item?.['after']?.S;
    },
    async note(mark) {
      const set = { UpdateExpression: 'SET #mark = :mark', ExpressionAttributeValues: { ':mark': { S: mark ?? '' } } };
      const change = mark === undefined ? { UpdateExpression: 'REMOVE #mark' } : set;
      const ExpressionAttributeNames = { '#mark': 'after' };
      await client.send(new UpdateItemCommand({ TableName, Key: { pk }, ...change, ExpressionAttributeNames }));
    },
    async cutDown(order, remainder) {
      const { hi, ow, ms, le } = movingAttributes(remainder);
      const { id, revision } = remainder.archive ?? { id: '', revision: 0 };
      const set = defined({ hi, ow, ms, le, ar: { S: id }, av: { N: String(revision) } });
      return updated(order, itemOf(order), mayCome, { set, remove: cutOff });
    },
    async keep(order) {
      const { rv, expiresAt } = itemOf(order);
      await updated(order, defined({ rv, expiresAt }), [], { set: {}, remove: ['expiresAt'] });
    },
  };

  /** True where every attribute of `was` is what it was, and none of the names that it lacks has come since. */
  async function updated(
    { entry }: EndedOrder,
    was: Item,
    names: readonly string[],
    { set, remove }: { readonly set: Item; readonly remove: readonly string[] },
  ): Promise<boolean> {
    const conditions = [
      ...Object.keys(was).map((name) => `#${name} = :was_${name}`),
      ...names.filter((name) => was[name] === undefined).map((name) => `attribute_not_exists(#${name})`),
    ];
    const actions = [
      ...(Object.keys(set).length > 0
        ? [
            `SET ${Object.keys(set)
              .map((name) => `#${name} = :${name}`)
              .join(', ')}`,
          ]
        : []),
      `REMOVE ${remove.map((name) => `#${name}`).join(', ')}`,
    ];
    const all = new Set([...Object.keys(was), ...names, ...Object.keys(set), ...remove]);
    const command = new UpdateItemCommand({
      TableName,
      Key: { pk: { S: entry.key } },
      ConditionExpression: conditions.join(' AND '),
      UpdateExpression: actions.join(' '),
      ExpressionAttributeNames: Object.fromEntries([...all].map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: {
        ...Object.fromEntries(Object.entries(was).map(([name, value]) => [`:was_${name}`, value])),
        ...Object.fromEntries(Object.entries(set).map(([name, value]) => [`:${name}`, value])),
      },
    });
    try {
      await client.send(command);
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }
}

/** One that this version can't read is left to newer code. */
function endedOrder(item: Item): readonly EndedOrder[] {
  const found = entryOf(item);
  if (found.kind === 'unreadable') return [];
  return [{ entry: found.entry, stored: JSON.stringify(item), expires: item['expiresAt'] !== undefined }];
}

/** Items of orders hold no bytes, so that their JSON is all of them. */
function itemOf({ stored }: EndedOrder): Item {
  const { pk: _, ...item } = JSON.parse(stored) as Item;
  return item;
}

const defined = (attributes: Record<string, Item[string] | undefined>): Item =>
  Object.fromEntries(
    Object.entries(attributes).filter((pair): pair is [string, Item[string]] => pair[1] !== undefined),
  );
