// Results onto the results queue, up to ten a call; status, operation (of a batch result: kind), merchant and final also as
// message attributes, so that a consumer can filter without reading the body.
import { type MessageAttributeValue, SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { BatchResults } from '../batches/batch-ports.ts';
import type { Results } from '../payout/ports.ts';
import { messageText } from '../payout/message-text.ts';
import type { BatchResult } from '../batches/batch-result.ts';
import type { Result } from '../payout/result.ts';

/** Results over one queue. */
export function createSqsResults({
  client,
  queueUrl,
}: {
  client: SQSClient;
  queueUrl: string;
}): Results & BatchResults {
  async function send(results: readonly (Result | BatchResult)[]): Promise<ReadonlySet<number>> {
    const Entries = results.map((result, index) => ({
      Id: String(index),
      MessageBody: messageText(result),
      MessageAttributes: attributesOf(result),
    }));
    const { Failed } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    return new Set((Failed ?? []).map(({ Id }) => Number(Id)));
  }

  return {
    send,
    async tellBatch(result) {
      const notTaken = await send([result]);
      if (notTaken.size > 0) throw new Error('the results queue did not take the batch result');
    },
  };
}

function attributesOf(result: Result | BatchResult): Record<string, MessageAttributeValue> {
  const { status, merchant, final } = result;
  const what = 'kind' in result ? { kind: result.kind } : { operation: result.operation };
  const values = { status, ...what, merchant, final: String(final) };
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, { DataType: 'String', StringValue: value }]),
  );
}
