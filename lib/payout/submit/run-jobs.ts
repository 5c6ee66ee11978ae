// The records of the jobs queue that one invocation gets (no batch of payments): each goes its own way, and a record counts as
// done only when everything that its end needs is proven done. Whatever goes wrong in between leaves it in the partial batch
// response, so it is delivered again.
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { createOutbox, messageOf, runRecords } from '../run-records.ts';
import { nextCheck, type OwnMessage, type OwnQueue } from '../inquire/own-queue.ts';
import { endDelivery, endRow, type Outboxes } from './end-delivery.ts';
import type { DeadLetter, Deliveries, JobsQueue, Log, Metrics, Results } from '../ports.ts';
import { errorFields, type LogFields, orderFields, recordFields } from '../log-fields.ts';
import type { Job } from '../message/job.ts';
import { countedReceives, crashesAtMost, isLastReceive } from '../retry-policy.ts';
import { viewOf } from '../order/view.ts';
import { type Disposition, growingSeconds, type JobDelivery } from './disposition.ts';
import type { Pacing } from '../lanes/pacing.ts';
import type { Result } from '../message/result.ts';
import { createJoining } from '../waiting/begin-line.ts';
import type { KeepPorts } from '../waiting/keep-waiting.ts';
import type { WaitingRow } from '../waiting/waiting-row.ts';
import { submitJob, type SubmitPorts } from './submit-job.ts';
import { createMetricsRecorder, type MetricsRecorder, timedGateway, countedOrders } from '../metrics-recorder.ts';

/** The ports of a batch. */
export interface JobsPorts extends SubmitPorts, KeepPorts {
  readonly pacing: Pacing;
  readonly deliveries: Deliveries;
  readonly results: Results;
  readonly jobsQueue: JobsQueue;
  readonly ownQueue: OwnQueue;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Reads what the gates will ask of a job, before they ask. Never rejects: a gate that asks meets the error itself. */
  readonly readAhead?: (job: Job) => Promise<unknown>;
}

/** Jobs of an invocation that are read ahead at most; what they share is read once. */
const readAheadAtMost = 10;

/** The same with the recorder of its figures. */
type CountedPorts = JobsPorts & { readonly recorder: MetricsRecorder };

/** One invocation's deliveries: where they leave, and their figures. */
export interface JobsInvocation {
  readonly outboxes: Outboxes;
  readonly ports: CountedPorts;
  /** Sends what the outboxes still hold, once everything is worked on. */
  readonly flush: () => void;
  /** Publishes the figures, and sends the messages of lines that have got rows. */
  readonly ended: () => Promise<void>;
}

/** Begins an invocation. */
export function beginJobs(given: JobsPorts): JobsInvocation {
  const { results, jobsQueue, ownQueue, metrics, clock, gateway } = given;
  const recorder = createMetricsRecorder();
  const onRefused = (entries: number) => recorder.add('queueRefusals', entries);
  const joining = createJoining(given);
  const boxes = {
    results: createOutbox<Result>((entries) => results.send(entries), { onRefused }),
    deadLetters: createOutbox<DeadLetter>((entries) => jobsQueue.sendDeadLetters(entries), {
      onRefused,
      mayBeThereTwice: () => false,
    }),
    // A lost check is the sweeper's to find; a doubled one would be two for ever.
    checks: createOutbox<OwnMessage>((entries) => ownQueue.send(entries), { onRefused, mayBeThereTwice: () => false }),
    // An answer that is there twice joins twice to the same record.
    answers: createOutbox<OwnMessage>((entries) => ownQueue.send(entries), { onRefused }),
  };
  const ports: CountedPorts = {
    ...given,
    recorder,
    orders: countedOrders(given.orders, recorder),
    gateway: timedGateway(gateway, 'postLatencyMs', { recorder, clock }),
  };
  return {
    outboxes: { ...boxes, joined: joining.joined },
    ports,
    flush: () => {
      for (const box of Object.values(boxes)) box.flush();
    },
    async ended() {
      await joining.sent();
      // A process that froze with a sign would write it too late, or never.
      await given.pacing.settled();
      metrics.publish(recorder.taken());
    },
  };
}

/** Works on all records of the jobs queue and answers Lambda. */
export async function runJobs(
  records: readonly SQSRecord[],
  deadlineMs: number,
  given: JobsPorts,
): Promise<SQSBatchResponse> {
  const { outboxes, ports, flush, ended } = beginJobs(given);
  const ahead: Promise<unknown>[] = [];
  const response = await runRecords(records, {
    concurrency: given.limits.concurrency,
    work: async (record, alone) => {
      const message = messageOf(record, ports.clock.nowMs());
      const { read } = message;
      if (given.readAhead && read.kind === 'job' && ahead.length < readAheadAtMost)
        ahead.push(given.readAhead(read.job));
      // A message that comes often is counted: SQS counts each wait by visibility as it counts a crash.
      const isCounted = message.waits + 1 >= countedReceives;
      const counting = await beginDelivery({ isCounted, id: record.messageId }, { record, message, alone }, ports);
      if (counting === 'alone') return counting;
      const disposition = counting.disposition ?? (await dispositionOf(record, message, deadlineMs, ports));
      count(disposition, message, ports);
      return async () => {
        const [end] = await Promise.all([
          endDelivery(disposition, { kind: 'message', record, message }, outboxes, ports),
          beginChain(disposition, outboxes, ports),
        ]);
        await counting.ended();
        return end;
      };
    },
    failed: 'job-failed',
    flush,
    postpone: (returned) => given.jobsQueue.postpone(returned),
    log: given.log,
  });
  await ended();
  // A process that is frozen with a read under way would thaw with it.
  await Promise.all(ahead);
  return response;
}

