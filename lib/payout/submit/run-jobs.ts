// A batch of records: each goes its own way, and a record counts as done only when everything that its end needs is
// proven done. Whatever goes wrong in between leaves it in the partial batch response, so it is delivered again.
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { areCopiesTaken, createOutbox, messageOf, runRecords, sendCopies } from '../run-records.ts';
import type { OwnQueue } from '../inquire/own-queue.ts';
import { nextLookSeconds } from '../inquire/rhythm.ts';
import { sqsMaxDelaySeconds } from '../limits.ts';
import { endDelivery, type Outboxes } from './end-delivery.ts';
import type { Deliveries, JobsQueue, Log, Metrics, Results } from '../ports.ts';
import { errorFields, type LogFields, orderFields, recordFields } from '../log-fields.ts';
import { parseJob } from '../message/job.ts';
import { countedReceives, crashesAtMost, isLastReceive, retryDelaySeconds } from '../retry-policy.ts';
import { viewOf } from '../order/view.ts';
import type { Disposition, JobDelivery } from './disposition.ts';
import type { Pacing } from '../pacing.ts';
import { submitJob, type SubmitPorts } from './submit-job.ts';
import { countedOrders } from '../order/counted-orders.ts';
import { createMetricsRecorder, type MetricsRecorder, timedGateway } from '../metrics-recorder.ts';

/** All that a batch needs. */
export interface BatchPorts extends SubmitPorts {
  readonly pacing: Pacing;
  readonly deliveries: Deliveries;
  readonly results: Results;
  readonly jobsQueue: JobsQueue;
  readonly ownQueue: OwnQueue;
  readonly log: Log;
  readonly metrics: Metrics;
}

type CountedPorts = BatchPorts & { readonly recorder: MetricsRecorder };

/** Works on all records of the jobs queue and answers Lambda. */
export async function runBatch(
  records: readonly SQSRecord[],
  deadlineMs: number,
  ports: BatchPorts,
): Promise<SQSBatchResponse> {
  const { results, jobsQueue, ownQueue, limits, log, metrics } = ports;
  const recorder = createMetricsRecorder();
  const onRefused = (entries: number) => recorder.add('queueRefusals', entries);
  const outboxes: Outboxes = {
    results: createOutbox((entries) => results.send(entries), { onRefused }),
    // What is there twice goes on twice.
    copies: createOutbox((leaving) => sendCopies(leaving, ports), { onRefused, mayBeThereTwice: () => false }),
    areCopiesTaken: () => areCopiesTaken(ports),
    deadLetters: createOutbox((entries) => jobsQueue.sendDeadLetters(entries), {
      onRefused,
      mayBeThereTwice: () => false,
    }),
    // A check that got lost is the sweeper's; one that is there twice would be two for ever.
    checks: createOutbox((entries) => ownQueue.send(entries), { onRefused, mayBeThereTwice: () => false }),
    // An answer that is there twice joins twice to the same record.
    answers: createOutbox((entries) => ownQueue.send(entries), { onRefused }),
  };
  const counted: CountedPorts = {
    ...ports,
    recorder,
    orders: countedOrders(ports.orders, recorder),
    gateway: timedGateway(ports.gateway, 'postLatencyMs', { recorder, clock: ports.clock }),
  };
  const response = await runRecords(records, {
    concurrency: limits.concurrency,
    work: async (record, alone) => {
      const message = messageOf(record);
      const counting = await beginDelivery(record, message, alone, counted);
      if (counting === 'alone') return counting;
      const disposition = counting.disposition ?? (await dispositionOf(record, message, deadlineMs, counted));
      count(disposition, message, counted);
      return async () => {
        const [end] = await Promise.all([
          endDelivery(disposition, { record, message }, outboxes, counted),
          beginChain(disposition, outboxes, counted),
        ]);
        await counting.ended();
        return end;
      };
    },
    flush: () => {
      for (const box of Object.values(outboxes)) if ('flush' in box) box.flush();
    },
    postpone: (returned) => jobsQueue.postpone(returned),
    log,
  });
  // A process that froze with it would tell it too late, or never.
  await ports.pacing.settled();
  metrics.publish(recorder.taken());
  return response;
}

/** Where this delivery has sent the order, and it is asked about later, the first look is asked for now; the sweeper finds one that got lost. */
async function beginChain({ order, begins }: Disposition, { checks }: Outboxes, { clock }: BatchPorts): Promise<void> {
  if (!order || !begins) return;
  const delaySeconds = nextLookSeconds(order, clock.nowMs());
  if (delaySeconds !== undefined && delaySeconds <= sqsMaxDelaySeconds)
    await checks.add({ message: { kind: 'check', key: order.key, number: order.looks }, delaySeconds });
}

/** A delivery that is counted, or what becomes of a message that has crashed too often. */
interface Counting {
  readonly disposition?: Disposition;
  readonly ended: () => Promise<void>;
}

