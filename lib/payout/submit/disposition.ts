// What is to become of a message once its job has come to an end of some kind. submit-job.ts chooses, end-delivery.ts
// carries it out.
import { cutBody } from '../message/card-fields.ts';
import { endsForGood, type Failure } from '../message/failures.ts';
import { type Limits, longestWaitDays } from '../limits.ts';
import type { JobIdentity } from '../message/job.ts';
import { fold, type HoldReason } from '../order/fold.ts';
import type { Order } from '../order/order.ts';
import { resultToTell } from '../order/record.ts';
import { viewOf } from '../order/view.ts';
import type { Clock, Random } from '../ports.ts';
import { rejection, type Result, reusedOrderId, type WordAbout } from '../message/result.ts';
import { growingDelaySeconds, retryDelaySeconds } from '../retry-policy.ts';
import { restsUntilMs } from './claim.ts';
import type { Sent } from './send.ts';
import type { AttemptAnswer } from './write-answer.ts';

/** One delivery of a message from the jobs queue. */
export interface JobDelivery {
  /** Of the message that the sender sent; its copies keep it. */
  readonly originMessageId: string;
  /** When that message was sent (epoch ms); its copies keep it. */
  readonly sentAtMs?: number;
  readonly body: string;
  readonly receiveCount: number;
  /** How often it was copied to wait. */
  readonly waits: number;
  /** Its turn in the line of its lane. */
  readonly turn?: number;
  /** How often it came back from the dead-letter queue. */
  readonly redrives?: number;
}

/** What is to become of the message. */
export type Disposition = {
  /** Told to the merchant before the message may leave the queue. */
  readonly result?: Result;
  /** The order as it stands, where there is one. */
  readonly order?: Order;
  /** This delivery has written the order's answer: the gateway is asked about it from now on. */
  readonly begins?: true;
} & (
  | { readonly kind: 'done' }
  /** Comes back by partial batch response; counts as a failed receive. */
  | { readonly kind: 'retry'; readonly delaySeconds: number; readonly failure?: Failure }
  /** Goes round as a fresh copy: waiting must not use up the receives. */
  | {
      readonly kind: 'wait';
      readonly delaySeconds: number;
      /** Coming later than after this delay would be late: the world itself has named the moment. */
      readonly isExact?: true;
      readonly turn?: number;
      /** What was said of it, where nothing has failed (gates.ts). */
      readonly because?: string;
      /** Could not be written: it goes to the worker's own queue, and the message comes back. */
      readonly answer?: AttemptAnswer;
      readonly failure?: Failure;
    }
  /** `sealSpent`: the message's seal can't be opened any more, so it is not kept either. */
  | { readonly kind: 'dead-letter'; readonly reason: Failure; readonly sealSpent?: true }
);

/** What it takes to say when a message comes back. */
export interface DispositionPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: Limits;
}

/**
 * Somebody else is at the order, until then at the latest; nobody knows until when where that is absent or past. Most are
 * done in a second or two, so it looks again earlier and then ever later: the sender of a duplicate should not wait for a
 * whole lease.
 */
export function waitUntil(untilMs: number | undefined, { waits }: JobDelivery, ports: DispositionPorts): Disposition {
  const nowMs = ports.clock.nowMs();
  const growingSeconds = retryDelaySeconds({ receiveCount: waits + 1, chance: ports.random.chance() }, ports.limits);
  const isAhead = untilMs !== undefined && untilMs > nowMs;
  const leaseOverSeconds = isAhead ? Math.ceil((untilMs - nowMs) / 1000) + 1 : Infinity;
  return { kind: 'wait', delaySeconds: Math.min(leaseOverSeconds, growingSeconds) };
}

/**
 * This invocation has no time left for it. The next one has all of its own, so at once; but a function whose time-out
 * is too short for a single send must not spin, so a message that comes round again waits longer each time.
 */
export function inAnotherInvocation({ waits }: JobDelivery, { random, limits }: DispositionPorts): Disposition {
  if (waits === 0) return { kind: 'wait', delaySeconds: 0 };
  return { kind: 'wait', delaySeconds: retryDelaySeconds({ receiveCount: waits, chance: random.chance() }, limits) };
}

/** The entry was written by newer code, or under a key that this worker does not have. */
export const unreadableEntry = (message: string): Failure => ({ code: 'LEDGER_ENTRY_UNREADABLE', message });

/** The order stands; its result is told (again). What was never sent is kept where it can be redriven. */
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
 * The order stands; its result is told (again). While nobody knows whether it was taken, the message stays: should the order end
 * unpaid, it may be all that is left to send it from. Card data in the clear is not kept for that. What waited too long is a dead
 * letter.
 */
export function resultOrKept(order: Order, message: JobDelivery, ports: DispositionPorts): Disposition {
  const told = resultOnly(order);
  if (!isUndecided(order) || cutBody(message.body).cut) return told;
  // Each copy of it is a new message to SQS, which would never forget it.
  if (hasWaitedTooLong(message, ports))
    return { ...told, kind: 'dead-letter', reason: waitedTooLong(viewOf(order).failure) };
  const isFirst = message.receiveCount === 1 && message.waits === 0;
  const result = (isFirst || order.unpublished) && told.result;
  return { ...waitSteadily(undefined, message, ports), order, ...(result && { result }) };
}

const undecidedHolds: ReadonlySet<HoldReason> = new Set(['unproven', 'not-at-gateway', 'inconclusive']);

