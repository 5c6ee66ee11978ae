// The sweeper: whatever stands still is set moving again. It goes by the index of open work alone, so that losing every
// message of the checks queue at once only delays. It decides nothing itself: each order goes the way of a check.
import { hasMoneyInDoubt } from './control.ts';
import { type DoubtAlarm, shareOfAlarm } from './doubt-alarm.ts';
import type { DueWorkKind } from './due-work.ts';
import type { ControlsAdmin } from './control-ports.ts';
import { createOutbox } from './outbox.ts';
import type { Check, ChecksQueue, DueWork, QueueDepths } from './inquiry-ports.ts';
import type { Clock, MetricValues, Metrics } from './ports.ts';
import { createMetricsRecorder, inWholeUnits, type MetricsRecorder } from './metrics-recorder.ts';

/**
 * A round that a feature adds to the sweep. Rounds run in their order, last of all: they can wait for the next minute,
 * doubt can't wait to be measured. What a round counts is published; one that rejects ends the sweep, and the next one
 * begins anew.
 */
export interface SweepRound {
  readonly name: string;
  /** Stops early at `deadlineMs`; what is left is the next sweep's. */
  run(deadlineMs: number): Promise<MetricValues['values']>;
}

/** What sweeping needs. */
export interface SweepPorts {
  readonly dueWork: DueWork;
  readonly checksQueue: ChecksQueue;
  readonly queueDepths: QueueDepths;
  readonly metrics: Metrics;
  readonly controlsAdmin: Pick<ControlsAdmin, 'recordDoubt'>;
  readonly clock: Clock;
  readonly doubtAlarm: DoubtAlarm;
  /** In their order; empty where no feature adds one. */
  readonly rounds: readonly SweepRound[];
}

/** What one sweep found. */
export interface Swept {
  /** Orders set moving again. */
  readonly resumed: number;
  readonly doubt: Doubt;
}

/** Orders in doubt or held, and the money that may have moved, in minor units per merchant and currency. */
interface Doubt {
  readonly inDoubt: number;
  readonly held: number;
  readonly oldestSinceMs: Readonly<Partial<Record<'in-doubt' | 'held', number>>>;
  /** Per merchant, of what was sent. */
  readonly money: ReadonlyMap<string, Readonly<Record<string, bigint>>>;
  /** Orders behind that money per currency. */
  readonly orders: ReadonlyMap<string, number>;
  /** Of all that is held, what a cap held before it was sent included. */
  readonly heldMoney: ReadonlyMap<string, bigint>;
}

/** Kinds of open work that go on by themselves once a check is sent. */
const movable: readonly DueWorkKind[] = ['unpublished', 'submitting', 'in-doubt', 'accepted'];
/** Of each kind, so that a thousand results that can't be told do not keep doubt from being asked about. */
const resumedAtMostPerKind = 1_500;
/** What is due stays due until a check was made: a queue that is not worked off must not be filled each minute anew. */
const checksWaitingAtMost = 10_000;

/** One sweep. Stops early at `deadlineMs`; what is left is the next sweep's. */
export async function sweep(deadlineMs: number, ports: SweepPorts): Promise<Swept> {
  // MetricValues are worth less than orders that move on.
  const depths = await ports.queueDepths.measure().catch(() => ({}) as Awaited<ReturnType<QueueDepths['measure']>>);
  const tally = createMetricsRecorder();
  const resumed = (depths.checksDepth ?? 0) < checksWaitingAtMost ? await resumeDue(deadlineMs, ports, tally) : 0;
  const doubt = await measureDoubt(ports);
  const { values } = tally.taken();
  ports.metrics.publish({
    values: { ...values, ...depths, resumed, ...levels(doubt, ports) },
    perCurrency: perCurrency(doubt),
  });
  await ports.controlsAdmin.recordDoubt(doubt.money);
  for (const round of ports.rounds) await runRound(round, deadlineMs, ports);
  return { resumed, doubt };
}

async function runRound(round: SweepRound, deadlineMs: number, { metrics }: SweepPorts): Promise<void> {
  const values = await round.run(deadlineMs);
  if (Object.keys(values).length > 0) metrics.publish({ values, perCurrency: new Map() });
}

