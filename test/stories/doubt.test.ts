// Money may have moved: doubt ends in what the gateway knows, or with a person; and acceptance is not payment, so the gateway is asked
// until it says how the order ended.
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../lib/gateway/profile.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { http } from './gateway.ts';
import { days, hours, minutes, seconds, storyWorld, type StoryWorld } from './harness.ts';

const told = (world: StoryWorld) => world.results('INV-1').map(({ status }) => status);

/** Sent to a gateway that can be asked; in doubt where its answer never came. */
async function sent(kind: 'accepted' | 'in doubt', profile: Partial<Profile> = {}) {
  const world = storyWorld({ profile: { statusInquiry: true, ...profile } });
  if (kind === 'in doubt') world.gateway.answers('INV-1', 'silent though taken');
  const message = world.send(aPayoutJob({ context: { invoice: '123' } }));
  await world.pass(1 * seconds);
  return { world, message };
}

describe('an accepted payout', () => {
  it('is told twice: accepted, and approved when it is paid; then the gateway is not asked any more', async () => {
    const { world } = await sent('accepted');
    await world.pass(10 * minutes);
    world.gateway.ends('INV-1', 'approved');
    await world.pass(10 * minutes);
    expect(world.results('INV-1')).toMatchObject([
      { resultId: 'acme-eu/INV-1/1', status: 'accepted', final: false, payoutId: '9000001' },
      {
        resultId: 'acme-eu/INV-1/2',
        status: 'approved',
        final: true,
        payoutId: '9000001',
        amount: '10.42',
        attempts: 1,
        revision: 2,
        context: { invoice: '123' },
      },
    ]);
    const looks = world.gateway.looks('INV-1');
    await world.pass(1 * days);
    expect([world.gateway.looks('INV-1'), world.gateway.posts('INV-1')]).toEqual([looks, 1]);
  });

  it.each([
    [
      'declined',
      {
        status: 'declined',
        final: true,
        failure: { code: 'GATEWAY_DECLINED', message: 'Insufficient funds', gatewayCode: '28' },
      },
    ],
    ['filtered', { status: 'declined', final: true, failure: { code: 'FILTERED' } }],
    // Documents differ on what these two mean.
    ['error', { status: 'held', final: false, failure: { code: 'HELD_INCONCLUSIVE' } }],
    [
      'unknown',
      { status: 'held', final: false, failure: { code: 'HELD_INCONCLUSIVE', message: 'the gateway says unknown' } },
    ],
  ] as const)('that the gateway calls %s is told so', async (status, end) => {
    const { world } = await sent('accepted');
    world.gateway.ends('INV-1', status);
    await world.pass(5 * minutes);
    expect(world.last('INV-1')).toMatchObject(end);
  });

  it.each<[what: string, says: Parameters<StoryWorld['gateway']['desk']>[1]]>([
    ['a status that is on no list', { status: 'chain_declined' }],
    ['a status of another order', { status: 'approved', 'merchant-order-id': 'ELSE' }],
    ["a status of another of the gateway's orders", { status: 'approved', 'paynet-order-id': '1' }],
    ['a status in another currency', { status: 'approved', currency: 'USD' }],
    ['that it is overloaded', () => http(429, 'slow down', 40)],
    ['that it knows no such order', 'no such order'],
  ])('is not ended by %s, and is when the truth comes', async (_, says) => {
    const { world } = await sent('accepted');
    world.gateway.desk('INV-1', says);
    await world.pass(5 * hours);
    expect(new Set(told(world))).toEqual(new Set(['accepted']));
    world.gateway.desk('INV-1', 'truth');
    world.gateway.ends('INV-1', 'approved');
    await world.pass(4 * hours);
    expect(world.last('INV-1')).toMatchObject({ status: 'approved', final: true });
  });

  it('that never ends is held at its horizon, and asked about a few times a day beyond it', async () => {
    const { world } = await sent('accepted', { acceptedHorizonSeconds: 3_600 });
    await world.pass(1 * days);
    const looks = world.gateway.looks('INV-1');
    await world.pass(1 * days);
    expect(world.gateway.looks('INV-1') - looks).toBeGreaterThanOrEqual(3);
    expect(world.gateway.looks('INV-1') - looks).toBeLessThanOrEqual(5);
    expect(told(world)).toEqual(['accepted', 'held']);
    world.gateway.ends('INV-1', 'approved');
    await world.pass(7 * hours);
    expect(told(world)).toEqual(['accepted', 'held', 'approved']);
  });

  it.each([
    ['an identity beside its alias', { 'paynet-order-id': '9000001', 'payout-id': '55' }, '9000001'],
    ['an alias alone', { 'payout-id': '55' }, '55'],
  ])('whose answer names %s is asked about by our own id too, and its identity is kept', async (_, ids, first) => {
    const world = storyWorld({ profile: { statusInquiry: true } });
    world.gateway.answers('INV-1', {
      as: 'taken',
      answers: (orderId) => http(200, { type: 'async-response', 'merchant-order-id': orderId, ...ids }),
    });
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    world.gateway.desk('INV-1', { 'paynet-order-id': '1', status: 'approved' });
    await world.pass(10 * minutes);
    world.gateway.desk('INV-1', 'truth');
    world.gateway.ends('INV-1', 'approved');
    await world.pass(1 * hours);
    expect(world.results('INV-1')[0]).toMatchObject({ status: 'accepted', payoutId: '55', gatewayOrderId: first });
    expect(world.last('INV-1')).toMatchObject({ status: 'approved', payoutId: '55', gatewayOrderId: '9000001' });
  });
});

