// The disposition of a message: done, again, or a dead letter, and what is published first. submit-job.ts chooses it, end-delivery.ts
// carries it out.
import { endsForGood, type Failure } from '../message/failures.ts';
import { type Limits, longestWaitDays } from '../limits.ts';
import { identityOf, type Job, type JobIdentity } from '../message/job.ts';
import { fold, type HoldReason } from '../order/fold.ts';
import type { Order } from '../order/order.ts';
import { resultToTell } from '../order/record.ts';
import { viewOf } from '../order/view.ts';
import type { Clock, Random } from '../ports.ts';
import { type AboutMessage, rejection, type Result, reusedOrderId } from '../message/result.ts';
import type { ReadJob } from '../message/read-job.ts';
import { growingDelaySeconds, retryDelaySeconds } from '../retry-policy.ts';
import type { Slot } from '../lanes/lane.ts';
import type { WaitName } from '../waiting/waits.ts';
import { restsUntilMs } from './claim.ts';
import type { Sent } from './send.ts';
import type { AttemptAnswer } from './write-answer.ts';

/** One delivery of a message: by SQS, or from the table `waiting`, which keeps it. */
export interface JobDelivery {
  /** SQS's id of the message. */
  readonly messageId: string;
  /** When that message was sent (epoch ms). */
  readonly sentAtMs?: number;
  readonly body: string;
  /** The body as it was read, once for all who ask. */
  readonly read: ReadJob;
  /** Earlier looks at the message that left it waiting. */
  readonly waits: number;
  /** From the table: no receive of it is the last. */
  readonly isKept?: true;
  /** Leave to send the job, which its line has taken for it. */
  readonly slot?: Slot;
  /** How often the message came back from the dead-letter queue. */
  readonly redrives?: number;
}

/** The next step of the message. */
export type Disposition = {
  /** Published to the merchant before the message may leave the queue. */
  readonly result?: Result;
  /** The order as it is now, where there is one. */
  readonly order?: Order;
  /** Set by the delivery that wrote the order's answer: the gateway is asked about the order from now on. */
  readonly begins?: true;
} & (
  | { readonly kind: 'done' }
  /** An error that nobody foresaw: the message comes back by its visibility time-out. */
  | { readonly kind: 'retry'; readonly delaySeconds: number }
  | {
      readonly kind: 'wait';
      /** A row of the table of waits. */
      readonly because: WaitName;
      readonly delaySeconds: number;
      /** The answer that could not be written: it goes to the worker's own queue, and the message comes back. */
      readonly answer?: AttemptAnswer;
      readonly failure?: Failure;
    }
  /** `sealSpent`: the message's seal can't be opened any more, so it is not kept. */
  | { readonly kind: 'dead-letter'; readonly reason: Failure; readonly sealSpent?: true }
);

/** The ports that say when a message comes back. */
export interface DispositionPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: Limits;
}

/** Seconds to the next look: three times as many at each. */
export const growingSeconds = (
  { waits }: Pick<JobDelivery, 'waits'>,
  { random, limits }: Pick<DispositionPorts, 'random' | 'limits'>,
): number => retryDelaySeconds({ receiveCount: waits + 1, chance: random.chance() }, limits);

/**
 * Another worker is at the order, until then at the latest; nobody knows until when where that is absent or past. Most are
 * done in a second or two, so the message looks again earlier and then ever later: the sender of a duplicate should not
 * wait for a whole lease.
 */
export function waitUntil(untilMs: number | undefined, message: JobDelivery, ports: DispositionPorts): Disposition {
  const nowMs = ports.clock.nowMs();
  const isAhead = untilMs !== undefined && untilMs > nowMs;
  const leaseOverSeconds = isAhead ? Math.ceil((untilMs - nowMs) / 1000) + 1 : Infinity;
  return { kind: 'wait', because: 'busy', delaySeconds: Math.min(leaseOverSeconds, growingSeconds(message, ports)) };
}

/**
 * The invocation has no time left for the message. The next one has all of its own, so at once; but a function whose time-out
 * is too short for a single send must not spin, so a message that comes round again waits longer each time.
 */
export function inAnotherInvocation({ waits }: JobDelivery, ports: DispositionPorts): Disposition {
  const delaySeconds = waits === 0 ? 0 : growingSeconds({ waits: waits - 1 }, ports);
  return { kind: 'wait', because: 'no-time', delaySeconds };
}

/** A restored ledger may have lost the order: nothing may be concluded before the restore is ended. */
export const lostOrder = {
  code: 'LEDGER_RESTORED',
  message: 'the ledger was restored and may have lost this order: it waits until the restore is ended',
} as const satisfies Failure;

/** The entry was written by newer code, or under a key that this worker does not have. */
export function unreadableEntry(why: string, message: JobDelivery, ports: DispositionPorts): Disposition {
  const failure = { code: 'LEDGER_ENTRY_UNREADABLE', message: why } as const;
  return waitWithoutOrder('ledger', failure, undefined, message, ports);
}

/** The order stays as it is; its result is published (again). A message that was never sent is kept where it can be redriven. */
export function resultOnly(order: Order): Disposition {
  const view = viewOf(order);
  const result = resultToTell(order);
  const shown = { order, ...(result && { result }) };
  const redrivable = view.state === 'failed' && view.failure && !endsForGood.has(view.failure.code);
  return redrivable && view.failure
    ? { kind: 'dead-letter', reason: view.failure, ...shown }
    : { kind: 'done', ...shown };
}

