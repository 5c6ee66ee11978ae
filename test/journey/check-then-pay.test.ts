// A payout in two steps: the gateway checks it, it rests, and a second message pays the order that the check made. Whatever
// dies in between, and whatever is sent twice, one order is paid once.
import { describe, expect, it } from 'vitest';
import type { StatusMood } from '../support/fake-gateway.ts';
import type { Profile } from '../../lib/gateway/profile.ts';
import { aPayoutCheck, aPayoutJob, aPayoutPay, type JobBody } from '../support/jobs.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const profile = { statusInquiry: true, twoStepPayouts: true } as const;
const quarterHourMs = 900_000;

/** A world in which the check of INV-1 is validated. */
async function validated(changes: Partial<JobBody> = {}, more: Partial<Profile> = {}): Promise<World> {
  const world = aWorld({ profile: { ...profile, ...more } });
  world.gateway.statuses('check validating');
  world.gateway.statusStays('check validated');
  await world.deliver(aRecord(aPayoutCheck(changes)));
  await world.pass(60_000);
  return world;
}

const entryOf = (world: World) => world.entries.get('acme-eu/INV-1');
const payments = ({ gateway }: World) => gateway.posts.filter(({ url }) => url.includes('/payout-pay/'));
const paths = ({ gateway }: World) => gateway.posts.map(({ url }) => url.split('/').at(-2));
const lastTold = ({ results }: World) => results.taken.at(-1);

describe('a check', () => {
  it('comes to rest once the gateway has validated it, and nobody asks any more', async () => {
    const world = await validated();
    expect(world.results.taken).toMatchObject([
      { resultId: 'acme-eu/INV-1/1', operation: 'payout-check', status: 'accepted', final: false },
      {
        status: 'held',
        final: false,
        failure: { code: 'CHECK_VALIDATED' },
        gatewayOrderId: '9000001',
        amount: '10.42',
      },
    ]);
    const asked = world.gateway.inquiries.length;
    await world.pass(4 * 86_400_000);
    expect(world.gateway.inquiries).toHaveLength(asked);
    expect([paths(world), world.results.taken.length, world.ownQueue.taken]).toEqual([['payout-check'], 2, []]);
  });

  it.each<[StatusMood, object]>([
    ['declined', { status: 'declined', final: true, failure: { code: 'GATEWAY_DECLINED' } }],
    ['filtered', { status: 'declined', final: true, failure: { code: 'FILTERED' } }],
    ['check approved', { status: 'held', failure: { code: 'STATUS_UNPROVEN' } }],
    ['approved', { status: 'held', failure: { code: 'STATUS_UNPROVEN' } }],
    ['unknown', { status: 'held', failure: { code: 'STATUS_UNPROVEN' } }],
  ])('that the gateway calls "%s" is told so, and its payment is never sent', async (mood, told) => {
    const world = aWorld({ profile });
    world.gateway.statusStays(mood);
    await world.deliver(aRecord(aPayoutCheck()));
    await world.pass(60_000);
    expect(lastTold(world)).toMatchObject(told);
    await world.deliver(aRecord(aPayoutPay()));
    await world.pass(quarterHourMs);
    expect(paths(world)).toEqual(['payout-check']);
    expect(lastTold(world)).toMatchObject(told);
  });

  it('without an answer is asked about by its order id, and never sent twice', async () => {
    const world = aWorld({ profile });
    world.gateway.moods('resets after reading');
    world.gateway.statusStays('check validated');
    await world.deliver(aRecord(aPayoutCheck()));
    await world.pass(10 * 60_000);
    expect(paths(world)).toEqual(['payout-check']);
    expect(lastTold(world)).toMatchObject({ failure: { code: 'CHECK_VALIDATED' }, gatewayOrderId: '9000001' });
  });

  it('counts towards no cap, and needs no second person', async () => {
    const caps = { EUR: { single: '5.00', perDay: '5.00' } };
    const world = aWorld({ profile: { ...profile, caps, twoPersonRelease: true } });
    await world.deliver(aRecord(aPayoutCheck()));
    expect(paths(world)).toEqual(['payout-check']);
  });

  it.each([{ statusInquiry: true }, { twoStepPayouts: true }, {}])('is refused under the profile %j', async (of) => {
    const world = aWorld({ profile: of });
    await world.deliver([aRecord(aPayoutCheck()), aRecord(aPayoutPay({ orderId: 'INV-2' }))]);
    expect(world.gateway.posts).toEqual([]);
    expect(world.results.taken.map(({ failure }) => failure?.code)).toEqual(Array(2).fill('FIELD_NOT_IN_CONTRACT'));
  });
});

