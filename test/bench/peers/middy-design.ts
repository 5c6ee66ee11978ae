// A payout worker of middy, fetch and oauth-1.0a. It keeps no ledger at all: a second delivery pays a second time.
// oxlint-disable-next-line import/no-named-as-default -- the type declarations know the default alone
import middy from '@middy/core';
import sqsPartialBatchFailure from '@middy/sqs-partial-batch-failure';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { type PeerJob, type PeerResult, type PeerSecret, readAnswer, signedPayout } from './peer-order.ts';

/** What surrounds the design. */
export interface MiddyEdges {
  readonly secretOf: (merchant: string) => Promise<PeerSecret>;
  readonly fetch: typeof fetch;
  readonly tell: (result: PeerResult) => Promise<void>;
  /** All records at once, or one after the other. */
  readonly inParallel: boolean;
}

/** The handler of the jobs queue. */
export function createMiddyHandler({ secretOf, fetch, tell, inParallel }: MiddyEdges) {
  const takeOne = async (text: string) => {
    const job = JSON.parse(text) as PeerJob;
    const { url, body, headers } = signedPayout(job, await secretOf(job.merchant));
    const answer = await fetch(url, { method: 'POST', body, headers, signal: AbortSignal.timeout(30_000) });
    await tell(readAnswer(job, answer.status, await answer.text()));
  };
  const handler = middy<SQSEvent, unknown>()
    .use(sqsPartialBatchFailure())
    .handler(async ({ Records }) => {
      if (inParallel) return Promise.allSettled(Records.map(({ body }) => takeOne(body)));
      const ends: PromiseSettledResult<void>[] = [];
      for (const { body } of Records) ends.push(...(await Promise.allSettled([takeOne(body)])));
      return ends;
    });
  return (event: SQSEvent, context: Context) => handler(event, context) as Promise<SQSBatchResponse>;
}