/**
 * The order stays as it is; its result is published (again). While nobody knows whether it was taken, the message stays:
 * should the order end unpaid, it may be all that is left to send it from. A message that waited too long is a dead letter.
 */
export function resultOrKept(order: Order, message: JobDelivery, ports: DispositionPorts): Disposition {
  const published = resultOnly(order);
  if (!isUndecided(order)) return published;
  if (hasWaitedTooLong(message, ports))
    return { ...published, kind: 'dead-letter', reason: waitedTooLong(viewOf(order).failure) };
  const result = (message.waits === 0 || order.unpublished) && published.result;
  return { ...waitSteadily('kept', undefined, message, ports), order, ...(result && { result }) };
}

const undecidedHolds: ReadonlySet<HoldReason> = new Set(['unproven', 'not-at-gateway', 'inconclusive']);

function isUndecided({ facts }: Order): boolean {
  const status = fold(facts);
  return status.kind === 'in-doubt' || (status.kind === 'held' && undecidedHolds.has(status.reason));
}

/** The message that a result is about: the result has the message's own id and time, so that each delivery gives the same. */
export function aboutMessage({ messageId, sentAtMs }: JobDelivery, clock: Pick<Clock, 'nowMs'>): AboutMessage {
  return { messageId, nowMs: sentAtMs ?? clock.nowMs() };
}

/** A message that can't be taken: its sender gets the reason. It is kept for a person, who may mend it, unless time ended it. */
export function refuse(
  reason: Failure,
  identity: JobIdentity,
  message: JobDelivery,
  { clock }: DispositionPorts,
): Disposition {
  const result = rejection({ ...aboutMessage(message, clock), identity, failure: reason });
  return endsForGood.has(reason.code) ? { kind: 'done', result } : { kind: 'dead-letter', reason, result };
}

/** The order id has other content, or another account: that order is left alone, and the result is about the message. */
export function reused(
  job: Job,
  message: JobDelivery,
  { clock }: DispositionPorts,
  failure: Failure = reusedOrderId,
): Disposition {
  return { kind: 'done', result: rejection({ ...aboutMessage(message, clock), identity: identityOf(job), failure }) };
}

/** A person's decision keeps the job: it asks again when it has waited as long again, or as soon as asking is of use. */
export function waitSteadily(
  because: WaitName,
  untilMs: number | undefined,
  { sentAtMs }: JobDelivery,
  { clock, limits }: DispositionPorts,
): Extract<Disposition, { kind: 'wait' }> {
  const nowMs = clock.nowMs();
  const waitedSeconds = Math.floor((nowMs - (sentAtMs ?? nowMs)) / 1000);
  const growing = Math.max(limits.leaveRetrySeconds, Math.min(waitedSeconds, limits.retryMaxDelaySeconds));
  const seconds = untilMs === undefined ? growing : Math.ceil((untilMs - clock.nowMs()) / 1000);
  return { kind: 'wait', because, delaySeconds: Math.max(seconds, 1) };
}

/**
 * True where the message waited as long as SQS itself would keep it. It is a dead letter then: a person or a redrive may begin it
 * anew.
 */
export function hasWaitedTooLong({ sentAtMs }: JobDelivery, { clock }: Pick<DispositionPorts, 'clock'>): boolean {
  return sentAtMs !== undefined && clock.nowMs() - sentAtMs >= longestWaitDays * 86_400_000;
}

/** The reason of a dead letter, and what it waited for at last, where it was tried. */
export function waitedTooLong(last?: Failure): Failure {
  const why = last ? `: ${last.message}` : ' and was never sent';
  return { ...last, code: 'WAITED_TOO_LONG', message: `it waited for ${longestWaitDays} days${why}` };
}

/** Something must be mended first: the job waits unharmed, ever longer. */
export function waitWithoutOrder(
  because: 'secret' | 'ledger',
  failure: Failure,
  untilMs: number | undefined,
  message: JobDelivery,
  ports: DispositionPorts,
): Disposition {
  const until = untilMs === undefined ? 0 : Math.ceil((untilMs - ports.clock.nowMs()) / 1000);
  return { kind: 'wait', because, delaySeconds: Math.max(growingSeconds(message, ports), until), failure };
}

/** A job that was too fast for the gateway asks its lane again after so long. */
const pacedSeconds = 2;

/** An order that is proven not sent waits unharmed, about as long again as it is old. */
export function waitsUnsent(
  order: Order,
  { retryAfterSeconds, isPaced = false }: Pick<Sent, 'retryAfterSeconds' | 'isPaced'>,
  { sentAtMs }: JobDelivery,
  { clock, random, limits }: DispositionPorts,
): Disposition {
  const [nowMs, restMs] = [clock.nowMs(), restsUntilMs(order.facts, limits) - clock.nowMs()];
  const it = {
    // The lane paces an order that was too fast.
    ageSeconds: isPaced ? 0 : (nowMs - (sentAtMs ?? nowMs)) / 1000,
    chance: random.chance(),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
  const rhythm = isPaced ? { ...limits, retryFirstDelaySeconds: pacedSeconds } : limits;
  const delaySeconds = Math.max(growingDelaySeconds(it, rhythm), Math.ceil(restMs / 1000));
  return { kind: 'wait', because: 'unsent', order, delaySeconds };
}

/** The answer could not be written: the message comes back, longer each time, while the answer goes another way. */
export function waitWith(answer: AttemptAnswer, message: JobDelivery, ports: DispositionPorts): Disposition {
  return { kind: 'wait', because: 'answer', delaySeconds: growingSeconds(message, ports), answer };
}
