// Lanes in the table of controls: an item each, written only over the version before, and a register that names them all.
import { ConditionalCheckFailedException, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { type LaneName, laneOfName, type LaneState, nameOfLane } from '../payout/pace/lane-state.ts';
import { type Lanes } from '../payout/pace/lane.ts';
import { isWritten, type Item, itemAt, manyItems, type ManyItemsSource, N, S } from './dynamodb-table.ts';

/** The format of the items; newer code writes another. */
const format = 1;
const registerKey = '~lanes';
/** Names in the register: senders may name any number of endpoints. An item holds 400 KB, a name at most 87 bytes. */
const namedAtMost = 4_000;
const keyOf = (name: string) => `~lane/${name}`;

/** Throws on an item that newer code wrote. */
function stateOf(item: Item): LaneState {
  if (item['format']?.N !== String(format)) throw new Error('the lane was written by another version of the worker');
  return JSON.parse(item['lane']?.S ?? '') as LaneState;
}

function stateIn(item: Item): LaneState | undefined {
  try {
    return stateOf(item);
  } catch {
    return undefined;
  }
}

/** Lanes over one table. */
export function createDynamoDbLanes(table: ManyItemsSource): Lanes {
  const { client, tableName: TableName } = table;
  const register = () => itemAt(table, registerKey, { mayLag: true });

  /** Adds the lane to the register; false if the register is full. */
  function name(lane: LaneName): Promise<boolean> {
    const command = new UpdateItemCommand({
      TableName,
      Key: { pk: S(registerKey) },
      ConditionExpression: 'attribute_not_exists(#lanes) OR size(#lanes) < :most',
      UpdateExpression: 'ADD #lanes :lane',
      ExpressionAttributeNames: { '#lanes': 'lanes' },
      ExpressionAttributeValues: { ':lane': { SS: [nameOfLane(lane)] }, ':most': N(namedAtMost) },
    });
    return isWritten(() => client.send(command));
  }

  async function read(lane: LaneName): Promise<LaneState | undefined> {
    const item = await itemAt(table, keyOf(nameOfLane(lane)));
    return item && stateOf(item);
  }

  return {
    read,
    async write(lane, next) {
      // The name first: the leader finds only lanes that the register names.
      if (next.version === 1) await name(lane);
      const command = new PutItemCommand({
        TableName,
        Item: {
          pk: S(keyOf(nameOfLane(lane))),
          version: N(next.version),
          format: N(format),
          lane: S(JSON.stringify(next)),
        },
        ConditionExpression: next.version === 1 ? 'attribute_not_exists(pk)' : 'version = :before',
        ExpressionAttributeValues: next.version === 1 ? undefined : { ':before': N(next.version - 1) },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      try {
        await client.send(command);
        return 'written';
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        // Not every emulator returns the item.
        const state = error.Item ? stateOf(error.Item) : await read(lane);
        if (!state) throw new Error('the stored lane is gone', { cause: error });
        return state;
      }
    },
    isNamed: async (lane) => (await register())?.['lanes']?.SS?.includes(nameOfLane(lane)) ?? false,
    async all() {
      const names = ((await register())?.['lanes']?.SS ?? []).toSorted();
      const found = await manyItems(names.map(keyOf), table);
      return names.flatMap((laneName) => {
        const item = found.get(keyOf(laneName));
        const state = item && stateIn(item);
        return item ? [{ ...laneOfName(laneName), state }] : [];
      });
    },
  };
}
