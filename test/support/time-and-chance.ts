// Time that does not move by itself, and chance that repeats itself: nothing in these tests waits for real.
import type { Clock, Random } from '../../lib/payout/ports.ts';

/** The start of every story: 2026-11-21T10:00:00.000Z. */
export const startMs = Date.UTC(2026, 10, 21, 10);

/** A clock that only a story moves; a sleeper moves it too. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
  advanceTo(ms: number): void;
  /** Sets the clock back; the uptime goes on. */
  setBack(ms: number): void;
}

/** A manual clock. */
export function createManualClock(nowMs = startMs): ManualClock {
  let current = nowMs;
  let setBackMs = 0;
  return {
    nowMs: () => current - setBackMs,
    uptimeMs: () => current - nowMs,
    advance: (ms) => void (current += ms),
    advanceTo: (ms) => void (current = Math.max(current, ms + setBackMs)),
    setBack: (ms) => void (setBackMs += ms),
    sleep: async (ms) => void (current += ms),
  };
}

/** Ids that count up ("id-1", "id-2") and numbers from a small generator (mulberry32) with a seed. */
export function createSeededRandom(seed = 1): Random {
  let ids = 0;
  let state = seed;
  return {
    id: () => `id-${(ids += 1)}`,
    chance: () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}
