// A gate has stopped a job: the order is read, consistently, and then the verdict takes effect. The verdict is about the message. It ends
// the order only if no attempt lives, and if it applies to every message that could still pay it.
import type { Credentials } from '../../gateway/ports.ts';
import { endsForGood, type Failure } from '../message/failures.ts';
import { fingerprints } from '../message/fingerprint.ts';
import { isProven, type Passage, type StopVerdict } from '../gates.ts';
import { identityOf, type Job } from '../message/job.ts';
import { type EndDue, waitedTooLong } from '../order/ends.ts';
import { noFacts } from '../order/facts.ts';
import { orderToWrite } from '../order/lost.ts';
import { fold } from '../order/fold.ts';
import { viewOf } from '../order/projection.ts';
import { recorded } from '../order/record.ts';
import { leaseOverAtMs } from '../order/time.ts';
import { orderKey, type Order } from '../order/order.ts';
import type { Orders, ReadOrder } from '../order/orders.ts';
import type { Fingerprinting } from '../ports.ts';
import { mayHaveClaimed } from './claim.ts';
import { bearingBatch, visibleContent, whyLeftAlone, withFirstContent } from './content.ts';
import {
  type JobEnd,
  type EndPorts,
  hasWaitedTooLong,
  firstSentMs,
  type JobDelivery,
  publishAgain,
  refuse,
  resultOnly,
  resultOrKept,
  reused,
  unreadableEntry,
  waits,
  waitsForOther,
  waitsUnsent,
} from './end.ts';
import { bodyDigest } from '../wait/body-seal.ts';
import type { Waiting } from '../wait/park.ts';
import { isUnproven, overAtMs, type ParkedHead } from '../wait/parked-job.ts';
import { waitsInLine, type WaitName } from '../wait/reasons.ts';
import type { Controls } from '../operate/control.ts';

/** The ports of stopping. */
export interface StopPorts extends EndPorts {
  readonly orders: Orders;
  readonly fingerprinting: Fingerprinting;
  readonly credentials: Credentials;
  readonly controls: Controls;
  readonly waiting: Pick<Waiting, 'jobs'>;
}

/** Races end in two or three rounds; a worker that loses more often comes back later. */
const roundsAtMost = 5;

/**
 * The end of a message that a gate has stopped, and of its order. An unproven message ends no order and waits in the common line: it makes
 * no lane, and takes no place from proven ones.
 */
export async function stopOrder(
  passage: Extract<Passage, { kind: 'stopped' }>,
  message: JobDelivery,
  ports: StopPorts,
): Promise<JobEnd> {
  const { verdict, job } = passage;
  const stopping = { verdict, job, message, isProven: await isProven(passage, ports) };
  const end = await stoppedEnd(stopping, ports);
  return stopping.isProven ? end : { ...end, isUnproven: true };
}

async function stoppedEnd(stopping: Stopping, ports: StopPorts): Promise<JobEnd> {
  for (let round = 0; round < roundsAtMost; round += 1) {
    try {
      const end = await tryStop(stopping, ports);
      if (end) return end;
    } catch {
      // The next round finds a write whose answer was lost.
      await ports.clock.sleep(50 * 2 ** round);
    }
  }
  return waits('ledger', stopping.message, ports);
}

interface Stopping {
  readonly verdict: StopVerdict;
  readonly isProven: boolean;
  readonly job: Job;
  readonly message: JobDelivery;
}

/** One round; undefined if another worker was faster, so that the order must be read again. */
async function tryStop(stopping: Stopping, ports: StopPorts): Promise<JobEnd | undefined> {
  const { job, message } = stopping;
  const prints = fingerprints(job, await ports.fingerprinting.keys());
  const read = await ports.orders.read(orderKey(job));
  if (read.kind === 'unreadable') return unreadableEntry(read.reason, message, ports);
  if (read.kind === 'none') return applyToMessage(stopping, read, ports);
  const { order } = read;
  const leftAlone = whyLeftAlone(order, job, prints);
  if (leftAlone?.kind === 'reused') return reused(job, message, ports);
  if (leftAlone) return unreadableEntry(leftAlone.reason, message, ports);
  const status = fold(order.facts);
  switch (status.kind) {
    case 'new':
      return applyToMessage(stopping, read, ports);
    case 'ready':
      return applyToWaitingOrder(stopping, read, ports);
    case 'held':
      return status.reason === 'card-data'
        ? applyToWaitingOrder(stopping, read, ports)
        : publishAsItIs(order, stopping, prints, ports);
    case 'verifying':
      // A refusal that proves nothing yet: the next delivery asks about it again, at once when its lane opens.
      return waitsUnproven(order, stopping, ports);
    case 'sending':
      return waitsForOther(leaseOverAtMs(status.attempt), message, ports);
    case 'over': {
      // A job that names the end would open it: the verdict is about that job alone.
      if (status.reason !== 'cancelled' && status.end && job.resends === status.end.id) {
        const borne =
          stopping.isProven && isFinalFor(stopping, ports) ? bearingBatch(order, job, ports.clock.nowMs()) : order;
        if (borne !== order && (await ports.orders.write(order, borne)).kind !== 'written') return undefined;
        return applyToMessage(stopping, { ...read, order: borne }, ports);
      }
      return publishAsItIs(order, stopping, prints, ports);
    }
    case 'accepted':
    case 'approved':
    case 'in-doubt':
      return publishAsItIs(order, stopping, prints, ports);
    default:
      return status satisfies never;
  }
}

