// The work after a job is done: checks are delivered, the sweeper comes by, the gateway calls back. The verbs are the
// real ones; only the queue, the schedule and the wire are played.
import { createHash } from 'node:crypto';
import { type CallbackAnswer, type CallbackPorts, handleCallback } from '../../lib/payout/inquire/handle-callback.ts';
import { type OwnTask, writeOwnTask } from '../../lib/payout/inquire/own-queue.ts';
import type { DueWork } from '../../lib/payout/inquire/due-work.ts';
import { lead, type ReleasePorts } from '../../lib/payout/wait/release.ts';
import { type OwnWorkPorts, runOwnWork } from '../../lib/payout/inquire/run-own-work.ts';
import { sweep, type SweepPorts } from '../../lib/payout/inquire/sweep.ts';
import type { FakeOwnQueue } from './fake-queues.ts';
import { openWorkOf } from '../../lib/payout/order/open-work.ts';
import { anyTurn } from './memory-lanes.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { aRecord } from './records.ts';
import type { ManualClock } from './time-and-chance.ts';

/** The fields of a callback, before its `control`. */
interface CallbackFields {
  readonly status: string;
  readonly orderid: string;
  readonly client_orderid: string;
  readonly type?: string;
  readonly amount?: string;
  readonly currency?: string;
  /** Given only in a story that forges it. */
  readonly control?: string;
}

/** The verbs of settlement, for a story. */
export interface Settling {
  /** Delivers every message of the own queue, whatever its delay, once; answers with those that stay on it. */
  inquire(remainingMs?: number): Promise<OwnTask[]>;
  /** Delivers these (or other bodies) as one batch, the queue left alone; answers with the places that stay. */
  deliverOwn(bodies: readonly (OwnTask | string)[], remainingMs?: number): Promise<number[]>;
  sweep(): Promise<void>;
  /** The gateway calls back, `control` made with the merchant's own key unless it is given; its order is looked at at once. */
  callBack(fields: CallbackFields, merchant?: string): Promise<CallbackAnswer>;
  /** Looks at an order now, as the sweeper would. */
  look(orderKey: string): Promise<void>;
  /** Lets time go by: messages are delivered when they are due, and the sweeper comes each full minute, or each tenth amid days. */
  pass(ms: number): Promise<void>;
}

/** The ports of the verbs. */
type SettlingPorts = OwnWorkPorts &
  SweepPorts &
  CallbackPorts &
  ReleasePorts & { readonly clock: ManualClock; readonly dueWork: DueWork };

const visibilityMs = 60_000;
/** Receives after which SQS moves a message of the own queue to its dead-letter queue. */
const maxReceiveCount = 5;
const sweepEveryMs = 60_000;
/** Where days go by, the sweeper comes less often between their first hours and their last ones, so that a story takes no time. */
const sweepEveryOfDaysMs = 10 * sweepEveryMs;
const fewHoursMs = 6 * 3_600_000;

const dueMsOf = new WeakMap<Order, number>();

/** When the first of these orders is due, if no worker has it. */
export function firstDueMs(orders: Iterable<Order>): number {
  let first = Infinity;
  for (const order of orders) {
    const work = dueMsOf.has(order) ? undefined : openWorkOf(order);
    if (!dueMsOf.has(order)) dueMsOf.set(order, work && work.kind !== 'held' ? work.atMs + 1 : Infinity);
    first = Math.min(first, dueMsOf.get(order) ?? Infinity);
  }
  return first;
}

