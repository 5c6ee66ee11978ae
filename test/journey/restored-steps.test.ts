// A payout in two steps, and a ledger that was restored to a moment before its payment: whatever brings the payment back (a
// message that carries its answer, a result, a claim that finds it forgotten) brings it back as a payment, under result ids
// that nothing was told under.
import { beforeEach, describe, expect, it } from 'vitest';
import { runBatch } from '../../lib/payout/submit/run-jobs.ts';
import { adoptLine, beginRestore } from '../../lib/restore/restore-ledger.ts';
import { ordersAfterRestore } from '../../lib/restore/restored-orders.ts';
import type { OrderView } from '../../lib/payout/order/view.ts';
import { aPayoutCheck, aPayoutPay } from '../support/jobs.ts';
import { createMemoryRestoration } from '../support/memory-restoration.ts';
import { aRecord, deliveryOf } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const key = 'acme-eu/INV-1';
const lost = { by: 'anna', reason: 'the table was deleted', atMs: 0 };
const profile = { statusInquiry: true, twoStepPayouts: true } as const;

let restoration: ReturnType<typeof createMemoryRestoration>;
beforeEach(() => {
  restoration = createMemoryRestoration();
});

const deliver = (world: World, record: ReturnType<typeof aRecord>) =>
  runBatch([record], world.clock.nowMs() + 120_000, {
    ...world.ports,
    ledger: ordersAfterRestore(world.orders, restoration),
  });

/** A checked order, and what the backup knows of it: its check under way, or at rest. */
async function checked(known: 'under way' | 'at rest') {
  const world = aWorld({ profile });
  world.gateway.statuses('check validating');
  world.gateway.statusStays('check validated');
  await world.deliver(aRecord(aPayoutCheck(), { messageId: 'm-1' }));
  const underWay = new Map(world.entries);
  await world.pass(60_000);
  const backup = known === 'under way' ? underWay : new Map(world.entries);
  return { world, backup };
}

async function restore(world: World, backup: ReadonlyMap<string, OrderView>): Promise<number> {
  world.items.clear();
  for (const [at, entry] of backup) world.entries.set(at, entry);
  world.clock.advance(60_000);
  await beginRestore(0, lost, { ...world.ports, controlsAdmin: world.controls, restoreAdmin: restoration });
  await world.controls.pause(undefined, false, lost);
  return Math.max(...world.results.taken.map(({ revision = 0 }) => revision));
}

describe.each(['under way', 'at rest'] as const)('its check was %s', (known) => {
  it('the payment’s answer, which a message carries, is told as the payment’s, under a new id', async () => {
    const { world, backup } = await checked(known);
    world.gateway.meanwhile(() => world.orders.stays('down', 'write', 'read', 'mark'));
    await world.deliver(aRecord(aPayoutPay(), { messageId: 'm-2' }));
    world.orders.stays('up', 'write', 'read', 'mark');
    const copy = world.jobsQueue.copies.taken.at(-1);
    if (copy?.attributes.answer === undefined) throw new Error('a copy carries the answer');
    const before = await restore(world, backup);
    await deliver(world, deliveryOf(copy));
    expect(world.entries.get(key)).toMatchObject({ operation: 'payout-pay', state: 'accepted' });
    const told = world.results.taken.at(-1);
    expect(told).toMatchObject({ operation: 'payout-pay', status: 'accepted' });
    expect(told?.revision).toBeGreaterThan(before);
    expect(world.gateway.postsOf('INV-1')).toBe(2);
  });

  it('a result of the gap brings it back as the payment that it was', async () => {
    const { world, backup } = await checked(known);
    await world.deliver(aRecord(aPayoutPay(), { messageId: 'm-2' }));
    const paid = world.results.taken.at(-1);
    expect(paid).toMatchObject({ operation: 'payout-pay', status: 'accepted' });
    await restore(world, backup);
    expect(await adoptLine(JSON.stringify(paid), world.ports)).toBe('adopted');
    expect(world.entries.get(key)).toMatchObject({ operation: 'payout-pay', state: 'accepted' });
  });
});

it('a payment that may have been sent in the gap is in doubt as a payment, and its result of the gap still comes in', async () => {
  const { world, backup } = await checked('at rest');
  await world.deliver(aRecord(aPayoutPay(), { messageId: 'm-2' }));
  const paid = world.results.taken.at(-1);
  await restore(world, backup);
  await deliver(world, aRecord(aPayoutPay(), { messageId: 'm-3' }));
  expect(world.entries.get(key)).toMatchObject({ operation: 'payout-pay', state: 'in-doubt' });
  expect(await adoptLine(JSON.stringify(paid), world.ports)).toBe('adopted');
  expect(world.entries.get(key)).toMatchObject({ operation: 'payout-pay', state: 'accepted' });
  expect(await adoptLine(JSON.stringify(paid), world.ports)).toBe('known');
  expect(world.gateway.postsOf('INV-1')).toBe(2);
});

it('a word about a message says nothing of an order, with revision 0 as without one', async () => {
  const { world } = await checked('at rest');
  const word = { version: 1, resultId: 'rejected/m-9', operation: 'payout-pay', merchant: 'acme-eu', orderId: 'INV-9' };
  const rest = { status: 'failed', final: true, attempts: 0, revision: 0, occurredAt: '2026-11-21T09:00:00.000Z' };
  expect(await adoptLine(JSON.stringify({ ...word, endpointId: '39915', ...rest }), world.ports)).toBe('nothing');
});
