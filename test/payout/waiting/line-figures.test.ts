// The figures of lines: what the sweeper measures of what waits, while no function sees a job of it.
import { describe, expect, it } from 'vitest';
import { type LaneState, newLane, type LineClass } from '../../../lib/payout/lanes/lane.ts';
import type { DrainRight } from '../../../lib/payout/waiting/drain-right.ts';
import { type LineFiguresPorts, lineFiguresRound } from '../../../lib/payout/waiting/line-figures.ts';
import { lateSinceMs } from '../../../lib/payout/waiting/line-lengths.ts';
import type { LineLength } from '../../../lib/payout/waiting/waiting-row.ts';

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

const closed = { cause: 'not-connected', sinceMs: secondsAgo(hour), probes: 3 } as const;

function portsOf(lanes: readonly Lane[], changes: Partial<LineFiguresPorts> = {}): LineFiguresPorts {
  const merchant = 'acme-eu';
  const right: DrainRight = {
    number: 1,
    writer: 'w',
    nextAtMs: nowMs,
    leaseUntilMs: nowMs,
    cursors: { urgent: [], row: [] },
  };
  return {
    drainRights: {
      all: async () => lanes.map(({ endpointId }) => ({ merchant, endpointId, right })),
    },
    lanes: {
      all: async () =>
        lanes.map(({ endpointId, state }) => ({ merchant, endpointId, state: { ...newLane({}, nowMs), ...state } })),
      read: async () => ({ atMs: nowMs }),
    },
    unnamed: () => [],
    waiting: {
      length: async (lane, of: LineClass) => lanes.find((it) => it.endpointId === lane.endpointId)?.[of] ?? { rows: 0 },
    },
    clock: { nowMs: () => nowMs },
    ...changes,
  };
}

const measure = (ports: LineFiguresPorts, deadlineMs = nowMs + 10_000) => lineFiguresRound(ports).run(deadlineMs);
const line = (rows: number, oldestSinceMs: number, firstGoAtMs = oldestSinceMs): LineLength => ({
  rows,
  oldestSinceMs,
  firstGoAtMs,
});

describe('a line is measured by the sweeper', () => {
  it('as long as it is, with its oldest wait, in a lane that takes nothing and of which no function hears', async () => {
    const stands: Lane = { endpointId: '1', urgent: line(147, secondsAgo(900)), state: { closed } };
    expect(await measure(portsOf([stands]))).toEqual({ waitingJobs: 147, jobWaitSeconds: 900, jobsBraked: 147 });
  });

  it('though newer code wrote its lane, which is counted each minute until it can be read', async () => {
    let minuteMs = nowMs;
    const clock = { nowMs: () => minuteMs };
    const given = portsOf([{ endpointId: '1', urgent: line(3, secondsAgo(900)) }], { clock });
    const round = lineFiguresRound({
      ...given,
      lanes: { ...given.lanes, all: async () => [{ merchant: 'acme-eu', endpointId: '1' }] },
    });
    expect(await round.run(Infinity)).toEqual({ waitingJobs: 3, jobWaitSeconds: 900, unreadable: 1 });
    minuteMs += 60_000;
    expect(await round.run(Infinity)).toEqual({ unreadable: 1 });
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

  it('as one of a slow lane where its gateway takes less than a quarter of what it did', async () => {
    const slow: Lane = { endpointId: '1', row: line(9, nowMs), state: { used: { lately: 1, usual: 5 } } };
    expect(await measure(portsOf([slow]))).toMatchObject({ rowsSlowed: 9 });
    expect(await measure(portsOf([{ ...slow, state: { used: { lately: 2, usual: 5 } } }]))).not.toHaveProperty(
      'rowsSlowed',
    );
  });

  it('but late is nobody who waits for a moment of their own', async () => {
    const tomorrow = line(3, secondsAgo(5 * hour), nowMs + 24 * hour * 1000);
    expect(await measure(portsOf([{ endpointId: '1', urgent: tomorrow }]))).toEqual({ waitingJobs: 3 });
    expect(lateSinceMs(tomorrow, nowMs)).toBeUndefined();
    // Between two looks of what waits for a person.
    expect(lateSinceMs(line(1, secondsAgo(5 * hour), nowMs + 900_000), nowMs)).toBe(secondsAgo(5 * hour));
  });

  it('though no register has room for its name, with whether its lane is closed; and once, where it has by now', async () => {
    const stands: Lane = { endpointId: '1', urgent: line(147, secondsAgo(900)) };
    const [lane, named] = ['1', '2'].map((endpointId) => ({ merchant: 'acme-eu', endpointId }));
    if (!lane || !named) throw new Error('two lanes');
    const given = portsOf([stands, { endpointId: '2', urgent: line(3, secondsAgo(30)) }]);
    const ports: LineFiguresPorts = {
      ...given,
      drainRights: { all: async () => [named] },
      lanes: { all: async () => [], read: async () => ({ atMs: nowMs, state: { ...newLane({}, nowMs), closed } }) },
      unnamed: () => [lane, named],
    };
    expect(await measure(ports)).toEqual({ waitingJobs: 150, jobWaitSeconds: 900, jobsBraked: 147 });
  });

  it('once in five minutes', async () => {
    const stands = [{ endpointId: '1', urgent: line(1, nowMs) }];
    const measuredAt = (seconds: number) =>
      measure(portsOf(stands, { clock: { nowMs: () => nowMs + seconds * 1000 } }), nowMs + 900_000);
    const minutes = await Promise.all([0, 59, 60, 120, 240, 299, 300].map(measuredAt));
    expect(minutes.map((it) => it.waitingJobs ?? 0)).toEqual([1, 1, 0, 0, 0, 0, 1]);
  });

  it('wholly or not at all: a part of the lines would be taken for all of them', async () => {
    const lanes = Array.from({ length: 11 }, (_, at): Lane => ({ endpointId: String(at), row: line(1, nowMs) }));
    expect(await measure(portsOf(lanes))).toMatchObject({ waitingRows: 11 });
    let ms = nowMs;
    const slow: LineFiguresPorts['waiting'] = {
      async length() {
        ms += 1_000;
        return line(1, nowMs);
      },
    };
    expect(await measure(portsOf(lanes, { waiting: slow, clock: { nowMs: () => ms } }))).toEqual({});
  });

  it('and where the table does not answer, the rounds after it have their turn', async () => {
    const down: LineFiguresPorts['waiting'] = { length: () => Promise.reject(new Error('throttled')) };
    expect(await measure(portsOf([{ endpointId: '1' }], { waiting: down }))).toEqual({});
  });
});
