// "Not paid" of a merchant whose money two persons release, written into the order by hand, past the tool: the worker asks for the
// approver's proof itself, before it sends, ends or publishes anything by it.
import { describe, expect, it } from 'vitest';
import { approveDecision } from '../../lib/batches/decision-approval.ts';
import { ordersWithProof } from '../../lib/batches/proven-decisions.ts';
import { safeguardsText, type SafeguardsStore } from '../../lib/batches/safeguards.ts';
import { releaseOrder, seenByApprover, type SecondPerson } from '../../lib/payout/operate/decide.ts';
import { type Decision, noFacts } from '../../lib/payout/order/facts.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import type { Orders } from '../../lib/payout/order/orders.ts';
import { recorded } from '../../lib/payout/order/record.ts';
import { createSecondPerson } from '../../lib/batches/decision-approval.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const key = 'acme-eu/INV-1';
const ada = 'arn:aws:sts::111122223333:assumed-role/Decider/ada';
const grace = 'arn:aws:sts::111122223333:assumed-role/Approver/grace';

/** What approvers have said of the merchant: null where none has said anything. */
async function storeOf(world: World, twoPersonRelease: boolean | null): Promise<SafeguardsStore> {
  const text = safeguardsText('batches', 'acme-eu', {
    serial: 1,
    by: grace,
    atMs: 1,
    twoPersonRelease: twoPersonRelease ?? false,
    caps: {},
  });
  const stored =
    twoPersonRelease === null ? undefined : { text, mac: await world.approvalKey.macOf(text), earlier: [] };
  return { place: 'batches', read: async () => stored, write: async () => false };
}

/** The orders as the functions have them, in the place of the bare ones. */
async function guard(world: World, twoPersons: boolean | null = true): Promise<Orders> {
  const { orders, clock, random, log, metrics } = world.ports;
  const store = await storeOf(world, twoPersons);
  const guarded = ordersWithProof(orders, { store, macs: world.approvalKey, clock, random, log, metrics });
  Object.assign(world.ports, { orders: guarded });
  return guarded;
}

async function inDoubt(): Promise<World> {
  const world = aWorld();
  world.gateway.moods('stalls');
  await world.deliver(aRecord(aPayoutJob()));
  expect(world.results.taken).toMatchObject([{ status: 'held' }]);
  world.clock.advance(3_600_000);
  return world;
}

const standing = (world: World): Order => {
  const order = world.items.get(key);
  if (!order) throw new Error('it was sent');
  return order;
};

/** A decision, its end and its result, laid into the table as the tool would have done it. */
function byHand(world: World, more: Partial<Decision> = {}): void {
  const order = standing(world);
  const seen = seenByApprover(order, undefined);
  if ('why' in seen) throw new Error(seen.why);
  const its: Decision = {
    id: 'by-hand',
    kind: 'not-paid',
    by: 'ada',
    reason: 'by hand',
    atMs: world.clock.nowMs(),
    ...seen,
    ...more,
  };
  const facts = { ...noFacts, decisions: { [its.id]: its } };
  const forged = recorded(order, facts, { nowMs: world.clock.nowMs(), endId: 'end-by-hand' });
  world.items.set(key, forged);
  expect(world.entries.get(key)).toMatchObject({ state: 'failed', endId: 'end-by-hand' });
}

const told = (world: World) => world.results.taken.map(({ status }) => status);
const alarms = (world: World) => world.log.filter(({ event }) => event === 'decision-unproven');

