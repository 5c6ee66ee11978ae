// A batch of records: each goes its own way, and a record counts as done only when everything that its end needs is
// proven done. Whatever goes wrong in between leaves it in the partial batch response, so it is delivered again.
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { type Outbox, createOutbox } from './outbox.ts';
import type { Check, ChecksQueue, Metrics } from './inquiry-ports.ts';
import type { DeadLetter, JobCopy, JobsQueue, Log, LogFields, Results } from './ports.ts';
import { errorFields, keepMark, type RecordEnd, runRecords } from './record-batch.ts';
import { writeCarriedAnswer } from './carried-answer.ts';
import { withoutCardData } from '../domain/card-data.ts';
import { retryDelaySeconds } from '../domain/retry-policy.ts';
import { sqsMaxDelaySeconds } from '../domain/limits.ts';
import { nextLookSeconds, noLooks } from '../domain/inquiry-policy.ts';
import { isAskedAbout } from '../domain/inquiry-step.ts';
import type { Result } from '../domain/result.ts';
import type { Disposition, JobMessage } from './disposition.ts';
import { submitJob, type SubmitPorts } from './submit-job.ts';

/** All that a batch needs. */
export interface BatchPorts extends SubmitPorts {
  readonly results: Results;
  readonly jobsQueue: JobsQueue;
  readonly checksQueue: ChecksQueue;
  readonly metrics: Metrics;
  readonly log: Log;
}

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
  const { results, jobsQueue, checksQueue, limits, log } = ports;
  const outboxes: Outboxes = {
    results: createOutbox((entries) => results.send(entries)),
    copies: createOutbox((entries) => jobsQueue.sendCopies(entries)),
    deadLetters: createOutbox((entries) => jobsQueue.sendDeadLetters(entries)),
    checks: createOutbox((entries) => checksQueue.send(entries)),
  };
  return runRecords(records, {
    concurrency: limits.concurrency,
    work: async (record) => {
      const disposition = await dispositionOf(record, deadlineMs, ports);
      return () => carryOut(disposition, record, outboxes, ports);
    },
    flush: () => {
      for (const outbox of Object.values(outboxes)) outbox.flush();
    },
    postpone: (returned) => jobsQueue.postpone(returned),
    log,
  });
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
  ports.log.write('info', 'job', { ...jobFields(message, disposition), messageId: record.messageId, durationMs });
  return disposition;
}

/** Ends a record. It is acknowledged only when its result and, where it has one, its next place are surely taken. */
async function carryOut(
  disposition: Disposition,
  record: SQSRecord,
  outboxes: Outboxes,
  ports: BatchPorts,
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
  const looks = entry.looks ?? noLooks;
  const delaySeconds = nextLookSeconds(entry, looks, clock.nowMs(), limits);
  if (delaySeconds <= sqsMaxDelaySeconds)
    await checks.add({ check: { orderKey: entry.key, looks: looks.count }, delaySeconds });
}

function moveOn(
  disposition: Exclude<Disposition, { kind: 'retry' }>,
  record: SQSRecord,
  outboxes: Outboxes,
  { metrics }: BatchPorts,
): Promise<boolean> | boolean {
  const { originMessageId, waits, answer: carried, redrives } = messageOf(record);
  const counted = redrives === undefined ? {} : { redrives };
  const { body, attributes } = record;
  const group = attributes.MessageGroupId === undefined ? {} : { groupId: attributes.MessageGroupId };
  switch (disposition.kind) {
    case 'done':
      return true;
    case 'wait': {
      // An answer that fitted nothing yet is kept: the claim that it speaks of may have been given up and land late.
      const answer = disposition.answer ? writeCarriedAnswer(disposition.answer) : carried;
      const delaySeconds = Math.min(disposition.delaySeconds, sqsMaxDelaySeconds);
      const attributes = { originMessageId, waits: waits + 1, ...counted, ...(answer !== undefined && { answer }) };
      const copy = { body, delaySeconds, attributes, ...group };
      return outboxes.copies.add(copy);
    }
    case 'dead-letter': {
      const clean = withoutCardData(body);
      // A message that became an order was let in by its merchant's profile.
      if (clean.cut && !disposition.entry) metrics.publish({ PlainCardData: 1 }, {});
      const { reason } = disposition;
      return outboxes.deadLetters.add({ body: clean.body, reason, originMessageId, ...counted, ...group });
    }
  }
}

function messageOf({ messageId, body, attributes, messageAttributes }: SQSRecord): JobMessage {
  const answer = messageAttributes['answer']?.stringValue;
  const redrives = Number(messageAttributes['redrives']?.stringValue) || 0;
  return {
    originMessageId: messageAttributes['originMessageId']?.stringValue ?? messageId,
    body,
    receiveCount: Number(attributes.ApproximateReceiveCount) || 1,
    waits: Number(messageAttributes['waits']?.stringValue) || 0,
    ...(answer !== undefined && { answer }),
    ...(redrives > 0 && { redrives }),
  };
}

function jobFields({ receiveCount }: JobMessage, disposition: Disposition): LogFields {
  const { kind, entry, result } = disposition;
  const failure = entry?.failure ?? result?.failure ?? (kind === 'retry' ? disposition.failure : undefined);
  const subject = entry ?? result;
  return {
    disposition: kind,
    receiveCount,
    ...(subject?.operation !== undefined && { operation: subject.operation }),
    ...(subject?.merchant !== undefined && { merchant: subject.merchant }),
    ...(subject?.orderId !== undefined && { orderId: subject.orderId }),
    ...(subject?.batchId !== undefined && { batchId: subject.batchId }),
    ...(entry && { state: entry.state, revision: entry.revision, attempts: entry.attempts }),
    ...(entry?.gatewayOrderId !== undefined && { gatewayOrderId: entry.gatewayOrderId }),
    ...(failure && { failureCode: failure.code }),
    ...(failure?.gatewayCode !== undefined && { gatewayCode: failure.gatewayCode }),
    ...(failure?.httpStatus !== undefined && { httpStatus: failure.httpStatus }),
    ...((kind === 'retry' || kind === 'wait') && { delaySeconds: disposition.delaySeconds }),
  };
}
