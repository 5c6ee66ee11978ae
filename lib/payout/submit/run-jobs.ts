// The records of one invocation (no batch of payments): messages of the jobs queues, or references to parked jobs. A message counts as done
// only when everything that its end needs is proven done, or its job is parked. Otherwise it is in the partial batch response, so it is
// delivered again. A reference is always acknowledged.
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { OwnMessage, OwnQueue } from '../inquire/own-queue.ts';
import { lineClassOf } from '../pace/lane-state.ts';
import type { Pacing } from '../pace/pacing.ts';
import { errorFields, type LogFields, orderFields, recordFields } from '../log-fields.ts';
import { readJob } from '../message/read-job.ts';
import type { Result } from '../message/result.ts';
import { countedGateway, countedOrders, createMetricsRecorder, type MetricsRecorder } from '../metrics-recorder.ts';
import { viewOf } from '../order/projection.ts';
import type { Clock, DeadLetter, JobsQueue, Log, Metrics, Results } from '../ports.ts';
import { createOutbox, messageOf, runRecords } from '../run-records.ts';
import { openBody } from '../wait/body-seal.ts';
import { figuresOfLine } from '../wait/line-figures.ts';
import type { ParkPorts, Waiting } from '../wait/park.ts';
import { type ParkedJob, waitsSinceMs } from '../wait/parked-job.ts';
import { readReference, type Reference } from '../wait/references.ts';
import { type JobEnd, type JobDelivery, waits } from './end.ts';
import { endDelivery, insist, type Outboxes } from './end-delivery.ts';
import { submitJob, type SubmitPorts } from './submit-job.ts';

