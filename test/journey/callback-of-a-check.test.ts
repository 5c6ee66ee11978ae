// A callback that by its type is about an eligibility check proves nothing of a payout: no acceptance, and no payment.
import { expect, it } from 'vitest';
import { anEligibilityJob, aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

const word = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', type: 'pan-eligibility' };

it('that comes to the check itself is kept on it', async () => {
  const world = aWorld();
  await world.deliver(aRecord(anEligibilityJob({ orderId: 'INV-1' })));
  expect(await world.callBack(word)).toBe(200);
  await world.look('acme-eu/INV-1');
  expect(world.entries.get('acme-eu/INV-1')).toMatchObject({
    state: 'accepted',
    surprises: [expect.stringContaining('approved')],
  });
});

it.each([
  ['accepts', 'accepted'],
  ['stalls', 'held'],
] as const)('that comes to a payout which the gateway %s leaves it %s', async (mood, state) => {
  const world = aWorld();
  world.gateway.moods(mood);
  await world.deliver(aRecord(aPayoutJob()));
  await world.pass(600_000);
  const revisions = world.results.taken.length;
  expect(await world.callBack({ ...word, amount: '10.42', currency: 'EUR' })).toBe(200);
  await world.pass(600_000);
  expect(world.entries.get('acme-eu/INV-1')?.state).toBe(state);
  expect(world.results.taken.slice(revisions).map(({ status }) => status)).not.toContain('approved');
});
