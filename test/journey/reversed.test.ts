// A later transaction undoes a payment: that is a field of its result, never another end of the order.
import { describe, expect, it } from 'vitest';
import { orderAsText } from '../../lib/cli/orders/order-text.ts';
import { aWorldWith, check, inquire, key, standing } from '../support/asked-order.ts';
import type { StatusMood } from '../support/fake-gateway.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const told = (world: World) =>
  world.results.taken.map(({ revision, status, final, reversal }) => [revision, status, final, reversal]);
const at = expect.stringMatching(/^\d{4}-.*Z$/);
const figures = (world: World, name: 'reversals' | 'becameApproved') =>
  world.figures.reduce((sum, { values }) => sum + Number(values[name] ?? 0), 0);

/** Paid, as the gateway said when it was asked. */
async function aPaidOrder(): Promise<World> {
  const world = await aWorldWith('accepted');
  world.gateway.statuses('approved');
  await world.pass(300_000);
  world.results.taken.splice(0);
  return world;
}

/** Somebody has a reason to ask now; long after the last time. */
async function askedNow(world: World, mood: StatusMood): Promise<void> {
  world.clock.advance(600_000);
  world.gateway.statuses(mood);
  const { count: inquiries = 0 } = standing(world).inquiries ?? {};
  await world.deliverOwn([check({ now: true, inquiries })]);
}

describe('a status that tells of a reversal', () => {
  it('leaves the order paid, and says it on a new revision, each of them once', async () => {
    const world = await aPaidOrder();
    const approved = figures(world, 'becameApproved');
    for (const mood of ['reversed', 'reversed', 'chargeback declined', 'chargeback declined'] as const)
      await askedNow(world, mood);
    expect(told(world)).toEqual([
      [4, 'approved', true, { type: 'reversal', status: 'approved', at }],
      [5, 'approved', true, { type: 'chargeback', status: 'declined', at }],
    ]);
    expect(figures(world, 'reversals')).toBe(2);
    expect(figures(world, 'becameApproved')).toBe(approved);
    expect(orderAsText(standing(world))).toContain('Undone by a chargeback: declined');
    expect(world.log.filter(({ fields }) => fields.finding === 'reversed').map(({ level }) => level)).toContain('warn');
  });

  it('carries the running total of partial ones', async () => {
    const world = await aPaidOrder();
    for (const mood of ['a reversal is under way', 'partly reversed', 'partly reversed', 'reversed further'] as const)
      await askedNow(world, mood);
    expect(world.results.taken.map(({ reversal }) => reversal)).toEqual([
      { type: 'reversal', status: 'processing', at },
      { type: 'reversal', status: 'approved', amount: '3.00', at },
      { type: 'reversal', status: 'approved', amount: '7.50', at },
    ]);
  });

  it('leaves an accepted order accepted, asked about, and visible at its horizon', async () => {
    const world = await aWorldWith('accepted', { profile: { acceptedHorizonSeconds: 3_600 } });
    world.gateway.statusStays('reversed');
    await world.pass(2 * 3_600_000);
    expect(told(world)).toEqual([[3, 'accepted', false, { type: 'reversal', status: 'approved', at }]]);
    expect(standing(world)).toMatchObject({ state: 'accepted', overdue: true });
    expect(world.gateway.inquiries.length).toBeGreaterThan(5);
  });

  it('is not lost with the result: the mark is in the same write', async () => {
    const world = await aPaidOrder();
    world.results.moods('down', 'down', 'down');
    await askedNow(world, 'reversed');
    expect(standing(world)).toMatchObject({ state: 'approved', unpublished: true });
    await world.pass(300_000);
    expect(told(world)).toEqual([[4, 'approved', true, { type: 'reversal', status: 'approved', at }]]);
  });
});

it('an order whose end comes after its reversal keeps both', async () => {
  const world = await aWorldWith('accepted');
  world.gateway.statuses('reversed');
  world.gateway.statusStays('approved');
  await world.pass(300_000);
  expect(told(world).at(-1)).toEqual([4, 'approved', true, { type: 'reversal', status: 'approved', at }]);
  expect((await inquire(world)).result).toBeUndefined();
});

describe('a callback of a later transaction, where nobody can be asked', () => {
  const paid = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };

  async function aWorldPaidByCallback(): Promise<World> {
    const world = aWorld();
    await world.deliver(aRecord(aPayoutJob()));
    await world.callBack(paid);
    world.results.taken.splice(0);
    return world;
  }

  it.each(['reversal', 'chargeback'])('of type %s is told as that, however often it comes', async (type) => {
    const world = await aWorldPaidByCallback();
    for (let times = 0; times < 5; times += 1) await world.callBack({ ...paid, type, status: 'declined' });
    expect(told(world)).toEqual([[4, 'approved', true, { type, status: 'declined', at }]]);
    expect(figures(world, 'reversals')).toBe(1);
    expect(world.log.some(({ level }) => level === 'error')).toBe(false);
  });

  it('a replay with ever other types is bounded', async () => {
    const world = await aWorldPaidByCallback();
    const types = 'reversal chargeback refund return cancel void fraud retrieval dispute representment'.split(' ');
    for (let times = 0; times < 50; times += 1)
      await world.callBack({ ...paid, type: types[times % types.length] ?? '' });
    expect(world.results.taken.length).toBeLessThanOrEqual(8);
    expect(standing(world)).toMatchObject({ state: 'approved', final: true });
  });
});

it(`${key}: a callback of a reversal is a reason to ask where the gateway can be asked, and its status says it`, async () => {
  const world = await aPaidOrder();
  world.clock.advance(600_000);
  world.gateway.statuses('reversed');
  const callback = { orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
  await world.callBack({ ...callback, status: 'approved', type: 'reversal' });
  await world.pass(60_000);
  expect(told(world)).toEqual([[4, 'approved', true, { type: 'reversal', status: 'approved', at }]]);
});
