// Acceptance is not payment: the gateway is asked until it says how the order ended, and the merchant is told.
import { expect, it } from 'vitest';
import type { StatusMood } from '../support/fake-gateway.ts';
import { aPayoutJob, aTransferByRefJob } from '../support/jobs.ts';
import { sealedFor } from '../support/card-keys.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';
import { lengthOf } from '../support/long-proof.ts';

const told = (world: ReturnType<typeof aWorld>) =>
  world.results.taken.map(({ resultId, status }) => [resultId, status]);

it('an accepted payout that is paid after ten minutes is told twice: accepted, and approved', async () => {
  // given a merchant whose gateway can be asked, and an accepted payout
  const world = aWorld({ profile: { statusInquiry: true } });
  await world.deliver(aRecord(aPayoutJob({ context: { invoice: '123' } })));

  // when the gateway goes on for ten minutes and then says that it is paid
  await world.pass(10 * 60_000);
  world.gateway.statusStays('approved');
  await world.pass(10 * 60_000);

  // then the merchant has both results, the second superseding the first
  expect(world.results.taken).toMatchObject([
    { resultId: 'acme-eu/INV-1/1', status: 'accepted', final: false, payoutId: '9000001' },
    {
      resultId: 'acme-eu/INV-1/2',
      status: 'approved',
      final: true,
      payoutId: '9000001',
      amount: '10.42',
      currency: 'EUR',
      attempts: 1,
      revision: 2,
      context: { invoice: '123' },
    },
  ]);

  // and nobody asks any more, and money moved once
  const asked = world.gateway.inquiries.length;
  await world.pass(86_400_000);
  expect(world.gateway.inquiries).toHaveLength(asked);
  expect(world.ownQueue.taken).toEqual([]);
  expect(world.gateway.posts).toHaveLength(1);
});

it('the gateway is asked after 5 s, then whenever half the age of the order has passed', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  await world.deliver(aRecord(aPayoutJob()));
  await world.pass(3 * 3_600_000);
  const after = world.gateway.inquiries.map(({ atMs }) => (atMs - Date.UTC(2026, 10, 21, 10)) / 1000);
  expect(after.slice(0, 10)).toEqual([5, 15, 25, 37, 54, 79, 117, 174, 259, 387]);
  expect(after.slice(10)).toEqual([579, 867, 1299, 1947, 2880, 4260, 6360, 9480]);
});

it.each<[StatusMood, object]>([
  ['declined', { code: 'GATEWAY_DECLINED', message: 'Insufficient funds', gatewayCode: '28' }],
  ['filtered', { code: 'FILTERED', message: 'Suspect fraud', gatewayCode: '24' }],
])('an accepted payout that ends as "%s" is told as declined, with the reason', async (mood, failure) => {
  const world = aWorld({ profile: { statusInquiry: true } });
  await world.deliver(aRecord(aPayoutJob()));
  world.gateway.statuses('processing', mood);
  await world.pass(60_000);
  expect(world.results.taken[1]).toMatchObject({ status: 'declined', final: true, failure });
});

it.each<[StatusMood, string]>([
  ['error', 'Checking is failed'],
  ['unknown', 'the gateway says unknown'],
])(
  'an accepted payout of which the gateway says "%s" waits for a person: documents differ on what it means',
  async (mood, message) => {
    const world = aWorld({ profile: { statusInquiry: true } });
    await world.deliver(aRecord(aPayoutJob()));
    world.gateway.statuses('processing', mood);
    await world.pass(60_000);
    expect(world.results.taken[1]).toMatchObject({
      status: 'held',
      final: false,
      failure: { code: 'STATUS_UNPROVEN', message },
    });
  },
);

it.each(
  lengthOf<readonly StatusMood[]>({
    short: ['chain declined'],
    long: ['chain declined', 'approved, another order', 'is overloaded'],
  }),
)('no end is told while the gateway answers "%s"', async (mood) => {
  const world = aWorld({ profile: { statusInquiry: true } });
  await world.deliver(aRecord(aPayoutJob()));
  world.gateway.statusStays(mood);
  await world.pass(7 * 86_400_000);
  expect(told(world)).toEqual([['acme-eu/INV-1/1', 'accepted']]);

  world.gateway.statusStays('approved');
  await world.pass(6 * 3_700_000);
  expect(told(world)).toEqual([
    ['acme-eu/INV-1/1', 'accepted'],
    ['acme-eu/INV-1/2', 'approved'],
  ]);
});

it('a gateway that answers in form text settles just so', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  world.gateway.moods('accepts in form text');
  world.gateway.statusStays('approved in form text');
  await world.deliver(aRecord(await sealedFor(world, aTransferByRefJob())));
  await world.pass(5_000);
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }, { status: 'approved', transactionId: '9000001' }]);
});

it('an order that the gateway accepted without naming it is found by our own id', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  world.gateway.moods('accepts with an alias alone');
  await world.deliver(aRecord(aPayoutJob()));
  world.gateway.statusStays('approved');
  await world.pass(5_000);
  expect(world.gateway.inquiries[0]?.fields.map(([name]) => name)).toEqual(['login', 'client_orderid']);
  expect(world.results.taken[1]).toMatchObject({ status: 'approved', gatewayOrderId: '9000001', payoutId: '55' });
});
