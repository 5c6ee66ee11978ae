// What lib/payout/ports.ts promises of the notes of deliveries, as stories over any store of them.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Deliveries } from '../../lib/payout/ports.ts';

/** Runs the suite; each story has an empty store. */
export function describeDeliveries(name: string, makeStore: () => Promise<Deliveries>): void {
  describe(`deliveries that began, as ${name} promises to count them`, () => {
    let deliveries: Deliveries;

    beforeEach(async () => {
      deliveries = await makeStore();
    });

    it('counts those in a row that never ended, of each message apart', async () => {
      expect([await deliveries.begin('m-1'), await deliveries.begin('m-1'), await deliveries.begin('m-1')]).toEqual([
        0, 1, 2,
      ]);
      expect(await deliveries.begin('m-2')).toBe(0);
    });

    it('counts anew once one has ended', async () => {
      await deliveries.begin('m-1');
      await deliveries.begin('m-1');
      await deliveries.end('m-1');
      expect([await deliveries.begin('m-1'), await deliveries.begin('m-1')]).toEqual([0, 1]);
    });
  });
}