const isFinalFor = ({ verdict, message }: Stopping, ports: StopPorts): boolean =>
  verdict.kind === 'refuse' || hasWaitedTooLong(message, ports);

/**
 * The wait of an order whose refusal proves nothing yet: in its lane's line if the verdict says so, else until the gateway can be asked, or
 * as long again.
 */
function waitsUnproven(order: Order, { verdict, message }: Stopping, ports: StopPorts): JobEnd {
  const line = lineOf(verdict);
  if (line) return waits(line, message, ports);
  const untilMs = verdict.kind === 'wait' ? verdict.untilMs : undefined;
  return untilMs === undefined
    ? waitsUnsent(order, {}, message, ports)
    : waits('rests', message, ports, { notBeforeMs: untilMs });
}

/** The reason of a verdict, if the job waits for it in its lane's line. */
function lineOf(verdict: StopVerdict): WaitName | undefined {
  const because = verdict.kind === 'wait' && typeof verdict.because === 'string' ? verdict.because : undefined;
  return because && waitsInLine(because) ? because : undefined;
}

/**
 * The order is left as it is, and its result is published again. An order that was known by name alone first gets the content of a proven
 * job: without it the gateway is never asked about the order, and nothing is published of it. So an unproven job that is refused is nothing
 * to that order.
 */
async function publishAsItIs(
  order: Order,
  { job, message, verdict, isProven: isFirst }: Stopping,
  prints: ReturnType<typeof fingerprints>,
  ports: StopPorts,
): Promise<JobEnd | undefined> {
  if (!order.content && !isFirst && verdict.kind === 'refuse')
    return refuse(verdict.failure, identityOf(job), message, ports);
  const known = isFirst ? withFirstContent(order, job, { fingerprints: prints, nowMs: ports.clock.nowMs() }) : order;
  if (known !== order && (await ports.orders.write(order, known)).kind !== 'written') return undefined;
  const answer = await ports.credentials.of(job.merchant);
  return publishAgain(known, job, message, answer.kind === 'credentials' ? answer.credentials : undefined, ports);
}

type Known = Extract<ReadOrder, { kind: 'found' | 'none' }>;

/** The order waits to be sent, by this message or by another. */
async function applyToWaitingOrder(
  stopping: Stopping,
  read: Extract<Known, { kind: 'found' }>,
  ports: StopPorts,
): Promise<JobEnd | undefined> {
  const { verdict } = stopping;
  const { order } = read;
  const isAboutMessage =
    verdict.kind === 'wait' || !stopping.isProven || !mayHaveClaimed(order, stopping.job, stopping.message.body);
  if (isAboutMessage) return applyToMessage(stopping, read, ports);
  // Expired or called off: each copy of this content meets the same verdict. The last message that may have sent the order ends it.
  if (!(await isWaitedFor(order.key, stopping, ports))) return endOrder(stopping, read, endOfVerdict(verdict), ports);
  // The other message may still send the order. If it does not, this one ends the order later: from a redriven dead letter, or after its
  // wait.
  return leavesLetter(verdict) ? applyToMessage(stopping, read, ports) : waits('busy', stopping.message, ports);
}

/** True if another proven message waits for the order and may still be sent. */
async function isWaitedFor(key: string, { message }: Stopping, ports: StopPorts): Promise<boolean> {
  const own = bodyDigest(message.body);
  const others = (await ports.waiting.jobs.ofOrder(key)).filter((it) => !isUnproven(it) && it.digest !== own);
  const areOver = await Promise.all(others.map((job) => isOver(job, ports)));
  return areOver.includes(false);
}

/** True if the job may not be sent any more: it has expired, its batch was called off, or it has waited too long. */
async function isOver(job: ParkedHead, { controls, clock }: StopPorts): Promise<boolean> {
  if (clock.nowMs() >= overAtMs(job)) return true;
  const { lane, batchId } = job;
  return lane !== undefined && batchId !== undefined && (await controls.of(lane.merchant, batchId)).batchCancelled;
}