/** Settlement over the ports of a world; `callbackKey` is the control key of its merchants. */
export function createSettling(
  ports: SettlingPorts,
  it: {
    readonly items: ReadonlyMap<string, Order>;
    readonly ownQueue: FakeOwnQueue;
    readonly callbackKey: string;
  },
): Settling {
  const { clock, limits } = ports;
  const { items, ownQueue, callbackKey } = it;

  async function deliverOwn(bodies: readonly (OwnTask | string)[], remainingMs = limits.functionTimeoutMs) {
    const records = bodies.map((body) => aRecord(typeof body === 'string' ? body : writeOwnTask(body)));
    const { batchItemFailures } = await runOwnWork(records, clock.nowMs() + remainingMs, ports);
    const stays = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    return [...records.keys()].filter((place) => stays.has(records[place]?.messageId ?? ''));
  }

  /** Messages that stay are seen again when the visibility time-out is over. */
  async function inquire(remainingMs?: number, untilMs = Number.MAX_SAFE_INTEGER): Promise<OwnTask[]> {
    const waiting = ownQueue.taken.splice(0);
    const due = waiting.filter(({ dueAtMs }) => dueAtMs <= untilMs);
    ownQueue.taken.push(...waiting.filter(({ dueAtMs }) => dueAtMs > untilMs));
    const places = await deliverOwn(
      due.map(({ message }) => message),
      remainingMs,
    );
    return comeBack(due.filter((_, place) => places.includes(place)));
  }

  function comeBack(staying: FakeOwnQueue['taken']): OwnTask[] {
    const again = staying.map((one) => ({
      ...one,
      receives: (one.receives ?? 1) + 1,
      dueAtMs: clock.nowMs() + visibilityMs,
    }));
    ownQueue.taken.push(...again.filter(({ receives }) => receives <= maxReceiveCount));
    return staying.map(({ message }) => message);
  }

  async function look(orderKey: string): Promise<void> {
    const standing = await ports.orders.read(orderKey);
    if (standing.kind !== 'found') return;
    const leaseMs = clock.nowMs() + 240_000;
    const work = openWorkOf(standing.order);
    if (work && (await ports.dueWork.move(orderKey, work.atMs, leaseMs)))
      await deliverOwn([{ kind: 'check', key: orderKey, leaseMs, turn: { ...anyTurn, atMs: clock.nowMs() } }]);
  }

  /** The leader comes, and makes one round, which takes no time. */
  async function leads(): Promise<void> {
    let names = 0;
    const leader = { write: async () => {}, read: async () => ((names += 1) > 1 ? 'another' : undefined) };
    const { nowMs } = clock;
    const id = () => undefined as never;
    await lead({ ...ports, leader, random: { ...ports.random, id }, clock: { nowMs, sleep: async () => {} } });
  }

  async function pass(ms: number): Promise<void> {
    const [beginMs, endMs] = [clock.nowMs(), clock.nowMs() + ms];
    const isAmidDays = (nowMs: number) => Math.min(nowMs - beginMs, endMs - nowMs) > fewHoursMs;
    let ledMs = -Infinity;
    for (;;) {
      const everyMs = isAmidDays(clock.nowMs()) ? sweepEveryOfDaysMs : sweepEveryMs;
      const sweepAtMs = (Math.floor(clock.nowMs() / everyMs) + 1) * everyMs;
      const dueMs = Math.max(firstDueMs(items.values()), ledMs + 2_000);
      const nextMs = Math.min(sweepAtMs, dueMs, ...ownQueue.taken.map(({ dueAtMs }) => dueAtMs));
      if (nextMs > endMs) break;
      clock.advanceTo(nextMs);
      if (nextMs === sweepAtMs) {
        await sweep(clock.nowMs() + limits.functionTimeoutMs, ports);
      }
      if (nextMs === sweepAtMs || nextMs === dueMs) {
        ledMs = clock.nowMs();
        await leads();
      }
      await inquire(limits.functionTimeoutMs, clock.nowMs());
    }
    clock.advanceTo(endMs);
  }

  return {
    inquire: (remainingMs) => inquire(remainingMs),
    deliverOwn,
    sweep: () => sweep(clock.nowMs() + limits.functionTimeoutMs, ports),
    async callBack(fields, merchant = 'acme-eu') {
      const { status, orderid, client_orderid: orderId } = fields;
      const control = createHash('sha1').update(`${status}${orderid}${orderId}${callbackKey}`).digest('hex');
      const parameters = new Map(Object.entries({ control, ...fields }));
      const answered = await handleCallback({ merchant, parameters }, ports);
      if (answered === 'stored') await look(`${merchant}/${orderId}`).catch(() => {});
      return answered;
    },
    look,
    pass,
  };
}
