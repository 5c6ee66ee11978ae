// The figures of lines: what the sweeper measures of what waits, while no function sees a job of it.
import { describe, expect, it } from 'vitest';
import { type LaneState, newLane, type LineClass } from '../../../lib/payout/pace/lane-state.ts';
import { type LineFiguresPorts, lineFiguresRound } from '../../../lib/payout/wait/line-figures.ts';
import type { LineLength } from '../../../lib/payout/wait/parked-job.ts';

/** The first minute of five. */
const nowMs = Date.parse('2026-11-22T10:05:00.000Z');
const secondsAgo = (seconds: number) => nowMs - seconds * 1000;
const hour = 3_600;

interface Lane {
  readonly endpointId: string;
  readonly urgent?: LineLength;
  readonly row?: LineLength;
  readonly state?: Partial<LaneState>;
}

const closed = { cause: 'not-connected', sinceMs: secondsAgo(hour), probes: 3, asked: 0 } as const;

function portsOf(lanes: readonly Lane[], changes: Partial<LineFiguresPorts> = {}): LineFiguresPorts {
  const merchant = 'acme-eu';
  return {
    lanes: {
      all: async () =>
        lanes.map(({ endpointId, state }) => ({ merchant, endpointId, state: { ...newLane({}), ...state } })),
    },
    waiting: {
      jobs: {
        length: async (lane, of: LineClass) =>
          lanes.find((it) => it.endpointId === lane.endpointId)?.[of] ?? { rows: 0 },
      },
    },
    clock: { nowMs: () => nowMs },
    ...changes,
  };
}

const measure = (ports: LineFiguresPorts, deadlineMs = nowMs + 10_000) => lineFiguresRound(ports)(deadlineMs);
const line = (rows: number, oldestSinceMs: number): LineLength => ({ rows, oldestSinceMs });

describe('a line is measured by the sweeper', () => {
  it('as long as it is, with its oldest wait, in a lane that takes nothing and of which no function hears', async () => {
    const waiting: Lane = { endpointId: '1', urgent: line(147, secondsAgo(900)), state: { closed } };
    expect(await measure(portsOf([waiting]))).toEqual({ waitingJobs: 147, jobWaitSeconds: 900, jobsBraked: 147 });
  });

  it('together with those of all other lanes: their rows added, the oldest wait of any', async () => {
    const lanes: readonly Lane[] = [
      { endpointId: '1', urgent: line(2, secondsAgo(30)), row: line(10_000, secondsAgo(7 * hour)) },
      { endpointId: '2', row: line(5, secondsAgo(hour)) },
    ];
    expect(await measure(portsOf(lanes))).toEqual({
      waitingJobs: 2,
      jobWaitSeconds: 30,
      waitingRows: 10_005,
      rowWaitSeconds: 7 * hour,
    });
  });

  it('but no job is late that waits for a moment of its own', async () => {
    const tomorrow = line(3, nowMs + 24 * hour * 1000);
    expect(await measure(portsOf([{ endpointId: '1', urgent: tomorrow }]))).toEqual({ waitingJobs: 3 });
  });
});
