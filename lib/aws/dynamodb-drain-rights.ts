// Rights to drain in the table of controls: one item each beside its lane, and one that names them. Nobody but submit writes them; whoever
// may not write lanes, may not write these.
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { DrainRight, DrainRights } from '../payout/waiting/drain-right.ts';
import { type DynamoDbLanesOptions, laneOf, nameOf } from './dynamodb-lanes.ts';
import { momentOf } from './dynamodb-moment.ts';
import { manyItems } from './dynamodb-table.ts';

type Item = Record<string, AttributeValue>;

/** No merchant's name begins so. */
const registerKey = '~drain/~all';
const keyOf = (name: string) => `~drain/${name}`;
/** Of what stands in the item; another one was written by newer code. */
const format = 1;
const readAtOnce = 100;
/** A sender may name as many endpoints as he likes; an item holds 400 KB. */
const registeredAtMost = 2_000;

/** Rights over one table. */
export function createDynamoDbDrainRights({ client, tableName: TableName, sleep }: DynamoDbLanesOptions): DrainRights {
  /** Best effort: what the register can't hold is found over the index of what waits. */
  async function register(name: string): Promise<void> {
    const command = new UpdateItemCommand({
      TableName,
      Key: { pk: { S: registerKey } },
      ConditionExpression: 'attribute_not_exists(ve) AND (attribute_not_exists(#lanes) OR size(#lanes) < :most)',
      UpdateExpression: 'ADD #lanes :lane',
      ExpressionAttributeNames: { '#lanes': 'lanes' },
      ExpressionAttributeValues: { ':lane': { SS: [name] }, ':most': { N: String(registeredAtMost) } },
    });
    await client.send(command).catch((error: unknown) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  }

  return {
    async read(lane) {
      const command = new GetItemCommand({ TableName, Key: { pk: { S: keyOf(nameOf(lane)) } }, ConsistentRead: true });
      const moment = momentOf(command);
      const { Item: item } = await client.send(command);
      return { ...moment(), ...(item && { right: rightOf(item) }) };
    },
    async write(lane, next) {
      if (next.number === 1) await register(nameOf(lane));
      const command = written(keyOf(nameOf(lane)), next, TableName);
      const moment = momentOf(command);
      try {
        await client.send(command);
        return { ...moment(), kind: 'written' };
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        return { ...moment(), kind: 'lost' };
      }
    },
    async all() {
      const { Item: named } = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: registerKey } } }));
      const names = (named?.['lanes']?.SS ?? []).toSorted();
      const found = new Map<string, Item>();
      for (let at = 0; at < names.length; at += readAtOnce) {
        const keys = names.slice(at, at + readAtOnce).map(keyOf);
        for (const [key, item] of await manyItems(keys, { client, tableName: TableName, sleep })) found.set(key, item);
      }
      return names.flatMap((name) => {
        const item = found.get(keyOf(name));
        return item ? [{ ...laneOf(name), right: rightOf(item) }] : [];
      });
    },
  };
}

/** Over the number before it alone. */
function written(key: string, next: DrainRight, TableName: string): PutItemCommand {
  return new PutItemCommand({
    TableName,
    Item: {
      pk: { S: key },
      version: { N: String(next.number) },
      format: { N: String(format) },
      drain: { S: JSON.stringify(next) },
    },
    ...(next.number === 1
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: 'attribute_not_exists(ve) AND version = :before',
          ExpressionAttributeValues: { ':before': { N: String(next.number - 1) } },
        }),
  });
}

/** Throws for what newer code wrote. */
function rightOf(item: Item): DrainRight {
  if (item['format']?.N !== String(format)) throw new Error('the right was written by another version of the worker');
  return JSON.parse(item['drain']?.S ?? '') as DrainRight;
}
