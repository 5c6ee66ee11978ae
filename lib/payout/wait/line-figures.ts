// HOW LONG THE LINES ARE, for the alarms: the sweeper measures them every five minutes, over the index of the table `waiting`. So a lane
// that takes nothing is seen too, although no function handles its jobs meanwhile.
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

/** The metrics of each line. */
export const figuresOfLine = {
  urgent: { waiting: 'waitingJobs', age: 'jobWaitSeconds', braked: 'jobsBraked' },
  row: { waiting: 'waitingRows', age: 'rowWaitSeconds', braked: 'rowsBraked' },
} as const satisfies Readonly<Record<LineClass, object>>;

/** The sweeper's round. If the time is too short for all lines it reports none: a part would be taken for the whole. */
export function lineFiguresRound(ports: LineFiguresPorts): SweepRound {
  /** Published each minute, as its alarm asks for it. */
  let unreadable: MetricValues['values'] = {};
  return async (deadlineMs) => {
    // Measures in the first minute of five. Each call may be a new process, which has only the clock to tell by.
    if (ports.clock.nowMs() % measuredEveryMs >= 60_000) return unreadable;
    try {
      const states = await ports.lanes.all();
      const count = states.filter(({ state }) => !state).length;
      unreadable = count > 0 ? { unreadable: count } : {};
      return { ...unreadable, ...(await measured(states, deadlineMs, ports)) };
    } catch {
      // A failure here must not stop the rounds that come after.
      return unreadable;
    }
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
