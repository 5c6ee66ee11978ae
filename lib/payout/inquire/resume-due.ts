// Every order that has stopped is set moving again, by the index of open work alone, so that losing every message of the
// checks queue at once only delays. Nothing is decided here: each order goes the way of a check, by its present number.
// Before the check is sent, the order is written as due again later, so that an order costs a few messages an hour whatever
// fails, and those that were set moving make room for those that were not. Fair by its order: the kinds take turns, and
// within a kind the order that is due longest comes first, whatever shard of the index it lies in.
import { type DueWork, isMeasured, type SweepPart } from './due-work.ts';
import { checkOf, type OwnMessage, type OwnQueue } from './own-queue.ts';
import type { MetricsRecorder } from '../metrics-recorder.ts';
import { createOutbox } from '../run-records.ts';
import type { OpenWorkKind } from '../order/open-work.ts';
import type { Order } from '../order/order.ts';
import type { Orders } from '../order/orders.ts';
import type { Clock } from '../ports.ts';

/** The ports of resuming. */
export interface ResumePorts {
  readonly dueWork: DueWork;
  readonly orders: Pick<Orders, 'write'>;
  readonly ownQueue: OwnQueue;
  readonly clock: Clock;
}

/** One run of resuming. */
interface Resuming {
  /** Checks that only ask; results and claims that got stuck are sent beside them, without a bound but time. */
  readonly asksAtMost: number;
  readonly deadlineMs: number;
  readonly part: SweepPart;
  readonly recorder: MetricsRecorder;
}

/** The outcome of a run. */
interface Resumed {
  /** Checks that the queue took. */
  readonly taken: number;
  /** True where as many were asked as were allowed: there may be more to ask. */
  readonly isSpent: boolean;
  /** Keys of orders in doubt, overdue or unpublished that this version can't read: they stay due. */
  readonly unreadable: ReadonlySet<string>;
  /** Why kinds could not be read to their end: they stay due. */
  readonly failures: readonly unknown[];
}

/**
 * Kinds of open work that go on by themselves once a check is sent, and how many orders of each a round takes. So doubt
 * and acceptance have budgets of their own, and what one leaves the others take: a million of one kind can't keep the
 * others from being looked at. Results and claims that got stuck ask nobody anything, or once: they are sent however
 * full the queue is.
 */
const kinds: readonly { readonly kind: OpenWorkKind; readonly aRound: number; readonly asks: boolean }[] = [
  { kind: 'unpublished', aRound: 20, asks: false },
  { kind: 'submitting', aRound: 20, asks: false },
  { kind: 'in-doubt', aRound: 25, asks: true },
  { kind: 'accepted', aRound: 25, asks: true },
  { kind: 'overdue', aRound: 10, asks: true },
];
/** An order that was set moving is left alone for so long; a check that got lost is sent again then. */
const resumedAgainSeconds = 600;

/** A kind, as far as it was read. */
type Source = (typeof kinds)[number] & { readonly due: AsyncIterator<Order>; isDry: boolean };

/** Sends a check of each order that is due, until the time or what may be asked is spent. */
export async function resumeDue(resuming: Resuming, ports: ResumePorts): Promise<Resumed> {
  const { asksAtMost, deadlineMs, part, recorder } = resuming;
  const { dueWork, ownQueue, clock } = ports;
  const nowMs = clock.nowMs();
  const unreadable = new Set<string>();
  const failures: unknown[] = [];
  const sources: Source[] = kinds.map((it) => {
    const onUnreadable = (key: string) => void (isMeasured(it.kind) && unreadable.add(key));
    return {
      ...it,
      due: dueWork.dueWork(it.kind, nowMs, { part, onUnreadable })[Symbol.asyncIterator](),
      isDry: false,
    };
  });
  const checks = createOutbox<OwnMessage>((entries) => ownQueue.send(entries), {
    onRefused: (entries) => recorder.add('queueRefusals', entries),
    mayBeThereTwice: () => false,
  });
  const sent: Promise<boolean>[] = [];
  let asksLeft = asksAtMost;
  const isOpen = ({ isDry, asks }: Source) => !isDry && (!asks || asksLeft > 0);
  while (clock.nowMs() < deadlineMs && sources.some(isOpen)) {
    const round: Order[] = [];
    for (const source of sources) {
      if (!isOpen(source) || clock.nowMs() >= deadlineMs) continue;
      const atMost = source.asks ? Math.min(source.aRound, asksLeft) : source.aRound;
      const taken = await someOf(source, atMost, (error) => failures.push(error));
      if (source.asks) asksLeft -= taken.length;
      round.push(...taken);
    }
    const resumed = await Promise.all(round.map((order) => resume(order, ports)));
    sent.push(...resumed.flatMap((check) => (check ? [checks.add(check)] : [])));
  }
  checks.flush();
  await Promise.all(sources.map(({ due }) => due.return?.()));
  const taken = (await Promise.all(sent)).filter(Boolean).length;
  return { taken, isSpent: asksLeft === 0, unreadable, failures };
}

/** The next of a kind, those that are due longest. One that can't be read on keeps no other waiting. */
async function someOf(source: Source, atMost: number, onFailure: (error: unknown) => void): Promise<Order[]> {
  const some: Order[] = [];
  while (some.length < atMost && !source.isDry) {
    const next = await source.due.next().catch((error: unknown) => {
      onFailure(error);
      return { done: true } as const;
    });
    if (next.done) source.isDry = true;
    else some.push(next.value);
  }
  return some;
}

/** The check to be sent; none where the order has moved meanwhile, or the store does not answer. */
async function resume(order: Order, { orders, clock }: ResumePorts): Promise<OwnMessage | undefined> {
  const dueAtMs = clock.nowMs() + resumedAgainSeconds * 1000;
  const write = await orders.write(order, { ...order, version: order.version + 1, dueAtMs }).catch(() => undefined);
  if (write?.kind !== 'written') return undefined;
  return checkOf(order, 0);
}

// How many checks may wait on their queue. Young orders ask by the same queue, so what is put before them must be worked
// off within a minute or two; and how fast that goes (functions, gateway, pace) is known by nobody but the queue.

/** The sweeper's memory from minute to minute; without it, it only begins small again. */
export interface SweepPace {
  /** How many checks the queue may get now, of all parts of a sweep together. `depth` is absent where nobody knows. */
  asksAtMost(depth: number | undefined): number;
  /** Whether all of them were used. */
  used(isSpent: boolean): void;
}

const waitingFirst = 10_000;
const waitingLeast = 1_000;
/** Under the 120,000 that SQS has in flight at most. */
const waitingMost = 80_000;

/** Twice as many where the last were worked off long before the minute was over, half where half of them still wait. */
export function createSweepPace(): SweepPace {
  let waitingAtMost = waitingFirst;
  let wasSpent = false;
  return {
    asksAtMost(depth) {
      if (depth === undefined) return waitingAtMost / 2;
      if (depth > waitingAtMost / 2) waitingAtMost = Math.max(waitingAtMost / 2, waitingLeast);
      else if (wasSpent && depth < waitingAtMost / 4) waitingAtMost = Math.min(waitingAtMost * 2, waitingMost);
      return Math.max(0, Math.floor(waitingAtMost - depth));
    },
    used: (isSpent) => void (wasSpent = isSpent),
  };
}
