// Lanes in the table of controls: one item each, and one that names them all. Keys begin with "~", which no merchant's name
// does, and every write is conditional on the item not being an order's.
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { LaneName, LaneRead, Lanes, LaneState } from '../payout/lane.ts';
import { momentOf } from './dynamodb-moment.ts';
import { manyItems } from './dynamodb-table.ts';

/** Where the lanes are. */
export interface DynamoDbLanesOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly sleep: (ms: number) => Promise<void>;
}

type Item = Record<string, AttributeValue>;

const registerKey = '~lanes';
/** No merchant's name holds a slash (job-message.ts); an endpoint's may. */
export const nameOf = ({ merchant, endpointId }: LaneName) => `${merchant}/${endpointId}`;
/** The lane of that name. */
export const laneOf = (name: string): LaneName => ({
  merchant: name.slice(0, name.indexOf('/')),
  endpointId: name.slice(name.indexOf('/') + 1),
});
const keyOf = (name: string) => `~lane/${name}`;
/** Of what stands in the item; another one was written by newer code. */
const format = 1;
const readAtOnce = 100;
/** A sender may name as many endpoints as he likes; an item holds 400 KB, a name has 87 bytes at most, and who finds no room has a lane. */
const registeredAtMost = 4_000;

/** Lanes over one table. */
export function createDynamoDbLanes(options: DynamoDbLanesOptions): Lanes {
  const { client, tableName: TableName, sleep } = options;

  /** Before the lane itself, so that none is there unnamed but where the register is full. */
  async function register(lane: LaneName): Promise<void> {
    const Key = { pk: { S: registerKey } };
    const command = new UpdateItemCommand({
      TableName,
      Key,
      ConditionExpression: 'attribute_not_exists(ve) AND (attribute_not_exists(#lanes) OR size(#lanes) < :most)',
      UpdateExpression: 'ADD #lanes :lane',
      ExpressionAttributeNames: { '#lanes': 'lanes' },
      ExpressionAttributeValues: { ':lane': { SS: [nameOf(lane)] }, ':most': { N: String(registeredAtMost) } },
    });
    try {
      await client.send(command);
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // Not every emulator hands over what stands there.
      const { Item: register } = await client.send(new GetItemCommand({ TableName, Key }));
      if (register?.['ve']) throw error;
    }
  }

  return {
    async read(lane) {
      const command = new GetItemCommand({ TableName, Key: { pk: { S: keyOf(nameOf(lane)) } }, ConsistentRead: true });
      const moment = momentOf(command);
      const { Item: item } = await client.send(command);
      return { ...moment(), ...(item && { state: stateOf(item) }) };
    },
    async write(lane, next) {
      if (next.version === 1) await register(lane);
      const command = written(keyOf(nameOf(lane)), next, TableName);
      const moment = momentOf(command);
      try {
        await client.send(command);
        return { ...moment(), kind: 'written' };
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        if (error.Item) return { ...moment(), kind: 'lost', state: stateOf(error.Item) };
        // Not every emulator hands over what stands there.
        const { state, atMs } = await this.read(lane);
        if (!state) throw error;
        return { kind: 'lost', state, atMs };
      }
    },
    async all() {
      const { Item: register } = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: registerKey } } }));
      const names = (register?.['lanes']?.SS ?? []).toSorted();
      const found = new Map<string, Item>();
      for (let at = 0; at < names.length; at += readAtOnce) {
        const keys = names.slice(at, at + readAtOnce).map(keyOf);
        for (const [key, item] of await manyItems(keys, { client, tableName: TableName, sleep })) found.set(key, item);
      }
      return names.flatMap((name) => {
        const item = found.get(keyOf(name));
        return item ? [{ ...laneOf(name), state: stateOf(item) }] : [];
      });
    },
  };
}

/** Over the version before it alone. */
function written(key: string, next: LaneState, TableName: string): PutItemCommand {
  return new PutItemCommand({
    TableName,
    Item: {
      pk: { S: key },
      version: { N: String(next.version) },
      format: { N: String(format) },
      lane: { S: JSON.stringify(next) },
    },
    ...(next.version === 1
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: 'attribute_not_exists(ve) AND version = :before',
          ExpressionAttributeValues: { ':before': { N: String(next.version - 1) } },
        }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
}

/** Throws for what newer code wrote: a lane that can't be read gives no slots. */
function stateOf(item: Item): LaneState {
  if (item['format']?.N !== String(format)) throw new Error('the lane was written by another version of the worker');
  return JSON.parse(item['lane']?.S ?? '') as LaneState;
}

/** Lanes of which one that somebody will ask for soon can be read ahead; the next reading of it is that one. */
export function lanesReadAhead(lanes: Lanes): Lanes & { readonly begin: (lane: LaneName) => Promise<unknown> } {
  const begun = new Map<string, Promise<LaneRead>>();
  return {
    ...lanes,
    begin(lane) {
      const reading = lanes.read(lane);
      begun.set(nameOf(lane), reading);
      // Whoever asks is told; perhaps nobody does.
      return reading.catch(() => {});
    },
    read(lane) {
      const reading = begun.get(nameOf(lane)) ?? lanes.read(lane);
      begun.delete(nameOf(lane));
      return reading;
    },
  };
}
