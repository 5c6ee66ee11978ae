// The sweeper: whatever stands still is set moving again (resume-due.ts), what is in doubt is measured (measure-doubt.ts),
// and features have their rounds. Each part has a share of the time, so that none keeps the next from its turn.
import type { DoubtAlarm } from './doubt-alarm.ts';
import type { ControlsAdmin } from './control-ports.ts';
import type { QueueDepths } from './inquiry-ports.ts';
import { type Doubt, levelsOf, measureDoubt, moneyOf } from './measure-doubt.ts';
import type { Log, MetricValues, Metrics } from './ports.ts';
import { createMetricsRecorder } from './metrics-recorder.ts';
import { resumeDue, type ResumePorts } from './resume-due.ts';

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
export interface SweepPorts extends ResumePorts {
  readonly log: Log;
  readonly queueDepths: QueueDepths;
  readonly metrics: Metrics;
  readonly controlsAdmin: Pick<ControlsAdmin, 'recordDoubt'>;
  readonly doubtAlarm: DoubtAlarm;
  /** In their order; empty where no feature adds one. */
  readonly rounds: readonly SweepRound[];
}

/** What one sweep found. */
export interface Swept {
  /** Orders set moving again. */
  readonly resumed: number;
  /** Absent where there was no time to measure it all: a part of it would be taken for the whole. */
  readonly doubt?: Doubt;
}

/** What is due stays due until a check was made: a queue that is not worked off must not be filled each minute anew. */
const checksWaitingAtMost = 10_000;

/** One sweep. Stops early at `deadlineMs`; what is left is the next sweep's. */
export async function sweep(deadlineMs: number, ports: SweepPorts): Promise<Swept> {
  const { clock, doubtAlarm } = ports;
  // MetricValues are worth less than orders that move on.
  const depths = await ports.queueDepths.measure().catch(() => ({}) as Awaited<ReturnType<QueueDepths['measure']>>);
  const tally = createMetricsRecorder();
  const isFull = (depths.checksDepth ?? 0) >= checksWaitingAtMost;
  const halfwayMs = clock.nowMs() + (deadlineMs - clock.nowMs()) / 2;
  const resumed = await resumeDue({ isFull, deadlineMs: halfwayMs, tally }, ports);
  const doubt = await measureDoubt(deadlineMs, ports);
  const { values } = tally.taken();
  ports.metrics.publish({
    values: { ...values, ...depths, resumed, ...(doubt && levelsOf(doubt, clock.nowMs(), doubtAlarm)) },
    perCurrency: doubt ? moneyOf(doubt) : new Map(),
  });
  if (doubt) await ports.controlsAdmin.recordDoubt(doubt.money);
  for (const round of ports.rounds) await runRound(round, deadlineMs, ports);
  return { resumed, ...(doubt && { doubt }) };
}

async function runRound(round: SweepRound, deadlineMs: number, { metrics }: SweepPorts): Promise<void> {
  const values = await round.run(deadlineMs);
  if (Object.keys(values).length > 0) metrics.publish({ values, perCurrency: new Map() });
}
