// The gateway says another amount than was asked for: it is published, never taken for the end, and not waited on for ever.
import { describe, expect, it } from 'vitest';
import { releaseOrder } from '../../lib/payout/operate/decide.ts';
import { heldAsText, orderAsText } from '../../lib/cli/orders/order-text.ts';
import { aWorldWith, key, standing } from '../support/asked-order.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';
import { lengthOf } from '../support/long-proof.ts';

const day = 86_400_000;
const told = (world: World) =>
  world.results.taken.map(({ resultId, status, gatewayAmount }) => [resultId, status, gatewayAmount]);
const counted = (world: World) =>
  world.figures.reduce((sum, { values }) => sum + Number(values.amountsChanged ?? 0), 0);

describe.each(
  lengthOf({
    short: ['processing, another amount'] as const,
    long: ['processing, another amount', 'approved, another amount'] as const,
  }),
)('a status that says: %s', (mood) => {
  it('is published once as a new revision, counted and logged, and held at the horizon under its own code', async () => {
    const world = await aWorldWith('accepted');
    world.gateway.statusStays(mood);
    await world.pass(2.9 * day);
    expect(told(world)).toEqual([[`${key}/2`, 'accepted', '10.43 EUR']]);
    expect(counted(world)).toBe(1);
    expect(world.log.some(({ level, fields }) => level === 'warn' && fields.finding === 'amount-differs')).toBe(true);
    expect(orderAsText(standing(world))).toContain('The gateway says another amount: 10.43 EUR.');

    await world.pass(0.3 * day);
    expect(world.results.taken.at(-1)).toMatchObject({
      status: 'held',
      final: false,
      gatewayAmount: '10.43 EUR',
      failure: { code: 'AMOUNT_DIFFERS', message: 'the gateway has it with 10.43 EUR' },
    });
    expect(heldAsText([standing(world)])).toContain('AMOUNT_DIFFERS: the gateway has it with 10.43 EUR');
    await world.pass(3 * day);
    expect(told(world)).toHaveLength(2);
  }, 60_000);
});

it('an order in doubt that is there with another amount is accepted, and held at its horizon', async () => {
  const world = await aWorldWith('in-doubt');
  world.gateway.statusStays('approved, another amount');
  await world.pass(3.1 * day);
  expect(told(world)).toEqual([
    [`${key}/2`, 'accepted', '10.43 EUR'],
    [`${key}/3`, 'held', '10.43 EUR'],
  ]);
  expect(standing(world).failure?.code).toBe('AMOUNT_DIFFERS');
});

it('once the gateway says the right amount, the end is the end and the other amount is gone', async () => {
  const world = await aWorldWith('accepted');
  world.gateway.statuses('processing, another amount');
  world.gateway.statusStays('approved');
  await world.pass(1_500_000);
  expect(told(world)).toEqual([
    [`${key}/2`, 'accepted', '10.43 EUR'],
    [`${key}/3`, 'approved', undefined],
  ]);
});

it('an end without any amount proves nothing after that', async () => {
  const world = await aWorldWith('accepted');
  world.gateway.statuses('processing, another amount');
  world.gateway.statusStays('approved, without its amount');
  await world.pass(3_600_000);
  expect(told(world)).toEqual([[`${key}/2`, 'accepted', '10.43 EUR']]);
});

it('a person ends such an order against the other amount only by meaning it', async () => {
  const world = await aWorldWith('accepted', { profile: { acceptedHorizonSeconds: 60 } });
  world.gateway.statusStays('approved, another amount');
  await world.pass(3_600_000);
  expect(standing(world).state).toBe('held');
  const said = { by: 'jane', reason: 'settled with the gateway' };
  expect(await releaseOrder(key, { as: 'not-paid', ...said, evenUnanswered: true }, world.ports)).toMatchObject({
    kind: 'contradicted',
  });
  expect(await releaseOrder(key, { as: 'paid', ...said }, world.ports)).toMatchObject({ kind: 'unanswered' });
  expect(await releaseOrder(key, { as: 'paid', ...said, evenUnanswered: true }, world.ports)).toMatchObject({
    kind: 'done',
  });
  expect(standing(world)).toMatchObject({ state: 'approved', gatewayAmount: '10.43 EUR' });
});

it('a callback with another amount, where nobody can be asked, is published and ends nothing', async () => {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob()));
  world.results.taken.splice(0);
  const callback = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', currency: 'EUR' };
  for (const amount of ['10.43', '10.43', '10.44', '1']) await world.callBack({ ...callback, amount });
  expect(new Map(told(world).map((it) => [it[0], it.slice(1)]))).toEqual(
    new Map([
      [`${key}/2`, ['accepted', '10.43 EUR']],
      [`${key}/3`, ['accepted', '10.44 EUR']],
    ]),
  );
  expect(standing(world).surprises).toHaveLength(3);
  await world.callBack({ ...callback, amount: '10.42' });
  expect(told(world).at(-1)).toEqual([`${key}/4`, 'approved', undefined]);
});
