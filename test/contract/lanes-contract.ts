// What lib/payout/pace/lane.ts promises of its port, as stories: one item per lane, written by version, so that of any number
// of workers that take turns at once each is given other ones.
import { beforeAll, describe, expect, it } from 'vitest';
import { type LaneName, type LaneState, newLane } from '../../lib/payout/pace/lane-state.ts';
import { type Lanes } from '../../lib/payout/pace/lane.ts';
import { startMs } from '../support/time-and-chance.ts';

let names = 0;
/** Every story has a lane of its own, so that one store serves them all. */
const aLane = (): LaneName => ({ merchant: `merchant-${(names += 1)}`, endpointId: '1144' });
const lane = (changes: Partial<LaneState> = {}): LaneState => ({ ...newLane({}), ...changes });

/** Runs the suite. `make` answers with the lanes of one more process over the same store. */
export function describeLanes(name: string, make: () => Lanes): void {
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
        closed: {
          cause: 'account',
          code: '28',
          sinceMs: startMs,
          probes: 1,
          asked: 0,
          nextProbeAtMs: startMs + 15_000,
        },
        paused: { by: 'ops', reason: 'odd amounts — ask Zoë', atMs: startMs },
      });
      expect(await one.write(it, state)).toBe('written');
      expect(await other.read(it)).toEqual(state);
    });

    it('are apart by merchant and by endpoint', async () => {
      const it = aLane();
      await one.write(it, lane({ version: 1 }));
      expect(await other.read({ ...it, endpointId: '1145' })).toBeUndefined();
      expect(await other.read({ ...it, merchant: `${it.merchant}x` })).toBeUndefined();
    });

    it('take what follows what is there, and tell what is there otherwise', async () => {
      const it = aLane();
      await one.write(it, lane({ version: 1 }));
      expect(await other.write(it, lane({ version: 2, ratePerSecond: 2 }))).toBe('written');
      const lost = { version: 2, ratePerSecond: 2 };
      expect(await one.write(it, lane({ version: 2, ratePerSecond: 9 }))).toMatchObject(lost);
      expect(await one.write(it, lane({ version: 4 }))).toMatchObject(lost);
      expect(await one.write(it, lane({ version: 1 }))).toMatchObject(lost);
      expect(await other.read(it)).toMatchObject(lost);
    });

    it('take one of any number of writes of the same version, the first as well as a later one', async () => {
      const it = aLane();
      for (const version of [1, 2]) {
        const writes = Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? one : other).write(it, lane({ version, nextFreeMs: index })),
        );
        const written = (await Promise.all(writes)).flatMap((end, index) => (end === 'written' ? [index] : []));
        expect(written).toHaveLength(1);
        expect(await one.read(it)).toMatchObject({ version, nextFreeMs: written[0] });
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
