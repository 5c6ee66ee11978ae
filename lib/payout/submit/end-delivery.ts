// CARRIES OUT THE END OF A DELIVERY. First its result is published, or is marked in the ledger to be published later. Only then the message
// is acknowledged, parked or made a dead letter. A message is acknowledged once it is parked, and a parked job is removed once it has
// ended. A living worker repeats this last write, because a job without it counts as one that crashed its worker.
import { holdsCardData } from '../../gateway/redact.ts';
import type { OwnMessage } from '../inquire/own-queue.ts';
import { errorFields } from '../log-fields.ts';
import type { Failure } from '../message/failures.ts';
import { cutBody } from '../message/read-job.ts';
import type { Result } from '../message/result.ts';
import { waitedTooLong } from '../order/ends.ts';
import type { MetricsRecorder } from '../metrics-recorder.ts';
import type { Clock, DeadLetter, Log } from '../ports.ts';
import { publish } from '../publish.ts';
import type { Outbox } from '../run-records.ts';
import { broughtForward, commonLineMs, park, type ParkPorts } from '../wait/park.ts';
import { isUnproven, parkedOfOrder, type ParkedJob } from '../wait/parked-job.ts';
import { waitsInLine } from '../wait/reasons.ts';
import { firstSentMs, type JobEnd, hasWaitedTooLong, type JobDelivery, type WaitEnd, waits } from './end.ts';
import type { SubmitPorts } from './submit-job.ts';

/** The outboxes by which messages leave in tens. */
export interface Outboxes {
  readonly results: Outbox<Result>;
  readonly deadLetters: Outbox<DeadLetter>;
  /** Answers that could not be written. */
  readonly answers: Outbox<OwnMessage>;
}

/** The ports of carrying out. */
type CarryOutPorts = SubmitPorts &
  ParkPorts & {
    readonly recorder: MetricsRecorder;
    readonly log: Log;
    /** Called for a job that could not be parked. */
    readonly unparked: () => void;
  };

/** True if the message may be acknowledged; otherwise it comes again. A parked job is settled either way. */
export async function endDelivery(
  chosen: JobEnd,
  message: JobDelivery,
  outboxes: Outboxes,
  ports: CarryOutPorts,
): Promise<boolean> {
  const end = await carriedOut(isOver(chosen, message, ports) ? givenUp(chosen) : chosen, message, outboxes, ports);
  const { parked } = message;
  if (parked) return endParked(end, parked, message, outboxes, ports);
  if (end.kind === 'done') return true;
  return parkMessage(end, message, outboxes, ports);
}

/** What is left to do once result, answer and dead letter are sent. */
type Left = { readonly kind: 'done' } | WaitEnd;

async function carriedOut(end: JobEnd, message: JobDelivery, outboxes: Outboxes, ports: CarryOutPorts): Promise<Left> {
  const unpublished = (): WaitEnd => ({
    ...waits('unpublished', message, ports),
    isUnproven: end.isUnproven,
  });
  if (!(await isPublishedOrMarked(end, message, outboxes, ports))) return unpublished();
  switch (end.kind) {
    case 'done':
      return end;
    case 'wait':
      if (end.answer) await outboxes.answers.add({ message: { kind: 'answer', ...end.answer }, delaySeconds: 0 });
      return end;
    case 'dead':
      return (await outboxes.deadLetters.add(deadLetterOf(end, message, ports))) ? { kind: 'done' } : unpublished();
    default:
      return end satisfies never;
  }
}

const isOver = (end: JobEnd, message: JobDelivery, ports: CarryOutPorts): boolean =>
  end.kind === 'wait' && !end.answer && end.because !== 'unopened' && hasWaitedTooLong(message, ports);

/** A job that has waited too long becomes a dead letter. */
function givenUp(end: JobEnd): JobEnd {
  const { result, order } = end;
  const failure = end.kind === 'wait' ? end.failure : undefined;
  return { kind: 'dead', reason: waitedTooLong(failure), result, order };
}

