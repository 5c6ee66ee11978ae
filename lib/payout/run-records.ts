// The common part of every queue's batches. A few records are worked on at a time, and each is acknowledged only when its end is proven.
// The partial batch response lists all the others, so it can't be empty by accident.
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { longestWaitMs, sqsBatchSize } from './limits.ts';
import { errorFields } from './log-fields.ts';
import type { Log, NotTaken } from './ports.ts';
import type { JobDelivery } from './submit/end.ts';
import { readJob } from './message/read-job.ts';

/** How the records of one queue are worked on. */
interface RecordWork {
  readonly concurrency: number;
  /**
   * Works on a record. The returned function publishes its end, and resolves to true if the record is done. Publishing does not use the
   * record's place: the next record begins while this result waits for nine others.
   */
  readonly work: (record: SQSRecord) => Promise<() => Promise<boolean>>;
  /** The event of a record whose work threw. */
  readonly failed: 'job-failed' | 'check-failed';
  /** Sends what the outboxes still hold; called after the last record. */
  readonly flush: () => void;
  readonly log: Log;
}

/** Works on all records and answers Lambda. A record whose work throws stays on its queue; the others still end. */
export async function runRecords(
  records: readonly SQSRecord[],
  { concurrency, work, failed, flush, log }: RecordWork,
): Promise<SQSBatchResponse> {
  const acknowledged = new Set<SQSRecord>();
  const ends: Promise<void>[] = [];

  async function settled(record: SQSRecord, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      log.write('error', failed, { messageId: record.messageId, ...errorFields(error) });
    }
  }

  await eachConcurrently(records, concurrency, (record) =>
    settled(record, async () => {
      const carryOut = await work(record);
      const end = async () => {
        if (await carryOut()) acknowledged.add(record);
      };
      ends.push(settled(record, end));
    }),
  );
  flush();
  await Promise.all(ends);
  const left = records.filter((record) => !acknowledged.has(record));
  log.write('info', 'batch', { records: records.length, failedRecords: left.length });
  return { batchItemFailures: left.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

/** Works on the items, at most `limit` at a time. */
export async function eachConcurrently<T>(
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

/** SQS keeps no message longer than this; an older send time is ignored. */
const oldestMs = longestWaitMs + 3_600_000;

/** The delivery of a record. Senders may write any attributes, so each counts only within its type and bounds, and none proves anything. */
export function messageOf({ messageId, body, attributes, messageAttributes }: SQSRecord, nowMs: number): JobDelivery {
  const text = (name: string) => messageAttributes[name]?.stringValue;
  const number = Number(text('redrives'));
  const counted = Number.isSafeInteger(number) && number >= 0 ? Math.min(number, 1_000) : 0;
  // SQS's own redrive does not count, but it keeps the reason that the worker gave the dead letter.
  const redrives = text('reasonCode') === undefined ? counted : counted + 1;
  const putAtMs = Number(attributes.SentTimestamp) || 0;
  const firstSentAtMs = Number(text('firstSentAtMs'));
  // A sender may claim an earlier time, which costs its order an inquiry. A later time is ignored.
  const wasSentBefore = Number.isSafeInteger(firstSentAtMs) && firstSentAtMs > 0 && firstSentAtMs < putAtMs;
  return {
    messageId,
    sentAtMs: putAtMs > nowMs - oldestMs && putAtMs > 0 ? putAtMs : undefined,
    firstSentAtMs: wasSentBefore ? firstSentAtMs : undefined,
    body,
    read: readJob(body),
    cameBefore: Number(attributes.ApproximateReceiveCount) > 1,
    groupId: attributes.MessageGroupId,
    redrives: redrives > 0 ? redrives : undefined,
  };
}

// Outboxes collect the messages of many jobs into calls of ten. Ten leave at once, the rest when the batch of jobs is done, so no timer is
// needed.

/** One kind of message leaving in tens. */
export interface Outbox<T> {
  /** True once the entry is on its queue; false when the queue would not take it. Never rejects. */
  add(entry: T): Promise<boolean>;
  /** Sends what is left. Later entries leave by themselves, together with all that are added at the same moment. */
  flush(): void;
}

/** Tries per entry: a queue may refuse some of a batch for a moment (throttling). */
const triesAtMost = 3;

/**
 * An outbox over a call that takes up to ten entries. A call without an answer may have been taken. It is made once more, unless
 * `isSentOnce`: these entries must not be queued twice.
 */
export function createOutbox<T>(
  send: (entries: readonly T[]) => Promise<NotTaken>,
  { isSentOnce = false }: { readonly isSentOnce?: boolean } = {},
): Outbox<T> {
  let waiting: { entry: T; resolve: (sent: boolean) => void }[] = [];
  let isFlowing = false;

  function sendWaiting(): void {
    const leaving = waiting;
    waiting = [];
    for (let at = 0; at < leaving.length; at += sqsBatchSize) void deliver(leaving.slice(at, at + sqsBatchSize));
  }

  async function deliver(batch: typeof waiting): Promise<void> {
    let left = batch;
    for (let tries = 0; tries < triesAtMost && left.length > 0; tries += 1) {
      const answer = await send(left.map(({ entry }) => entry)).catch(() => undefined);
      const notTaken = answer ?? new Set(left.keys());
      for (const [index, { resolve }] of left.entries()) if (!notTaken.has(index)) resolve(true);
      left = left.filter((_, index) => notTaken.has(index));
      if (answer === undefined && (tries > 0 || isSentOnce)) break;
    }
    for (const { resolve } of left) resolve(false);
  }

  return {
    flush() {
      isFlowing = true;
      sendWaiting();
    },
    add: (entry) =>
      new Promise((resolve) => {
        waiting.push({ entry, resolve });
        if (waiting.length >= sqsBatchSize) sendWaiting();
        else if (isFlowing && waiting.length === 1) queueMicrotask(sendWaiting);
      }),
  };
}