function isUndecided({ facts }: Order): boolean {
  const status = fold(facts);
  return status.kind === 'in-doubt' || (status.kind === 'held' && undecidedHolds.has(status.reason));
}

/** Of a word about a message: it bears the message's own id and time, so that each delivery says the same. */
export function wordAbout(
  { originMessageId: messageId, sentAtMs, receiveCount, waits, redrives = 0 }: JobDelivery,
  clock: Pick<Clock, 'nowMs'>,
): WordAbout {
  return { messageId, nowMs: sentAtMs ?? clock.nowMs(), isRepeated: receiveCount > 1 || waits > 0 || redrives > 0 };
}

/** A message that can't be taken: its sender is told why. It is kept for a person, who may mend it, unless time ended it. */
export function refuse(
  reason: Failure,
  identity: JobIdentity,
  message: JobDelivery,
  { clock }: DispositionPorts,
): Disposition {
  const result = rejection({ ...wordAbout(message, clock), identity, failure: reason });
  return endsForGood.has(reason.code) ? { kind: 'done', result } : { kind: 'dead-letter', reason, result };
}

/** Its order id stands for other content: that order is left alone, and this message is told so. */
export function reused(message: JobDelivery, identity: JobIdentity, { clock }: DispositionPorts): Disposition {
  return { kind: 'done', result: rejection({ ...wordAbout(message, clock), identity, failure: reusedOrderId }) };
}

/** Somebody's word keeps it: it asks again when it has waited as long again, or when it is told that asking is of use. */
export function waitSteadily(
  untilMs: number | undefined,
  { sentAtMs }: JobDelivery,
  { clock, limits }: DispositionPorts,
): Extract<Disposition, { kind: 'wait' }> {
  const nowMs = clock.nowMs();
  const waitedSeconds = Math.floor((nowMs - (sentAtMs ?? nowMs)) / 1000);
  const growing = Math.max(limits.leaveRetrySeconds, Math.min(waitedSeconds, limits.retryMaxDelaySeconds));
  const seconds = untilMs === undefined ? growing : Math.ceil((untilMs - clock.nowMs()) / 1000);
  return { kind: 'wait', delaySeconds: Math.max(seconds, 1), ...(untilMs !== undefined && { isExact: true }) };
}

/** As long as SQS itself would keep it. What waited longer is a dead letter: a person or a redrive may begin it anew. */
export function hasWaitedTooLong({ sentAtMs }: JobDelivery, { clock }: Pick<DispositionPorts, 'clock'>): boolean {
  return sentAtMs !== undefined && clock.nowMs() - sentAtMs >= longestWaitDays * 86_400_000;
}

/** Why it is a dead letter, and what it waited for at last, where it was tried. */
export function waitedTooLong(last?: Failure): Failure {
  const why = last ? `: ${last.message}` : ' and was never sent';
  return { ...last, code: 'WAITED_TOO_LONG', message: `it waited for ${longestWaitDays} days${why}` };
}

/** Something must be mended first: the job waits unharmed, ever longer. */
export function waitWithoutOrder(
  failure: Failure,
  untilMs: number | undefined,
  { waits }: JobDelivery,
  { clock, random, limits }: DispositionPorts,
): Disposition {
  const growing = retryDelaySeconds({ receiveCount: waits + 1, chance: random.chance() }, limits);
  const until = untilMs === undefined ? 0 : Math.ceil((untilMs - clock.nowMs()) / 1000);
  return { kind: 'wait', delaySeconds: Math.max(growing, until), failure };
}

/** Who was too fast for the gateway asks its lane again after so long. */
const pacedSeconds = 2;

/** Proven not sent: it waits unharmed, about as long again as it is old. */
export function waitsUnsent(
  order: Order,
  { retryAfterSeconds, isPaced = false }: Pick<Sent, 'retryAfterSeconds' | 'isPaced'>,
  { sentAtMs, turn = 0 }: JobDelivery,
  { clock, random, limits }: DispositionPorts,
): Disposition {
  const [nowMs, restMs] = [clock.nowMs(), restsUntilMs(order.facts, limits) - clock.nowMs()];
  const it = {
    // Its lane paces whoever was too fast, and it had its turn already.
    ageSeconds: isPaced ? 0 : (nowMs - (sentAtMs ?? nowMs)) / 1000,
    chance: random.chance(),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
  const rhythm = isPaced ? { ...limits, retryFirstDelaySeconds: pacedSeconds } : limits;
  const delaySeconds = Math.max(growingDelaySeconds(it, rhythm), Math.ceil(restMs / 1000));
  return { kind: 'wait', order, delaySeconds, turn };
}

/** Back to the queue as a failed receive; the dead-letter queue is its end if this goes on. */
export function again(message: JobDelivery, failure: Failure, { random, limits }: DispositionPorts): Disposition {
  const { receiveCount } = message;
  return { kind: 'retry', failure, delaySeconds: retryDelaySeconds({ receiveCount, chance: random.chance() }, limits) };
}

/** Its answer could not be written: it comes back, longer each time, while the answer goes another way. */
export function waitWith(
  answer: AttemptAnswer,
  { waits }: JobDelivery,
  { random, limits }: DispositionPorts,
): Disposition {
  const it = { receiveCount: waits + 1, chance: random.chance() };
  return { kind: 'wait', delaySeconds: retryDelaySeconds(it, limits), answer };
}
