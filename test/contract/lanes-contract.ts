// What lib/payout/lanes/lane.ts promises of its port, as stories: one item per lane, written by version, so that of any number
// of workers that take slots at once each is given other ones.
import { beforeAll, describe, expect, it } from 'vitest';
import { type LaneName, type Lanes, type LaneState, newLane } from '../../lib/payout/lanes/lane.ts';
import { startMs } from '../support/time-and-chance.ts';

let names = 0;
/** Every story has a lane of its own, so that one store serves them all. */
const aLane = (): LaneName => ({ merchant: `merchant-${(names += 1)}`, endpointId: '1144' });
const lane = (changes: Partial<LaneState> = {}): LaneState => ({ ...newLane({}, startMs), ...changes });

/** Runs the suite. `make` answers with the lanes of one more process over the same store, `storeMs` with the store's time. */
export function describeLanes(name: string, make: () => Lanes, storeMs: () => number): void {
  describe(`the lanes of ${name}`, () => {
    let one: Lanes;
    let other: Lanes;

    beforeAll(() => {
      one = make();
      other = make();
    });

    it('tell what was written, whole, to every process', async () => {
      const it = aLane();
      const state = lane({
        version: 1,
        ratePerSecond: 4.6,
        ceilingPerSecond: 5,
        lines: { row: startMs + 15_000 },
        closed: {
          cause: 'account',
          code: '28',
          sinceMs: startMs,
          probes: 1,
          nextProbeAtMs: startMs + 15_000,
        },
        paused: { by: 'ops', reason: 'odd amounts — ask Zoë', atMs: startMs },
      });
      expect(await one.write(it, state)).toMatchObject({ kind: 'written' });
      expect((await other.read(it)).state).toEqual(state);
    });

    it('are apart by merchant and by endpoint', async () => {
      const it = aLane();
      await one.write(it, lane({ version: 1 }));
      expect((await other.read({ ...it, endpointId: '1145' })).state).toBeUndefined();
      expect((await other.read({ ...it, merchant: `${it.merchant}x` })).state).toBeUndefined();
    });

    it('take what follows what stands there, and tell what stands there otherwise', async () => {
      const it = aLane();
      await one.write(it, lane({ version: 1 }));
      expect(await other.write(it, lane({ version: 2, ratePerSecond: 2 }))).toMatchObject({ kind: 'written' });
      const lost = { kind: 'lost', state: { version: 2, ratePerSecond: 2 } };
      expect(await one.write(it, lane({ version: 2, ratePerSecond: 9 }))).toMatchObject(lost);
      expect(await one.write(it, lane({ version: 4 }))).toMatchObject(lost);
      expect(await one.write(it, lane({ version: 1 }))).toMatchObject(lost);
      expect(await other.read(it)).toMatchObject({ state: { version: 2, ratePerSecond: 2 } });
    });

    it('tell the time of the store with each answer, in whole seconds, whatever the answer is', async () => {
      const it = aLane();
      const answers = [
        () => one.read(it),
        () => one.write(it, lane({ version: 1 })),
        () => other.write(it, lane({ version: 1 })),
        () => other.read(it),
      ];
      for (const answer of answers) {
        const earliestMs = storeMs() - 1_000;
        const { atMs } = await answer();
        expect(atMs % 1_000).toBe(0);
        expect(atMs).toBeGreaterThan(earliestMs);
        expect(atMs).toBeLessThanOrEqual(storeMs());
      }
    });

    it('take one of any number of writes of the same version, the first as well as a later one', async () => {
      const it = aLane();
      for (const version of [1, 2]) {
        const writes = Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? one : other).write(it, lane({ version, cursorMs: index })),
        );
        const written = (await Promise.all(writes)).flatMap((end, index) => (end.kind === 'written' ? [index] : []));
        expect(written).toHaveLength(1);
        expect(await one.read(it)).toMatchObject({ state: { version, cursorMs: written[0] } });
      }
    });

    it('are all listed, as they stand', async () => {
      const [first, second] = [aLane(), aLane()];
      await one.write(first, lane({ version: 1 }));
      const group = { ...second, endpointId: 'group/7' };
      await one.write(second, lane({ version: 1 }));
      await one.write(group, lane({ version: 1 }));
      await other.write(second, lane({ version: 2, ratePerSecond: 7 }));
      const listed = await one.all();
      const mine = listed.filter(({ merchant }) => [first.merchant, second.merchant].includes(merchant));
      expect(mine.map(({ merchant, endpointId, state }) => [merchant, endpointId, state?.version])).toEqual([
        [first.merchant, '1144', 1],
        [second.merchant, '1144', 2],
        [second.merchant, 'group/7', 1],
      ]);
    });
  });
}