/**
 * SQS counts each wait by visibility as it counts a crash. What comes often is counted in the ledger's table, and what has
 * begun there and never ended is worked on alone, as whoever was beside it is counted too; several times, it takes its worker
 * with it: it is laid aside, and tells nothing, as nobody knows what became of its order. A table that does not answer proves
 * no crash.
 */
async function beginDelivery(
  record: SQSRecord,
  message: JobDelivery,
  alone: boolean,
  { deliveries, log }: BatchPorts,
): Promise<Counting | 'alone'> {
  // By the message that SQS has: what a sender says of it may stand in others too.
  const { messageId } = record;
  if (message.receiveCount < countedReceives) return { ended: async () => {} };
  const crashes = await deliveries.begin(messageId, alone).catch(() => 0);
  if (crashes > 0 && !alone) return 'alone';
  if (crashes < crashesAtMost) return { ended: () => deliveries.end(messageId).catch(() => {}) };
  const failure = { code: 'WORKER_CRASHED', message: `its worker was lost ${crashes} times in a row over it` } as const;
  const disposition: Disposition = { kind: 'dead-letter', reason: failure };
  log.write('error', 'job', { ...jobLine(record, message, disposition), errorCode: failure.code });
  return { disposition, ended: async () => {} };
}

/** What the ledger's moves do not show of a delivery. */
function count(disposition: Disposition, message: JobDelivery, { clock, limits, recorder }: CountedPorts): void {
  const { kind, order, result } = disposition;
  if (message.receiveCount === 1 && message.waits === 0) recorder.add('jobsIn');
  if (result && !order) {
    recorder.add('messagesRefused');
    if (result.failure) recorder.failed(result.failure);
  }
  if (kind === 'retry' && isLastReceive(message.receiveCount, limits)) recorder.add('lastReceives');
  if (kind !== 'retry' && kind !== 'wait') return;
  // Read once more here, where a job waits anyway, so that the happy ones need not carry it along.
  const parsed = parseJob(message.body);
  if (parsed.kind !== 'job') return;
  const { expiresAtMs, notBeforeMs = 0, batchId } = parsed.job;
  const nowMs = clock.nowMs();
  // What waits for its own moment is not late.
  if (nowMs < notBeforeMs) return;
  const waitsSinceMs = Math.max(message.sentAtMs ?? nowMs, notBeforeMs);
  const waitedSeconds = Math.max(0, Math.round((nowMs - waitsSinceMs) / 1000));
  const it = batchId === undefined ? 'job' : 'row';
  const because = kind === 'wait' && disposition.because;
  if (because === 'lane-closed') recorder.add(`${it}sBraked`);
  if (because === 'lane-slow') recorder.add(`${it}sSlowed`);
  recorder.observe(`${it}WaitSeconds`, waitedSeconds);
  if (expiresAtMs !== undefined) recorder.observe('timeToExpirySeconds', Math.round((expiresAtMs - nowMs) / 1000));
}

async function dispositionOf(
  record: SQSRecord,
  message: JobDelivery,
  deadlineMs: number,
  ports: BatchPorts,
): Promise<Disposition> {
  const startedMs = ports.clock.nowMs();
  const disposition = await submitJob(message, deadlineMs, ports).catch((error: unknown): Disposition => {
    ports.log.write('error', 'job-failed', { messageId: record.messageId, ...errorFields(error) });
    const it = { receiveCount: message.receiveCount, chance: ports.random.chance() };
    return { kind: 'retry', delaySeconds: retryDelaySeconds(it, ports.limits) };
  });
  const durationMs = ports.clock.nowMs() - startedMs;
  ports.log.write('info', 'job', { ...jobLine(record, message, disposition), durationMs });
  return disposition;
}

/** Whose job waits that no order is of yet: whoever looks for it in the log finds why. */
function identityFields(body: string): LogFields {
  const parsed = parseJob(body);
  if (parsed.kind !== 'job') return {};
  const { operation, merchant, endpointId, orderId, batchId } = parsed.job;
  return { operation, merchant, endpointId, orderId, ...(batchId !== undefined && { batchId }) };
}

/** The line of a delivery of a job. */
function jobLine(record: SQSRecord, message: JobDelivery, disposition: Disposition): LogFields {
  const { kind, order, result } = disposition;
  const { originMessageId, receiveCount } = message;
  const entry = order && viewOf(order);
  const failure =
    entry?.failure ?? result?.failure ?? (kind === 'retry' || kind === 'wait' ? disposition.failure : undefined);
  return {
    ...recordFields(record),
    ...(originMessageId !== record.messageId && { originMessageId }),
    receiveCount,
    disposition: kind,
    ...(!entry && !result && (kind === 'retry' || kind === 'wait') && identityFields(message.body)),
    ...orderFields(entry, result, failure),
    ...((kind === 'retry' || kind === 'wait') && { delaySeconds: disposition.delaySeconds }),
  };
}
