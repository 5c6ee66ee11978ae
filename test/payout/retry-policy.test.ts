import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../lib/payout/limits.ts';
import { growingDelaySeconds, isLastReceive, retryDelaySeconds } from '../../lib/payout/retry-policy.ts';

const delay = (receiveCount: number, chance: number) => retryDelaySeconds({ receiveCount, chance }, defaultLimits);

describe('the schedule, shortest and longest wait in seconds', () => {
  it.each([
    [1, 12, 15],
    [2, 34, 45],
    [3, 102, 135],
    [4, 304, 405],
    [5, 675, 900],
    [6, 675, 900],
    [1000, 675, 900],
    [0, 12, 15],
  ])('after receive %i: %i to %i s', (receiveCount, shortest, longest) => {
    expect(delay(receiveCount, 0)).toBe(shortest);
    expect(delay(receiveCount, 0.999_999)).toBe(longest);
  });
});

describe("the gateway's own word", () => {
  it.each([
    [40, 40],
    [5, 12],
    [0, 12],
    [100_000, 900],
  ])('Retry-After %i waits %i s', (retryAfterSeconds, seconds) => {
    expect(growingDelaySeconds({ ageSeconds: 0, chance: 0, retryAfterSeconds }, defaultLimits)).toBe(seconds);
  });
});

describe('the wait for the world grows with the age of the job', () => {
  it.each([
    [0, 12, 15],
    [15, 23, 30],
    [100, 150, 200],
    [450, 675, 900],
    [1_000_000, 675, 900],
  ])('after %i s: %i to %i s', (ageSeconds, shortest, longest) => {
    expect(growingDelaySeconds({ ageSeconds, chance: 0 }, defaultLimits)).toBe(shortest);
    expect(growingDelaySeconds({ ageSeconds, chance: 0.999_999 }, defaultLimits)).toBe(longest);
  });
});

it('the thousandth receive is the last', () => {
  expect([1, 999, 1_000, 1_001].map((count) => isLastReceive({ waits: count - 1 }, defaultLimits))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});
