// The tables over one client, conditional writes, and reads of many items. One client, as each has its own connections and a
// connection costs a handshake.
import {
  type AttributeValue,
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { Clock } from '../payout/ports.ts';
import { clientsOf } from './aws-calls.ts';
import type { WorkerConfig } from './env-config.ts';

/** Makes a client of DynamoDB. */
export const newDynamoDbClient = clientsOf(DynamoDBClient, 'dynamodb');

/** A table of DynamoDB. */
export interface DynamoDbTable {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}

/** A table whose adapter needs the time. */
export interface TimedTable extends DynamoDbTable {
  readonly nowMs: () => number;
}

/** A table of which many items are read at once. */
export interface ManyItemsSource extends DynamoDbTable {
  readonly sleep: (ms: number) => Promise<void>;
}

/** The options of every adapter of the table. */
export interface LedgerTable extends TimedTable, ManyItemsSource {
  /** How long items that are no orders are kept. */
  readonly itemLifeDays: number;
  /** Shards of each kind in the open-work index: written, and read. */
  readonly openWorkShards?: number;
  readonly openWorkShardsRead?: number;
}

/** The one clock of the process. */
type TableTime = Pick<Clock, 'nowMs' | 'sleep'>;

/** The tables that the settings name. */
export function tablesOf(
  config: Pick<WorkerConfig, 'limits' | `${'ledger' | 'batches' | 'controls' | 'waiting' | 'cardKeys'}TableName`>,
  client: DynamoDBClient,
  { nowMs, sleep }: TableTime,
) {
  const { batchItemLifeDays: itemLifeDays, openWorkShards, openWorkShardsRead } = config.limits;
  const named = (tableName: string): LedgerTable => ({
    client,
    tableName,
    itemLifeDays,
    openWorkShards,
    openWorkShardsRead,
    nowMs,
    sleep,
  });
  return {
    ledger: named(config.ledgerTableName),
    batches: named(config.batchesTableName),
    controls: named(config.controlsTableName),
    waiting: named(config.waitingTableName),
    cardKeys: named(config.cardKeysTableName),
  };
}

/** An item as the SDK takes and gives it. */
export type Item = Record<string, AttributeValue>;

/** A text as an attribute; undefined for undefined. */
export function S(value: string): { S: string };
export function S(value: string | undefined): { S: string } | undefined;
export function S(value: string | undefined) {
  return value === undefined ? undefined : { S: value };
}

/** A number as an attribute; undefined for undefined. */
export function N(value: number | bigint): { N: string };
export function N(value: number | bigint | undefined): { N: string } | undefined;
export function N(value: number | bigint | undefined) {
  return value === undefined ? undefined : { N: String(value) };
}

/** Reads a text. */
export const textAttribute = v.pipe(
  v.object({ S: v.string() }),
  v.transform((it) => it.S),
);
/** Reads a whole number. */
export const wholeAttribute = v.pipe(
  v.object({ N: v.pipe(v.string(), v.regex(/^\d+$/)) }),
  v.transform((it) => Number(it.N)),
);

/**
 * The sparse index of open work: partition key `openWork` (string), sort key `openWorkAt` (number). It also holds the layout and the
 * order's measures (`measured`) and nothing else: other writes to an order do not write to the index.
 */
export const openWorkIndexName = 'open-work';

/** DynamoDB's time to live for an item that is written now and kept for so many days. */
export const expiryIn = (days: number, nowMs: number): AttributeValue => ({
  N: String(Math.ceil(nowMs / 1000) + days * 86_400),
});

/** The item under the key as all earlier writes left it; with `mayLag`, perhaps without the last ones, for half the price. */
export async function itemAt(
  { client, tableName: TableName }: DynamoDbTable,
  key: string,
  { mayLag = false }: { readonly mayLag?: boolean } = {},
): Promise<Item | undefined> {
  return (await client.send(new GetItemCommand({ TableName, Key: { pk: S(key) }, ConsistentRead: !mayLag }))).Item;
}

/** Puts the item if its key is free; else false. */
export async function putIfAbsent(client: DynamoDBClient, tableName: string, item: Item): Promise<boolean> {
  const ConditionExpression = 'attribute_not_exists(pk)';
  return isWritten(() => client.send(new PutItemCommand({ TableName: tableName, Item: item, ConditionExpression })));
}

/** An update: the item, its condition, and its changes. */
interface ConditionalUpdate {
  readonly key: string;
  readonly condition?: string;
  readonly set?: Item;
  /** Attributes that are set if they are absent. */
  readonly setIfAbsent?: Item;
  readonly remove?: readonly string[];
  /** The values that the condition names. */
  readonly values?: Item;
}

/** Updates the item if the condition holds; else false. */
export async function updateIf(client: DynamoDBClient, tableName: string, update: ConditionalUpdate): Promise<boolean> {
  const { key, condition, set = {}, setIfAbsent = {}, remove = [], values = {} } = update;
  const names = Object.keys({ ...set, ...setIfAbsent });
  const setting = (name: string) =>
    `#${name} = ${name in setIfAbsent ? `if_not_exists(#${name}, :${name})` : `:${name}`}`;
  const actions = [
    names.length > 0 ? `SET ${names.map(setting).join(', ')}` : '',
    remove.length > 0 ? `REMOVE ${remove.map((name) => `#${name}`).join(', ')}` : '',
  ];
  const command = new UpdateItemCommand({
    TableName: tableName,
    Key: { pk: { S: key } },
    ConditionExpression: condition,
    UpdateExpression: actions.join(' '),
    ExpressionAttributeNames: Object.fromEntries([...names, ...remove].map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(Object.entries({ ...set, ...setIfAbsent }).map(([name, value]) => [`:${name}`, value])),
      ...values,
    },
  });
  return isWritten(() => client.send(command));
}

/** Makes the write; false if its condition did not hold. */
export async function isWritten(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** The most items that one call reads. */
export const itemsPerRead = 100;
const roundsAtMost = 8;

/** The items that exist, by key; only the attributes in `only` if given. Rejects if items stay unread. */
export async function manyItems(
  keys: readonly string[],
  { client, tableName, sleep }: ManyItemsSource,
  { consistent = false, only }: { readonly consistent?: boolean; readonly only?: readonly string[] } = {},
): Promise<ReadonlyMap<string, Item>> {
  const found = new Map<string, Item>();
  const options = { ConsistentRead: consistent, ProjectionExpression: only?.join(', ') };
  const wanted = [...new Set(keys)].map((pk): Item => ({ pk: S(pk) }));
  for (let at = 0; at < wanted.length; at += itemsPerRead) {
    let left = wanted.slice(at, at + itemsPerRead);
    for (let round = 0; left.length > 0; round += 1) {
      if (round === roundsAtMost) throw new Error(`DynamoDB left items unread ${roundsAtMost} times`);
      if (round > 0) await sleep(50 * 2 ** round);
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys: left, ...options } } }),
      );
      for (const item of Responses?.[tableName] ?? []) found.set(item['pk']?.S ?? '', item);
      left = UnprocessedKeys?.[tableName]?.Keys ?? [];
    }
  }
  return found;
}

