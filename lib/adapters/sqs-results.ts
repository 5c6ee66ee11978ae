// Results onto the results queue, up to ten a call; status, operation, merchant and final also as message attributes,
// so that a consumer can filter without reading the body.
import { type MessageAttributeValue, SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Results } from '../app/ports.ts';
import { messageText } from '../domain/message-text.ts';
import type { Result } from '../domain/result.ts';

/** Results over one queue. */
export function createSqsResults({ client, queueUrl }: { client: SQSClient; queueUrl: string }): Results {
  return {
    async send(results) {
      const Entries = results.map((result, index) => ({
        Id: String(index),
        MessageBody: messageText(result),
        MessageAttributes: attributesOf(result),
      }));
      const { Failed } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      return new Set((Failed ?? []).map(({ Id }) => Number(Id)));
    },
  };
}

function attributesOf({ status, operation, merchant, final }: Result): Record<string, MessageAttributeValue> {
  const values = { status, operation, merchant, final: String(final) };
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, { DataType: 'String', StringValue: value }]),
  );
}
