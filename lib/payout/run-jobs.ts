// A batch of records: each goes its own way, and a record counts as done only when everything that its end needs is
// proven done. Whatever goes wrong in between leaves it in the partial batch response, so it is delivered again.
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { type Outbox, createOutbox } from './outbox.ts';
import type { Check, ChecksQueue } from './inquiry-ports.ts';
import { jobFields } from './log-lines.ts';
import type { DeadLetter, JobCopy, JobsQueue, Log, Metrics, Results } from './ports.ts';
import { errorFields } from './error-fields.ts';
import { keepMark, type RecordEnd, runRecords } from './run-records.ts';
import { writePendingOutcome } from './pending-outcome.ts';
import { withoutCardData } from './without-card-data.ts';
import { parseJob } from './job.ts';
import { isLastReceive, retryDelaySeconds } from './retry-policy.ts';
import { sqsMaxDelaySeconds } from './limits.ts';
import { isAskedAbout, nextInquirySeconds, noInquiries } from './inquiry-policy.ts';
import type { Result } from './result.ts';
import type { Disposition, JobMessage } from './disposition.ts';
import { submitJob, type SubmitPorts } from './submit-job.ts';
import { countedLedger, createMetricsRecorder, type MetricsRecorder, timedGateway } from './metrics-recorder.ts';

/** All that a batch needs. */
export interface BatchPorts extends SubmitPorts {
  readonly results: Results;
  readonly jobsQueue: JobsQueue;
  readonly checksQueue: ChecksQueue;
  readonly log: Log;
  readonly metrics: Metrics;
}

type CountedPorts = BatchPorts & { readonly recorder: MetricsRecorder };

interface Outboxes {
  readonly results: Outbox<Result>;
  readonly copies: Outbox<JobCopy>;
  readonly deadLetters: Outbox<DeadLetter>;
  readonly checks: Outbox<{ readonly check: Check; readonly delaySeconds: number }>;
}

/** Works on all records of the jobs queue and answers Lambda. */
export async function runBatch(
  records: readonly SQSRecord[],
  deadlineMs: number,
  ports: BatchPorts,
): Promise<SQSBatchResponse> {
  const { results, jobsQueue, checksQueue, limits, log, metrics } = ports;
  const recorder = createMetricsRecorder();
  const onRefused = (entries: number) => recorder.add('queueRefusals', entries);
  const outboxes: Outboxes = {
    results: createOutbox((entries) => results.send(entries), { onRefused }),
    // Each copy that is there twice goes round twice, and while the queue loses answers they double at each turn. Only an
    // answer that nothing else knows is worth that.
    copies: createOutbox((entries) => jobsQueue.sendCopies(entries), {
      onRefused,
      mayBeThereTwice: ({ attributes }) => attributes.answer !== undefined,
    }),
    deadLetters: createOutbox((entries) => jobsQueue.sendDeadLetters(entries), { onRefused }),
    checks: createOutbox((entries) => checksQueue.send(entries), { onRefused }),
  };
  const counted: CountedPorts = {
    ...ports,
    recorder,
    ledger: countedLedger(ports.ledger, recorder),
    gateway: timedGateway(ports.gateway, 'postLatencyMs', { recorder, clock: ports.clock }),
  };
  const response = await runRecords(records, {
    concurrency: limits.concurrency,
    work: async (record) => {
      const disposition = await dispositionOf(record, deadlineMs, counted);
      count(disposition, messageOf(record), counted);
      return () => carryOut(disposition, record, outboxes, counted);
    },
    flush: () => {
      for (const outbox of Object.values(outboxes)) outbox.flush();
    },
    postpone: (returned) => jobsQueue.postpone(returned),
    log,
  });
  metrics.publish(recorder.taken());
  return response;
}

/** What the ledger's moves do not show of a delivery. */
function count(disposition: Disposition, message: JobMessage, { clock, limits, recorder }: CountedPorts): void {
  const { kind, entry, result } = disposition;
  if (message.receiveCount === 1 && message.waits === 0) recorder.add('jobsIn');
  if (result && !entry) {
    recorder.add('messagesRefused');
    if (result.failure) recorder.failed(result.failure);
  }
  if (kind === 'retry' && isLastReceive(message.receiveCount, limits)) recorder.add('lastReceives');
  if (kind !== 'retry' && kind !== 'wait') return;
  // Read once more here, where a job waits anyway, so that the happy ones need not carry it along.
  const parsed = parseJob(message.body);
  const expiresAtMs = parsed.kind === 'job' ? parsed.job.expiresAtMs : undefined;
  if (expiresAtMs !== undefined)
    recorder.observe('timeToExpirySeconds', Math.round((expiresAtMs - clock.nowMs()) / 1000));
}

