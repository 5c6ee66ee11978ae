// One order id for two different orders: the first stands, the second is refused without a POST.
import { expect, it } from 'vitest';
import { aPayoutJob, aTransferJob, anEligibilityJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('other content under a used order id is refused, and the stored order is left alone', async () => {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob()));
  const stands = world.entries.get('acme-eu/INV-1');

  const returned = await world.deliver(aRecord(aPayoutJob({ params: { amount: '99.00' } }), { messageId: 'm-2' }));

  expect(returned).toEqual([]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.entries.get('acme-eu/INV-1')).toBe(stands);
  expect(world.results.taken[1]).toMatchObject({
    resultId: 'rejected/m-2',
    orderId: 'INV-1',
    status: 'failed',
    failure: { code: 'ORDER_ID_REUSED' },
  });
  expect(world.results.taken[1]).not.toHaveProperty('revision');
});

it('another operation under the same order id is another order too', async () => {
  const world = aWorld({ profile: { plainCardData: 'accepted' } });
  await world.deliver(aRecord(aPayoutJob({ orderId: 'X' })));
  await world.deliver(aRecord(aTransferJob({ orderId: 'X' })));
  expect(world.gateway.postsOf('X')).toBe(1);
  expect(world.results.taken[1]).toMatchObject({ failure: { code: 'ORDER_ID_REUSED' } });
});

it('a check and a payment may bear the same id, and so may two merchants', async () => {
  const { credentials, ...world } = aWorld();
  credentials.rotate('acme-us', await acmeEu());
  await credentials.refresh('acme-us', await acmeEu());
  await world.deliver(aRecord(anEligibilityJob({ orderId: 'X' })));
  await world.deliver(aRecord(aPayoutJob({ orderId: 'X' })));
  await world.deliver(aRecord(aPayoutJob({ orderId: 'X', merchant: 'acme-us' })));
  expect(world.results.taken.map(({ resultId, status }) => [resultId, status])).toEqual([
    ['acme-eu~check/X/2', 'accepted'],
    ['acme-eu/X/2', 'accepted'],
    ['acme-us/X/2', 'accepted'],
  ]);

  async function acmeEu() {
    const answer = await credentials.of('acme-eu');
    if (answer.kind === 'unavailable') throw new Error(answer.failure.message);
    return answer.credentials;
  }
});
