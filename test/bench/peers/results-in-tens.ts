// The results of a peer's batch, sent in tens before the batch is acknowledged, as this worker sends its own.
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { PeerResult } from './peer-order.ts';

type Handler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

const sqs = new SQSClient({});

/** The handler of a design that tells a result at a time, with its results gathered and sent at the end of a batch. */
export function tellingInTens(design: (tell: (result: PeerResult) => Promise<void>) => Handler): Handler {
  const results: PeerResult[] = [];
  const handle = design(async (result) => void results.push(result));
  return async (event, context) => {
    const answer = await handle(event, context);
    while (results.length > 0) {
      const Entries = results.splice(0, 10).map((it, at) => ({ Id: String(at), MessageBody: JSON.stringify(it) }));
      await sqs.send(new SendMessageBatchCommand({ QueueUrl: process.env['RESULTS_QUEUE_URL'], Entries }));
    }
    return answer;
  };
}
