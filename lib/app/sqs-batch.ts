// A batch of records: each goes its own way, and a record counts as done only when everything that its end needs is
// proven done. Whatever goes wrong in between leaves it in the partial batch response, so it is delivered again.
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { type Outbox, createOutbox } from './outbox.ts';
import type { DeadLetter, JobCopy, JobsQueue, Log, LogFields, Results } from './ports.ts';
import { writeCarriedAnswer } from './carried-answer.ts';
import { retryDelaySeconds } from '../domain/retry-policy.ts';
import { sqsMaxDelaySeconds } from '../domain/limits.ts';
import type { LedgerEntry } from '../domain/ledger.ts';
import type { Result } from '../domain/result.ts';
import type { Disposition, JobMessage } from './disposition.ts';
import { submitJob, type SubmitPorts } from './submit-job.ts';

/** All that a batch needs. */
export interface BatchPorts extends SubmitPorts {
  readonly results: Results;
  readonly jobsQueue: JobsQueue;
  readonly log: Log;
}

interface Outboxes {
  readonly results: Outbox<Result>;
  readonly copies: Outbox<JobCopy>;
  readonly deadLetters: Outbox<DeadLetter>;
}

/** How one record ended. */
type RecordEnd =
  | { readonly kind: 'acknowledged' }
  | { readonly kind: 'returned'; readonly receiptHandle: string; readonly delaySeconds: number };

/**
 * Works on all records, `limits.concurrency` at a time. The response lists every record that was not proven done;
 * it starts from all of them, so that it can't be empty by accident.
 */
export async function runBatch(
  records: readonly SQSRecord[],
  deadlineMs: number,
  ports: BatchPorts,
): Promise<SQSBatchResponse> {
  const { results, jobsQueue } = ports;
  const outboxes: Outboxes = {
    results: createOutbox((entries) => results.send(entries)),
    copies: createOutbox((entries) => jobsQueue.sendCopies(entries)),
    deadLetters: createOutbox((entries) => jobsQueue.sendDeadLetters(entries)),
  };
  const ends: Promise<RecordEnd>[] = [];
  await eachConcurrently(records, ports.limits.concurrency, async (record) => {
    const disposition = await dispositionOf(record, deadlineMs, ports);
    // Not awaited here: a job that is settled leaves its place to the next while its result waits for nine others.
    ends.push(carryOut(disposition, record, outboxes, ports));
  });
  for (const outbox of Object.values(outboxes)) outbox.flush();
  return responseOf(records, await Promise.all(ends), ports);
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
    moveOn(disposition, record, outboxes),
  ]);
  if (result) await keepMark(disposition.entry, told, ports);
  return told && moved ? { kind: 'acknowledged' } : returned(ports.limits.retryFirstDelaySeconds);
}

function moveOn(
  disposition: Exclude<Disposition, { kind: 'retry' }>,
  record: SQSRecord,
  outboxes: Outboxes,
): Promise<boolean> | boolean {
  const { originMessageId, waits, answer: carried } = messageOf(record);
  const { body, attributes } = record;
  const group = attributes.MessageGroupId === undefined ? {} : { groupId: attributes.MessageGroupId };
  switch (disposition.kind) {
    case 'done':
      return true;
    case 'wait': {
      // An answer that fitted nothing yet is kept: the claim that it speaks of may have been given up and land late.
      const answer = disposition.answer ? writeCarriedAnswer(disposition.answer) : carried;
      const delaySeconds = Math.min(disposition.delaySeconds, sqsMaxDelaySeconds);
      const attributes = { originMessageId, waits: waits + 1, ...(answer !== undefined && { answer }) };
      const copy = { body, delaySeconds, attributes, ...group };
      return outboxes.copies.add(copy);
    }
    case 'dead-letter':
      return outboxes.deadLetters.add({ body, reason: disposition.reason, originMessageId, ...group });
  }
}

/**
 * The unacknowledged message itself is the promise that its result will be told. Only where the result could not be
 * sent is the order marked too, as the message may yet end in the dead-letter queue; the next telling unmarks it.
 */
async function keepMark(entry: LedgerEntry | undefined, told: boolean, { ledger, log }: BatchPorts): Promise<void> {
  if (!entry || told !== (entry.unpublished ?? false)) return;
  await ledger.markUnpublished(entry, !told).catch((error: unknown) => {
    log.write('error', 'mark-failed', { merchant: entry.merchant, orderId: entry.orderId, ...errorFields(error) });
  });
}

async function responseOf(
  records: readonly SQSRecord[],
  ends: readonly RecordEnd[],
  { jobsQueue, log }: BatchPorts,
): Promise<SQSBatchResponse> {
  const returned = ends.filter((end) => end.kind === 'returned');
  if (returned.length > 0) {
    await jobsQueue
      .postpone(returned)
      .catch((error: unknown) => log.write('warn', 'postpone-failed', errorFields(error)));
  }
  const handles = new Set(returned.map((end) => end.receiptHandle));
  const failed = ends.length === records.length ? records.filter((it) => handles.has(it.receiptHandle)) : records;
  log.write('info', 'batch', { records: records.length, failedRecords: failed.length });
  return { batchItemFailures: failed.map((it) => ({ itemIdentifier: it.messageId })) };
}

function messageOf({ messageId, body, attributes, messageAttributes }: SQSRecord): JobMessage {
  const answer = messageAttributes['answer']?.stringValue;
  return {
    originMessageId: messageAttributes['originMessageId']?.stringValue ?? messageId,
    body,
    receiveCount: Number(attributes.ApproximateReceiveCount) || 1,
    waits: Number(messageAttributes['waits']?.stringValue) || 0,
    ...(answer !== undefined && { answer }),
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

/** Never the message of an error: it may quote what it failed on. */
function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { errorName: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { errorCode: error.code } : {};
  return { errorName: error.name, ...code };
}

async function eachConcurrently<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
