// The sweeper's only write to an order: that somebody looks at it now, and when the next look is due. It names neither state
// nor owner nor life of the item, so that the role of the sweeper needs no right to name them (infra/permissions.yml).
import { ConditionalCheckFailedException, type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Ledger } from '../payout/ports.ts';
import { entryOf, type Item, layoutVersion, movingAttributes } from './ledger-item.ts';

/** Where the orders are. */
export interface DynamoDbLooksOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}

/** What a look may change. */
const ofLooks = ['lo', 'wk', 'wa'] as const;

/** Writes looks. Rejects a move, which is for those who may make one. */
export function createDynamoDbLooks({ client, tableName: TableName }: DynamoDbLooksOptions): Pick<Ledger, 'advance'> {
  return {
    async advance(expected, next) {
      if (next.revision !== expected.revision || next.state !== expected.state)
        throw new RangeError('a move of an order is no look');
      const [before, after] = [movingAttributes(expected), movingAttributes(next)];
      const set = ofLooks.filter((name) => after[name] !== undefined);
      const removed = ofLooks.filter((name) => after[name] === undefined);
      const update = [
        ...(set.length > 0 ? [`SET ${set.map((name) => `${name} = :${name}`).join(', ')}`] : []),
        ...(removed.length > 0 ? [`REMOVE ${removed.join(', ')}`] : []),
      ];
      // A move makes another revision or another moment, a mark sets or takes `un`, another look is another `lo`.
      const conditions = [
        'v <= :layout AND rv = :wasRevision AND ua = :wasUpdated',
        expected.unpublished ? 'attribute_exists(un)' : 'attribute_not_exists(un)',
        before['lo'] ? 'lo = :wasLooks' : 'attribute_not_exists(lo)',
      ];
      const values: Record<string, Item[string] | undefined> = {
        ...Object.fromEntries(set.map((name) => [`:${name}`, after[name]])),
        ':layout': { N: String(layoutVersion) },
        ':wasRevision': { N: String(expected.revision) },
        ':wasUpdated': { N: String(expected.updatedAtMs) },
        ':wasLooks': before['lo'],
      };
      try {
        await client.send(
          new UpdateItemCommand({
            TableName,
            Key: { pk: { S: expected.key } },
            UpdateExpression: update.join(' '),
            ConditionExpression: conditions.join(' AND '),
            ExpressionAttributeValues: Object.fromEntries(
              Object.entries(values).filter((it): it is [string, Item[string]] => it[1] !== undefined),
            ),
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
        return { kind: 'advanced' };
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        // Not every emulator hands over what stands there; nobody who looks needs more than that it is something else.
        return error.Item ? entryOf(error.Item) : { kind: 'unreadable', reason: 'it has moved on meanwhile' };
      }
    },
  };
}
