// A message of the queue of lines: a slice of a line is taken and submitted, or rows that are over are ended. Each row is read
// anew before it goes, and goes the way of every job.
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { Controls } from '../operate/control.ts';
import { errorFields } from '../log-fields.ts';
import type { LaneName, Slot } from '../lanes/lane.ts';
import { retryDelaySeconds } from '../retry-policy.ts';
import { observeReturning } from '../run-records.ts';
import type { JobDelivery } from '../submit/disposition.ts';
import { beginJobs, type JobsPorts, runRow, type JobsInvocation } from '../submit/run-jobs.ts';
import { beginLine } from './begin-line.ts';
import { openBody } from './body-seal.ts';
import { type LineSlice, takeSlice } from './drain-lane.ts';
import { readLineTask } from './lines-queue.ts';
import type { RowPlace, WaitingRow } from './waiting-row.ts';
import { readJob } from '../message/read-job.ts';

/** The ports of the batch. */
export interface LinePorts extends JobsPorts {
  readonly controls: Controls;
}

/** A row that moved meanwhile is another worker's. */
const movedMs = 1_000;
const probeAgainMs = 1_000;

/** Works on messages of the queue of lines and answers Lambda. */
export async function runLines(
  records: readonly SQSRecord[],
  deadlineMs: number,
  ports: LinePorts,
): Promise<SQSBatchResponse> {
  const failed: string[] = [];
  for (const record of records) {
    const { body, messageId, attributes } = record;
    const invocation = beginJobs(ports);
    observeReturning([record], 'lineReceives', invocation.ports.recorder);
    try {
      const isAgain = Number(attributes.ApproximateReceiveCount) > 1;
      await runTask({ body, isAgain }, deadlineMs, invocation, ports);
    } catch (error) {
      ports.log.write('error', 'line-failed', { messageId, ...errorFields(error) });
      failed.push(messageId);
    }
    invocation.flush();
    await invocation.ended();
  }
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}

async function runTask(
  { body, isAgain }: { readonly body: string; readonly isAgain: boolean },
  deadlineMs: number,
  invocation: JobsInvocation,
  ports: LinePorts,
): Promise<void> {
  const task = readLineTask(body);
  // Newer code wrote it, or nobody of ours.
  if (!task) return ports.log.write('warn', 'line-failed', { errorName: 'unreadable' });
  switch (task.kind) {
    case 'line': {
      const slice = await takeSlice({ ...task, isAgain }, ports);
      const { isSuspect, lane } = slice;
      const work = [
        ...slice.heads.map(
          (head) => () => runPlace(head, { lane, leave: head.leave, deadlineMs, isSuspect }, invocation, ports),
        ),
        ...slice.held.map((place) => () => runPlace(place, { deadlineMs, isSuspect }, invocation, ports)),
      ];
      await (isSuspect ? oneByOne(work) : Promise.all(work.map((it) => it())));
      if (slice.heads.some(({ leave }) => leave.probe)) await probeOnceMore(slice, ports);
      return;
    }
    case 'rows':
      return oneByOne(task.rows.map((it) => () => runPlace(it, { deadlineMs, isSuspect: isAgain }, invocation, ports)));
    default:
      return task satisfies never;
  }
}

/** Where nothing was sent in a probe, as its row was over, the next one need not wait for the next look. */
async function probeOnceMore({ lane, caps }: LineSlice, ports: LinePorts): Promise<void> {
  await ports.pacing.settled();
  const look = await ports.pacing.look(lane, caps);
  if (look.kind === 'known' && look.decision.kind === 'probe') await beginLine(lane, ports, probeAgainMs);
}

async function oneByOne(work: readonly (() => Promise<void>)[]): Promise<void> {
  for (const one of work) await one();
}

interface HowToRun {
  readonly lane?: LaneName;
  readonly leave?: Slot;
  readonly deadlineMs: number;
  readonly isSuspect: boolean;
}

/** A row that went wrong stays in the table, later and later, so that it keeps nobody behind it from the lane. */
async function runPlace(place: RowPlace, how: HowToRun, invocation: JobsInvocation, ports: LinePorts): Promise<void> {
  const { waiting, pacing, clock, log } = ports;
  const { lane, leave } = how;
  let row: WaitingRow | undefined;
  try {
    row = await waiting.rows.read(place);
    // A place of which there was no leave to send is looked at whatever its moment: it may be over.
    if (!row || (leave && row.goAtMs > clock.nowMs() + movedMs)) return;
    const message = messageOfRow(row, await openBody(row, waiting.dataKeys), leave);
    const carryOut = await runRow(row, message, how, invocation);
    const ended = carryOut();
    invocation.flush();
    await ended;
  } catch (error) {
    log.write('error', 'waiting-failed', { orderKey: place.key, ...errorFields(error) });
    if (row) await waitsLater(row, invocation, ports);
  } finally {
    // A reported slot is known no more.
    if (lane && leave) pacing.giveBack(lane, leave);
  }
}

async function waitsLater(row: WaitingRow, { outboxes }: JobsInvocation, ports: LinePorts): Promise<void> {
  const { waiting, clock, random, limits } = ports;
  const delaySeconds = retryDelaySeconds({ receiveCount: row.waits, chance: random.chance() }, limits);
  const to = { goAtMs: clock.nowMs() + delaySeconds * 1000, because: 'unopened' } as const;
  // Where that fails too, the line finds it at its head.
  if (await waiting.rows.move(row, to).catch(() => false)) outboxes.joined({ ...row, ...to });
}

const messageOfRow = (row: WaitingRow, body: string, leave: Slot | undefined): JobDelivery => ({
  messageId: row.messageId,
  sentAtMs: row.sinceMs,
  body,
  read: readJob(body),
  waits: row.waits,
  isKept: true,
  ...(row.redrives !== undefined && { redrives: row.redrives }),
  ...(leave && { slot: leave }),
});
