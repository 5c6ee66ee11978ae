// HOW LONG THE LINES ARE, for the alarms: measured by the sweeper every five minutes, over the index of the table `waiting`.
// So a lane that takes nothing, of whose jobs no function sees anything meanwhile, is seen all the same.
import type { SweepRound } from '../inquire/due-work.ts';
import type { LineClass } from '../pace/lane-state.ts';
import type { MetricName } from '../metrics.ts';
import type { Clock, MetricValues } from '../ports.ts';
import { lineClasses, type LineSources, lengthsOf } from './line-lengths.ts';

/** The ports of measuring. */
export interface LineFiguresPorts extends LineSources {
  readonly clock: Pick<Clock, 'nowMs'>;
}

const measuredEveryMs = 300_000;

/** The figures of the lines. */
export const figuresOfLine = {
  urgent: { waiting: 'waitingJobs', age: 'jobWaitSeconds', braked: 'jobsBraked' },
  row: { waiting: 'waitingRows', age: 'rowWaitSeconds', braked: 'rowsBraked' },
} as const satisfies Readonly<Record<LineClass, object>>;

/** The round. Where the time was too short for all lines it counts none: a part would be taken for the whole. */
export function lineFiguresRound(ports: LineFiguresPorts): SweepRound {
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

async function measured(
  states: Awaited<ReturnType<LineFiguresPorts['lanes']['all']>>,
  deadlineMs: number,
  ports: LineFiguresPorts,
): Promise<MetricValues['values']> {
  const { clock } = ports;
  const counts: Partial<Record<MetricName, number>> = {};
  const count = (name: MetricName, number: number) => {
    if (number > 0) counts[name] = (counts[name] ?? 0) + number;
  };
  for await (const { lines, state } of lengthsOf(states, ports)) {
    const nowMs = clock.nowMs();
    if (nowMs > deadlineMs) return {};
    for (const name of lineClasses) {
      const { rows, oldestSinceMs = nowMs } = lines[name];
      const { waiting, age, braked } = figuresOfLine[name];
      count(waiting, rows);
      const seconds = Math.floor((nowMs - oldestSinceMs) / 1000);
      if (seconds > (counts[age] ?? 0)) counts[age] = seconds;
      if (state?.closed) count(braked, rows);
    }
  }
  return counts;
}
