// Sends jobs to the jobs queue. Each job is checked as the worker would, its IBAN too, and its card data is sealed. What SQS does not
// take is returned, not thrown. Sending a job again is safe: the same order id is the same order.
import { setTimeout as pause } from 'node:timers/promises';
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { accountFindings } from '../files/payee-checks.ts';
import { parseJob } from '../payout/message/job.ts';
import type { Fault } from '../gateway/fields.ts';
import { sqsBatchSize } from '../payout/limits.ts';
import { messageText } from '../payout/message/json-text.ts';
import { readJob } from '../payout/message/read-job.ts';
import type { JobMessage } from './job-message.ts';
import { SealError, sealJob, type SealOptions } from './jose-seal-job.ts';

/** A job that is on the queue. `index` is its place among the given ones. */
export interface SentJob {
  readonly index: number;
  readonly orderId: string;
  readonly messageId: string;
}

/** A job that is not known to be on the queue; after a time-out it may be there. */
export interface NotSentJob {
  readonly index: number;
  readonly orderId: string;
  readonly reason: NotSentReason;
}

/** Faults of the job itself, or the code with which it was refused. */
export type NotSentReason =
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[] }
  | { readonly kind: 'refused'; readonly code: string };

/** The outcome of all jobs; each is in one of the two lists. */
export interface SendReport {
  readonly sent: readonly SentJob[];
  readonly notSent: readonly NotSentJob[];
}

/** The options of sending. */
export interface SendOptions {
  /** Calls made for a job before it counts as refused; default 5. The SDK's own retries come on top. */
  readonly attempts?: number;
  /** Waits between attempts: 200 ms, then twice as long each time. */
  readonly sleep?: (ms: number) => Promise<unknown>;
  /** The worker's public card keys, for sealing. Without them, a job with plain card data is not sent. */
  readonly seal?: SealOptions;
}

/** The queues of jobs. Jobs of batches have a queue of their own, so that a payday does not delay urgent jobs. */
export interface JobQueueUrls {
  readonly jobs: string;
  /** Default, also if empty: `jobs`. */
  readonly batchJobs?: string;
}

const firstPauseMs = 200;

/**
 * Sends jobs, ten a call, each in its merchant's message group, so that no merchant delays the others. A message that SQS did not
 * take is sent again up to `attempts` times. If a whole call fails each time, the other jobs for that queue are not tried. Never
 * rejects.
 */
export async function sendJobs(
  client: SQSClient,
  queues: string | JobQueueUrls,
  jobs: readonly JobMessage[],
  { attempts = 5, sleep = pause, seal }: SendOptions = {},
): Promise<SendReport> {
  const checked: CheckedJob[] = [];
  // Sealing a CVV stores its key in a table: as many calls at once as one call to SQS has messages.
  for (let at = 0; at < jobs.length; at += sqsBatchSize) {
    const slice = jobs.slice(at, at + sqsBatchSize);
    checked.push(...(await Promise.all(slice.map((job, place) => checkedJob(job, at + place, seal)))));
  }
  const ready = checked.filter((it) => it.kind === 'ready');
  const notSent: NotSentJob[] = checked.filter((it) => it.kind === 'not-sent').map(({ job }) => job);
  const sent: SentJob[] = [];
  const { jobs: jobsUrl, batchJobs: rowsUrl = '' } = typeof queues === 'string' ? { jobs: queues } : queues;
  const batchJobs = rowsUrl === '' ? jobsUrl : rowsUrl;
  for (const queueUrl of new Set([jobsUrl, batchJobs])) {
    const ofQueue = ready.filter(({ ofBatch }) => (ofBatch ? batchJobs : jobsUrl) === queueUrl);
    const report = await sendTo(queueUrl, ofQueue, client, { attempts, sleep });
    sent.push(...report.sent);
    notSent.push(...report.notSent);
  }
  const inOrder = (a: { readonly index: number }, b: { readonly index: number }) => a.index - b.index;
  return { sent: sent.toSorted(inOrder), notSent: notSent.toSorted(inOrder) };
}

async function sendTo(
  queueUrl: string,
  ready: readonly ReadyJob[],
  client: SQSClient,
  { attempts, sleep }: Required<Omit<SendOptions, 'seal'>>,
): Promise<SendReport> {
  const sent: SentJob[] = [];
  const notSent: NotSentJob[] = [];
  let broken: string | undefined;
  for (let at = 0; at < ready.length; at += sqsBatchSize) {
    let open: readonly Untaken[] = ready.slice(at, at + sqsBatchSize).map((job) => ({ job, code: broken ?? '' }));
    for (let attempt = 1; open.length > 0 && broken === undefined && attempt <= attempts; attempt += 1) {
      if (attempt > 1) await sleep(firstPauseMs * 2 ** (attempt - 2));
      const answer = await sendOnce(client, queueUrl, open);
      sent.push(...answer.sent);
      notSent.push(...answer.refused);
      open = answer.open;
      if (attempt === attempts) broken = answer.broken;
    }
    notSent.push(...open.map(refusal));
  }
  return { sent, notSent };
}

