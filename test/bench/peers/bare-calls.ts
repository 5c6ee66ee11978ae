// The emulators' own ceiling: the AWS calls of a happy job and nothing else, by the same clients. No job is read, nothing
// is signed or sent to a gateway.
import { DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';

/** Two table writes a record, all at once, and one send for every ten. */
export function createBareCalls(environment: Readonly<Record<string, string>>) {
  const dynamodb = new DynamoDBClient({});
  const sqs = new SQSClient({});
  const TableName = environment['LEDGER_TABLE_NAME'];
  const write = async (id: string, body: string) => {
    const Key = { pk: { S: `bare/${id}` } };
    await dynamodb.send(new PutItemCommand({ TableName, Item: { ...Key, body: { S: body } } }));
    const change = { UpdateExpression: 'SET st = :st', ExpressionAttributeValues: { ':st': { S: 'accepted' } } };
    await dynamodb.send(new UpdateItemCommand({ TableName, Key, ...change }));
  };
  return async ({ Records: records }: SQSEvent): Promise<SQSBatchResponse> => {
    await Promise.all(records.map(({ messageId, body }) => write(messageId, body)));
    for (let at = 0; at < records.length; at += 10) {
      const Entries = records.slice(at, at + 10).map(({ messageId, body }) => ({ Id: messageId, MessageBody: body }));
      await sqs.send(new SendMessageBatchCommand({ QueueUrl: environment['RESULTS_QUEUE_URL'], Entries }));
    }
    return { batchItemFailures: [] };
  };
}
