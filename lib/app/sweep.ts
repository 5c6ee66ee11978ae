// The sweeper: whatever stands still is set moving again. It goes by the index of open work alone, so that losing every
// message of the checks queue at once only delays. It decides nothing itself: each order goes the way of a check.
import type { LedgerEntry } from '../domain/ledger.ts';
import type { OpenWorkKind } from '../domain/open-work.ts';
import { formatMinorUnits } from '../domain/money.ts';
import { createOutbox } from './outbox.ts';
import type { Check, ChecksQueue, Metrics, OpenWork, QueueDepths } from './inquiry-ports.ts';
import type { Clock } from './ports.ts';

/** What sweeping needs. */
export interface SweepPorts {
  readonly openWork: OpenWork;
  readonly checksQueue: ChecksQueue;
  readonly queueDepths: QueueDepths;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/** What one sweep found. */
export interface Swept {
  /** Orders set moving again. */
  readonly resumed: number;
  readonly doubt: Doubt;
}

/** Orders in doubt or held, and their money per currency, in decimal text. */
export interface Doubt {
  readonly inDoubt: number;
  readonly held: number;
  readonly oldestSinceMs?: number;
  readonly money: Readonly<Record<string, string>>;
}

/** Kinds of open work that go on by themselves once a check is sent. */
const movable: readonly OpenWorkKind[] = ['unpublished', 'submitting', 'in-doubt', 'accepted'];
/** Orders resumed in one sweep: the next one, a minute later, goes on from there. */
const resumedAtMost = 5_000;

/** One sweep. Stops early at `deadlineMs`; what is left is the next sweep's. */
export async function sweep(deadlineMs: number, ports: SweepPorts): Promise<Swept> {
  const resumed = await resumeDue(deadlineMs, ports);
  const doubt = await measureDoubt(ports);
  const depths = await ports.queueDepths.measure();
  ports.metrics.publish({ ...depths, resumed, inDoubt: doubt.inDoubt, held: doubt.held }, doubt.money);
  return { resumed, doubt };
}

async function resumeDue(deadlineMs: number, { openWork, checksQueue, clock }: SweepPorts): Promise<number> {
  const checks = createOutbox<{ check: Check; delaySeconds: number }>((entries) => checksQueue.send(entries));
  const sent: Promise<boolean>[] = [];
  for (const kind of movable) {
    for await (const entry of openWork.openWork(kind, clock.nowMs())) {
      if (sent.length >= resumedAtMost || clock.nowMs() >= deadlineMs) break;
      sent.push(checks.add({ check: { orderKey: entry.key, looks: entry.looks?.count ?? 0 }, delaySeconds: 0 }));
    }
  }
  checks.flush();
  return (await Promise.all(sent)).filter(Boolean).length;
}

async function measureDoubt({ openWork }: SweepPorts): Promise<Doubt> {
  const sums = new Map<string, bigint>();
  const counts = { 'in-doubt': 0, held: 0 };
  let oldestSinceMs: number | undefined;
  const add = (entry: LedgerEntry) => {
    if (entry.state !== 'in-doubt' && entry.state !== 'held') return;
    counts[entry.state] += 1;
    oldestSinceMs = Math.min(oldestSinceMs ?? entry.updatedAtMs, entry.updatedAtMs);
    if (entry.money) sums.set(entry.money.currency, (sums.get(entry.money.currency) ?? 0n) + entry.money.minorUnits);
  };
  for (const kind of ['in-doubt', 'held', 'unpublished'] as const) {
    for await (const entry of openWork.openWork(kind, Number.MAX_SAFE_INTEGER)) add(entry);
  }
  const money = Object.fromEntries([...sums].map(([currency, units]) => [currency, formatMinorUnits(units, currency)]));
  return {
    inDoubt: counts['in-doubt'],
    held: counts.held,
    ...(oldestSinceMs !== undefined && { oldestSinceMs }),
    money,
  };
}