/** A job that may be sent. */
interface ReadyJob {
  readonly kind: 'ready';
  readonly index: number;
  readonly orderId: string;
  readonly body: string;
  readonly groupId: string;
  readonly ofBatch: boolean;
}

/** A job that SQS has not taken, and the code of the last refusal. */
interface Untaken {
  readonly job: ReadyJob;
  readonly code: string;
}

type CheckedJob = ReadyJob | { readonly kind: 'not-sent'; readonly job: NotSentJob };

async function checkedJob(job: JobMessage, index: number, seal: SealOptions | undefined): Promise<CheckedJob> {
  const notSent = (reason: NotSentReason): CheckedJob => ({
    kind: 'not-sent',
    job: { index, orderId: orderIdOf(job), reason },
  });
  const faulty = (faults: readonly Fault[]) => notSent({ kind: 'faulty', faults });
  const clear = bodyOf(job);
  if (clear === undefined) return faulty([{ field: 'message', fault: 'cannot be written as JSON' }]);
  const read = parseJob(clear);
  if (read.kind === 'rejected') return faulty(read.faults);
  let body = clear;
  try {
    if (seal) body = messageText(await sealJob(job, seal));
  } catch (error) {
    if (!(error instanceof SealError)) return notSent({ kind: 'refused', code: codeOf(error) });
    return faulty([{ field: 'sealedParams', fault: error.message }]);
  }
  const sealed = readJob(body);
  if (sealed.kind === 'refused') return faulty([{ field: 'message', fault: sealed.failure.message }]);
  const accountFaults = accountFindings(read.job, new Map()).flatMap((it) =>
    'fault' in it ? [{ field: it.path, fault: it.fault }] : [],
  );
  if (accountFaults.length > 0) return faulty(accountFaults);
  const { orderId, merchant, batchId } = read.job;
  return { kind: 'ready', index, orderId, body, groupId: merchant, ofBatch: batchId !== undefined };
}

/** Takes any value: programs without types may give one. */
const orderIdOf = (job: unknown): string =>
  typeof job === 'object' && job !== null && 'orderId' in job && typeof job.orderId === 'string' ? job.orderId : '';

function bodyOf(job: JobMessage): string | undefined {
  try {
    return messageText(job);
  } catch {
    return undefined;
  }
}

const refusal = ({ job: { index, orderId }, code }: Untaken): NotSentJob => ({
  index,
  orderId,
  reason: { kind: 'refused', code },
});

/** The code of an error of the system or of AWS, such as `ECONNREFUSED` or `AccessDenied`. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** The answer to one call. `broken`: the code if the call failed as a whole. */
interface Answer {
  readonly sent: readonly SentJob[];
  /** Refused as the sender's fault: the same call would be refused again. */
  readonly refused: readonly NotSentJob[];
  readonly open: readonly Untaken[];
  readonly broken?: string;
}

async function sendOnce(client: SQSClient, queueUrl: string, ready: readonly Untaken[]): Promise<Answer> {
  const Entries = ready.map(({ job: { body, groupId } }, index) => ({
    Id: String(index),
    MessageBody: body,
    MessageGroupId: groupId,
  }));
  try {
    const answer = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    const taken = new Map((answer.Successful ?? []).map(({ Id, MessageId = '' }) => [Number(Id), MessageId]));
    const failed = new Map((answer.Failed ?? []).map((it) => [Number(it.Id), it]));
    const sent: SentJob[] = [];
    const refused: NotSentJob[] = [];
    const open: Untaken[] = [];
    for (const [place, { job }] of ready.entries()) {
      const messageId = taken.get(place);
      const { Code: code = 'Unanswered', SenderFault = false } = failed.get(place) ?? {};
      if (messageId !== undefined) sent.push({ index: job.index, orderId: job.orderId, messageId });
      else if (SenderFault) refused.push(refusal({ job, code }));
      else open.push({ job, code });
    }
    return { sent, refused, open };
  } catch (error) {
    const broken = codeOf(error);
    return { sent: [], refused: [], open: ready.map(({ job }) => ({ job, code: broken })), broken };
  }
}
