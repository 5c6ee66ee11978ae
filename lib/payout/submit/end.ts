// The end of a delivery: done, wait, or dead, each with what to publish first. submit-job.ts chooses it, end-delivery.ts carries it out.
import { endsForGood, type Failure } from '../message/failures.ts';
import { type Limits, longestWaitMs, sqsMaxDelaySeconds } from '../limits.ts';
import { identityOf, type Job, type JobIdentity } from '../message/job.ts';
import { matchAccount } from '../order/account.ts';
import { waitedTooLong } from '../order/ends.ts';
import { attemptsOf } from '../order/facts.ts';
import { fold, isCancelled } from '../order/fold.ts';
import { lastResult } from '../order/record.ts';
import type { Order } from '../order/order.ts';
import { standingOfStatus } from '../order/standing.ts';
import { type Contract, visibleAtMs } from '../order/time.ts';
import { viewOf } from '../order/projection.ts';
import type { Clock, Random } from '../ports.ts';
import { type AboutMessage, rejection, type Result, reusedOrderId } from '../message/result.ts';
import type { ReadJob } from '../message/read-job.ts';
import type { MerchantAccess } from '../../gateway/ports.ts';
import type { Turn } from '../pace/lane-state.ts';
import type { ParkedJob } from '../wait/parked-job.ts';
import { waitUntilMs, type WaitName, type WaitTimes } from '../wait/reasons.ts';
import { restsUntilMs, sourceOf } from './claim.ts';
import type { Sent } from './send.ts';
import type { AttemptAnswer } from './write-answer.ts';

/** One delivery of a message: by SQS, or from the table `waiting`, which keeps it. */
export interface JobDelivery {
  /** SQS's id of the message. */
  readonly messageId: string;
  /** When that message was sent (epoch ms). */
  readonly sentAtMs?: number;
  /** When the job was first sent (epoch ms), if this message is a redriven one. */
  readonly firstSentAtMs?: number;
  readonly body: string;
  /** The body, parsed once. */
  readonly read: ReadJob;
  /** True if the message was delivered before. */
  readonly cameBefore: boolean;
  /** The parked job, if the delivery comes from the table. */
  readonly parked?: ParkedJob;
  /** The turn that the leader has taken for it. */
  readonly turn?: Turn;
  /** How often the message came back from the dead-letter queue. */
  readonly redrives?: number;
  readonly groupId?: string;
}

/** The end of a delivery. */
export type JobEnd = {
  /** Published to the merchant before the message may go. */
  readonly result?: Result;
  /** The order as it is now, if there is one. */
  readonly order?: Order;
  /** True if its approval or its merchant is not proven: it can wait in the common line only. */
  readonly isUnproven?: true;
} & (
  | { readonly kind: 'done' }
  /** The job is parked. */
  | {
      readonly kind: 'wait';
      readonly because: WaitName;
      /** The moment from which it may go (epoch ms). */
      readonly goAtMs: number;
      /** The answer that could not be written: it goes to the worker's own queue. */
      readonly answer?: AttemptAnswer;
      readonly failure?: Failure;
    }
  /** `sealSpent`: the message's seal can't be opened any more, so it is not kept. */
  | { readonly kind: 'dead'; readonly reason: Failure; readonly sealSpent?: true }
);

/** The end of a delivery whose job waits. */
export type WaitEnd = Extract<JobEnd, { kind: 'wait' }>;

/** The ports that say when a message comes back. */
export interface EndPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: Limits;
}

/** The job waits for this reason, and for as long as its line of the table says (wait/reasons.ts). */
export function waits(
  because: WaitName,
  { sentAtMs, read }: Pick<JobDelivery, 'sentAtMs' | 'read'>,
  { clock, random, limits }: EndPorts,
  { notBeforeMs, untilMs = Infinity }: Pick<WaitTimes, 'notBeforeMs' | 'untilMs'> = {},
): WaitEnd {
  const nowMs = clock.nowMs();
  const expiresAtMs = (read.kind === 'job' && read.job.expiresAtMs) || 0;
  const times = {
    notBeforeMs,
    // The job comes back at its expiry; after that only the reason counts.
    untilMs: expiresAtMs > nowMs ? Math.min(untilMs, expiresAtMs) : untilMs,
    nowMs,
    sinceMs: sentAtMs ?? nowMs,
    chance: random.chance(),
  };
  return { kind: 'wait', because, goAtMs: waitUntilMs(because, times, limits) };
}

/** Another worker holds the order, until `untilMs` at the latest if that is known. */
export function waitsForOther(untilMs: number | undefined, message: JobDelivery, ports: EndPorts): JobEnd {
  const isAhead = untilMs !== undefined && untilMs > ports.clock.nowMs();
  return waits('busy', message, ports, isAhead ? { untilMs: untilMs + 1_000 } : {});
}

/** When the job was first sent (epoch ms), if that is known. It tells whether a restore may have lost the order. */
export const firstSentMs = ({ sentAtMs, firstSentAtMs = sentAtMs }: JobDelivery): number | undefined => firstSentAtMs;

/** The end if the order was written by newer code, or under a fingerprint key that this worker does not have. */
export function unreadableEntry(why: string, message: JobDelivery, ports: EndPorts): JobEnd {
  return { ...waits('ledger', message, ports), failure: { code: 'LEDGER_ENTRY_UNREADABLE', message: why } };
}

/**
 * The order stays as it is; its result is published (again). If the order failed and may be sent again, the message becomes a dead letter,
 * which can be redriven.
 */
export function resultOnly(order: Order): JobEnd {
  const view = viewOf(order);
  const result = lastResult(order);
  const shown = { order, result };
  const redrivable = view.standing === 'failed' && view.failure && !endsForGood.has(view.failure.code);
  return redrivable && view.failure ? { kind: 'dead', reason: view.failure, ...shown } : { kind: 'done', ...shown };
}