describe('a payout in doubt', () => {
  it('is found by an inquiry: accepted, then approved, without the failure of before', async () => {
    const { world } = await sent('in doubt');
    await world.pass(2 * minutes);
    world.gateway.ends('INV-1', 'approved');
    await world.pass(8 * minutes);
    const eachOnce = new Map(world.results('INV-1').map((it) => [it.resultId, it]));
    expect([...eachOnce.values()]).toMatchObject([
      { resultId: 'acme-eu/INV-1/1', status: 'in-doubt', final: false, failure: { code: 'NO_ANSWER' } },
      { resultId: 'acme-eu/INV-1/2', status: 'accepted', final: false, payoutId: '9000001' },
      { resultId: 'acme-eu/INV-1/3', status: 'approved', final: true, payoutId: '9000001' },
    ]);
    expect(world.last('INV-1')).not.toHaveProperty('failure');
    expect(world.gateway.posts('INV-1')).toBe(1);
  });

  it('that the gateway denies over the quiet period fails, where its contract says so: only its name sends it again, once', async () => {
    const { world, message } = await sent('in doubt', { resubmitUnknownOrders: true });
    world.gateway.desk('INV-1', 'no such order');
    // Half an hour after the lease of 100 s, by clocks a minute apart.
    await world.pass(32 * minutes);
    expect(told(world)).toEqual(['in-doubt']);
    await world.pass(2 * minutes);
    expect(world.last('INV-1')).toMatchObject({ status: 'failed', final: true, failure: { code: 'NOT_AT_GATEWAY' } });
    world.redeliver(message);
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    expect(world.gateway.posts('INV-1')).toBe(1);
    const again = world.sendAgain(message);
    world.send(again.body);
    await world.pass(5 * minutes);
    world.gateway.desk('INV-1', 'truth');
    world.gateway.ends('INV-1', 'approved');
    await world.pass(1 * hours);
    expect([world.gateway.posts('INV-1'), world.last('INV-1')]).toMatchObject([2, { status: 'approved', attempts: 2 }]);
  });

  it.each<[what: string, profile: Partial<Profile>, deny: (world: StoryWorld) => void, code: string]>([
    [
      'that the gateway denies, and its contract says nothing of that',
      {},
      ({ gateway }) => gateway.desk('INV-1', 'no such order'),
      'HELD_NOT_AT_GATEWAY',
    ],
    [
      'that the gateway denies once alone',
      { resubmitUnknownOrders: true },
      ({ gateway, after }) => {
        gateway.desk('INV-1', 'silent');
        after(15 * minutes, () => gateway.desk('INV-1', 'no such order'));
        after(16 * minutes, () => gateway.desk('INV-1', 'silent'));
      },
      'HELD_UNPROVEN',
    ],
    ['of which nothing is ever learned', {}, ({ gateway }) => gateway.desk('INV-1', 'silent'), 'HELD_UNPROVEN'],
  ])('%s is held, and never sent again', async (_, profile, deny, code) => {
    const { world } = await sent('in doubt', { doubtHorizonSeconds: 7_200, ...profile });
    deny(world);
    await world.pass(4 * hours);
    expect(world.last('INV-1')).toMatchObject({ status: 'held', final: false, failure: { code } });
    const looks = world.gateway.looks('INV-1');
    world.send(aPayoutJob());
    await world.pass(1 * days);
    expect([world.gateway.looks('INV-1') - looks, world.gateway.posts('INV-1'), new Set(told(world))]).toEqual([
      0,
      1,
      new Set(['in-doubt', 'held']),
    ]);
  });

  it('whose secret is gone goes on when that is back, by the quiet period of its own contract', async () => {
    const { world } = await sent('in doubt', {
      resubmitUnknownOrders: true,
      quietPeriodSeconds: 86_400,
      doubtHorizonSeconds: 604_800,
    });
    world.gateway.desk('INV-1', 'no such order');
    await world.pass(2 * hours);
    world.secretsAwayFor(1 * hours);
    await world.pass(4 * hours);
    expect(told(world)).toEqual(['in-doubt']);
    await world.pass(1 * days);
    expect(world.last('INV-1')).toMatchObject({ status: 'failed', failure: { code: 'NOT_AT_GATEWAY' } });
  });
});

