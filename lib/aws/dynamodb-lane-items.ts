// Items of lanes in the table of controls: one a lane, written over the number before it alone, and one that names them all. Keys begin
// with "~", which no merchant's name does, and every write requires that the item is no order's.
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { type LaneMoment, type LaneName, laneOfName, nameOfLane } from '../payout/lanes/lane.ts';
import { momentOf } from './dynamodb-moment.ts';
import { isWritten, manyItems, type ManyItemsSource } from './dynamodb-table.ts';

/** The kind of the items. */
interface LaneItemKind {
  /** The prefix of the lane's name. */
  readonly prefix: string;
  readonly registerKey: string;
  /** A sender may name any number of endpoints; an item holds 400 KB. */
  readonly registeredAtMost: number;
  /** The attribute that holds the value. */
  readonly attribute: string;
  /** The name in its failures. */
  readonly name: string;
}

type Item = Record<string, AttributeValue>;
type Written = LaneMoment & ({ readonly kind: 'written' } | { readonly kind: 'lost'; readonly item?: Item });

/** The format of the items; another one was written by newer code. */
const format = 1;
const readAtOnce = 100;

/** Items of one kind over one table. Long: their calls, one after the other. */
export function createLaneItems<Value>(
  { prefix, registerKey, registeredAtMost, attribute, name: called }: LaneItemKind,
  { client, tableName: TableName, sleep }: ManyItemsSource,
) {
  const keyOf = (name: string) => `${prefix}${name}`;

  /** Throws for an item of newer code. */
  function valueOf(item: Item): Value {
    if (item['format']?.N !== String(format)) throw new Error(`${called} was written by another version of the worker`);
    return JSON.parse(item[attribute]?.S ?? '') as Value;
  }

  function valueIn(item: Item): Value | 'unreadable' {
    try {
      return valueOf(item);
    } catch {
      return 'unreadable';
    }
  }

  async function namesAll(): Promise<Item | undefined> {
    return (await client.send(new GetItemCommand({ TableName, Key: { pk: { S: registerKey } } }))).Item;
  }

  return {
    valueOf,
    /** The item that names them all. */
    namesAll,
    /** Names the lane; false where there is no room for its name, or where the item is an order's. */
    register(lane: LaneName): Promise<boolean> {
      const command = new UpdateItemCommand({
        TableName,
        Key: { pk: { S: registerKey } },
        ConditionExpression: 'attribute_not_exists(ve) AND (attribute_not_exists(#lanes) OR size(#lanes) < :most)',
        UpdateExpression: 'ADD #lanes :lane',
        ExpressionAttributeNames: { '#lanes': 'lanes' },
        ExpressionAttributeValues: { ':lane': { SS: [nameOfLane(lane)] }, ':most': { N: String(registeredAtMost) } },
      });
      return isWritten(() => client.send(command));
    },
    /** True where there is an item of the lane, of any writer; perhaps not yet for one that was written a moment ago. */
    async isThere(lane: LaneName): Promise<boolean> {
      const command = new GetItemCommand({ TableName, Key: { pk: { S: keyOf(nameOfLane(lane)) } } });
      return (await client.send(command)).Item !== undefined;
    },
    async read(lane: LaneName): Promise<LaneMoment & { readonly value?: Value }> {
      const Key = { pk: { S: keyOf(nameOfLane(lane)) } };
      const command = new GetItemCommand({ TableName, Key, ConsistentRead: true });
      const moment = momentOf(command);
      const { Item: item } = await client.send(command);
      return { ...moment(), ...(item && { value: valueOf(item) }) };
    },
    /** Writes over the number before this one alone; `item` is the one found there instead, which not every emulator returns. */
    async write(lane: LaneName, value: Value, number: number): Promise<Written> {
      const command = new PutItemCommand({
        TableName,
        Item: {
          pk: { S: keyOf(nameOfLane(lane)) },
          version: { N: String(number) },
          format: { N: String(format) },
          [attribute]: { S: JSON.stringify(value) },
        },
        ...(number === 1
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : {
              ConditionExpression: 'attribute_not_exists(ve) AND version = :before',
              ExpressionAttributeValues: { ':before': { N: String(number - 1) } },
            }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      const moment = momentOf(command);
      try {
        await client.send(command);
        return { ...moment(), kind: 'written' };
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        return { ...moment(), kind: 'lost', ...(error.Item && { item: error.Item }) };
      }
    },
    /** Every lane that is named, by its name; without a value where it has no item. */
    async all(): Promise<readonly (LaneName & { readonly value?: Value | 'unreadable' })[]> {
      const names = ((await namesAll())?.['lanes']?.SS ?? []).toSorted();
      const found = new Map<string, Item>();
      for (let at = 0; at < names.length; at += readAtOnce) {
        const keys = names.slice(at, at + readAtOnce).map(keyOf);
        for (const [key, item] of await manyItems(keys, { client, tableName: TableName, sleep })) found.set(key, item);
      }
      return names.map((name) => {
        const item = found.get(keyOf(name));
        return { ...laneOfName(name), ...(item && { value: valueIn(item) }) };
      });
    },
  };
}
