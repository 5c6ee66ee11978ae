// What lib/payout/operate/control.ts promises of controls, their desk and day totals, as stories. The worker reads through one
// process's controls, operators and the sweeper write through another's: so does this suite.
import { beforeAll, describe, expect, it } from 'vitest';
import type { CapDay, DayTotals, Spending } from '../../lib/payout/operate/caps.ts';
import type { Controls, ControlsAdmin } from '../../lib/payout/operate/control.ts';
import { createManualClock, type ManualClock, startMs } from '../support/time-and-chance.ts';

/** All three sides of the controls. */
export type AllControls = Controls & ControlsAdmin & Spending & DayTotals;

const seconds = 1_000;
const saying = { by: 'ops', reason: 'odd amounts', atMs: startMs };
const nothingSaid = { paused: false, batchCancelled: false, doubt: {} };

let names = 0;
/** Every story has a merchant of its own, so that one store serves them all. */
const aMerchant = () => `merchant-${(names += 1)}`;
const aDay = (): CapDay => ({ merchant: aMerchant(), currency: 'EUR', day: '2026-11-21' });
const limits = { perDay: 10_000n };
const one = (perDay: bigint) => ({ perDay, ordersPerDay: 1n });

/** Runs the suite. `make` answers with the controls of one more process over the same store. */
export function describeControls(name: string, make: (clock: ManualClock) => AllControls): void {
  describe(`the controls of ${name}`, () => {
    const clock = createManualClock();
    let worker: AllControls;
    let desk: AllControls;

    beforeAll(() => {
      worker = make(clock);
      desk = make(clock);
    });

    /** What the worker knows at the latest three seconds after something was said. */
    function shortlyAfter(merchant: string, batchId?: string) {
      clock.advance(3 * seconds);
      return worker.of(merchant, batchId);
    }

    describe('a pause', () => {
      it('is none where nothing was said', async () => {
        expect(await worker.of(aMerchant())).toEqual(nothingSaid);
        expect(await worker.of(aMerchant(), 'unknown-batch')).toEqual(nothingSaid);
      });

      it('is known within three seconds, and so is its end', async () => {
        const merchant = aMerchant();
        expect(await worker.of(merchant)).toEqual(nothingSaid);
        await desk.pause(merchant, true, saying);
        expect(await shortlyAfter(merchant)).toEqual({ ...nothingSaid, paused: true });
        await desk.pause(merchant, false, saying);
        expect(await shortlyAfter(merchant)).toEqual(nothingSaid);
      });

      it('says who said it and why, until it ends', async () => {
        const merchant = aMerchant();
        expect(await desk.pauseOf(merchant)).toBeUndefined();
        await desk.pause(merchant, true, saying);
        expect(await desk.pauseOf(merchant)).toEqual(saying);
        expect(await desk.pauseOf(aMerchant())).toBeUndefined();
        await desk.pause(merchant, false, saying);
        expect(await desk.pauseOf(merchant)).toBeUndefined();
      });

      it('of all merchants is everybody’s, and does not touch those paused by name', async () => {
        const [named, other] = [aMerchant(), aMerchant()];
        await desk.pause(named, true, saying);
        await desk.pause(undefined, true, saying);
        expect([await shortlyAfter(named), await worker.of(other)].map(({ paused }) => paused)).toEqual([true, true]);
        await desk.pause(undefined, false, saying);
        expect([await shortlyAfter(named), await worker.of(other)].map(({ paused }) => paused)).toEqual([true, false]);
      });
    });

    it('a batch that is cancelled stays so; other batches go on', async () => {
      const batchId = `batch-${aMerchant()}`;
      expect(await desk.isCalledOff(batchId)).toBe(false);
      await desk.cancelBatch(batchId, saying);
      await desk.cancelBatch(batchId, saying);
      expect(await shortlyAfter(aMerchant(), batchId)).toEqual({ ...nothingSaid, batchCancelled: true });
      expect(await worker.of(aMerchant(), `${batchId}x`)).toEqual(nothingSaid);
      expect(await worker.of(aMerchant())).toEqual(nothingSaid);
      clock.advance(400 * 86_400 * seconds);
      expect(await worker.of(aMerchant(), batchId)).toMatchObject({ batchCancelled: true });
    });

    describe('money in doubt', () => {
      const doubt = { EUR: 9_007_199_254_740_993n, JPY: 5n };

      it('is known within three seconds, exactly, beside a pause', async () => {
        const merchant = aMerchant();
        await desk.pause(merchant, true, saying);
        await desk.recordDoubt(new Map([[merchant, doubt]]));
        expect(await shortlyAfter(merchant)).toEqual({ ...nothingSaid, paused: true, doubt });
        expect((await worker.of(aMerchant())).doubt).toEqual({});
      });

      it('is what the last sweep found', async () => {
        const merchant = aMerchant();
        await desk.recordDoubt(new Map([[merchant, doubt]]));
        await desk.recordDoubt(new Map([[merchant, { EUR: 1n }]]));
        expect((await shortlyAfter(merchant)).doubt).toEqual({ EUR: 1n });
      });

      it('is at least what it was, for whom a sweep had no time to count all of it', async () => {
        const [merchant, other] = [aMerchant(), aMerchant()];
        await desk.recordDoubt(new Map([[merchant, { EUR: 100n, JPY: 5n }]]));
        await desk.recordDoubt(new Map([[merchant, { EUR: 40n, JPY: 9n }]]), false);
        expect((await shortlyAfter(merchant)).doubt).toEqual({ EUR: 100n, JPY: 9n });
        await desk.recordDoubt(new Map([[other, { EUR: 1n }]]), false);
        expect((await shortlyAfter(merchant)).doubt).toEqual({ EUR: 100n, JPY: 9n });
        await desk.recordDoubt(new Map());
        expect((await shortlyAfter(merchant)).doubt).toEqual({});
      });

      it('is no longer believed after three minutes without a sweep, and one for clocks that differ', async () => {
        const merchant = aMerchant();
        await desk.recordDoubt(new Map([[merchant, doubt]]));
        clock.advance((180 + 60) * seconds - 1);
        expect((await worker.of(merchant)).doubt).toEqual(doubt);
        clock.advance(1);
        expect((await worker.of(merchant)).doubt).toEqual({});
      });
    });

    describe('the total of a day', () => {
      it('takes what fits, to the last cent, and tells the total where a sum does not', async () => {
        const day = aDay();
        expect(await worker.count(day, one(9_999n), limits)).toBe('counted');
        expect(await worker.count(day, one(2n), limits)).toEqual({ perDay: 9_999n, ordersPerDay: 1n });
        expect(await worker.count(day, one(1n), limits)).toBe('counted');
        expect(await worker.count(day, one(1n), limits)).toEqual({ perDay: 10_000n, ordersPerDay: 2n });
      });

      it('takes nothing of a sum that is above its limit by itself', async () => {
        const day = aDay();
        expect(await worker.count(day, one(10_001n), limits)).toEqual({ perDay: 0n, ordersPerDay: 0n });
        expect(await worker.count(day, one(10_000n), limits)).toBe('counted');
      });

      it('has money and orders, each with its limit, if any', async () => {
        const day = aDay();
        expect(await worker.count(day, { perDay: 70n, ordersPerDay: 2n }, { ordersPerDay: 2n })).toBe('counted');
        expect(await worker.count(day, one(1n), { ordersPerDay: 2n })).toEqual({ perDay: 70n, ordersPerDay: 2n });
        expect(await worker.count(day, one(1n), { perDay: 71n })).toBe('counted');
      });

      it('is never above its limit, however many count at once in however many processes', async () => {
        const day = aDay();
        const amounts = Array.from({ length: 40 }, (_, index) => BigInt(300 + index));
        const ends = await Promise.all(
          amounts.map((it, index) => (index % 2 ? worker : desk).count(day, one(it), limits)),
        );
        const total = amounts.reduce((sum, it, index) => (ends[index] === 'counted' ? sum + it : sum), 0n);
        expect(total).toBeLessThanOrEqual(10_000n);
        // And it is full: the smallest that was refused would not have fitted.
        expect(total).toBeGreaterThan(10_000n - 340n);
      });

      it('is its own for each merchant, currency and day', async () => {
        const day = aDay();
        expect(await worker.count(day, one(10_000n), limits)).toBe('counted');
        for (const other of [{ merchant: aMerchant() }, { currency: 'USD' }, { day: '2026-11-22' }]) {
          expect(await worker.count({ ...day, ...other }, one(10_000n), limits)).toBe('counted');
        }
      });

      it('is told to who plans ahead, a few seconds late at most', async () => {
        const day = aDay();
        expect(await desk.totalOf(day)).toEqual({ perDay: 0n, ordersPerDay: 0n });
        await worker.count(day, one(9_000n), limits);
        clock.advance(3 * seconds);
        expect(await desk.totalOf(day)).toEqual({ perDay: 9_000n, ordersPerDay: 1n });
      });
    });
  });
}
