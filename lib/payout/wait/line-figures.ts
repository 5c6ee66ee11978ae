// HOW LONG THE LINES ARE, for the alarms: measured by the sweeper every five minutes, over the index of the table `waiting`.
// So a lane that takes nothing, of whose jobs no function sees anything meanwhile, is seen all the same. A line that is only
// known to be long is counted each half hour, as counting is what costs.
import type { SweepRound } from '../inquire/due-work.ts';
import { type LaneState, nameOfLane, type LineClass } from '../pace/lane-state.ts';
import type { MetricName } from '../metrics.ts';
import type { Clock, MetricValues } from '../ports.ts';
import { lineClasses, type LineSources, lengthsOf } from './line-lengths.ts';
import { lineCountedTo, type LineLength } from './parked-job.ts';

/** The ports of measuring. */
export interface LineFiguresPorts extends LineSources {
  readonly clock: Pick<Clock, 'nowMs'>;
}

const measuredEveryMs = 300_000;
/** For lines of ten thousand rows and more. */
const longCountedEveryMs = 1_800_000;

interface Names {
  readonly waiting: 'waitingJobs' | 'waitingRows';
  readonly age: 'jobWaitSeconds' | 'rowWaitSeconds';
  readonly braked: 'jobsBraked' | 'rowsBraked';
}

const namesOf: Readonly<Record<LineClass, Names>> = {
  urgent: { waiting: 'waitingJobs', age: 'jobWaitSeconds', braked: 'jobsBraked' },
  row: { waiting: 'waitingRows', age: 'rowWaitSeconds', braked: 'rowsBraked' },
};

/** The round. Where the time was too short for all lines it counts none: a part would be taken for the whole. */
export function lineFiguresRound(given: LineFiguresPorts): SweepRound {
  const ports = { ...given, waiting: { jobs: rememberingLong(given) } };
  /** Published each minute, as its alarm asks for it. */
  let unreadable: MetricValues['values'] = {};
  return {
    name: 'line-figures',
    async run(deadlineMs) {
      // The first minute of five: who is called anew each time knows it by the clock alone.
      if (ports.clock.nowMs() % measuredEveryMs >= 60_000) return unreadable;
      try {
        const states = await ports.lanes.all();
        const count = states.filter(({ state }) => !state).length;
        unreadable = count > 0 ? { unreadable: count } : {};
        return { ...unreadable, ...(await measured(states, deadlineMs, ports)) };
      } catch {
        // Figures are worth less than the rounds that come after.
        return unreadable;
      }
    },
  };
}

/** Lengths, of which those of long lines are remembered for a while. */
function rememberingLong({ waiting: { jobs }, clock }: LineFiguresPorts): LineSources['waiting']['jobs'] {
  const long = new Map<string, { readonly length: LineLength; readonly atMs: number }>();
  return {
    async length(lane, of) {
      const name = `${nameOfLane(lane)}/${of}`;
      const known = long.get(name);
      if (known && clock.nowMs() - known.atMs < longCountedEveryMs) return known.length;
      const length = await jobs.length(lane, of);
      if (length.rows < lineCountedTo) long.delete(name);
      else long.set(name, { length, atMs: clock.nowMs() });
      return length;
    },
  };
}

async function measured(
  states: Awaited<ReturnType<LineFiguresPorts['lanes']['all']>>,
  deadlineMs: number,
  ports: LineFiguresPorts,
): Promise<MetricValues['values']> {
  const { clock } = ports;
  const sum = createSum();
  for await (const { lines, state } of lengthsOf(states, ports)) {
    if (clock.nowMs() > deadlineMs) return {};
    for (const name of lineClasses) sum.add(name, lines[name], state, clock.nowMs());
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
      const names = namesOf[of];
      count(names.waiting, length.rows);
      const age = Math.floor((nowMs - (length.oldestSinceMs ?? nowMs)) / 1000);
      if (age > (counts[names.age] ?? 0)) counts[names.age] = age;
      if (state?.closed) count(names.braked, length.rows);
    },
    values: (): MetricValues['values'] => counts,
  };
}
