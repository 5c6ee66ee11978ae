// Card keys as senders left them before the keys had a table of their own: in the orders' table, at the order's place. Their
// code as it shipped, but for the rounds of a race.
import { type DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { keyedState } from '../../lib/aws/dynamodb-table.ts';
import { layoutVersion } from '../../lib/aws/ledger-item.ts';
import { type LedgerEntry, orderKey } from '../../lib/payout/ledger.ts';
import type { Job } from '../../lib/payout/job.ts';
import type { CardKey } from '../../lib/payout/ports.ts';

/** An older sender's depot over the orders' table. */
export function earlierCardKeys({ client, tableName: TableName }: { client: DynamoDBClient; tableName: string }) {
  return {
    /** In the place of an order that is not there yet. */
    async deposit(order: Pick<Job, 'operation' | 'merchant' | 'orderId'>, { id, secret }: CardKey): Promise<void> {
      const Item = {
        pk: { S: orderKey(order) },
        v: { N: String(layoutVersion) },
        st: { S: keyedState },
        ji: { S: id },
        jk: { S: secret },
        expiresAt: { N: '1900000000' },
      };
      await client.send(new PutItemCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' }));
    },
    /** Beside an order that may be claimed anew. */
    async layBeside({ key, state, revision }: LedgerEntry, { id, secret }: CardKey): Promise<void> {
      await client.send(
        new UpdateItemCommand({
          TableName,
          Key: { pk: { S: key } },
          UpdateExpression: 'SET ji = :id, jk = :secret',
          ConditionExpression: 'st = :state AND rv = :revision AND attribute_not_exists(jk)',
          ExpressionAttributeValues: {
            ':id': { S: id },
            ':secret': { S: secret },
            ':state': { S: state },
            ':revision': { N: String(revision) },
          },
        }),
      );
    },
  };
}
