// Workers whose clocks are minutes apart keep one pace: the lanes' time is that of the store, to the second.
import { describe, expect, it } from 'vitest';
import { createLaneTime } from '../../../lib/payout/lanes/lane-time.ts';
import type { Lanes } from '../../../lib/payout/lanes/lane.ts';
import { createPacing } from '../../../lib/payout/lanes/pacing.ts';
import { createTimeline } from '../../simulation/timeline.ts';
import { createMemoryLanes } from '../../support/memory-lanes.ts';
import { startMs } from '../../support/time-and-chance.ts';

const lane = { merchant: 'acme-eu', endpointId: '39915' };
const minutes = 60_000;

/** Workers that send whatever they may for two minutes; when each request left, and what each is told by its own clock. */
async function sent(
  skewsMs: readonly number[],
  {
    ratePerSecond = 5,
    store = (honest: Lanes) => honest,
  }: { ratePerSecond?: number; store?: (it: Lanes) => Lanes } = {},
): Promise<readonly number[]> {
  const timeline = createTimeline();
  const beganMs = timeline.nowMs();
  const sleep = (ms: number) => new Promise<void>((wake) => timeline.after(Math.max(ms, 1), wake));
  const lanes = store(createMemoryLanes(timeline.nowMs));
  const slow: Lanes = {
    ...lanes,
    read: async (it) => (await sleep(4), lanes.read(it)),
    write: async (it, next) => (await sleep(8), lanes.write(it, next)),
  };
  const atMs: number[] = [];
  for (const [worker, skewMs] of skewsMs.entries()) {
    const clock = { nowMs: () => timeline.nowMs() + skewMs, uptimeMs: () => timeline.nowMs() - beganMs, sleep };
    let ids = 0;
    const pacing = createPacing({ lanes: slow, clock, random: { id: () => `w${worker}.${(ids += 1)}` } });
    const asks = async (asker: number) => {
      for (let job = 0; ; job += 1) {
        const order = `${worker}.${asker}.${job}`;
        const grant = await pacing.ask(lane, { class: 'urgent', order }, { ratePerSecond });
        if (grant.kind === 'wait') {
          await sleep(Math.min('untilMs' in grant && grant.untilMs ? grant.untilMs - clock.nowMs() : 1_000, 1_000));
          continue;
        }
        expect(grant.untilMs).toBeGreaterThan(clock.nowMs());
        atMs.push(timeline.nowMs() - beganMs);
        await sleep(20);
        pacing.report(lane, grant, { says: 'accepted', order });
      }
    };
    for (let asker = 0; asker < 8; asker += 1) void asks(asker);
  }
  const turn = () => new Promise((next) => setImmediate(next));
  await turn();
  while (timeline.nowMs() - beganMs < 2 * minutes && timeline.step()) await turn();
  return atMs;
}

const lastMinute = (atMs: readonly number[]) => atMs.filter((it) => it >= minutes).length;
/** The fullest second. */
const fullest = (atMs: readonly number[]) =>
  Math.max(...atMs.map((from) => atMs.filter((it) => it >= from && it < from + 1_000).length));

describe('two workers at five requests a second', () => {
  it.each([
    ['in step', [0, 0]],
    ['half a minute apart', [0, 30_000]],
    ['five minutes apart', [0, 5 * minutes]],
    ['both wrong', [-3 * minutes, 7 * minutes]],
    ['a day apart', [0, 1_440 * minutes]],
  ])('send no more than that with clocks %s', async (_, skewsMs) => {
    const atMs = await sent(skewsMs);
    expect(lastMinute(atMs)).toBeLessThanOrEqual(301);
    expect(lastMinute(atMs)).toBeGreaterThanOrEqual(270);
    expect(fullest(atMs)).toBeLessThanOrEqual(7);
  });

  it('send no more than that where the machines of the store itself are minutes apart', async () => {
    let answers = 0;
    const away = <It extends { readonly atMs: number }>(it: It): It =>
      (answers += 1) % 3 === 0 ? { ...it, atMs: it.atMs + 5 * minutes } : it;
    const store = (honest: Lanes): Lanes => ({
      ...honest,
      read: async (it) => away(await honest.read(it)),
      write: async (it, next) => away(await honest.write(it, next)),
    });
    const atMs = await sent([0, 0], { store });
    // Its time leaps, and never goes back: what was given before is used beside what is given after, two seconds of pace.
    expect(lastMinute(atMs)).toBeLessThanOrEqual(310);
    expect(lastMinute(atMs)).toBeGreaterThanOrEqual(270);
    expect(fullest(atMs)).toBeLessThanOrEqual(5 + 10);
  });
});

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