describe('a payout in doubt, near its horizon', () => {
  it('is asked about once more before a person sees it', async () => {
    // given a gateway that answers no inquiry for as long as doubt may last, less ten minutes
    const { world } = await sent('in doubt', { doubtHorizonSeconds: 6 * 3_600 });
    world.gateway.desk('INV-1', () => http(503, 'down'));
    await world.pass(6 * hours - 10 * minutes);

    // when it answers again
    world.gateway.desk('INV-1', 'truth');
    world.gateway.ends('INV-1', 'approved');
    await world.pass(30 * minutes);

    // then
    expect([...new Set(told(world))]).toEqual(['in-doubt', 'approved']);
  });
});

describe('the gateway says another amount', () => {
  it.each(['processing', 'approved'] as const)(
    '%s: it is published once, is no end, and goes to a person at the horizon',
    async (status) => {
      const { world } = await sent('accepted', { acceptedHorizonSeconds: 7_200 });
      world.gateway.changesAmount('INV-1', '10.43');
      world.gateway.ends('INV-1', status);
      await world.pass(1 * hours);
      expect(world.results('INV-1').map((it) => [it.status, it.gatewayAmount])).toEqual([
        ['accepted', undefined],
        ['accepted', '10.43 EUR'],
      ]);
      await world.pass(4 * hours);
      expect(world.last('INV-1')).toMatchObject({
        status: 'held',
        final: false,
        failure: { code: 'HELD_AMOUNT_DIFFERS', message: 'the gateway has it with 10.43 EUR' },
      });
      // A copy of its job waits for what becomes of it.
      const copy = world.send(aPayoutJob({ context: { invoice: '123' } }));
      await world.pass(1 * hours);
      expect(world.whereIs(copy)).toBe('queue');
      // The gateway has it: that it is not paid must be meant.
      const asked = { unlessContradicted: true } as const;
      expect(await world.person.decides('INV-1', 'not-paid', asked)).toBe('refused');
      expect([await world.person.decides('INV-1', 'paid', asked), world.last('INV-1')?.status]).toEqual([
        'done',
        'approved',
      ]);
      await world.pass(1 * hours);
      expect(world.whereIs(copy)).toBe('gone');
    },
  );

  it.each([
    ['the right one afterwards: that is the end', '10.42', 'approved', undefined],
    ['none afterwards: that proves nothing', '', 'accepted', '10.43 EUR'],
  ])('and %s', async (_, amount, status, gatewayAmount) => {
    const { world } = await sent('accepted');
    world.gateway.desk('INV-1', { amount: '10.43' });
    await world.pass(10 * minutes);
    world.gateway.desk('INV-1', { amount, status: 'approved' });
    await world.pass(1 * hours);
    expect(world.last('INV-1')).toMatchObject({ status });
    expect(world.last('INV-1')?.gatewayAmount).toBe(gatewayAmount);
  });
});

it.each([
  [
    { 'transaction-type': 'reversal', status: 'processing' },
    { type: 'reversal', status: 'processing' },
  ],
  [
    { 'transaction-type': 'reversal', 'total-reversal-amount': '3.00' },
    { type: 'reversal', status: 'approved', amount: '3.00' },
  ],
  [
    { 'transaction-type': 'chargeback', status: 'declined' },
    { type: 'chargeback', status: 'declined' },
  ],
])(
  'a later transaction %j that undoes a payment is a field of its result, told once, and no other end',
  async (fields, reversal) => {
    const { world } = await sent('accepted');
    world.gateway.ends('INV-1', 'approved');
    await world.pass(10 * minutes);
    world.gateway.desk('INV-1', fields);
    world.resultsAwayFor(10 * minutes);
    for (let n = 0; n < 2; n += 1) {
      await world.pass(5 * minutes);
      await world.callback('INV-1', 'approved', { type: 'reversal' });
      await world.pass(1 * hours);
    }
    expect(told(world)).toEqual(['accepted', 'approved', 'approved']);
    expect(world.last('INV-1')).toMatchObject({ revision: 3, final: true, reversal });
  },
);
