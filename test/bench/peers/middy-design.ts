// A payout worker of middy, fetch and oauth-1.0a. It keeps no ledger at all: a second delivery pays a second time.
// oxlint-disable-next-line import/no-named-as-default -- the type declarations know the default alone
import middy from '@middy/core';
import sqsPartialBatchFailure from '@middy/sqs-partial-batch-failure';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { type PeerJob, type PeerResult, type PeerSecret, readAnswer, signedPayout } from './peer-order.ts';

/** What surrounds the design. */
interface MiddyEdges {
  readonly secretOf: (merchant: string) => Promise<PeerSecret>;
  readonly tell: (result: PeerResult) => Promise<void>;
}

/** The handler of the jobs queue. */
export function createMiddyHandler({ secretOf, tell }: MiddyEdges) {
  const takeOne = async (text: string) => {
    const job = JSON.parse(text) as PeerJob;
    const { url, body, headers } = signedPayout(job, await secretOf(job.merchant));
    const answer = await fetch(url, { method: 'POST', body, headers, signal: AbortSignal.timeout(30_000) });
    await tell(readAnswer(job, answer.status, await answer.text()));
  };
  const handler = middy<SQSEvent, unknown>()
    .use(sqsPartialBatchFailure())
    .handler(({ Records }) => Promise.allSettled(Records.map(({ body }) => takeOne(body))));
  return (event: SQSEvent, context: Context) => handler(event, context) as Promise<SQSBatchResponse>;
}
