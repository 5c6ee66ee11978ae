// A later transaction undoes a payment: that is a field of its result, never another end of the order. A callback of it is a reason
// to ask; what it says by itself is not covered by its signature, and so is for a person.
import { describe, expect, it } from 'vitest';
import { orderAsText } from '../../lib/cli/orders/order-text.ts';
import { aWorldWith, standing } from '../support/asked-order.ts';
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
  await world.pass(900_000);
  world.results.taken.splice(0);
  return world;
}

const paid = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };

/** The gateway calls back with a later transaction, long after the last time, and says this when it is asked. */
async function calledBack(world: World, mood: StatusMood, status = 'approved'): Promise<void> {
  world.clock.advance(86_400_000);
  world.gateway.statuses(mood);
  await world.callBack({ ...paid, type: 'reversal', status });
  await world.pass(60_000);
}

describe('a status that tells of a reversal', () => {
  it('leaves the order paid, and says it on a new revision, each of them once', async () => {
    const world = await aPaidOrder();
    const approved = figures(world, 'becameApproved');
    for (const mood of ['reversed', 'reversed', 'chargeback declined', 'chargeback declined'] as const)
      await calledBack(world, mood);
    expect(told(world)).toEqual([
      [3, 'approved', true, { type: 'reversal', status: 'approved', at }],
      [4, 'approved', true, { type: 'chargeback', status: 'declined', at }],
    ]);
    expect(figures(world, 'reversals')).toBe(2);
    expect(figures(world, 'becameApproved')).toBe(approved);
    expect(orderAsText(standing(world))).toContain('Undone by a chargeback: declined');
    expect(world.log.filter(({ fields }) => fields.finding === 'reversed').map(({ level }) => level)).toContain('warn');
  });

  it('carries the running total of partial ones', async () => {
    const world = await aPaidOrder();
    for (const mood of ['a reversal is under way', 'partly reversed', 'partly reversed', 'reversed further'] as const)
      await calledBack(world, mood);
    expect(world.results.taken.map(({ reversal }) => reversal)).toEqual([
      { type: 'reversal', status: 'processing', at },
      { type: 'reversal', status: 'approved', amount: '3.00', at },
      { type: 'reversal', status: 'approved', amount: '7.50', at },
    ]);
  });

  it('says of an order that was accepted alone that it was paid before it was undone', async () => {
    const world = await aWorldWith('accepted');
    world.gateway.statusStays('reversed');
    await world.pass(900_000);
    expect(told(world)).toEqual([[2, 'approved', true, { type: 'reversal', status: 'approved', at }]]);
    expect(world.gateway.inquiries).toHaveLength(1);
  });

  it('is not lost with the result: the mark is in the same write', async () => {
    const world = await aPaidOrder();
    world.results.stays('down');
    await calledBack(world, 'reversed');
    expect(standing(world)).toMatchObject({ state: 'approved', unpublished: true });
    world.results.stays('up');
    await world.pass(900_000);
    expect(told(world)).toEqual([[3, 'approved', true, { type: 'reversal', status: 'approved', at }]]);
  });
});

describe('a callback of a later transaction, where nobody can be asked', () => {
  async function aWorldPaidByCallback(): Promise<World> {
    const world = aWorld();
    await world.deliver(aRecord(aPayoutJob()));
    await world.callBack(paid);
    world.results.taken.splice(0);
    return world;
  }

  it.each(['reversal', 'chargeback'])('of type %s is for a person, and never told as one', async (type) => {
    const world = await aWorldPaidByCallback();
    for (let times = 0; times < 5; times += 1) await world.callBack({ ...paid, type, status: 'declined' });
    expect(told(world).every(([, status, , reversal]) => status === 'approved' && reversal === undefined)).toBe(true);
    expect(standing(world).surprises).toEqual([`declined ${type} 9000001 10.42 EUR`]);
    expect(world.log.filter(({ level }) => level === 'error').map(({ event }) => event)).toEqual(['callback-surprise']);
  });

  it('a replay with ever other types is bounded', async () => {
    const world = await aWorldPaidByCallback();
    const types = 'reversal chargeback refund return cancel void fraud retrieval dispute representment'.split(' ');
    for (let times = 0; times < 50; times += 1)
      await world.callBack({ ...paid, type: types[times % types.length] ?? '' });
    expect(world.results.taken.length).toBeLessThanOrEqual(types.length);
    expect(standing(world)).toMatchObject({ state: 'approved', final: true });
    expect(standing(world).surprises?.length).toBeLessThanOrEqual(8);
  });
});