describe('a payment', () => {
  it('names the order that the check made, and nothing of its content', async () => {
    const world = await validated();
    await world.deliver(aRecord(aPayoutPay()));
    expect(payments(world)).toMatchObject([
      {
        url: 'https://gateway.test/paynet/api/v4/payout-pay/39915',
        fields: [
          ['login', expect.any(String)],
          ['client_orderid', 'INV-1'],
          ['orderid', '9000001'],
        ],
      },
    ]);
    world.gateway.statuses('paying after its check');
    world.gateway.statusStays('approved');
    await world.pass(60_000);
    expect(lastTold(world)).toMatchObject({
      operation: 'payout-pay',
      status: 'approved',
      final: true,
      amount: '10.42',
      gatewayOrderId: '9000001',
    });
    await world.deliver([aRecord(aPayoutPay()), aRecord(aPayoutCheck())]);
    expect(paths(world)).toEqual(['payout-check', 'payout-pay']);
  });

  it('is not sent without a check, and its message is kept', async () => {
    const world = aWorld({ profile });
    await world.deliver(aRecord(aPayoutPay()));
    expect(world.gateway.posts).toEqual([]);
    expect(world.entries.size).toBe(0);
    expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'NOT_CHECKED' } }]);
  });

  it('is not sent while its check is under way', async () => {
    const world = aWorld({ profile });
    await world.deliver(aRecord(aPayoutCheck()));
    await world.deliver(aRecord(aPayoutPay()));
    expect([paths(world), lastTold(world)?.status]).toEqual([['payout-check'], 'accepted']);
  });

  it.each<Partial<JobBody>>([
    { params: { amount: '10.43' } },
    { params: { account_number: 'DE00' } },
    { endpointId: '7' },
  ])('of other content than was checked is refused: %j', async (changes) => {
    const world = await validated();
    await world.deliver(aRecord(aPayoutPay(changes)));
    expect(lastTold(world)).toMatchObject({ status: 'failed', failure: { code: 'ORDER_ID_REUSED' } });
    expect(payments(world)).toEqual([]);
  });

  it('above a cap is held, as a payout in one step is', async () => {
    const world = await validated({}, { caps: { EUR: { single: '5.00' } } });
    await world.deliver(aRecord(aPayoutPay()));
    expect(payments(world)).toEqual([]);
    expect(lastTold(world)).toMatchObject({ status: 'held', failure: { code: 'CAP_EXCEEDED' } });
  });

  it('goes to no other account than the one that checked it', async () => {
    const world = await validated();
    const moved = { ...someCredentials({ version: 'v2', profile }), baseUrl: 'https://new-gateway.test' };
    world.credentials.rotate('acme-eu', moved);
    await world.credentials.refresh('acme-eu', moved);
    await world.deliver(aRecord(aPayoutPay()));
    expect(payments(world)).toEqual([]);
    expect(entryOf(world)).toMatchObject({ state: 'held', operation: 'payout-check' });
  });

  it('of a batch that was called off ends the order, and nothing pays it any more', async () => {
    const world = await validated({ batchId: 'b-1' });
    await world.controls.cancelBatch('b-1', { by: 'ops', reason: 'wrong file', atMs: 0 });
    await world.deliver(aRecord(aPayoutPay({ batchId: 'b-1' })));
    expect(lastTold(world)).toMatchObject({ status: 'cancelled', final: true });
    await world.deliver(aRecord(aPayoutPay()));
    expect(payments(world)).toEqual([]);
  });
});

describe('one order id in one step and in two', () => {
  it('is paid in two: a plain payout of it is refused', async () => {
    const world = await validated();
    await world.deliver(aRecord(aPayoutJob()));
    expect(lastTold(world)).toMatchObject({ failure: { code: 'ORDER_ID_REUSED' } });
    await world.deliver(aRecord(aPayoutPay()));
    await world.deliver(aRecord(aPayoutJob()));
    expect(paths(world)).toEqual(['payout-check', 'payout-pay']);
  });

  it('is paid in one: its check and its payment are refused', async () => {
    const world = aWorld({ profile });
    await world.deliver(aRecord(aPayoutJob()));
    await world.deliver([aRecord(aPayoutCheck()), aRecord(aPayoutPay())]);
    expect(paths(world)).toEqual(['payout']);
    expect(world.results.taken.slice(1).map(({ failure }) => failure?.code)).toEqual(Array(2).fill('ORDER_ID_REUSED'));
  });
});
