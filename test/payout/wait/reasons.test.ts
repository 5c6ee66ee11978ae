// The table of reasons: each wait has an end, grows with its age, and is looked at often enough.
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../lib/payout/limits.ts';
import { endedBy, needsPerson, type WaitName, waitsInLine, waitUntilMs } from '../../../lib/payout/wait/reasons.ts';
import { startMs } from '../../support/time-and-chance.ts';

const seconds = 1_000;
const outages: readonly WaitName[] = ['lane-unknown', 'controls-unknown', 'secret', 'ledger', 'unpublished', 'failed'];
const inLine: readonly WaitName[] = ['pace', 'lane-slow', 'lane-closed', 'lane-paused', 'paused', 'doubt'];

/** The seconds that a job of this age waits for. */
const waits = (
  because: WaitName,
  ageSeconds: number,
  more: { untilMs?: number; notBeforeMs?: number } = {},
  chance = 1,
) =>
  Math.ceil(
    (waitUntilMs(because, { nowMs: startMs, sinceMs: startMs - ageSeconds * seconds, chance, ...more }, defaultLimits) -
      startMs) /
      seconds,
  );

it.each(outages)('what an outage causes is looked at after a quarter of a minute, and within five: %s', (because) => {
  expect([0, 60, 600, 1_000_000].map((age) => waits(because, age))).toEqual([15, 60, 300, 300]);
});

it('what an outage causes costs a bounded number of looks in its first hour, and twelve to sixteen in each after it', () => {
  const looks = (fromSeconds: number, chance: number) => {
    let count = 0;
    for (let age = fromSeconds; age < fromSeconds + 3_600; count += 1) age += waits('ledger', age, {}, chance);
    return count;
  };
  expect([looks(0, 1), looks(3_600, 1)]).toEqual([17, 12]);
  expect([looks(0, 0), looks(3_600, 0)]).toEqual([22, 16]);
});

it('jobs that failed together come in the last quarter of their wait', () => {
  expect([0, 0.5, 1].map((chance) => waits('unsent', 100, {}, chance))).toEqual([150, 175, 200]);
});

it.each(inLine)('who waits for the lane keeps its place by its first sending: %s', (because) => {
  expect(waits(because, 100)).toBe(-100);
  expect(waitsInLine(because)).toBe(true);
});

it.each<[WaitName, number]>([
  ['undecided', 86_400],
  ['unsent', 900],
  ['busy', 300],
])('who waits for somebody to say something is looked at by then: %s', (because, most) => {
  expect(waits(because, 1_000_000)).toBe(most);
});

it('nothing comes before its moment, nor after what ends it', () => {
  expect(waits('not-before', 0, { notBeforeMs: startMs + 7_200 * seconds })).toBe(7_200);
  expect(waits('ledger', 600, { untilMs: startMs + 20 * seconds })).toBe(20);
  expect(waits('ledger', 600, { untilMs: startMs - 20 * seconds })).toBe(0);
});

describe('a reason', () => {
  it('says who may end it', () => {
    expect([endedBy('lane-closed'), needsPerson('paused'), needsPerson('pace')]).toEqual([
      'a probe that the gateway answers, or a person',
      true,
      false,
    ]);
  });

  it('that this version does not know waits as for an outage', () => {
    expect([endedBy('of tomorrow'), needsPerson('of tomorrow'), waitsInLine('toString')]).toEqual([
      'what this version does not know',
      false,
      false,
    ]);
  });
});
