// How a peer's results leave: each by a call of its own, as these designs come out of the box, or in tens before the batch is
// acknowledged, as this worker sends its own (`RESULTS` is `tens`).
import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { PeerResult } from './peer-order.ts';

type Handler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

const sqs = new SQSClient({});
const QueueUrl = process.env['RESULTS_QUEUE_URL'];

/** The handler of a design that tells a result at a time, with its results sent one by one or in tens. */
export function sendingResults(design: (tell: (result: PeerResult) => Promise<void>) => Handler): Handler {
  if (process.env['RESULTS'] !== 'tens')
    return design(async (result) => {
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(result) }));
    });
  const results: PeerResult[] = [];
  const handle = design(async (result) => void results.push(result));
  return async (event, context) => {
    const answer = await handle(event, context);
    while (results.length > 0) {
      const Entries = results.splice(0, 10).map((it, at) => ({ Id: String(at), MessageBody: JSON.stringify(it) }));
      await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    }
    return answer;
  };
}
