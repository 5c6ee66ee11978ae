// The ledger in DynamoDB: every write under condition, nothing deleted. A failed condition is an answer, not an error.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { FoundEntry, Ledger } from '../payout/ports.ts';
import { surprisesKept } from '../payout/limits.ts';
import type { LedgerEntry } from '../payout/ledger.ts';
import { withMark } from '../payout/due-work.ts';
import type { ItemRules } from './item-attributes.ts';
import {
  constantAttributes,
  entryOf,
  type Item,
  layoutVersion,
  movingAttributes,
  openAttributes,
} from './ledger-item.ts';

/** Where the ledger is. */
export interface DynamoDbLedgerOptions extends ItemRules {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}

/** A ledger over one table with the string partition key `pk`. */
export function createDynamoDbLedger({ client, tableName: TableName, ...rules }: DynamoDbLedgerOptions): Ledger {
  async function read(key: string): Promise<FoundEntry | undefined> {
    const { Item } = await client.send(
      new GetItemCommand({ TableName, Key: { pk: { S: key } }, ConsistentRead: true }),
    );
    return Item && entryOf(Item);
  }

  /** AWS returns the item with the failed condition; emulators may not, and are read instead. */
  async function standing(error: unknown, key: string): Promise<FoundEntry> {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const found = error.Item ? entryOf(error.Item) : await read(key);
    // Written once, an item is never deleted: without it the only safe answer is none.
    if (!found) throw new Error('the ledger item vanished between a condition and its read', { cause: error });
    return found;
  }

  return {
    read,
    async claim(entry) {
      try {
        const Item = { ...constantAttributes(entry), ...defined(movingAttributes(entry, rules)) };
        await client.send(
          new PutItemCommand({
            TableName,
            Item,
            ConditionExpression: 'attribute_not_exists(pk)',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
        return { kind: 'claimed' };
      } catch (error) {
        return standing(error, entry.key);
      }
    },
    async advance(expected, next) {
      try {
        const update = updateOf(expected, movingAttributes(next, rules));
        const condition = next.revision === expected.revision ? withoutMoving(expected, update) : update;
        await client.send(new UpdateItemCommand({ TableName, ...condition }));
        return { kind: 'advanced' };
      } catch (error) {
        return standing(error, expected.key);
      }
    },
    async markUnpublished(entry, unpublished) {
      const marked = withMark(entry, unpublished);
      const attributes = openAttributes(marked, rules);
      try {
        await client.send(new UpdateItemCommand({ TableName, ...updateOf(entry, attributes) }));
      } catch (error) {
        // The order has moved on, and its newer result is told by whoever moved it.
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    },
    recordSurprise: (key, word) => recordSurprise({ client, tableName: TableName }, key, word),
  };
}

/** The item is still what the entry says, in a layout that this version can read. */
const stillThere = 'v <= :layout AND st = :wasState AND ow = :wasOwner AND rv = :wasRevision';

/** A look leaves the revision as it is, so mark and looks must be what they were as well. */
function withoutMoving(expected: LedgerEntry, update: ReturnType<typeof updateOf>): ReturnType<typeof updateOf> {
  const { lo } = movingAttributes(expected);
  const conditions = [
    update.ConditionExpression,
    expected.unpublished ? 'attribute_exists(un)' : 'attribute_not_exists(un)',
    lo ? 'lo = :wasInquiries' : 'attribute_not_exists(lo)',
  ];
  return {
    ...update,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeValues: { ...update.ExpressionAttributeValues, ...(lo && { ':wasInquiries': lo }) },
  };
}

/** Sets what is given and nothing else: what newer code may have added to the item stays. */
function updateOf(expected: LedgerEntry, changes: Record<string, Item[string] | undefined>) {
  const names: Record<string, string> = {};
  const values: Item = {
    ':layout': { N: String(layoutVersion) },
    ':wasState': { S: expected.state },
    ':wasOwner': { S: expected.owner },
    ':wasRevision': { N: String(expected.revision) },
  };
  let [set, removed] = ['', ''];
  for (const [name, value] of Object.entries(changes)) {
    names[`#${name}`] = name;
    if (value !== undefined) values[`:${name}`] = value;
    if (value === undefined) removed += `${removed && ', '}#${name}`;
    else set += `${set && ', '}#${name} = :${name}`;
  }
  return {
    Key: { pk: { S: expected.key } },
    ConditionExpression: stillThere,
    UpdateExpression: [set && `SET ${set}`, removed && `REMOVE ${removed}`].filter(Boolean).join(' '),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

function defined(attributes: Record<string, Item[string] | undefined>): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) item[name] = value;
  return item;
}

/** Keeps a word that fitted nowhere, or counts it beside eight: a write of its own, so that no move can wipe one out. */
async function recordSurprise(
  { client, tableName: TableName }: { readonly client: DynamoDBClient; readonly tableName: string },
  key: string,
  word: string,
): ReturnType<Ledger['recordSurprise']> {
  const Key = { pk: { S: key } };
  const kept = await unlessCondition(async () => {
    const { Attributes } = await client.send(
      new UpdateItemCommand({
        TableName,
        Key,
        UpdateExpression: 'ADD su :words',
        ConditionExpression:
          'attribute_exists(pk) AND (attribute_not_exists(su) OR contains(su, :word) OR size(su) < :kept)',
        ExpressionAttributeValues: {
          ':words': { SS: [word] },
          ':word': { S: word },
          ':kept': { N: String(surprisesKept) },
        },
        // Of an attribute that a write leaves as it was, emulators differ in whether it counts as updated.
        ReturnValues: 'ALL_OLD',
      }),
    );
    return Attributes?.['su']?.SS?.includes(word) ? ('known' as const) : ('recorded' as const);
  });
  if (kept) return kept;
  const counted = await unlessCondition(async () => {
    await client.send(
      new UpdateItemCommand({
        TableName,
        Key,
        UpdateExpression: 'ADD sm :one',
        ConditionExpression: 'attribute_exists(su)',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      }),
    );
    return 'counted' as const;
  });
  return counted ?? 'none';
}

async function unlessCondition<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
