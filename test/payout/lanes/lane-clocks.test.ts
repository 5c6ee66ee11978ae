// Workers whose clocks are minutes apart keep one pace: the lanes' time is that of the store, to the second.
import { describe, expect, it } from 'vitest';
import { createLaneTime } from '../../../lib/payout/lanes/lane-time.ts';
import { startMs } from '../../support/time-and-chance.ts';

describe("a worker's knowledge of the lanes' time", () => {
  function aTime() {
    const own = { wallMs: startMs, upMs: 0 };
    const time = createLaneTime({ nowMs: () => own.wallMs, uptimeMs: () => own.upMs });
    const pass = (ms: number) => {
      own.wallMs += ms;
      own.upMs += ms;
    };
    return { own, time, pass };
  }

  it('is the latest second that has come for certain, and comes near the truth by answers of different moments', () => {
    const { time, pass } = aTime();
    const storeMs = Date.UTC(2026, 10, 21, 12);
    time.heard(storeMs);
    pass(400);
    expect(time.nowMs()).toBe(storeMs + 400);
    // The second turned meanwhile: the first answer was of its end.
    time.heard(storeMs + 1_000);
    expect(time.nowMs()).toBe(storeMs + 1_000);
    pass(700);
    time.heard(storeMs + 1_000);
    expect(time.nowMs()).toBe(storeMs + 1_700);
  });

  it('goes on while the machine sleeps, and is not led astray for long by a clock that somebody sets', () => {
    const { own, time } = aTime();
    time.heard(startMs);
    own.wallMs += 60_000;
    expect(time.nowMs()).toBe(startMs + 60_000);
    own.wallMs -= 3_600_000;
    expect(time.nowMs()).toBe(startMs + 60_000);
    own.wallMs += 7_200_000;
    time.heard(startMs + 61_000);
    expect(time.nowMs()).toBe(startMs + 61_000);
  });
});
