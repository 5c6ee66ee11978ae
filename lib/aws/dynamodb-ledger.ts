// The ledger in DynamoDB: every write under condition, nothing deleted. A failed condition is an answer, not an error.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { FoundEntry, Ledger } from '../payout/ports.ts';
import { recordSurprise } from './dynamodb-surprises.ts';
import type { LedgerEntry } from '../payout/ledger.ts';
import { withMark } from '../payout/due-work.ts';
import type { CardKey } from '../payout/ports.ts';
import { cardKeyOf, isKeyed, keyedState, noCardKey } from './card-key-item.ts';
import {
  constantAttributes,
  entryOf,
  type Item,
  layoutVersion,
  movingAttributes,
  openAttributes,
} from './ledger-item.ts';

/** Where the ledger is. */
export interface DynamoDbLedgerOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** How long an ended order's item lives after its last write; by default without end, as an open one's always does. */
  readonly endedLifeDays?: number;
}

/** A ledger over one table with the string partition key `pk`. */
export function createDynamoDbLedger({ client, tableName, endedLifeDays }: DynamoDbLedgerOptions): Ledger {
  const TableName = tableName;

  async function read(key: string): Promise<FoundEntry | undefined> {
    const { Item } = await client.send(
      new GetItemCommand({ TableName, Key: { pk: { S: key } }, ConsistentRead: true }),
    );
    return Item && !isKeyed(Item) ? entryOf(Item) : undefined;
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
        const Item = { ...constantAttributes(entry), ...defined(movingAttributes(entry, endedLifeDays)) };
        const { Attributes } = await client.send(
          new PutItemCommand({
            TableName,
            Item,
            ConditionExpression: 'attribute_not_exists(pk) OR st = :keyed',
            ExpressionAttributeValues: { ':keyed': { S: keyedState } },
            ReturnValues: 'ALL_OLD',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
        return { kind: 'claimed', ...handedOver(entry, Attributes) };
      } catch (error) {
        return standing(error, entry.key);
      }
    },
    async advance(expected, next) {
      try {
        const update = updateOf(expected, { ...movingAttributes(next, endedLifeDays), ...noCardKey });
        const condition = next.revision === expected.revision ? withoutMoving(expected, update) : update;
        const ReturnValues = next.state === 'submitting' ? 'ALL_OLD' : 'NONE';
        const { Attributes } = await client.send(new UpdateItemCommand({ TableName, ReturnValues, ...condition }));
        return { kind: 'advanced', ...handedOver(next, Attributes) };
      } catch (error) {
        return standing(error, expected.key);
      }
    },
    async markUnpublished(entry, unpublished) {
      const marked = withMark(entry, unpublished);
      const attributes = openAttributes(marked, endedLifeDays);
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

/** The key that a claim has destroyed by its own write. */
function handedOver({ state }: LedgerEntry, before: Item | undefined): { cardKey?: CardKey } {
  const cardKey = state === 'submitting' ? cardKeyOf(before) : undefined;
  return cardKey ? { cardKey } : {};
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

function whatStood({ state, owner, revision }: LedgerEntry): Item {
  return {
    ':layout': { N: String(layoutVersion) },
    ':wasState': { S: state },
    ':wasOwner': { S: owner },
    ':wasRevision': { N: String(revision) },
  };
}

/** Sets what is given and nothing else: what newer code may have added to the item stays. */
function updateOf(expected: LedgerEntry, changes: Record<string, Item[string] | undefined>) {
  const attributes = Object.entries(changes);
  const set = attributes.filter(([, value]) => value !== undefined).map(([name]) => `#${name} = :${name}`);
  const removed = attributes.filter(([, value]) => value === undefined).map(([name]) => `#${name}`);
  const update = [set.length > 0 && `SET ${set.join(', ')}`, removed.length > 0 && `REMOVE ${removed.join(', ')}`];
  const values = Object.fromEntries(attributes.map(([name, value]) => [`:${name}`, value]));
  return {
    Key: { pk: { S: expected.key } },
    ConditionExpression: stillThere,
    UpdateExpression: update.filter(Boolean).join(' '),
    ExpressionAttributeNames: Object.fromEntries(attributes.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: { ...defined(values), ...whatStood(expected) },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

function defined(attributes: Record<string, Item[string] | undefined>): Item {
  return Object.fromEntries(
    Object.entries(attributes).filter((pair): pair is [string, Item[string]] => pair[1] !== undefined),
  );
}
