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
      const begin = () => deliveries.begin('m-1', true);
      expect([await begin(), await begin(), await begin()]).toEqual([0, 1, 2]);
      expect(await deliveries.begin('m-2', true)).toBe(0);
    });

    it('notes none that is not worked on alone after one that never ended', async () => {
      const begin = () => deliveries.begin('m-1', false);
      expect([await begin(), await begin(), await begin()]).toEqual([0, 1, 1]);
      await deliveries.end('m-1');
      expect([await begin(), await begin()]).toEqual([0, 1]);
    });

    it('counts anew once one has ended', async () => {
      await deliveries.begin('m-1', true);
      await deliveries.begin('m-1', true);
      await deliveries.end('m-1');
      expect([await deliveries.begin('m-1', true), await deliveries.begin('m-1', true)]).toEqual([0, 1]);
    });
  });
}
