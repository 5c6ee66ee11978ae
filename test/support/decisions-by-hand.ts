// A decision that was written into the order by hand, past the tool, and the worker's guard against it.
import { expect } from 'vitest';
import { ordersWithProof } from '../../lib/batches/proven-decisions.ts';
import { safeguardsText, type StoredRecords } from '../../lib/batches/safeguards.ts';
import { seenByApprover } from '../../lib/payout/operate/decide.ts';
import { type Decision, noFacts } from '../../lib/payout/order/facts.ts';
import { recorded } from '../../lib/payout/order/record.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import type { Orders } from '../../lib/payout/order/orders.ts';
import { aPayoutJob } from './jobs.ts';
import { aRecord } from './records.ts';
import { aWorld, type World } from './world.ts';

export const doubtfulKey = 'acme-eu/INV-1';
export const decider = 'arn:aws:sts::111122223333:assumed-role/Decider/ada';
export const approver = 'arn:aws:sts::111122223333:assumed-role/Approver/grace';

/** The safeguards of the merchant, as approvers have set them: null where none has set any. */
export async function safeguardsOf(world: World, twoPersonRelease: boolean | null): Promise<StoredRecords> {
  const text = safeguardsText('batches', 'acme-eu', {
    serial: 1,
    by: approver,
    atMs: 1,
    logins: [],
    twoPersonRelease: twoPersonRelease ?? false,
    caps: {},
  });
  const stored =
    twoPersonRelease === null ? undefined : { text, mac: await world.approvalKey.macOf(text), earlier: [] };
  return { place: 'batches', read: async () => stored };
}

/** The orders as the functions have them, in the place of the bare ones. */
export async function guardOrders(world: World, twoPersons: boolean | null = true): Promise<Orders> {
  const { orders, clock, random, log, metrics } = world.ports;
  const store = await safeguardsOf(world, twoPersons);
  const guarded = ordersWithProof(orders, { store, macs: world.approvalKey, clock, random, log, metrics });
  Object.assign(world.ports, { orders: guarded });
  return guarded;
}

export async function aWorldInDoubt(): Promise<World> {
  const world = aWorld();
  world.gateway.moods('stalls');
  await world.deliver(aRecord(aPayoutJob()));
  expect(world.results.taken).toMatchObject([{ status: 'held' }]);
  world.clock.advance(3_600_000);
  return world;
}

export const standingOrder = (world: World): Order => {
  const order = world.items.get(doubtfulKey);
  if (!order) throw new Error('it was sent');
  return order;
};

/** A decision, its end and its result, written into the table as the tool would have done it. */
export function decideByHand(world: World, more: Partial<Decision> = {}): void {
  const order = standingOrder(world);
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
  world.items.set(doubtfulKey, forged);
  expect(world.entries.get(doubtfulKey)).toMatchObject({ standing: 'failed', endId: 'end-by-hand' });
}
