// An eligibility check and a payout may bear one order id: a callback that is about the check by its type is nothing to the payout.
import { expect, it } from 'vitest';
import { anEligibilityJob, aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

const [checkKey, key] = ['acme-eu~check/INV-1', 'acme-eu/INV-1'];
const word = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', type: 'pan-eligibility' };

async function checked() {
  const world = aWorld();
  await world.deliver(aRecord(anEligibilityJob({ orderId: 'INV-1' }), { messageId: 'e-1' }));
  expect(world.entries.get(checkKey)?.state).toBe('accepted');
  return world;
}

it('that comes before the payout’s job keeps the payout from nothing, and is kept on the check', async () => {
  const world = await checked();
  expect(await world.callBack(word)).toBe(200);
  await world.look(checkKey);
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'p-1' }));
  expect(world.entries.get(key)?.state).toBe('accepted');
  expect(world.items.get(checkKey)?.inbox).toEqual({});
  expect(world.entries.get(checkKey)).toMatchObject({
    state: 'accepted',
    surprises: [expect.stringContaining('approved')],
  });
});

it('that comes while the payout is in doubt does not show that the gateway has it', async () => {
  const world = await checked();
  world.gateway.moods('stalls');
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'p-1' }));
  await world.pass(600_000);
  expect(world.entries.get(key)?.state).toBe('held');
  expect(await world.callBack(word)).toBe(200);
  await world.pass(600_000);
  expect(world.entries.get(key)?.state).toBe('held');
});
