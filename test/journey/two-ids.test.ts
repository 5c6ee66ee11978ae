// The gateway's two names of one order: the identity, by which callbacks and statuses name it, and an alias of its answer.
import { describe, expect, it } from 'vitest';
import { cancelOrder, releaseOrder } from '../../lib/payout/operate/decide.ts';
import { orderAsText } from '../../lib/cli/orders/order-text.ts';
import { key, standing } from '../support/asked-order.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World, type WorldChoices } from '../support/world.ts';

const paid = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
const ends = (world: World) =>
  world.results.taken.map(({ status, payoutId, gatewayOrderId }) => [status, payoutId, gatewayOrderId]);
const surprises = (world: World) =>
  world.log.filter(({ event }) => event === 'callback-surprise').map(({ level, fields }) => [level, fields.finding]);

const said = { by: 'jane', reason: 'not in the back office' };

type Mood = 'accepts with two ids' | 'accepts with an alias alone' | 'stalls';

async function aWorldAfter(mood: Mood, choices: WorldChoices['profile'] = {}): Promise<World> {
  const world = aWorld({ profile: choices });
  world.gateway.moods(mood);
  await world.deliver(aRecord(aPayoutJob()));
  return world;
}

describe('a reply with both ids, which differ', () => {
  it('is settled by inquiries', async () => {
    const world = await aWorldAfter('accepts with two ids', { statusInquiry: true });
    world.gateway.statusStays('approved');
    await world.pass(10_000);
    expect(ends(world)).toEqual([
      ['accepted', '55', '9000001'],
      ['approved', '55', '9000001'],
    ]);
  });

  it.each(['9000001', '55'])('is settled by a callback that names it %s', async (orderid) => {
    const world = await aWorldAfter('accepts with two ids');
    await world.callBack({ ...paid, orderid });
    expect(ends(world).at(-1)).toEqual(['approved', '55', '9000001']);
    expect(surprises(world)).toEqual([]);
  });
});

describe('a reply with an alias alone', () => {
  it('is settled by inquiries, and the identity that they name is kept from then on', async () => {
    const world = await aWorldAfter('accepts with an alias alone', { statusInquiry: true });
    await world.pass(60_000);
    expect(ends(world)).toEqual([
      ['accepted', '55', '55'],
      ['accepted', '55', '9000001'],
    ]);
    expect(standing(world)).toMatchObject({ gatewayOrderId: '9000001', gatewayAlias: '55' });
    world.gateway.statusStays("approved, another of the gateway's orders");
    await world.pass(600_000);
    world.gateway.statusStays('approved');
    await world.pass(3_600_000);
    expect(ends(world).slice(2)).toEqual([['approved', '55', '9000001']]);
  });

  it.each([
    ['that name', '55', '55'],
    ['an identity that it has not told before', '9000001', '9000001'],
  ])('is settled by a callback of %s, as there is no other attempt', async (_, orderid, gatewayOrderId) => {
    const world = await aWorldAfter('accepts with an alias alone');
    await world.callBack({ ...paid, orderid });
    expect(ends(world).at(-1)).toEqual(['approved', '55', gatewayOrderId]);
    expect(surprises(world)).toEqual([]);
  });
});

it.each([
  ['approved', 'held', '8000001, 9000002', [['error', 'contradicts']]],
  ['declined', 'accepted', '', []],
])('a callback of attempt 1 that says %s never ends attempt 2: the order is %s', async (status, state, both, rung) => {
  // given an attempt that a person released as not paid, by the id that the gateway's office gave, and a second one
  const world = await aWorldAfter('stalls');
  world.clock.advance(2 * 3_600_000);
  const release = { as: 'not-paid', gatewayOrderId: '8000001', ...said } as const;
  expect(await releaseOrder(key, release, world.ports)).toMatchObject({ kind: 'done' });
  world.gateway.moods('accepts with two ids');
  await world.deliver(aRecord(aPayoutJob({ resends: standing(world).endId ?? '' })));
  expect(standing(world)).toMatchObject({ state: 'accepted', gatewayOrderId: '9000002' });

  // when the gateway calls back about the first
  await world.callBack({ ...paid, status, orderid: '8000001' });

  // then
  expect(standing(world).state).toBe(state);
  expect(standing(world).failure?.message ?? '').toContain(both);
  expect(surprises(world)).toEqual(rung);
});

it.each([
  [{}, 'approved'],
  [{ transactionTypes: { payout: ['disbursement'] } }, 'accepted'],
] as const)('a callback of an unknown type, with the profile %j: the order is %s', async (profile, state) => {
  const world = await aWorldAfter('accepts with two ids', profile as WorldChoices['profile']);
  await world.callBack({ ...paid, type: 'sale' });
  expect(standing(world).state).toBe(state);
  await world.callBack({ ...paid, type: 'disbursement' });
  expect(standing(world).state).toBe('approved');
});

it('an order that was sent, released as not paid, and called off, is paid after all where a callback says so', async () => {
  const world = await aWorldAfter('stalls');
  world.clock.advance(2 * 3_600_000);
  await releaseOrder(key, { as: 'not-paid', ...said }, world.ports);
  await cancelOrder({ merchant: 'acme-eu', orderId: 'INV-1', ...said }, world.ports);
  expect(standing(world).state).toBe('cancelled');
  expect(orderAsText(standing(world))).not.toMatch(/never sent[^a]*never will be/i);
  await world.callBack(paid);
  expect(ends(world).at(-1)?.[0]).toBe('approved');
  expect(surprises(world)).toEqual([['error', 'contradicts']]);
});
