// Reads a queue to the end, the way a consumer would: receive, keep, delete. And counts what waits in the tables.
import { openWorkIndexName } from '../aws/dynamodb-table.ts';
import { openWorkLetter } from '../aws/order-item.ts';
import type { WaitName } from '../payout/wait/reasons.ts';
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** Takes up to ten messages off the queue, waiting up to `waitSeconds` for the first. */
export async function takeMessages(client: SQSClient, queueUrl: string, waitSeconds: number): Promise<Message[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: waitSeconds,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
  );
  if (Messages.length > 0) {
    const Entries = Messages.map((it, index) => ({ Id: String(index), ReceiptHandle: it.ReceiptHandle ?? '' }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
  return Messages;
}

/** Jobs that wait in the table, as they are now: for one reason, or for any but a person's decision on the order. */
export async function rowsWaiting(client: DynamoDBClient, TableName: string, reason?: WaitName): Promise<number> {
  let rows = 0;
  const undecided: WaitName = 'undecided';
  const those = {
    FilterExpression: reason === undefined ? 'reason <> :reason' : 'reason = :reason',
    ExpressionAttributeValues: { ':reason': { S: reason ?? undecided } },
  };
  const all = { TableName, Select: 'COUNT', ConsistentRead: true, ...those } as const;
  for await (const { Count = 0 } of paginateScan({ client }, all)) rows += Count;
  return rows;
}

const soonMs = 900_000;

/** How many orders are to be asked about, told or moved on soon. */
export async function ordersDue(client: DynamoDBClient, TableName: string): Promise<number> {
  let orders = 0;
  const due = {
    FilterExpression: 'openWorkAt < :soon AND NOT begins_with(openWork, :held)',
    ExpressionAttributeValues: {
      ':soon': { N: String(Date.now() + soonMs) },
      ':held': { S: openWorkLetter('held') },
    },
  };
  const all = { TableName, IndexName: openWorkIndexName, Select: 'COUNT', ...due } as const;
  for await (const { Count = 0 } of paginateScan({ client }, all)) orders += Count;
  return orders;
}
