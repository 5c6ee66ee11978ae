// Both ends of the queues: puts jobs on one, takes results off the other until nothing is left of the jobs.
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { callsWithin } from '../aws/sqs-queues.ts';
import { systemClock } from '../aws/system.ts';
import { type DeadMessage, originOf } from '../dead-letters/dead-letter.ts';
import { scanDeadLetters } from '../dead-letters/scan-dead-letters.ts';
import { createSqsDeadLetters } from '../dead-letters/sqs-dead-letters.ts';
import type { QueueUrls } from './embedded-aws.ts';
import type { BatchResult } from '../batches/batch-result.ts';
import type { JobQueueUrls } from '../client/sqs-send-jobs.ts';
import { parseJob } from '../payout/message/job.ts';
import type { Result } from '../payout/message/result.ts';
import type { SentMessage } from './payments.ts';
import { queueDepth } from '../aws/sqs-event-source.ts';
import { takeMessages } from './queue-reader.ts';

/** A run in which nothing moves for so long goes nowhere: no delay or time-out of the local limits is longer. */
const stuckAfterMs = 120_000;

/** Sends one message per body, right or wrong, rows of batches to their queue; lines count on from `firstLine`. */
export async function sendToJobsQueue(
  sqs: SQSClient,
  queues: string | JobQueueUrls,
  bodies: readonly string[],
  firstLine = 1,
): Promise<SentMessage[]> {
  const sent: SentMessage[] = [];
  const { jobs, batchJobs = jobs } = typeof queues === 'string' ? { jobs: queues } : queues;
  const entries = bodies.map((body, index) => ({ Id: String(index), MessageBody: body }));
  for (const QueueUrl of new Set([jobs, batchJobs])) {
    const its = entries.filter(({ MessageBody }) => (isRow(MessageBody) ? batchJobs : jobs) === QueueUrl);
    for (const Entries of callsWithin(its)) {
      const { Successful = [], Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
      const [refused] = Failed;
      if (refused) throw new Error(`the jobs queue refused line ${Number(refused.Id) + firstLine}: ${refused.Message}`);
      for (const { Id, MessageId } of Successful)
        sent.push({ line: Number(Id) + firstLine, messageId: MessageId ?? '', body: bodies[Number(Id)] ?? '' });
    }
  }
  return sent.toSorted((a, b) => a.line - b.line);
}

function isRow(body: string): boolean {
  const parsed = parseJob(body);
  return (parsed.kind === 'job' ? parsed.job : parsed.identity).batchId !== undefined;
}

/** How results are collected. */
interface Collecting {
  readonly jobsQueueUrls: readonly string[];
  /** Inquiries that are still to be made keep the run open too. */
  readonly checksQueueUrl?: string;
  /** How many jobs are parked for anything but a person, and how many orders are due; default none. */
  readonly inTable?: () => Promise<number>;
  /** How many jobs are parked behind another delivery of their order, whose worker may have died; default none. */
  readonly behindAnother?: () => Promise<number>;
  readonly resultsQueueUrl: string;
  /** Every message, copies too, as it came. */
  readonly onMessage?: (body: string) => void;
  /** After each look: the different results so far, and how many messages, parked jobs and due orders are left. */
  readonly onProgress?: (results: readonly Result[], waiting: number) => void;
  /** While false, more jobs are to come, and the run does not end. Default always true. */
  readonly mayEnd?: () => boolean;
  /** The run ends when nothing has changed for this long; default two minutes. */
  readonly patienceMs?: number;
  /** When it is aborted, the present results are taken, and the run ends. */
  readonly interruption?: AbortSignal;
  /** True if no order that is left can go on without a person. The run ends when that has been true for some looks. */
  readonly isBlocked?: (results: readonly Result[]) => boolean;
}

/** A job that was not tried, or whose worker died: SQS delivers it again after a minute, and the lease of its order ends later. */
const untriedPatience = 5;

/** Jobs that were under way when the last lane closed end meanwhile; a look takes a second. */
const blockedLooks = 5;

/**
 * Takes results until the results queue is empty and no job is left on a queue or in the table, twice in a row, or
 * nothing moves any more; one of each result id.
 */
export async function collectResults(sqs: SQSClient, collecting: Collecting): Promise<Result[]> {
  const {
    jobsQueueUrls,
    checksQueueUrl,
    inTable = async () => 0,
    behindAnother = async () => 0,
    resultsQueueUrl,
    onMessage,
    onProgress,
    mayEnd = () => true,
    patienceMs = stuckAfterMs,
    interruption,
    isBlocked = () => false,
  } = collecting;
  const depthOf = async (urls: readonly string[]) =>
    (await Promise.all(urls.map((url) => queueDepth(sqs, url)))).reduce((sum, depth) => sum + depth, 0);
  const results = new Map<string, Result>();
  let lastChangeMs = Date.now();
  let [fewestQueued, fewestWaiting] = [Infinity, Infinity];
  let blocked = 0;
  for (let empty = 0; empty < 2;) {
    const messages = await takeMessages(sqs, resultsQueueUrl, 1);
    for (const { Body = '' } of messages) {
      onMessage?.(Body);
      const result = JSON.parse(Body) as Result | BatchResult;
      // A batch result counts what the results of its orders say already.
      if (!('kind' in result)) results.set(result.resultId, result);
    }
    // The queues first: what goes from there to the table meanwhile is counted twice, and never missed.
    const checksQueueUrls = checksQueueUrl === undefined ? [] : [checksQueueUrl];
    const [queued, checks] = await Promise.all([depthOf(jobsQueueUrls), depthOf(checksQueueUrls)]);
    const waiting = queued + checks + (await inTable());
    // Parked jobs come back to the queue: only fewer than ever before is a change.
    const isChange = messages.length > 0 || queued < fewestQueued || waiting < fewestWaiting || !mayEnd();
    if (isChange) lastChangeMs = Date.now();
    fewestQueued = Math.min(fewestQueued, queued);
    fewestWaiting = Math.min(fewestWaiting, waiting);
    empty = messages.length === 0 && waiting === 0 && mayEnd() ? empty + 1 : 0;
    const idleMs = Date.now() - lastChangeMs;
    const longestMs = Math.max(patienceMs, Math.min(untriedPatience * patienceMs, stuckAfterMs));
    if (idleMs > longestMs || (idleMs > patienceMs && queued + (await behindAnother()) === 0)) break;
    if (interruption?.aborted) break;
    blocked = messages.length === 0 && isBlocked([...results.values()]) ? blocked + 1 : 0;
    if (blocked === blockedLooks) break;
    onProgress?.([...results.values()], waiting);
  }
  return [...results.values()];
}

/** Ids of the dead letters' messages as they were first sent; the letters stay where they are. */
export async function deadLetterIds(client: SQSClient, queueUrls: QueueUrls): Promise<string[]> {
  const ids: string[] = [];
  const deadLetters = createSqsDeadLetters({
    client,
    jobsQueueUrl: queueUrls.jobs,
    batchJobsQueueUrl: queueUrls.batchJobs,
    deadLetterQueueUrl: queueUrls.jobsDeadLetter,
  });
  const walk = async (letters: readonly DeadMessage[]) => (ids.push(...letters.map(originOf)), {});
  await scanDeadLetters(walk, { deadLetters, clock: systemClock });
  return ids;
}
