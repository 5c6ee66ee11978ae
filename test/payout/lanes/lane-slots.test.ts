// What a lane gives: slots one after the other however many ask, urgent jobs first, who comes from a line before who comes anew, and nothing that
// a wrong clock or a frozen process could turn into a flood.
import { describe, expect, it } from 'vitest';
import { type LaneState, newLane, type LaneAsk, type LaneGrant } from '../../../lib/payout/lanes/lane.ts';
import { take, type Taking } from '../../../lib/payout/lanes/lane-slots.ts';
import { startMs } from '../../support/time-and-chance.ts';

const five = { ratePerSecond: 5 };
const taking = (changes: Partial<Taking> = {}): Taking => ({
  by: 'worker-1',
  nowMs: startMs,
  caps: five,
  inFlight: 0,
  spareSlots: 0,
  ...changes,
});
let orders = 0;
const ask = (changes: Partial<LaneAsk> = {}): LaneAsk => ({ class: 'row', order: `o-${(orders += 1)}`, ...changes });
const many = (count: number, changes: Partial<LaneAsk> = {}) => Array.from({ length: count }, () => ask(changes));
/** Ms from the start at which each may send; undefined for those who wait. */
const times = (grants: readonly LaneGrant[]) =>
  grants.map((grant) => (grant.kind === 'slot' ? grant.atMs - startMs : undefined));
const lane = (changes: Partial<LaneState> = {}): LaneState => ({ ...newLane(five, startMs), ...changes });

describe('slots', () => {
  it('come one after the other, at the pace that the profile allows', () => {
    expect(times(take(lane(), many(4), taking()).grants)).toEqual([0, 200, 400, 600]);
  });

  it('that nobody has used are lost: an hour of rest makes no flood', () => {
    const { next } = take(lane(), many(1), taking());
    const later = startMs + 3_600_000;
    const { grants } = take(next, many(3), taking({ nowMs: later }));
    expect(times(grants).map((ms) => (ms ?? 0) - 3_600_000)).toEqual([0, 200, 400]);
  });

  it('are given ten at once while nothing is known of the gateway', () => {
    const { grants } = take(newLane({}, startMs), many(12), taking({ caps: {} }));
    expect(times(grants)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 50, 100]);
  });

  it('are taken a little ahead for later use, and end after ten seconds', () => {
    const { slots } = take(lane(), [], taking({ spareSlots: 100 }));
    expect(slots.map(({ atMs }) => atMs - startMs)).toEqual([0, 200, 400, 600, 800, 1000]);
    expect(slots.every(({ untilMs }) => untilMs === startMs + 10_000)).toBe(true);
  });

  it('are at most as many as may be under way, all workers together', () => {
    const caps = { concurrency: 3 };
    const first = take(lane(), many(2), taking({ caps }));
    expect(times(first.grants)).toEqual([0, 50].map(() => 0));
    const second = take(first.next, many(3), taking({ caps, by: 'worker-2' }));
    expect(second.grants.filter(({ kind }) => kind === 'slot')).toHaveLength(1);
    // The first has ended its two; the second's one may still be under way.
    const third = take(second.next, many(5), taking({ caps, nowMs: startMs + 1_000 }));
    expect(third.grants.filter(({ kind }) => kind === 'slot')).toHaveLength(2);
    // Whoever died with them loses them when its slice and exchange are over.
    const late = take(third.next, many(5), taking({ caps, by: 'worker-3', nowMs: startMs + 42_000 }));
    expect(late.grants.filter(({ kind }) => kind === 'slot')).toHaveLength(3);
  });
});

describe('those who wait', () => {
  const fromLine = { fromLine: true } as const;

  it('in a line come before whoever comes anew, for as long as its drain comes', () => {
    const { next } = take(lane(), many(1, fromLine), taking());
    const later = { nowMs: startMs + 200 };
    const { grants } = take(next, [ask(), ask(fromLine)], taking(later));
    expect(grants).toEqual([{ kind: 'wait', because: 'pace' }, expect.objectContaining({ kind: 'slot' })]);
    expect(take(next, [ask()], taking({ nowMs: startMs + 16_000 })).grants).toMatchObject([{ kind: 'slot' }]);
  });

  it('let urgent jobs pass, and stand behind a line of these', () => {
    const rows = lane({ lines: { row: startMs + 15_000 }, cursorMs: startMs });
    const { grants } = take(rows, [ask(fromLine), ask({ class: 'urgent' })], taking());
    expect(times(grants)).toEqual([200, 0]);
    const urgent = lane({ lines: { urgent: startMs + 15_000 }, cursorMs: startMs });
    expect(take(urgent, [ask(), ask({ class: 'urgent' })], taking()).grants).toMatchObject([
      { kind: 'wait' },
      { kind: 'wait' },
    ]);
  });
});