/**
 * The order stays as it is; its result is published (again). While the order may have been taken, the message waits: if the order ends
 * unpaid, nothing else may be left to send it from. A message that has waited too long becomes a dead letter, with the order's own reason:
 * {@link waitedTooLong} would say that no money moved.
 */
export function resultOrKept(order: Order, message: JobDelivery, ports: EndPorts): JobEnd {
  const published = resultOnly(order);
  if (!isUndecided(order)) return published;
  if (hasWaitedTooLong(message, ports))
    return { ...published, kind: 'dead', reason: viewOf(order).failure ?? waitedTooLong() };
  const result = !message.cameBefore || order.unpublished ? published.result : undefined;
  return { ...waits('undecided', message, ports), order, result };
}

/** True if the order may have been taken, whatever it is. */
function isUndecided({ facts }: Order): boolean {
  const standing = standingOfStatus(fold(facts), true);
  return standing === 'in-doubt' || standing === 'held';
}

/** The message that a result is about: the result has the message's own id and time, so that each delivery gives the same. */
function aboutMessage({ messageId, sentAtMs }: JobDelivery, clock: Pick<Clock, 'nowMs'>): AboutMessage {
  return { messageId, nowMs: sentAtMs ?? clock.nowMs() };
}

/**
 * The end of a refused message: its sender gets the reason. The message becomes a dead letter for a person, who may correct it, unless its
 * failure is for good.
 */
export function refuse(reason: Failure, identity: JobIdentity, message: JobDelivery, { clock }: EndPorts): JobEnd {
  const result = rejection({ ...aboutMessage(message, clock), identity, failure: reason });
  return endsForGood.has(reason.code) ? { kind: 'done', result } : { kind: 'dead', reason, result };
}

/**
 * The end if the order id belongs to other content, or to another account: that order is left alone, and the result is about the message.
 */
export function reused(job: Job, message: JobDelivery, { clock }: EndPorts, failure: Failure = reusedOrderId): JobEnd {
  return { kind: 'done', result: rejection({ ...aboutMessage(message, clock), identity: identityOf(job), failure }) };
}

/**
 * True if the message has waited as long as SQS itself would keep it. It becomes a dead letter then: a person or a redrive may begin it
 * anew.
 */
export function hasWaitedTooLong({ sentAtMs }: JobDelivery, { clock }: Pick<EndPorts, 'clock'>): boolean {
  return sentAtMs !== undefined && clock.nowMs() - sentAtMs >= longestWaitMs;
}

/**
 * The wait of an order that is proven not sent: about as long again as since its first attempt. After a refusal that proves nothing yet,
 * until the gateway can be asked. An order that was sent too fast waits in its lane.
 */
export function waitsUnsent(
  order: Order,
  { retryAfterSeconds = 0, isPaced = false }: Pick<Sent, 'retryAfterSeconds' | 'isPaced'>,
  message: JobDelivery,
  ports: EndPorts,
  contract?: Pick<Contract, 'visibleAfterMs'>,
): JobEnd {
  const { facts } = order;
  const nowMs = ports.clock.nowMs();
  const visibleMs = contract ? visibleAtMs(facts, contract) : 0;
  const restMs = Math.max(restsUntilMs(facts, ports.limits), visibleMs);
  const notBeforeMs = Math.max(nowMs + Math.min(retryAfterSeconds, sqsMaxDelaySeconds) * 1000, restMs);
  if (visibleMs > nowMs || (isPaced && restMs > nowMs))
    return { ...waits('rests', message, ports, { notBeforeMs }), order };
  if (isPaced) return { ...waits('too-fast', message, ports), order };
  // Counted from the first attempt: waiting for a turn must not lengthen this wait.
  const sentAtMs = attemptsOf(facts)[0]?.atMs ?? nowMs;
  return { ...waits('unsent', { ...message, sentAtMs }, ports, { notBeforeMs }), order };
}

/**
 * The order's result, published again. If the order was sent to another account (the sandbox, say), it is no payment of the account that
 * the message is for. Then the result is about the message, unless the order came from this very message or batch.
 */
export function publishAgain(
  order: Order,
  job: Job,
  message: JobDelivery,
  credentials: MerchantAccess | undefined,
  ports: EndPorts,
): JobEnd {
  const account = credentials && accountElsewhere(order, job, message.body, credentials);
  if (account !== undefined) {
    const failure = {
      code: 'ORDER_ID_REUSED',
      message: `this order id was sent to another account of the gateway (${account}); give the new order a new id`,
    } as const;
    return reused(job, message, ports, failure);
  }
  const end = resultOrKept(order, message, ports);
  // Without a result yet, the job waits: no delivery may end in silence. An order that is known by name alone gets its content from the job
  // as soon as that is proven: until then nothing is published of the order, and the gateway is not asked.
  return (end.kind === 'wait' && order.content) || end.kind === 'dead' || end.result
    ? end
    : waits('busy', message, ports);
}

function accountElsewhere({ facts }: Order, job: Job, body: string, credentials: MerchantAccess): string | undefined {
  const attempts = attemptsOf(facts);
  const account = attempts.at(-1)?.accounts[0];
  // The same file may go to the sandbox first, and be paid later: its result there is no payment.
  const isSameMode = account?.startsWith('test:') === (credentials.mode === 'test');
  const isOwn = isSameMode && attempts.some(({ source }) => source === sourceOf(job, body));
  if (isOwn || account === undefined || isCancelled(facts)) return undefined;
  return matchAccount({ account, endpointId: job.endpointId }, credentials).kind === 'unknown' ? account : undefined;
}