/** The ports of a batch. */
export interface JobsPorts extends SubmitPorts, ParkPorts {
  readonly waiting: Pick<Waiting, 'jobs' | 'dataKeys'>;
  readonly clock: Clock;
  readonly pacing: Pacing;
  readonly results: Results;
  readonly jobsQueue: JobsQueue;
  readonly ownQueue: OwnQueue;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Beginnings in a row that came to no end. The next worker that begins the job makes it a dead letter. */
const begunAtMost = 5;

/** The ports with a recorder of metrics. */
type CountedPorts = JobsPorts & { readonly recorder: MetricsRecorder; readonly unparked: () => void };

/** Works on all records of a jobs queue and answers Lambda. Throws if none could be parked: then Lambda reads SQS less often. */
export async function runJobs(
  records: readonly SQSRecord[],
  deadlineMs: number,
  given: JobsPorts,
): Promise<SQSBatchResponse> {
  const { outboxes, ports, flush, ended, unparked } = beginJobs(given);
  const response = await runRecords(records, {
    concurrency: given.limits.concurrency,
    work: async (record) => {
      const message = messageOf(record, ports.clock.nowMs());
      const end = await endOf(message, record, deadlineMs, ports);
      return () => endDelivery(end, message, outboxes, ports);
    },
    failed: 'job-failed',
    flush,
    log: given.log,
  });
  await ended();
  // If only the dead-letter queue fails, the messages come back without that.
  if (records.length > 0 && unparked() === records.length) throw new Error('no message of the batch could be parked');
  return response;
}

/** Works on references to parked jobs. Whatever fails, the lease brings the job again. */
export async function runReferences(
  records: readonly SQSRecord[],
  deadlineMs: number,
  given: JobsPorts,
): Promise<void> {
  const { outboxes, ports, flush, ended } = beginJobs(given);
  await runRecords(records, {
    concurrency: given.limits.concurrency,
    work: async (record) => {
      const reference = readReference(record.body);
      // Newer code wrote it, or a stranger.
      if (!reference) ports.log.write('warn', 'waiting-failed', { errorName: 'unreadable' });
      const parked = reference && (await begunInTurn(reference, ports));
      if (!reference || !parked) return async () => true;
      const { message, end } = await takeParked(parked, reference, record, deadlineMs, ports);
      return () => endDelivery(end, message, outboxes, ports);
    },
    failed: 'job-failed',
    flush,
    log: given.log,
  });
  await ended();
}

/**
 * Counts a beginning once the turn has come. If the turn was missed, nothing is counted, and the job keeps its place in the line. If it is
 * unknown whether the beginning was counted, the job goes back with a count of 0.
 */
async function begunInTurn(reference: Reference, ports: CountedPorts): Promise<ParkedJob | undefined> {
  const { leaseMs, lane, turn, sinceMs } = reference;
  const {
    waiting: { jobs },
    clock,
    pacing,
  } = ports;
  const back = { because: lane ? 'pace' : 'again', goAtMs: lane ? sinceMs : clock.nowMs() };
  if (lane && turn && !(await pacing.comes(lane, turn))) {
    pacing.unused(lane, turn);
    await insist(() => jobs.move(reference, leaseMs, back), clock);
    return undefined;
  }
  try {
    return await jobs.begin(reference, leaseMs);
  } catch {
    if (lane && turn) pacing.unused(lane, turn);
    await insist(() => jobs.move(reference, leaseMs, { ...back, begun: 0 }), clock);
    return undefined;
  }
}

async function takeParked(
  parked: ParkedJob,
  { lane, turn }: Reference,
  record: SQSRecord,
  deadlineMs: number,
  ports: CountedPorts,
): Promise<{ readonly message: JobDelivery; readonly end: JobEnd }> {
  const { messageId, sinceMs, firstSentAtMs, redrives, groupId } = parked;
  const known = { messageId, sentAtMs: sinceMs, firstSentAtMs, redrives, groupId, cameBefore: true, parked, turn };
  let body: string;
  try {
    body = await openBody(parked, ports.waiting.dataKeys);
  } catch (error) {
    ports.log.write('error', 'waiting-failed', { orderKey: parked.key, ...errorFields(error) });
    const message: JobDelivery = { ...known, body: '', read: readJob('') };
    if (lane && turn) ports.pacing.unused(lane, turn);
    ports.recorder.add('jobsUnopened');
    return { message, end: waits('unopened', message, ports) };
  }
  const message: JobDelivery = { ...known, body, read: readJob(body) };
  if (parked.begun <= begunAtMost) return { message, end: await endOf(message, record, deadlineMs, ports) };
  const code = 'WORKER_CRASHED';
  const end: JobEnd = {
    kind: 'dead',
    reason: { code, message: `its worker was lost ${begunAtMost} times in a row` },
  };
  ports.log.write('error', 'job', { ...jobLine(record, message, end), errorCode: code });
  return { message, end };
}

/** What the deliveries of one invocation share: outboxes, counted ports, metrics. */
function beginJobs(given: JobsPorts) {
  const { results, jobsQueue, ownQueue, metrics } = given;
  const recorder = createMetricsRecorder();
  let unparked = 0;
  const outboxes: Outboxes = {
    results: createOutbox<Result>((entries) => results.send(entries)),
    deadLetters: createOutbox<DeadLetter>((entries) => jobsQueue.sendDeadLetters(entries), { isSentOnce: true }),
    // An answer may be queued twice: joined twice, it gives the same record.
    answers: createOutbox<OwnMessage>((entries) => ownQueue.send(entries)),
  };
  const ports: CountedPorts = {
    ...given,
    recorder,
    unparked: () => void (unparked += 1),
    orders: countedOrders(given.orders, recorder),
    gateway: countedGateway(given.gateway, recorder),
  };
  return {
    outboxes,
    ports,
    /** Jobs that could not be parked. */
    unparked: () => unparked,
    /** Sends what the outboxes still hold, once everything is worked on. */
    flush: () => {
      for (const box of Object.values(outboxes)) box.flush();
    },
    /** Publishes the metrics. */
    async ended() {
      // All signs are written first: a process that freezes would write them too late, or never.
      await given.pacing.settled();
      metrics.publish(recorder.taken());
    },
  };
}

async function endOf(
  message: JobDelivery,
  record: SQSRecord,
  deadlineMs: number,
  ports: CountedPorts,
): Promise<JobEnd> {
  const startedMs = ports.clock.nowMs();
  const end = await submitJob(message, deadlineMs, ports).catch((error: unknown): JobEnd => {
    ports.log.write('error', 'job-failed', { messageId: message.messageId, ...errorFields(error) });
    return { ...waits('failed', message, ports), isUnproven: true };
  });
  count(end, message, ports);
  const durationMs = ports.clock.nowMs() - startedMs;
  try {
    ports.log.write('info', 'job', { ...jobLine(record, message, end, ports.clock.nowMs()), durationMs });
  } catch (error) {
    // The order may have been sent: its end must not be lost for a line of the log.
    ports.log.write('error', 'job-failed', { messageId: message.messageId, ...errorFields(error) });
  }
  return end;
}

/** Counts a job that waits: the counted writes of the ledger do not show it. */
function count(end: JobEnd, message: JobDelivery, { clock, recorder }: CountedPorts): void {
  const { read } = message;
  // A job is not late if its order is not decided.
  if (end.kind !== 'wait' || read.kind !== 'job' || end.because === 'undecided') return;
  const { notBeforeMs = 0 } = read.job;
  const nowMs = clock.nowMs();
  // A job that waits for its own moment is not late.
  if (nowMs < notBeforeMs) return;
  const sinceMs = waitsSinceMs({ sinceMs: message.sentAtMs ?? nowMs, notBeforeMs });
  const waitedSeconds = Math.max(0, Math.round((nowMs - sinceMs) / 1000));
  const { braked, age } = figuresOfLine[lineClassOf(read.job)];
  if (end.because === 'lane-closed') recorder.add(braked);
  recorder.observe(age, waitedSeconds);
}

/** The log line of a delivery. */
function jobLine({ attributes }: SQSRecord, message: JobDelivery, end: JobEnd, nowMs = 0): LogFields {
  const { kind, order, result } = end;
  const entry = order && viewOf(order);
  const failure = entry?.failure ?? result?.failure ?? (kind === 'wait' ? end.failure : undefined);
  // Then a search of the log finds a waiting job that has no order yet.
  const named = kind === 'wait' && message.read.kind === 'job' ? message.read.job : undefined;
  return {
    ...recordFields({ messageId: message.messageId, attributes }),
    receiveCount: message.parked ? message.parked.begun : Number(attributes.ApproximateReceiveCount) || 1,
    disposition: kind,
    ...orderFields(entry, result ?? named, failure),
    ...(kind === 'wait' && {
      because: end.because,
      delaySeconds: Math.max(0, Math.ceil((end.goAtMs - nowMs) / 1000)),
    }),
  };
}
