import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../lib/payout/limits.ts';
import { growingDelaySeconds, isLastReceive, retryDelaySeconds } from '../../lib/payout/retry-policy.ts';

const delay = (receiveCount: number, chance: number) => retryDelaySeconds({ receiveCount, chance }, defaultLimits);

describe('the schedule, shortest and longest wait in seconds', () => {
  it.each([
    [1, 8, 15],
    [2, 15, 30],
    [3, 30, 60],
    [4, 60, 120],
    [5, 120, 240],
    [6, 240, 480],
    [7, 450, 900],
    [8, 450, 900],
    [1000, 450, 900],
    [0, 8, 15],
  ])('after receive %i: %i to %i s', (receiveCount, shortest, longest) => {
    expect(delay(receiveCount, 0)).toBe(shortest);
    expect(delay(receiveCount, 0.999_999)).toBe(longest);
  });
});

describe("the gateway's own word", () => {
  it.each([
    [40, 40],
    [5, 8],
    [0, 8],
    [100_000, 900],
  ])('Retry-After %i waits %i s', (retryAfterSeconds, seconds) => {
    expect(growingDelaySeconds({ ageSeconds: 0, chance: 0, retryAfterSeconds }, defaultLimits)).toBe(seconds);
  });
});

describe('the wait for the world grows with the age of the job', () => {
  it.each([
    [0, 8, 15],
    [15, 8, 15],
    [100, 50, 100],
    [900, 450, 900],
    [1_000_000, 450, 900],
  ])('after %i s: %i to %i s', (ageSeconds, shortest, longest) => {
    expect(growingDelaySeconds({ ageSeconds, chance: 0 }, defaultLimits)).toBe(shortest);
    expect(growingDelaySeconds({ ageSeconds, chance: 0.999_999 }, defaultLimits)).toBe(longest);
  });
});

it('the fifth receive is the last', () => {
  expect([1, 4, 5, 6].map((count) => isLastReceive(count, defaultLimits))).toEqual([false, false, true, true]);
});
