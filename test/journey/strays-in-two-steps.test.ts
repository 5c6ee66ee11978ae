// Check and payment of a payout in two steps share the gateway's id. A callback under it about another transaction, or about one that
// undoes something, is a sign of the payment once that may have left, and keeps no check from being paid.
import { describe, expect, it } from 'vitest';
import { aPayoutCheck, aPayoutPay } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const key = 'acme-eu/INV-1';
const profile = { statusInquiry: true, twoStepPayouts: true } as const;
const word = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
const minute = 60_000;

async function validated(): Promise<World> {
  const world = aWorld({ profile });
  world.gateway.statuses('check validating');
  world.gateway.statusStays('check validated');
  await world.deliver(aRecord(aPayoutCheck()));
  await world.pass(minute);
  expect(world.entries.get(key)?.failure?.code).toBe('CHECK_VALIDATED');
  return world;
}

const payments = ({ gateway }: World) => gateway.posts.filter(({ url }) => url.includes('/payout-pay/'));

describe.each(['capture', 'reversal'])(
  '%s, of a payment that was refused by a rate limit and shown as checked',
  (type) => {
    async function calledBack() {
      const world = await validated();
      world.gateway.moods('asks to slow down');
      await world.deliver(aRecord(aPayoutPay()));
      await world.pass(minute);
      expect(world.entries.get(key)?.state).toBe('retryable');
      expect(await world.callBack({ ...word, type })).toBe(200);
      return world;
    }

    it('keeps the order from a second payment, tells no end of it, and asks a person where the gateway shows nothing', async () => {
      const world = await calledBack();
      await world.pass(60 * minute);
      await world.deliver(aRecord(aPayoutPay(), { messageId: 'p-2' }));
      expect([payments(world).length, world.entries.get(key)?.state]).toEqual([1, 'in-doubt']);
      await world.pass(26 * 60 * minute);
      expect(world.entries.get(key)?.state).toBe('held');
      expect(world.results.taken.some(({ endId }) => endId !== undefined)).toBe(false);
    });

    it('has the gateway asked, whose answer ends the order', async () => {
      const world = await calledBack();
      world.gateway.statusStays('approved');
      await world.pass(30 * minute);
      expect([payments(world).length, world.entries.get(key)?.state]).toEqual([1, 'approved']);
    });
  },
);

it.each(['capture', 'cancel'])('%s, of a validated check: its payment is sent all the same', async (type) => {
  const world = await validated();
  expect(await world.callBack({ ...word, type })).toBe(200);
  await world.deliver(aRecord(aPayoutPay()));
  expect(payments(world)).toHaveLength(1);
});
