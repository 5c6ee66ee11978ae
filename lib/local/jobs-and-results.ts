// Both ends of the queues: puts jobs on one, takes results off the other until nothing is left of the jobs.
import {
  ChangeMessageVisibilityBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { BatchResult } from '../batches/batch-result.ts';
import type { JobQueueUrls } from '../client/sqs-send-jobs.ts';
import { parseJob } from '../payout/message/job.ts';
import type { Result } from '../payout/message/result.ts';
import type { SentMessage } from './payments.ts';
import { queueDepth, takeMessages } from './queue-reader.ts';

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
    for (const Entries of callsOf(its)) {
      const { Successful = [], Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
      const [refused] = Failed;
      if (refused) throw new Error(`the jobs queue refused line ${Number(refused.Id) + firstLine}: ${refused.Message}`);
      for (const { Id, MessageId } of Successful)
        sent.push({ line: Number(Id) + firstLine, messageId: MessageId ?? '', body: bodies[Number(Id)] ?? '' });
    }
  }
  return sent.toSorted((a, b) => a.line - b.line);
}

/** Ten messages a call, and no more bytes than a call may have. */
function callsOf<T extends { readonly MessageBody: string }>(entries: readonly T[]): T[][] {
  const calls: T[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const call = calls.at(-1);
    bytes += Buffer.byteLength(entry.MessageBody);
    if (call && call.length < 10 && bytes <= 1_048_576) call.push(entry);
    else {
      calls.push([entry]);
      bytes = Buffer.byteLength(entry.MessageBody);
    }
  }
  return calls;
}

function isRow(body: string): boolean {
  const parsed = parseJob(body);
  return (parsed.kind === 'job' ? parsed.job : parsed.identity).batchId !== undefined;
}

/** How results are collected. */
interface Collecting {
  readonly jobsQueueUrl: string;
  /** Rows of batches that are still to be paid keep the run open too. */
  readonly batchJobsQueueUrl?: string;
  /** How many jobs wait in the table for anything but a person, and orders in theirs; default none. */
  readonly inTable?: () => Promise<number>;
  /** Inquiries that are still to be made keep the run open too. */
  readonly checksQueueUrls?: readonly string[];
  readonly resultsQueueUrl: string;
  /** Every message, copies too, as it came. */
  readonly onMessage?: (body: string) => void;
  /** After each look: different results so far, and what still goes on from the queues of jobs and checks, and the table. */
  readonly onProgress?: (results: readonly Result[], waiting: number) => void;
  /** While false, an empty queue is not the end: more jobs are to come. Default always true. */
  readonly mayEnd?: () => boolean;
  /** Once anything has moved, it ends when nothing has for this long, whatever waits; default two minutes. */
  readonly patienceMs?: number;
  /** How many orders the worker has had in hand; grows while jobs that will wait are tried for the first time. */
  readonly tried?: () => Promise<number>;
  /** How many orders there are to try: until all were, a busy machine has five times the patience. Default: any. */
  readonly orders?: number;
  /** When it is aborted, what is there is taken, and nothing more is waited for. */
  readonly interruption?: AbortSignal;
  /** True where no order that is left can go on by itself: it ends when that has been so for some looks. */
  readonly isBlocked?: (results: readonly Result[]) => boolean;
}

/** An order that is not tried yet says nothing about how it ends. */
const untriedPatience = 5;

/** Jobs that were under way when the last lane closed end meanwhile; a look takes a second. */
const blockedLooks = 5;

/**
 * Takes results until the results queue is empty and no job is left on a queue or in the table, twice in a row, or
 * nothing moves any more; one of each result id.
 */
export async function collectResults(sqs: SQSClient, collecting: Collecting): Promise<Result[]> {
  const {
    jobsQueueUrl,
    batchJobsQueueUrl,
    inTable = async () => 0,
    checksQueueUrls = [],
    resultsQueueUrl,
    onMessage,
    onProgress,
    mayEnd = () => true,
    patienceMs = stuckAfterMs,
    tried = async () => Infinity,
    orders = 1,
    interruption,
    isBlocked = () => false,
  } = collecting;
  const jobsQueueUrls = [jobsQueueUrl, ...(batchJobsQueueUrl === undefined ? [] : [batchJobsQueueUrl])];
  const depthOf = async (urls: readonly string[]) =>
    (await Promise.all(urls.map((url) => queueDepth(sqs, url)))).reduce((sum, depth) => sum + depth, 0);
  const results = new Map<string, Result>();
  let lastChangeMs = Date.now();
  let fewestWaiting = Infinity;
  let triedBefore = 0;
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
    const [jobs, checks] = await Promise.all([depthOf(jobsQueueUrls), depthOf(checksQueueUrls)]);
    const rows = await inTable();
    const waiting = jobs + rows + checks;
    // A job that waits comes to and fro: only fewer than ever before is a change.
    const triedNow = await tried();
    if (messages.length > 0 || waiting < fewestWaiting || triedNow > triedBefore) lastChangeMs = Date.now();
    fewestWaiting = Math.min(fewestWaiting, waiting);
    triedBefore = triedNow;
    empty = messages.length === 0 && waiting === 0 && mayEnd() ? empty + 1 : 0;
    const untried =
      triedNow > 0 ? Math.max(patienceMs, Math.min(untriedPatience * patienceMs, stuckAfterMs)) : stuckAfterMs;
    if (Date.now() - lastChangeMs > (triedNow >= orders ? patienceMs : untried)) break;
    if (interruption?.aborted) break;
    blocked = messages.length === 0 && isBlocked([...results.values()]) ? blocked + 1 : 0;
    if (blocked === blockedLooks) break;
    onProgress?.([...results.values()], waiting);
  }
  return [...results.values()];
}

/** Ids of the dead letters' messages as they were first sent; the letters stay where they are. */
export async function deadLetterIds(sqs: SQSClient, queueUrl: string): Promise<string[]> {
  const letters: Message[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 60,
        MessageAttributeNames: ['originalMessageId'],
      }),
    );
    if (Messages.length === 0) break;
    letters.push(...Messages);
  }
  for (let at = 0; at < letters.length; at += 10) {
    const Entries = letters.slice(at, at + 10).map(({ ReceiptHandle = '' }, index) => ({
      Id: String(index),
      ReceiptHandle,
      VisibilityTimeout: 0,
    }));
    await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
  return letters.map((it) => it.MessageAttributes?.['originalMessageId']?.StringValue ?? it.MessageId ?? '');
}