/** Published by each sweep, zeros too: an alarm on them must be able to end. */
function levels(doubt: Doubt, { clock, doubtAlarm }: SweepPorts): MetricValues['values'] {
  const secondsSince = (sinceMs = clock.nowMs()) => Math.floor((clock.nowMs() - sinceMs) / 1000);
  return {
    inDoubt: doubt.inDoubt,
    held: doubt.held,
    oldestDoubtSeconds: secondsSince(doubt.oldestSinceMs['in-doubt']),
    oldestHeldSeconds: secondsSince(doubt.oldestSinceMs.held),
    doubtOfLimit: shareOfAlarm(ofAllMerchants(doubt), doubtAlarm),
  };
}

function perCurrency(doubt: Doubt): MetricValues['perCurrency'] {
  const inDoubt = ofAllMerchants(doubt);
  const currencies = [...new Set([...inDoubt.keys(), ...doubt.heldMoney.keys()])];
  return new Map(
    currencies.map((currency) => [
      currency,
      {
        moneyInDoubt: inWholeUnits(inDoubt.get(currency) ?? 0n, currency),
        ordersInDoubt: doubt.orders.get(currency) ?? 0,
        moneyHeld: inWholeUnits(doubt.heldMoney.get(currency) ?? 0n, currency),
      },
    ]),
  );
}

function ofAllMerchants({ money }: Doubt): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const merchant of money.values()) {
    for (const [currency, units] of Object.entries(merchant)) sums.set(currency, (sums.get(currency) ?? 0n) + units);
  }
  return sums;
}

async function resumeDue(
  deadlineMs: number,
  { dueWork, checksQueue, clock }: SweepPorts,
  tally: MetricsRecorder,
): Promise<number> {
  const onRefused = (entries: number) => tally.add('queueRefusals', entries);
  const checks = createOutbox<{ check: Check; delaySeconds: number }>((entries) => checksQueue.send(entries), {
    onRefused,
  });
  const sent: Promise<boolean>[] = [];
  for (const kind of movable) {
    const enough = sent.length + resumedAtMostPerKind;
    for await (const entry of dueWork.dueWork(kind, clock.nowMs())) {
      if (sent.length >= enough || clock.nowMs() >= deadlineMs) break;
      sent.push(
        checks.add({ check: { orderKey: entry.key, inquiries: entry.inquiries?.count ?? 0 }, delaySeconds: 0 }),
      );
    }
  }
  checks.flush();
  return (await Promise.all(sent)).filter(Boolean).length;
}

async function measureDoubt({ dueWork }: SweepPorts): Promise<Doubt> {
  const money = new Map<string, Record<string, bigint>>();
  const orders = new Map<string, number>();
  const heldMoney = new Map<string, bigint>();
  const counts = { 'in-doubt': 0, held: 0 };
  const oldestSinceMs: { 'in-doubt'?: number; held?: number } = {};
  for (const kind of ['in-doubt', 'held', 'unpublished'] as const) {
    for await (const entry of dueWork.dueWork(kind, Number.MAX_SAFE_INTEGER)) {
      const { state, updatedAtMs, merchant } = entry;
      if (state !== 'in-doubt' && state !== 'held') continue;
      counts[state] += 1;
      oldestSinceMs[state] = Math.min(oldestSinceMs[state] ?? updatedAtMs, updatedAtMs);
      if (!entry.money) continue;
      const { currency, minorUnits } = entry.money;
      if (state === 'held') heldMoney.set(currency, (heldMoney.get(currency) ?? 0n) + minorUnits);
      if (!hasMoneyInDoubt(entry)) continue;
      orders.set(currency, (orders.get(currency) ?? 0) + 1);
      const own = money.get(merchant) ?? {};
      money.set(merchant, { ...own, [currency]: (own[currency] ?? 0n) + minorUnits });
    }
  }
  return { inDoubt: counts['in-doubt'], held: counts.held, oldestSinceMs, money, orders, heldMoney };
}
