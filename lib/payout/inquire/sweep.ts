// The sweeper's duties beside leading (wait/release.ts): doubt is measured, and features have their rounds. Measuring has a share of the
// time, so that the rounds have theirs.
import type { ControlsAdmin } from '../operate/control.ts';
import { type DoubtAlarm, shareOfAlarm } from '../metrics.ts';
import type { DueWork, MeasuredKind, SweepRound } from './due-work.ts';
import type { Clock, Log, Metrics, MetricValues } from '../ports.ts';

/** The ports of a sweep. */
export interface SweepPorts {
  readonly dueWork: Pick<DueWork, 'measured'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly controlsAdmin: Pick<ControlsAdmin, 'recordDoubt'>;
  readonly doubtAlarm: DoubtAlarm;
  /** The rounds, in their order; empty if no feature adds one. */
  readonly rounds: readonly SweepRound[];
}

/** The share of the time for measuring doubt; the rest is for the rounds. */
const shareOfMeasuring = 2 / 3;

/** One sweep. Stops early at `deadlineMs`; the rest is the next sweep's. */
export async function sweep(deadlineMs: number, ports: SweepPorts): Promise<void> {
  const { clock, doubtAlarm, metrics } = ports;
  const measuresUntilMs = clock.nowMs() + (deadlineMs - clock.nowMs()) * shareOfMeasuring;
  const doubt = await measureDoubt(measuresUntilMs, ports);
  // Only if it is whole: a part of the doubt would be taken for all of it.
  if (doubt.isWhole) metrics.publish({ values: levelsOf(doubt, clock.nowMs(), doubtAlarm), perCurrency: new Map() });
  const unrecorded = await failureOf(ports.controlsAdmin.recordDoubt(doubt.money, doubt.isWhole));
  const broken = await runRounds(deadlineMs, ports);
  // Thrown only now: doubt must be recorded, or merchants that stop on doubt would go on; and each round must have had its turn.
  const [failure] = [...doubt.failures, ...unrecorded, ...broken];
  if (failure !== undefined) throw failure;
  // Last of all, so that an alarm misses it if the sweeper dies before.
  if (doubt.isWhole) metrics.publish({ values: { swept: 1 }, perCurrency: new Map() });
}

const failureOf = (work: Promise<unknown>): Promise<readonly unknown[]> =>
  work.then(
    () => [],
    (error: unknown) => [error],
  );

/** Runs each round, whatever becomes of those before it; answers with their failures. */
async function runRounds(deadlineMs: number, { rounds, metrics }: SweepPorts): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  for (const round of rounds) {
    try {
      const values = await round(deadlineMs);
      if (Object.values(values).some((it) => it > 0)) metrics.publish({ values, perCurrency: new Map() });
    } catch (error) {
      failures.push(error);
    }
  }
  return failures;
}

// How much is in doubt, held, or accepted for too long, for the alarms and for merchants that stop on doubt.

/** Orders in doubt or held, and the money that may have moved, in minor units per merchant and currency. */
interface Doubt {
  /** False if the time was too short for all of it, or a part could not be read: the doubt is at least what is counted here. */
  readonly isWhole: boolean;
  /** Why parts could not be read. */
  readonly failures: readonly unknown[];
  readonly held: number;
  /** Orders that are in doubt, held or unpublished and that this version can't read: their money is unknown. */
  readonly unreadable: number;
  readonly oldestDoubtMs?: number;
  /** The money of sent orders, per merchant. */
  readonly money: ReadonlyMap<string, Readonly<Record<string, bigint>>>;
  /** Orders accepted for longer than their horizon. */
  readonly overdue: number;
}

/** The levels of the metrics now. */
function levelsOf(doubt: Doubt, nowMs: number, doubtAlarm: DoubtAlarm): MetricValues['values'] {
  return {
    held: doubt.held,
    overdue: doubt.overdue,
    unreadable: doubt.unreadable,
    oldestDoubtSeconds: Math.floor((nowMs - (doubt.oldestDoubtMs ?? nowMs)) / 1000),
    doubtOfLimit: shareOfAlarm(ofAllMerchants(doubt), doubtAlarm),
  };
}

function ofAllMerchants({ money }: Doubt): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const merchant of money.values()) {
    for (const [currency, units] of Object.entries(merchant)) sums.set(currency, (sums.get(currency) ?? 0n) + units);
  }
  return sums;
}

/** Sums up everything in doubt or held by the index, or as much of it as there is time for. */
async function measureDoubt(
  deadlineMs: number,
  { dueWork, clock, log }: Pick<SweepPorts, 'dueWork' | 'clock' | 'log'>,
): Promise<Doubt> {
  const money = new Map<string, Record<string, bigint>>();
  const counts = { 'in-doubt': 0, held: 0, overdue: 0, unpublished: 0 };
  const unreadable = new Set<string>();
  let oldestDoubtMs: number | undefined;
  const failures: unknown[] = [];
  let isWhole = clock.nowMs() <= deadlineMs;

  async function measure(kind: MeasuredKind, onUnreadable: (orderKey: string) => void): Promise<void> {
    for await (const { state, sinceMs, merchant, money: sum, unsent } of dueWork.measured(kind, { onUnreadable })) {
      isWhole = clock.nowMs() <= deadlineMs;
      if (!isWhole) break;
      counts[state] += 1;
      if (state === 'in-doubt') oldestDoubtMs = Math.min(oldestDoubtMs ?? sinceMs, sinceMs);
      if (state === 'overdue' || !sum || unsent) continue;
      const { currency, minorUnits } = sum;
      const own = money.get(merchant) ?? {};
      money.set(merchant, { ...own, [currency]: (own[currency] ?? 0n) + minorUnits });
    }
  }

  for (const kind of ['in-doubt', 'held', 'overdue', 'unpublished'] as const) {
    // Counted by its kind in the index: otherwise doubt would seem to end if newer code has written it.
    const onUnreadable = (orderKey: string) => {
      counts[kind] += 1;
      unreadable.add(orderKey);
    };
    if (!isWhole) break;
    failures.push(...(await failureOf(measure(kind, onUnreadable))));
  }
  const [first] = unreadable;
  if (first !== undefined) log.write('error', 'orders-unreadable', { orderKey: first, records: unreadable.size });
  const levels = { held: counts.held, overdue: counts.overdue, unreadable: unreadable.size };
  return { isWhole: isWhole && failures.length === 0, failures, ...levels, oldestDoubtMs, money };
}