type Refusal = Extract<StopVerdict, { kind: 'refuse' }>;

const leavesLetter = ({ failure }: Refusal): boolean => !endsForGood.has(failure.code);

function endOfVerdict({ failure }: Refusal): EndDue {
  if (failure.code === 'CALLED_OFF') return { reason: 'cancelled', code: 'CANCELLED', message: '' };
  return { reason: failure.code === 'EXPIRED' ? 'expired' : 'refused', ...failure };
}

/** Writes the order's end, and publishes it; undefined if another worker was faster. */
async function endOrder(
  stopping: Stopping,
  read: Known,
  verdict: EndDue,
  ports: StopPorts,
): Promise<JobEnd | undefined> {
  const { job, message } = stopping;
  const nowMs = ports.clock.nowMs();
  const prints = fingerprints(job, await ports.fingerprinting.keys());
  const content = visibleContent(job, prints[0]);
  const sentMs = firstSentMs(message);
  const { order, lost } = await orderToWrite(read, orderKey(job), { nowMs, content, sentMs }, ports);
  const known = order.content ? order : { ...order, content };
  // An order that a restore may have lost is not ended: it may have been sent. Facts and mark are one write, because the writer may die
  // before the result is published.
  const next = recorded(known, lost ?? noFacts, { nowMs, endId: ports.random.id(), verdict });
  if (next === known) return resultOnly(order);
  const write = await ports.orders.write(order, next);
  if (write.kind !== 'written') return undefined;
  return lost ? resultOrKept(next, message, ports) : resultOnly(next);
}

/**
 * True if the verdict ends the order: the job has expired or was called off, or is of a batch, whose payouts only their orders end. The
 * message is proven, nothing of its order was sent, and no other message waits.
 */
async function endsUnsent(stopping: Stopping, verdict: Refusal, read: Known, ports: StopPorts): Promise<boolean> {
  if (!stopping.isProven || (stopping.job.batchId === undefined && leavesLetter(verdict))) return false;
  if (read.kind === 'found' && fold(read.order.facts).kind !== 'new') return false;
  return !(await isWaitedFor(orderKey(stopping.job), stopping, ports));
}

/** The verdict as a result about the message; or as the end of its order, so that no copy pays later. */
async function applyToMessage(stopping: Stopping, read: Known, ports: StopPorts): Promise<JobEnd | undefined> {
  const { verdict, job, message } = stopping;
  if (verdict.kind === 'refuse')
    return (await endsUnsent(stopping, verdict, read, ports))
      ? endOrder(stopping, read, endOfVerdict(verdict), ports)
      : refuse(verdict.failure, identityOf(job), message, ports);
  const { because, untilMs, endsByMs } = verdict;
  const failure = typeof because === 'string' ? verdict.failure : because;
  if (typeof because !== 'string' && isGivenUp(stopping, read, ports))
    return refuse(because, identityOf(job), message, ports);
  // An unproven message that has waited too long becomes a dead letter in end-delivery.ts, and ends no order.
  if (stopping.isProven && hasWaitedTooLong(message, ports)) {
    const tooLong = waitedTooLong(verdict.failure ?? (read.kind === 'found' ? viewOf(read.order).failure : undefined));
    // A younger message of the order may still be sent.
    if (await isWaitedFor(orderKey(job), stopping, ports)) return refuse(tooLong, identityOf(job), message, ports);
    return endOrder(stopping, read, { reason: 'waited-too-long', ...tooLong }, ports);
  }
  const name = typeof because === 'string' ? because : waitOf(because);
  return { ...waits(name, message, ports, { notBeforeMs: untilMs, untilMs: endsByMs }), failure };
}

const waitOf = ({ code }: Failure): WaitName => (code === 'ACCOUNT_UNKNOWN' ? 'account-unknown' : 'secret');

const unknownCodes: ReadonlySet<string> = new Set(['MERCHANT_UNKNOWN', 'ACCOUNT_UNKNOWN']);

/**
 * True after a day without a secret or a registered account: mostly the sender has misspelt the merchant. A job that was proven once, or
 * whose order waits to be sent again, goes on waiting.
 */
function isGivenUp({ verdict, message }: Stopping, read: Known, { clock, limits }: StopPorts): boolean {
  if (verdict.kind !== 'wait' || typeof verdict.because === 'string') return false;
  const { parked } = message;
  const wasKnown =
    (parked && !isUnproven(parked)) || (read.kind === 'found' && fold(read.order.facts).kind === 'ready');
  if (!unknownCodes.has(verdict.because.code) || wasKnown) return false;
  return clock.nowMs() - (message.sentAtMs ?? clock.nowMs()) >= limits.unknownMerchantWaitSeconds * 1000;
}
