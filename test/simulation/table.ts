// The ledger's table as DynamoDB keeps it, behind the client that the real adapter speaks to: conditions are evaluated as
// they are written, and a read that does not ask for consistency may be answered from the item before its last write.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  type GetItemCommandInput,
  type PutItemCommandInput,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { attributesOf, orderOf } from '../../lib/aws/order-item.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { fulfils, type Item, updated } from './table-expressions.ts';

/** A request to the table, as the client is given it. */
type TableRequest = Partial<GetItemCommandInput & PutItemCommandInput & UpdateItemCommandInput>;

/** The surroundings of the table. */
export interface TableSurroundings {
  /** The present orders, by key. */
  readonly items: Map<string, Order>;
  /** True where a read that may be stale is. */
  readonly isStale: () => boolean;
  /** The item as the calling code would see it; default: as it is. */
  readonly seenAs?: (key: string, item: Item) => Item;
}

/** A table, as a client. */
export function createTable({ items, isStale, seenAs = (_, it) => it }: TableSurroundings): DynamoDBClient {
  const known = new WeakMap<Order, Item>();
  const earlier = new Map<string, Item | undefined>();
  /** Items that are no orders: counts beside them, whose keys begin with "~". */
  const others = new Map<string, Item>();

  /** The present item of the order. */
  function itemAt(key: string): Item | undefined {
    if (key.startsWith('~')) return others.get(key);
    const order = items.get(key);
    if (!order) return undefined;
    const item = known.get(order) ?? itemOf(order);
    known.set(order, item);
    return item;
  }

  function write(key: string, item: Item): void {
    earlier.set(key, itemAt(key));
    if (key.startsWith('~')) return void others.set(key, item);
    const found = orderOf(item);
    if (found.kind !== 'found') throw new Error(`the adapter wrote an item that it can't read: ${found.reason}`);
    known.set(found.order, item);
    items.set(key, found.order);
  }

  function changes(key: string, request: TableRequest, next: (before: Item, given: Placeholders) => Item): object {
    const before = itemAt(key);
    const seen = before && seenAs(key, before);
    const given = { names: request.ExpressionAttributeNames ?? {}, values: request.ExpressionAttributeValues ?? {} };
    const { ConditionExpression: condition } = request;
    if (condition !== undefined && condition !== '' && !fulfils(condition, seen ?? {}, given))
      throw new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        $metadata: {},
        ...(seen && request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && { Item: seen }),
      });
    write(key, next(before ?? {}, given));
    return before && (request.ReturnValues ?? 'NONE') !== 'NONE' ? { Attributes: before } : {};
  }

  function answer(request: TableRequest): object {
    const { Key, Item: put, UpdateExpression: update } = request;
    const key = Key?.['pk']?.S ?? put?.['pk']?.S ?? '';
    if (put) return changes(key, request, () => put);
    if (update !== undefined)
      return changes(key, request, (before, given) => updated(update, { ...Key, ...before }, given));
    const isOld = request.ConsistentRead !== true && earlier.has(key) && isStale();
    const item = isOld ? earlier.get(key) : itemAt(key);
    return item ? { Item: seenAs(key, item) } : {};
  }

  // The one method that the adapter calls; each call changes the table in its own turn.
  const send = async ({ input }: { readonly input: TableRequest }) => answer(input);
  return { send } as unknown as DynamoDBClient;
}

type Placeholders = Parameters<typeof fulfils>[2];

function itemOf(order: Order): Item {
  const pairs = Object.entries(attributesOf(order));
  return Object.fromEntries(pairs.filter((pair): pair is [string, Item[string]] => pair[1] !== undefined));
}
