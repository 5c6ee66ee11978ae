// "Not paid" of a merchant whose money two persons release, written into the order by hand, past the tool: the worker asks for the
// approver's proof itself, before it sends, ends or publishes anything by it.
import { describe, expect, it } from 'vitest';
import { approveDecision, createSecondPerson } from '../../lib/batches/decision-approval.ts';
import { seenByApprover, type SecondPerson } from '../../lib/payout/operate/decide.ts';
import type { Decision } from '../../lib/payout/order/facts.ts';
import type { Orders } from '../../lib/payout/order/orders.ts';
import {
  approver,
  aWorldInDoubt,
  decideByHand,
  decider,
  doubtfulKey,
  guardOrders,
  safeguardsOf,
  standingOrder,
} from '../support/decisions-by-hand.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';
import { lookAndRelease } from '../support/look-and-release.ts';

const told = (world: World) => world.results.taken.map(({ status }) => status);
const alarms = (world: World) => world.log.filter(({ event }) => event === 'decision-unproven');

describe('a decision that was not approved', () => {
  it('opens nothing: its order is held, the job that names its end is not sent, and somebody is called', async () => {
    const world = await aWorldInDoubt();
    decideByHand(world);
    await guardOrders(world);
    await world.deliver(aRecord(aPayoutJob({ resends: 'end-by-hand' })));
    expect(world.gateway.postsOf('INV-1')).toBe(1);
    expect(world.entries.get(doubtfulKey)).toMatchObject({
      standing: 'held',
      surprises: ['not-paid-by-one by-hand'],
    });
    expect(alarms(world)).toMatchObject([{ level: 'error', fields: { merchant: 'acme-eu', orderId: 'INV-1' } }]);
    expect(world.figures.filter(({ values }) => values.decisionsUnproven === 1)).toHaveLength(1);
  });

  it('is not published: the next look tells that the order is held, under a revision of its own', async () => {
    const world = await aWorldInDoubt();
    decideByHand(world);
    await guardOrders(world);
    await world.pass(600_000);
    expect(told(world)).toEqual(['held', 'held']);
    const [before, now] = world.results.taken;
    expect(now?.revision).toBeGreaterThan(before?.revision ?? 0);
    expect(standingOrder(world).unpublished).toBeUndefined();
  });

  it('nor where the order was called one that moves no money: what it is its key says, which no person can write', async () => {
    const world = await aWorldInDoubt();
    decideByHand(world);
    const order = standingOrder(world);
    if (!order.content) throw new Error('it was sent');
    world.items.set(doubtfulKey, { ...order, content: { ...order.content, operation: 'pan-eligibility' } });
    const orders = await guardOrders(world);
    await orders.read(doubtfulKey);
    expect(standingOrder(world).facts.unproven).toEqual(['by-hand']);
  });

  it('is no reason to send an order that was not sent from here', async () => {
    const world = aWorld();
    expect(await world.callBack({ status: 'approved', orderid: '9001', client_orderid: 'INV-1' })).toBe('stored');
    const order = standingOrder(world);
    const bare: Decision = {
      id: 'by-hand',
      kind: 'not-paid',
      by: 'ada',
      reason: 'by hand',
      atMs: 1,
      saw: {},
    };
    const decided = { ...order, facts: { ...order.facts, decisions: { 'by-hand': bare } } };
    world.items.set(doubtfulKey, decided);
    await guardOrders(world);
    await world.deliver(aRecord(aPayoutJob()));
    expect(world.gateway.postsOf('INV-1')).toBe(0);
    expect(world.entries.get(doubtfulKey)).toMatchObject({ standing: 'held' });
  });
});

async function release(world: World, orders: Orders) {
  const order = standingOrder(world);
  const seen = seenByApprover(order, undefined);
  if ('why' in seen) throw new Error(seen.why);
  const { clock } = world;
  const maker = world.approvalKey;
  const approved = await approveDecision(order, seen, decider, {
    maker,
    identity: { whoAmI: async () => approver },
    clock,
  });
  if (approved.kind !== 'approved') throw new Error(approved.kind);
  const secondPerson: SecondPerson = createSecondPerson({
    store: await safeguardsOf(world, true),
    macs: world.approvalKey,
    identity: { whoAmI: async () => decider },
    clock,
  });
  const how = { as: 'not-paid', by: 'ada', reason: 'the bank knows nothing', approval: approved.token } as const;
  const operated = await lookAndRelease(doubtfulKey, how, { ...world.ports, orders, secondPerson });
  expect(operated.kind).toBe('done');
}

describe('a word that counts', () => {
  it('bears the proof of an approver: the order ends, and its end opens by name', async () => {
    const world = await aWorldInDoubt();
    await release(world, await guardOrders(world));
    const endId = world.entries.get(doubtfulKey)?.endId ?? '';
    world.clock.advance(3_600_000);
    world.gateway.moods('accepts');
    await world.deliver(aRecord(aPayoutJob({ resends: endId })));
    expect(world.gateway.postsOf('INV-1')).toBe(2);
    expect(alarms(world)).toEqual([]);
  });

  it('is one person’s where the merchant demands one', async () => {
    const world = await aWorldInDoubt();
    decideByHand(world);
    await guardOrders(world, false);
    await world.pass(600_000);
    expect(told(world)).toEqual(['held', 'failed']);
  });
});

it.each([
  ['the proof of another order', (its: Decision['approval']) => its, 'acme-eu/INV-2'],
  ['of another person', (its: Decision['approval']) => its && { ...its, decider: approver }, doubtfulKey],
  ['after its time', (its: Decision['approval']) => its && { ...its, atMs: 1 }, doubtfulKey],
  ['of another revision', (its: Decision['approval']) => its && { ...its, revision: 2 }, doubtfulKey],
  ['a MAC that was never made', (its: Decision['approval']) => its && { ...its, mac: 'AAAA' }, doubtfulKey],
  ['a genuine one, with a date before it was given', (its: Decision['approval']) => its, doubtfulKey, 25 * 3_600_000],
] as const)('%s is none', async (_, changed, of, laterMs = 0) => {
  const world = await aWorldInDoubt();
  const seen = seenByApprover(standingOrder(world), undefined);
  if ('why' in seen) throw new Error(seen.why);
  const { clock, approvalKey: maker } = world;
  const approved = await approveDecision({ ...standingOrder(world), key: of }, seen, decider, {
    maker,
    identity: { whoAmI: async () => approver },
    clock: { nowMs: () => clock.nowMs() + laterMs },
  });
  if (approved.kind !== 'approved') throw new Error(approved.kind);
  const approval = changed(JSON.parse(Buffer.from(approved.token, 'base64url').toString()) as Decision['approval']);
  decideByHand(world, { ...(approval && { approval }) });
  const orders = await guardOrders(world);
  await orders.read(doubtfulKey);
  expect(world.entries.get(doubtfulKey)).toMatchObject({ standing: 'held' });
});