describe('a word that nobody has approved', () => {
  it('opens nothing: its order is held, the job that names its end is not sent, and somebody is called', async () => {
    const world = await inDoubt();
    byHand(world);
    await guard(world);
    await world.deliver(aRecord(aPayoutJob({ resends: 'end-by-hand' })));
    expect(world.gateway.postsOf('INV-1')).toBe(1);
    expect(world.entries.get(key)).toMatchObject({
      state: 'held',
      surprises: ['not-paid-by-one by-hand'],
    });
    expect(alarms(world)).toMatchObject([{ level: 'error', fields: { merchant: 'acme-eu', orderId: 'INV-1' } }]);
    expect(world.figures.filter(({ values }) => values.decisionsUnproven === 1)).toHaveLength(1);
  });

  it('is not published: the next look tells that the order is held, under a revision of its own', async () => {
    const world = await inDoubt();
    byHand(world);
    await guard(world);
    await world.pass(600_000);
    expect(told(world)).toEqual(['held', 'held']);
    const [before, now] = world.results.taken;
    expect(now?.revision).toBeGreaterThan(before?.revision ?? 0);
    expect(standing(world).unpublished).toBeUndefined();
  });

  it('is asked about once: what was found is kept where no person may write', async () => {
    const world = await inDoubt();
    byHand(world);
    const orders = await guard(world);
    await orders.read(key);
    await orders.read(key);
    expect(alarms(world)).toHaveLength(1);
    expect(standing(world).facts.unproven).toEqual(['by-hand']);
  });

  it('replaces no word that two persons have said', async () => {
    const world = await inDoubt();
    const orders = await guard(world);
    await release(world, orders);
    const [proven] = Object.values(standing(world).facts.decisions);
    const order = standing(world);
    const its: Decision = {
      ...(proven as Decision),
      id: 'by-hand',
      kind: 'not-paid',
      replaces: proven?.id ?? '',
    };
    const { approval: _, ...bare } = its;
    world.items.set(key, {
      ...order,
      facts: { ...order.facts, decisions: { ...order.facts.decisions, 'by-hand': bare } },
    });
    await orders.read(key);
    expect(world.entries.get(key)).toMatchObject({ state: 'failed' });
    expect(standing(world).facts.unproven).toEqual(['by-hand']);
  });

  it('is no reason to send an order that nobody sent from here', async () => {
    const world = aWorld();
    await world.ports.orders.note(key, 'place', { status: 'approved', orderid: '9001', control: 'x' }, 1);
    const order = standing(world);
    const bare: Decision = {
      id: 'by-hand',
      kind: 'not-paid',
      by: 'ada',
      reason: 'by hand',
      atMs: 1,
      saw: {},
      sawUnattributed: '',
    };
    const decided = { ...order, inbox: {}, facts: { ...order.facts, decisions: { 'by-hand': bare } } };
    world.items.set(key, decided);
    await guard(world);
    await world.deliver(aRecord(aPayoutJob()));
    expect(world.gateway.postsOf('INV-1')).toBe(0);
    expect(world.entries.get(key)).toMatchObject({ state: 'held' });
  });
});

async function release(world: World, orders: Orders, approver = grace) {
  const order = standing(world);
  const seen = seenByApprover(order, undefined);
  if ('why' in seen) throw new Error(seen.why);
  const { clock } = world;
  const maker = world.approvalKey;
  const approved = await approveDecision(key, seen, ada, { maker, identity: { whoAmI: async () => approver }, clock });
  if (approved.kind !== 'approved') throw new Error(approved.kind);
  const secondPerson: SecondPerson = createSecondPerson({
    store: await storeOf(world, true),
    macs: world.approvalKey,
    identity: { whoAmI: async () => ada },
    clock,
  });
  const how = { as: 'not-paid', by: 'ada', reason: 'the bank knows nothing', approval: approved.token } as const;
  const operated = await releaseOrder(key, how, { ...world.ports, orders, secondPerson });
  expect(operated.kind).toBe('done');
}

describe('a word that counts', () => {
  it('bears the proof of an approver: the order ends, and its end opens by name', async () => {
    const world = await inDoubt();
    await release(world, await guard(world));
    const endId = world.entries.get(key)?.endId ?? '';
    world.clock.advance(3_600_000);
    world.gateway.moods('accepts');
    await world.deliver(aRecord(aPayoutJob({ resends: endId })));
    expect(world.gateway.postsOf('INV-1')).toBe(2);
    expect(alarms(world)).toEqual([]);
  });

  it('may be said anew by two persons where one has said it alone', async () => {
    const world = await inDoubt();
    byHand(world);
    const orders = await guard(world);
    await orders.read(key);
    await release(world, orders);
    expect(world.entries.get(key)).toMatchObject({ state: 'failed' });
  });

  it('is one person’s where the merchant demands one', async () => {
    const world = await inDoubt();
    byHand(world);
    await guard(world, false);
    await world.pass(600_000);
    expect(told(world)).toEqual(['held', 'failed']);
  });
});

it.each([
  ['the proof of another order', (its: Decision['approval']) => its, 'acme-eu/INV-2'],
  ['of another person', (its: Decision['approval']) => its && { ...its, decider: grace }, key],
  ['after its time', (its: Decision['approval']) => its && { ...its, untilMs: 1 }, key],
  ['a MAC that nobody made', (its: Decision['approval']) => its && { ...its, mac: 'AAAA' }, key],
] as const)('%s is none', async (_, changed, of) => {
  const world = await inDoubt();
  const seen = seenByApprover(standing(world), undefined);
  if ('why' in seen) throw new Error(seen.why);
  const { clock, approvalKey: maker } = world;
  const approved = await approveDecision(of, seen, ada, { maker, identity: { whoAmI: async () => grace }, clock });
  if (approved.kind !== 'approved') throw new Error(approved.kind);
  const approval = changed(JSON.parse(Buffer.from(approved.token, 'base64url').toString()) as Decision['approval']);
  byHand(world, { ...(approval && { approval }) });
  const orders = await guard(world);
  await orders.read(key);
  expect(world.entries.get(key)).toMatchObject({ state: 'held' });
});

it('while nobody can say what the merchant demands, nothing is decided by the word', async () => {
  const world = await inDoubt();
  byHand(world);
  const orders = await guard(world, null);
  await expect(orders.read(key)).rejects.toThrow('safeguards');
  expect(standing(world).facts.unproven).toEqual([]);
});