/** The entries of a partition of the open-work index that are due before `beforeMs`, earliest first. */
export async function* openWorkItems(source: DynamoDbTable, partition: string, beforeMs: number): AsyncGenerator<Item> {
  for await (const page of openWorkPages(source, partition, beforeMs)) yield* page;
}

/** The same in pages, none of them empty. `sinceMs`: only entries due at or after it. */
export async function* openWorkPages(
  { client, tableName }: DynamoDbTable,
  partition: string,
  beforeMs: number,
  sinceMs?: number,
): AsyncGenerator<Item[]> {
  const pages = pagesOf((from) =>
    client.send(
      new QueryCommand({
        TableName: tableName,
        IndexName: openWorkIndexName,
        KeyConditionExpression:
          sinceMs === undefined
            ? 'openWork = :partition AND openWorkAt < :before'
            : 'openWork = :partition AND openWorkAt BETWEEN :since AND :before',
        ExpressionAttributeValues: {
          ':partition': { S: partition },
          ':before': { N: String(beforeMs) },
          ...(sinceMs === undefined ? {} : { ':since': { N: String(sinceMs) } }),
        },
        ...from,
      }),
    ),
  );
  for await (const { Items = [] } of pages) if (Items.length > 0) yield Items;
}

/** The pages of a query or a scan; each is read when its consumer asks for it. */
export async function* pagesOf<Page extends { LastEvaluatedKey?: Item | undefined }>(
  ask: (from: { readonly ExclusiveStartKey: Item | undefined }) => Promise<Page>,
): AsyncGenerator<Page> {
  let last: Item | undefined;
  do {
    const page = await ask({ ExclusiveStartKey: last });
    yield page;
    last = page.LastEvaluatedKey;
  } while (last);
}