async function dispositionOf(record: SQSRecord, deadlineMs: number, ports: BatchPorts): Promise<Disposition> {
  const message = messageOf(record);
  const startedMs = ports.clock.nowMs();
  const disposition = await submitJob(message, deadlineMs, ports).catch((error: unknown): Disposition => {
    ports.log.write('error', 'job-failed', { messageId: record.messageId, ...errorFields(error) });
    const it = { receiveCount: message.receiveCount, chance: ports.random.chance() };
    return { kind: 'retry', delaySeconds: retryDelaySeconds(it, ports.limits) };
  });
  const durationMs = ports.clock.nowMs() - startedMs;
  ports.log.write('info', 'job', { ...jobFields(record, message, disposition), durationMs });
  return disposition;
}

/** Ends a record. It is acknowledged only when its result and, where it has one, its next place are surely taken. */
async function carryOut(
  disposition: Disposition,
  record: SQSRecord,
  outboxes: Outboxes,
  ports: CountedPorts,
): Promise<RecordEnd> {
  const returned = (delaySeconds: number): RecordEnd => ({
    kind: 'returned',
    receiptHandle: record.receiptHandle,
    delaySeconds,
  });
  if (disposition.kind === 'retry') return returned(disposition.delaySeconds);
  const { result } = disposition;
  const [told, moved] = await Promise.all([
    result ? outboxes.results.add(result) : true,
    moveOn(disposition, record, outboxes, ports),
    firstCheck(disposition, outboxes, ports),
  ]);
  // The unacknowledged message itself is the promise that its result will be told. Only where the result could not be
  // sent is the order marked too, as the message may yet end in the dead-letter queue; the next telling unmarks it.
  if (result) await keepMark(disposition.entry, told, ports);
  return told && moved ? { kind: 'acknowledged' } : returned(ports.limits.retryFirstDelaySeconds);
}

/** Where the order is asked about later, the first look is asked for now. Should it get lost, the sweeper finds the order. */
async function firstCheck({ entry }: Disposition, { checks }: Outboxes, { clock, limits }: BatchPorts): Promise<void> {
  if (!entry || !isAskedAbout(entry)) return;
  const inquiries = entry.inquiries ?? noInquiries;
  const delaySeconds = nextInquirySeconds(entry, inquiries, clock.nowMs(), limits);
  if (delaySeconds <= sqsMaxDelaySeconds)
    await checks.add({ check: { orderKey: entry.key, inquiries: inquiries.count }, delaySeconds });
}

function moveOn(
  disposition: Exclude<Disposition, { kind: 'retry' }>,
  record: SQSRecord,
  outboxes: Outboxes,
  { recorder }: CountedPorts,
): Promise<boolean> | boolean {
  const { originMessageId, sentAtMs, waits, answer: carried, redrives } = messageOf(record);
  const counted = redrives === undefined ? {} : { redrives };
  const sent = sentAtMs === undefined ? {} : { sentAtMs };
  const { body, attributes } = record;
  const group = attributes.MessageGroupId === undefined ? {} : { groupId: attributes.MessageGroupId };
  switch (disposition.kind) {
    case 'done':
      return true;
    case 'wait': {
      // An answer that fitted nothing yet is kept: the claim that it speaks of may have been given up and land late.
      const answer = disposition.answer ? writePendingOutcome(disposition.answer) : carried;
      const delaySeconds = Math.min(disposition.delaySeconds, sqsMaxDelaySeconds);
      const attributes = {
        originMessageId,
        ...sent,
        waits: waits + 1,
        ...counted,
        ...(answer !== undefined && { answer }),
      };
      const copy = { body, delaySeconds, attributes, ...group };
      return outboxes.copies.add(copy);
    }
    case 'dead-letter': {
      const clean = withoutCardData(body, disposition);
      // A message that became an order was let in by its merchant's profile.
      if (clean.cut && !disposition.entry) recorder.add('plainCardDataRefused');
      const { reason } = disposition;
      return outboxes.deadLetters.add({ body: clean.body, reason, originMessageId, ...counted, ...group });
    }
  }
}

function messageOf({ messageId, body, attributes, messageAttributes }: SQSRecord): JobMessage {
  const answer = messageAttributes['answer']?.stringValue;
  const redrives = Number(messageAttributes['redrives']?.stringValue) || 0;
  const sentAtMs = Number(messageAttributes['sentAtMs']?.stringValue ?? attributes.SentTimestamp);
  return {
    originMessageId: messageAttributes['originMessageId']?.stringValue ?? messageId,
    ...(sentAtMs > 0 && { sentAtMs }),
    body,
    receiveCount: Number(attributes.ApproximateReceiveCount) || 1,
    waits: Number(messageAttributes['waits']?.stringValue) || 0,
    ...(answer !== undefined && { answer }),
    ...(redrives > 0 && { redrives }),
  };
}