/** Works on one row of the table of what waits; `isSuspect`: a worker was lost over its line. */
export async function runRow(
  row: WaitingRow,
  message: JobDelivery,
  { deadlineMs, isSuspect }: { readonly deadlineMs: number; readonly isSuspect: boolean },
  { outboxes, ports }: JobsInvocation,
): Promise<() => Promise<void>> {
  const record = { messageId: row.messageId, attributes: {} };
  const counted = { isCounted: isSuspect, id: row.nonce };
  const counting = await beginDelivery(counted, { record, message, alone: true }, ports);
  const fatal = counting === 'alone' ? undefined : counting.disposition;
  const disposition = fatal ?? (await dispositionOf(record, message, deadlineMs, ports));
  count(disposition, message, ports);
  return async () => {
    await Promise.all([
      endRow(disposition, { kind: 'row', row, message }, outboxes, ports),
      beginChain(disposition, outboxes, ports),
    ]);
    if (counting !== 'alone') await counting.ended();
  };
}

/** Asks for the first look where this delivery has sent the order, which is asked about later; the sweeper finds one that got lost. */
async function beginChain(
  { order, begins }: Disposition,
  { checks }: Outboxes,
  { clock, limits }: JobsPorts,
): Promise<void> {
  if (!order || !begins) return;
  const check = nextCheck(order, clock.nowMs(), limits);
  if (check) await checks.add(check);
}

/** A delivery that is counted, or the end of a message that has crashed too often. */
interface Counting {
  readonly disposition?: Disposition;
  readonly ended: () => Promise<void>;
}

/** A message's own fields beside it: of a row, its id alone. */
interface LoggedDelivery {
  readonly messageId: string;
  readonly attributes: { readonly AWSTraceHeader?: string | undefined };
}

/**
 * A delivery that was counted before, and never ended, is worked on alone, as a crash counts for those beside it too. After
 * several, the message itself is taken for the cause: it is laid aside without a result, as nobody knows its order's state.
 * A table that does not answer proves no crash. `id`: of the message that SQS has, as a sender may put one id on several
 * messages; of a row, of this put.
 */
async function beginDelivery(
  { isCounted, id }: { readonly isCounted: boolean; readonly id: string },
  {
    record,
    message,
    alone,
  }: { readonly record: LoggedDelivery; readonly message: JobDelivery; readonly alone: boolean },
  { deliveries, log }: JobsPorts,
): Promise<Counting | 'alone'> {
  if (!isCounted) return { ended: async () => {} };
  const crashes = await deliveries.begin(id, alone).catch(() => 0);
  if (crashes > 0 && !alone) return 'alone';
  if (crashes < crashesAtMost) return { ended: () => deliveries.end(id).catch(() => {}) };
  const failure = { code: 'WORKER_CRASHED', message: `its worker was lost ${crashes} times in a row over it` } as const;
  const disposition: Disposition = { kind: 'dead-letter', reason: failure };
  log.write('error', 'job', { ...jobLine(record, message, disposition), errorCode: failure.code });
  return { disposition, ended: async () => {} };
}

/** Counts the parts of a delivery that the ledger's moves do not show. */
function count(disposition: Disposition, message: JobDelivery, { clock, limits, recorder }: CountedPorts): void {
  const { kind, order, result } = disposition;
  if (message.waits === 0) recorder.add('jobsIn');
  if (result && !order) {
    recorder.add('messagesRefused');
    if (result.failure) recorder.failed(result.failure);
  }
  if (kind === 'retry' && isLastReceive(message, limits)) recorder.add('lastReceives');
  if (kind !== 'retry' && kind !== 'wait') return;
  const { read } = message;
  if (read.kind !== 'job') return;
  const { expiresAtMs, notBeforeMs = 0, batchId } = read.job;
  const nowMs = clock.nowMs();
  // A job that waits for its own moment is not late.
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
  record: LoggedDelivery,
  message: JobDelivery,
  deadlineMs: number,
  ports: JobsPorts,
): Promise<Disposition> {
  const startedMs = ports.clock.nowMs();
  const disposition = await submitJob(message, deadlineMs, ports).catch((error: unknown): Disposition => {
    ports.log.write('error', 'job-failed', { messageId: record.messageId, ...errorFields(error) });
    return { kind: 'retry', delaySeconds: growingSeconds(message, ports) };
  });
  const durationMs = ports.clock.nowMs() - startedMs;
  try {
    ports.log.write('info', 'job', { ...jobLine(record, message, disposition), durationMs });
  } catch (error) {
    // The order may have been sent: its end must not be lost for a line of the log.
    ports.log.write('error', 'job-failed', { messageId: record.messageId, ...errorFields(error) });
  }
  return disposition;
}

/** The identity of a waiting job that has no order yet: a search of the log for it finds the reason. */
function identityFields({ read }: JobDelivery): LogFields {
  if (read.kind !== 'job') return {};
  const { operation, merchant, endpointId, orderId, batchId } = read.job;
  return { operation, merchant, endpointId, orderId, ...(batchId !== undefined && { batchId }) };
}

/** The line of a delivery of a job. */
function jobLine(record: LoggedDelivery, message: JobDelivery, disposition: Disposition): LogFields {
  const { kind, order, result } = disposition;
  const entry = order && viewOf(order);
  const failure = entry?.failure ?? result?.failure ?? (kind === 'wait' ? disposition.failure : undefined);
  return {
    ...recordFields(record),
    receiveCount: message.waits + 1,
    disposition: kind,
    ...(!entry && !result && (kind === 'retry' || kind === 'wait') && identityFields(message)),
    ...orderFields(entry, result, failure),
    ...((kind === 'retry' || kind === 'wait') && { delaySeconds: disposition.delaySeconds }),
    ...(kind === 'wait' && { because: disposition.because }),
  };
}