async function parkMessage(
  end: WaitEnd,
  message: JobDelivery,
  outboxes: Outboxes,
  ports: CarryOutPorts,
): Promise<boolean> {
  const { read } = message;
  // Only a job can be parked: any other message comes again.
  if (read.kind !== 'job') return false;
  try {
    const { because, goAtMs, isUnproven: hasNoProof = false } = end;
    const put = await park({ job: read.job, message, because, goAtMs, isUnproven: hasNoProof }, ports);
    if (put === 'parked') return true;
  } catch (error) {
    const { merchant, orderId } = read.job;
    ports.log.write('warn', 'waiting-failed', { merchant, orderId, ...errorFields(error) });
    ports.unparked();
    return false;
  }
  return outboxes.deadLetters.add(deadLetterOf({ reason: tooMany }, message, ports));
}

const tooMany = {
  code: 'TOO_MANY_WAITING',
  message: `${parkedOfOrder} other messages of its order wait`,
} as const satisfies Failure;

async function endParked(
  end: Left,
  parked: ParkedJob,
  message: JobDelivery,
  outboxes: Outboxes,
  ports: CarryOutPorts,
): Promise<boolean> {
  const { waiting, clock } = ports;
  const isProvenNow = end.kind === 'wait' && isUnproven(parked) && !end.isUnproven;
  const isMoved = isProvenNow && (await parkMessage(end, message, outboxes, ports));
  if (end.kind === 'done' || isMoved) {
    await insist(() => waiting.jobs.remove(parked), clock);
    return true;
  }
  const { because } = end;
  const isInLine = waitsInLine(because);
  const goAtMs = isInLine && !parked.lane ? clock.nowMs() + commonLineMs : end.goAtMs;
  // A beginning without a turn does not count.
  const to = { because, goAtMs, begun: isInLine ? Math.max(parked.begun - 1, 0) : 0 };
  await insist(() => waiting.jobs.move(parked, parked.goAtMs, to), clock);
  return true;
}

const insistsMs = 10_000;

/** Repeats the write while it fails, with pauses of 15 s in all; then rejects. */
export async function insist<T>(write: () => Promise<T>, { sleep }: Pick<Clock, 'sleep'>): Promise<T> {
  for (let ms = 500; ; ms *= 2)
    try {
      return await write();
    } catch (error) {
      if (ms > insistsMs) throw error;
      await sleep(ms);
    }
}

/** True if the result is published, or its order is marked so that the leader publishes it. */
async function isPublishedOrMarked(
  { result, order }: JobEnd,
  message: JobDelivery,
  { results }: Pick<Outboxes, 'results'>,
  ports: CarryOutPorts,
): Promise<boolean> {
  if (!result) return true;
  // A new result may end other parked jobs of the order. At version 2 (a claim and its answer) only a copy can be parked, and it comes
  // again within seconds: the table need not be asked.
  const isNews = order?.unpublished && (message.cameBefore || order.version > 2);
  const isReady = !isNews || (await broughtForward(order.key, ports, message.parked?.digest));
  const isPublished = isReady && (await publish(result, order, results.add, ports));
  return isPublished || order?.unpublished === true;
}

/** The dead letter of a message. Its body leaves out what may not be kept. */
function deadLetterOf(
  end: Pick<Extract<JobEnd, { kind: 'dead' }>, 'reason' | 'sealSpent'>,
  message: JobDelivery,
  { recorder }: CarryOutPorts,
): DeadLetter {
  const { body, read, messageId, redrives, groupId, parked } = message;
  const clean = cutBody(body, read, end);
  if (clean.cut) recorder.add('plainCardDataRefused');
  return {
    body: clean.body,
    reason: end.reason,
    originMessageId: messageId,
    firstSentAtMs: firstSentMs(message),
    place: parked && { key: parked.key, digest: parked.digest },
    redrives,
    groupId: groupId === undefined || holdsCardData(groupId) ? undefined : groupId,
  };
}
