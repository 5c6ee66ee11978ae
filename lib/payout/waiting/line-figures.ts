// HOW LONG THE LINES ARE: measured by the sweeper every five minutes, over the index of what waits. So a lane that takes nothing, of
// whose jobs no function sees anything while it stands, is seen all the same; and a stand of a million jobs costs a few cents to see.
import type { SweepRound } from '../due-work.ts';
import { isFarBelowUsual } from '../lane-line.ts';
import type { LaneName, Lanes, LaneState } from '../lane.ts';
import type { MetricName } from '../metrics.ts';
import type { Clock, MetricValues } from '../ports.ts';
import type { DrainRights } from './drain-right.ts';
import type { LineClass, LineLength, WaitingRows } from './waiting-row.ts';

/** What measuring needs. */
export interface LineFiguresPorts {
  readonly drainRights: Pick<DrainRights, 'all'>;
  readonly lanes: Pick<Lanes, 'all'>;
  readonly waiting: Pick<WaitingRows, 'length'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** Ten thousand rows are read in 0.0001 dollars: each minute it would be two dollars for fourteen days of one lane. */
const measuredEveryMs = 300_000;
const lanesAtOnce = 10;
/** Longest time between two looks at what waits for something else than its moment (waits.ts). */
const longestLookMs = 900_000;

/** Seconds that somebody has waited in this line; absent where nobody is late: the first waits for a moment of its own. */
export function oldestWaitSeconds({ oldestSinceMs, firstGoAtMs }: LineLength, nowMs: number): number | undefined {
  if (oldestSinceMs === undefined || (firstGoAtMs ?? 0) > nowMs + longestLookMs) return undefined;
  return Math.max(0, Math.floor((nowMs - oldestSinceMs) / 1000));
}

interface Names {
  readonly waiting: 'waitingJobs' | 'waitingRows';
  readonly age: 'jobWaitSeconds' | 'rowWaitSeconds';
  readonly braked: 'jobsBraked' | 'rowsBraked';
  readonly slowed: 'jobsSlowed' | 'rowsSlowed';
}

const figuresOf: Readonly<Record<LineClass, Names>> = {
  urgent: { waiting: 'waitingJobs', age: 'jobWaitSeconds', braked: 'jobsBraked', slowed: 'jobsSlowed' },
  row: { waiting: 'waitingRows', age: 'rowWaitSeconds', braked: 'rowsBraked', slowed: 'rowsSlowed' },
};

const classes: readonly LineClass[] = ['urgent', 'row'];
const nameOf = ({ merchant, endpointId }: LaneName) => `${merchant}/${endpointId}`;

/** The round. Where the time was too short for all lines it counts none: a part would be taken for the whole. */
export function lineFiguresRound(ports: LineFiguresPorts): SweepRound {
  return {
    name: 'line-figures',
    async run(deadlineMs) {
      // The first minute of five: who is called anew each time knows it by the clock alone.
      if (ports.clock.nowMs() % measuredEveryMs >= 60_000) return {};
      // Figures are worth less than the rounds that come after.
      return measured(deadlineMs, ports).catch(() => ({}));
    },
  };
}

async function measured(
  deadlineMs: number,
  { drainRights, lanes, waiting, clock }: LineFiguresPorts,
): Promise<MetricValues['values']> {
  const [rights, all] = await Promise.all([drainRights.all(), lanes.all()]);
  const stateOf = new Map(all.map((it) => [nameOf(it), it.state]));
  const withLine = rights.filter(({ right }) => right.isOver === undefined);
  const sum = createSum();
  for (let at = 0; at < withLine.length; at += lanesAtOnce) {
    if (clock.nowMs() > deadlineMs) return {};
    const some = withLine.slice(at, at + lanesAtOnce).flatMap((lane) => classes.map((of) => ({ lane, of })));
    const lengths = await Promise.all(some.map(({ lane, of }) => waiting.length(lane, of)));
    some.forEach(({ lane, of }, place) =>
      sum.add(of, lengths[place] ?? { rows: 0 }, stateOf.get(nameOf(lane)), clock.nowMs()),
    );
  }
  return sum.values();
}

function createSum() {
  const counts: Partial<Record<MetricName, number>> = {};
  const count = (name: MetricName, number: number) => {
    if (number > 0) counts[name] = (counts[name] ?? 0) + number;
  };
  return {
    add(of: LineClass, length: LineLength, state: LaneState | undefined, nowMs: number): void {
      const names = figuresOf[of];
      count(names.waiting, length.rows);
      const age = oldestWaitSeconds(length, nowMs);
      if (age !== undefined) counts[names.age] = Math.max(counts[names.age] ?? 0, age);
      if (state?.closed) count(names.braked, length.rows);
      else if (state && !state.paused && isFarBelowUsual(state, {})) count(names.slowed, length.rows);
    },
    values: (): MetricValues['values'] => counts,
  };
}
