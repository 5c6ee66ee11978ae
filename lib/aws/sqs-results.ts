// Results onto the results queue, up to ten a call; status, operation (of a batch result: kind), merchant and final also as
// message attributes, so that a consumer can filter without reading the body.
import { type MessageAttributeValue, SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { NotTaken, Results } from '../payout/ports.ts';
import { resultText } from '../payout/result.ts';

/** The queue of results, and its client. */
export interface SqsResultsOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
}

/** What every result says that consumers filter by. */
interface Filterable {
  readonly status: string;
  readonly merchant?: string;
  readonly final: boolean;
  readonly operation?: string;
  readonly kind?: string;
}

/** Results over one queue. */
export function createSqsResults(options: SqsResultsOptions): Results {
  return { send: (results) => sendResults(results, resultText, options) };
}

/** Sends results of any kind, at most ten, as their text; rejects only when none was taken. */
export async function sendResults<T extends Filterable>(
  results: readonly T[],
  textOf: (result: T) => string,
  { client, queueUrl }: SqsResultsOptions,
): Promise<NotTaken> {
  const Entries = results.map((result, index) => ({
    Id: String(index),
    MessageBody: textOf(result),
    MessageAttributes: attributesOf(result),
  }));
  const { Failed } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  return new Set((Failed ?? []).map(({ Id }) => Number(Id)));
}

function attributesOf({ status, kind, operation, merchant, final }: Filterable): Record<string, MessageAttributeValue> {
  const values = { status, ...(kind === undefined ? { operation } : { kind }), merchant, final: String(final) };
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, { DataType: 'String', StringValue: value }]),
  );
}
