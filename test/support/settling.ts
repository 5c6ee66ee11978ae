// What goes on after a job is done: checks are delivered, the sweeper comes by, the gateway calls back. The verbs are the
// real ones; only the queue, the schedule and the wire are played.
import { createHash } from 'node:crypto';
import { type ChecksBatchPorts, runChecks } from '../../lib/payout/run-inquiries.ts';
import type { Check } from '../../lib/payout/due-work.ts';
import { sweep, type Swept, type SweepPorts } from '../../lib/payout/sweep.ts';
import { type CallbackPorts, type CallbackStatus, handleCallback } from '../../lib/payout/handle-callback.ts';
import type { FakeChecksQueue } from './fake-queues.ts';
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
  /** Given only where a story forges it. */
  readonly control?: string;
}

/** The verbs of settlement, for a story. */
export interface Settling {
  /** Delivers every check that waits, whatever its delay, once; answers with those that stay on the queue. */
  inquire(remainingMs?: number): Promise<Check[]>;
  /** Delivers these checks (or other bodies) as one batch, the queue left alone; answers with the places that stay. */
  deliverChecks(bodies: readonly (Check | string)[], remainingMs?: number): Promise<number[]>;
  sweep(): Promise<Swept>;
  /** The gateway calls back, `control` made with the merchant's own key unless it is given. */
  callBack(fields: CallbackFields, merchant?: string): Promise<CallbackStatus>;
  /** Lets time go by: checks are delivered when they are due, and the sweeper comes each full minute. */
  pass(ms: number): Promise<void>;
}

/** What the verbs work with. */
type SettlingPorts = ChecksBatchPorts & SweepPorts & CallbackPorts & { readonly clock: ManualClock };

const visibilityMs = 60_000;
/** Receives after which SQS moves a check to the dead-letter queue. */
const maxReceiveCount = 5;
const sweepEveryMs = 60_000;

/** Settlement over the ports of a world; `callbackKey` is the control key of its merchants. */
export function createSettling(
  ports: SettlingPorts,
  { checksQueue, callbackKey }: { checksQueue: FakeChecksQueue; callbackKey: string },
): Settling {
  const { clock, limits } = ports;

  async function deliverChecks(bodies: readonly (Check | string)[], remainingMs = limits.functionTimeoutMs) {
    const records = bodies.map((it) => aRecord(typeof it === 'string' ? it : JSON.stringify({ version: 1, ...it })));
    const { batchItemFailures } = await runChecks(records, clock.nowMs() + remainingMs, ports);
    const stays = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    return [...records.keys()].filter((place) => stays.has(records[place]?.messageId ?? ''));
  }

  /** Those that stay are seen again when the visibility time-out is over. */
  async function inquire(remainingMs?: number, untilMs = Number.MAX_SAFE_INTEGER): Promise<Check[]> {
    const waiting = checksQueue.taken.splice(0);
    const checks = waiting.filter(({ dueAtMs }) => dueAtMs <= untilMs);
    checksQueue.taken.push(...waiting.filter(({ dueAtMs }) => dueAtMs > untilMs));
    const places = await deliverChecks(
      checks.map(({ check }) => check),
      remainingMs,
    );
    return comeBack(checks.filter((_, place) => places.includes(place)));
  }

  function comeBack(staying: FakeChecksQueue['taken']): Check[] {
    const again = staying.map((it) => ({
      ...it,
      receives: (it.receives ?? 1) + 1,
      dueAtMs: clock.nowMs() + visibilityMs,
    }));
    checksQueue.taken.push(...again.filter(({ receives }) => receives <= maxReceiveCount));
    return staying.map(({ check }) => check);
  }

  async function deliverCallbacks(): Promise<void> {
    const waiting = checksQueue.taken.splice(0);
    checksQueue.taken.push(...waiting.filter(({ check }) => !check.callback));
    const called = waiting.filter(({ check }) => check.callback);
    const places = await deliverChecks(called.map(({ check }) => check));
    comeBack(called.filter((_, place) => places.includes(place)));
  }

  async function pass(ms: number): Promise<void> {
    const endMs = clock.nowMs() + ms;
    for (;;) {
      const sweepAtMs = (Math.floor(clock.nowMs() / sweepEveryMs) + 1) * sweepEveryMs;
      const nextMs = Math.min(sweepAtMs, ...checksQueue.taken.map(({ dueAtMs }) => dueAtMs));
      if (nextMs > endMs) break;
      clock.advanceTo(nextMs);
      if (nextMs === sweepAtMs) await sweep(clock.nowMs() + limits.functionTimeoutMs, ports);
      await inquire(limits.functionTimeoutMs, clock.nowMs());
    }
    clock.advanceTo(endMs);
  }

  return {
    inquire: (remainingMs) => inquire(remainingMs),
    deliverChecks,
    sweep: () => sweep(clock.nowMs() + limits.functionTimeoutMs, ports),
    async callBack(fields, merchant = 'acme-eu') {
      const { status, orderid, client_orderid: orderId } = fields;
      const control = createHash('sha1').update(`${status}${orderid}${orderId}${callbackKey}`).digest('hex');
      const parameters = new Map(Object.entries({ control, ...fields }));
      const answered = await handleCallback({ merchant, parameters }, ports);
      const answer = await ports.credentials.of(merchant);
      // Where nobody can be asked no story has another check to wait for: the queue brings the callback at once.
      if (answer.kind === 'credentials' && !answer.credentials.profile.statusInquiry) await deliverCallbacks();
      return answered;
    },
    pass,
  };
}
