// The common part of every queue's batches: records worked on a few at a time, each acknowledged only when its end is proven, and
// a partial batch response that lists all the others, so that it can't be empty by accident.
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { longestWaitDays, sqsBatchSize } from './limits.ts';
import { errorFields } from './log-fields.ts';
import type { Log, NotTaken } from './ports.ts';
import type { JobDelivery } from './submit/end.ts';
import { readJob } from './message/read-job.ts';

/** How the records of one queue are worked on. */
interface RecordWork {
  readonly concurrency: number;
  /**
   * Takes a record as far as it goes alone; the returned function carries out its end, and answers whether the record is done. That
   * is not awaited in the record's place: a job that is settled makes room for the next while its result waits for nine others.
   */
  readonly work: (record: SQSRecord) => Promise<() => Promise<boolean>>;
  /** The event of a record over which something was thrown. */
  readonly failed: 'job-failed' | 'check-failed';
  /** Sends what the outboxes still hold, once every record is worked on. */
  readonly flush: () => void;
  readonly log: Log;
}

/**
 * Works on all records and answers Lambda. A record over which anything is thrown stays on its queue; the others end as they
 * would without it, or one message would keep the answers of its neighbours.
 */
export async function runRecords(records: readonly SQSRecord[], it: RecordWork): Promise<SQSBatchResponse> {
  const acknowledged = new Set<SQSRecord>();
  const ends: Promise<void>[] = [];

  async function settled(record: SQSRecord, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      it.log.write('error', it.failed, { messageId: record.messageId, ...errorFields(error) });
    }
  }

  await eachConcurrently(records, it.concurrency, (record) =>
    settled(record, async () => {
      const carryOut = await it.work(record);
      const end = async () => {
        if (await carryOut()) acknowledged.add(record);
      };
      ends.push(settled(record, end));
    }),
  );
  it.flush();
  await Promise.all(ends);
  const failed = records.filter((record) => !acknowledged.has(record));
  it.log.write('info', 'batch', { records: records.length, failedRecords: failed.length });
  return { batchItemFailures: failed.map((one) => ({ itemIdentifier: one.messageId })) };
}

/** Works on the items, so many at a time. */
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

/** SQS keeps no message for so long: an older send time is ignored. */
const oldestMs = longestWaitDays * 86_400_000 + 3_600_000;

/**
 * The delivery of a record. A sender may write any attributes: they affect pace alone, and only as far as they are
 * of their type and within their bounds.
 */
export function messageOf({ messageId, body, attributes, messageAttributes }: SQSRecord, nowMs: number): JobDelivery {
  const text = (name: string) => messageAttributes[name]?.stringValue;
  const number = Number(text('redrives'));
  const before = Number.isSafeInteger(number) && number >= 0 ? Math.min(number, 1_000) : 0;
  // SQS's own redrive counts nothing, and leaves the reason that the worker gave its letter.
  const redrives = text('reasonCode') === undefined ? before : before + 1;
  const putAtMs = Number(attributes.SentTimestamp) || 0;
  const firstSentAtMs = Number(text('firstSentAtMs'));
  // A sender may claim an earlier time, which costs its order a look, and never a later one.
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

// Outboxes: the messages of many jobs, collected into calls of ten. A full ten leaves at once, the rest when the batch of jobs is
// done, so that no timer and no idle wait is needed and a happy job costs a tenth of a call.

/** One kind of message leaving in tens. */
export interface Outbox<T> {
  /** True once the entry is on its queue; false when the queue would not take it. Never rejects. */
  add(entry: T): Promise<boolean>;
  /** Sends what is left. Entries added later leave by themselves, together with all that are added at the same moment. */
  flush(): void;
}

/** A queue may refuse some of a batch for a moment (throttling); these many tries, then the message stays unsent. */
const triesAtMost = 3;

/**
 * An outbox over a call that takes up to ten entries. A call without an answer may have taken them: it is made once more, unless an entry
 * must not be there twice.
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
      const answer = await send(left.map((it) => it.entry)).catch(() => undefined);
      const notTaken = answer ?? new Set(left.keys());
      for (const [index, it] of left.entries()) if (!notTaken.has(index)) it.resolve(true);
      left = left.filter((_, index) => notTaken.has(index));
      if (answer === undefined && (tries > 0 || isSentOnce)) break;
    }
    for (const it of left) it.resolve(false);
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
