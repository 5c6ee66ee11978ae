// The rivals: the worker as teams write it today. They sign and send by the same code as ours (lib/payout/send-order.ts);
// what differs is what stands around the POST, and how they read the answer.
import { anySlot, openLanes } from '../support/memory-lanes.ts';
import { newEntry } from '../../lib/payout/claim.ts';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { sendOrder } from '../../lib/payout/send-order.ts';
import type { BatchPorts } from '../../lib/payout/run-jobs.ts';
import type { QueueHandler } from '../../lib/aws/lambda-handler.ts';
import type { Evidence } from '../../lib/gateway/ports.ts';
import { type Job, parseJob } from '../../lib/payout/job.ts';
import { orderKey } from '../../lib/payout/ledger.ts';
import type { Outcome } from '../../lib/payout/outcome.ts';
import { identityOf, type Result } from '../../lib/payout/result.ts';
import { type IdempotencyTable, SimulatedPersistenceLayer } from './comparison-store.ts';
import type { Process } from './process.ts';
import type { RivalSurroundings } from './world.ts';

/** Builds the handler of one process. */
type Rival = (process: Process, ports: BatchPorts, surroundings: RivalSurroundings) => QueueHandler;

/** What a rival makes of an answer; undefined: an error, to be tried again. */
type Reading = (evidence: Evidence | undefined, outcome: Outcome) => 'accepted' | 'declined' | undefined;

/** 200 is paid. */
const readsTheStatus: Reading = (evidence) =>
  evidence?.kind === 'answer' && evidence.httpStatus === 200 ? 'accepted' : undefined;

/** As carefully as our own worker does. */
const readsTheAnswer: Reading = (_, { kind }) => (kind === 'accepted' || kind === 'declined' ? kind : undefined);

/** Sign, POST, 200 is paid; anything else comes back by partial batch response. */
const plainRetry: Rival = (_, ports) => handlerOver((job) => payOrder(job, readsTheStatus, ports), ports);

/** The same, wrapped as the library's documentation shows, with its default settings, keyed by order. */
function idempotently(reading: Reading): () => Rival {
  return () => {
    const table: IdempotencyTable = new Map();
    return (process, ports, surroundings) => {
      const config = new IdempotencyConfig({});
      const persistenceStore = new SimulatedPersistenceLayer(table, process, surroundings);
      const pay = makeIdempotent((_key: string, job: Job) => payOrder(job, reading, ports), {
        persistenceStore,
        config,
      });
      const handler = handlerOver((job) => pay(orderKey(job), job), ports);
      return (event, context) => {
        // The library asks nothing of the context but the time that remains.
        config.registerLambdaContext(context as Parameters<IdempotencyConfig['registerLambdaContext']>[0]);
        return handler(event, context);
      };
    };
  };
}

/** All rivals by name; each call begins with an empty store. */
export const rivals: Readonly<Record<string, () => Rival>> = {
  'plain retry': () => plainRetry,
  'idempotency library': idempotently(readsTheStatus),
  'the library, answers read as here': idempotently(readsTheAnswer),
};

/** All records at once, as the library's batch processor does; whatever fails comes back. */
function handlerOver(work: (job: Job) => Promise<Result>, { results }: BatchPorts): QueueHandler {
  async function takeOne(body: string): Promise<void> {
    const parsed = parseJob(body);
    if (parsed.kind === 'rejected') throw new Error('not a job');
    const notTaken = await results.send([await work(parsed.job)]);
    if (notTaken.size > 0) throw new Error('the results queue refused the result');
  }

  return async ({ Records: records }) => {
    const ends = await Promise.allSettled(records.map(({ body }) => takeOne(body)));
    const failed = records.filter((_, index) => ends[index]?.status === 'rejected');
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

async function payOrder(job: Job, reading: Reading, ports: BatchPorts): Promise<Result> {
  let evidence: Evidence | undefined;
  const gateway: BatchPorts['gateway'] = {
    post: async (request) => (evidence = await ports.gateway.post(request)),
  };
  const secret = await ports.credentials.of(job.merchant);
  if (secret.kind === 'unavailable') throw new Error(secret.failure.message);
  const { credentials } = secret;
  const nowMs = ports.clock.nowMs();
  const claim = { job, fingerprints: ['none'] as const, owner: 'none', messageId: 'none', nowMs, leaseMs: Infinity };
  const claimed = { entry: newEntry(claim), credentials, slot: anySlot };
  const { outcome, attempts } = await sendOrder(job, claimed, Infinity, { ...ports, gateway, pacing: openLanes });
  const status = reading(evidence, outcome);
  if (!status) throw new Error(`the order ${job.orderId} was not paid`);
  return {
    version: 1,
    resultId: `${orderKey(job)}/1`,
    ...identityOf(job),
    status,
    final: true,
    attempts,
    occurredAt: new Date(ports.clock.nowMs()).toISOString(),
  };
}
