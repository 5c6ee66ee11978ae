// A payout in two steps, and a ledger that was restored to a moment before its payment: whatever brings the payment back (its answer,
// a result, a claim that finds it forgotten) brings it back as a payment, under result ids that nothing was told under.
import { describe, expect, it } from 'vitest';
import { adoptLine } from '../../lib/restore/restore-ledger.ts';
import { aPayoutCheck, aPayoutPay } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { restorableWorld } from '../support/restorable-world.ts';

const key = 'acme-eu/INV-1';
const profile = { statusInquiry: true, twoStepPayouts: true } as const;

/** A checked order, and what the backup knows of it: its check under way, or at rest. */
async function checked(known: 'under way' | 'at rest') {
  const it = restorableWorld({ profile });
  const { world } = it;
  world.gateway.statuses('check validating');
  world.gateway.statusStays('check validated');
  await world.deliver(aRecord(aPayoutCheck(), { messageId: 'm-1' }));
  const underWay = it.backup();
  await world.pass(60_000);
  return { ...it, kept: known === 'under way' ? underWay : it.backup() };
}

const highest = (told: readonly { readonly revision?: number }[]) =>
  Math.max(...told.map(({ revision = 0 }) => revision));

describe.each(['under way', 'at rest'] as const)('its check was %s', (known) => {
  it('the payment’s answer, which could not be written, is told as the payment’s, under a new id', async () => {
    const { world, kept, restore } = await checked(known);
    world.gateway.meanwhile(() => world.orders.stays('down', 'write', 'read', 'mark'));
    await world.deliver(aRecord(aPayoutPay(), { messageId: 'm-2' }));
    world.orders.stays('up', 'write', 'read', 'mark');
    const before = highest(world.results.taken);
    await restore(kept);
    await world.inquire();
    expect(world.entries.get(key)).toMatchObject({ operation: 'payout-pay', state: 'accepted' });
    const told = world.results.taken.at(-1);
    expect(told).toMatchObject({ operation: 'payout-pay', status: 'accepted' });
    expect(told?.revision).toBeGreaterThan(before);
    expect(world.gateway.postsOf('INV-1')).toBe(2);
  });

  it('a result of the gap brings it back as the payment that it was', async () => {
    const { world, kept, restore, table } = await checked(known);
    await world.deliver(aRecord(aPayoutPay(), { messageId: 'm-2' }));
    const paid = world.results.taken.at(-1);
    expect(paid).toMatchObject({ operation: 'payout-pay', status: 'accepted' });
    await restore(kept);
    expect(await adoptLine(JSON.stringify(paid), table)).toBe('adopted');
    expect(world.entries.get(key)).toMatchObject({ operation: 'payout-pay', state: 'accepted' });
  });
});

it.each(['as told', 'the last first'] as const)(
  'all results of both steps, %s, bring back one payment',
  async (order) => {
    const { world, restore, table } = await checked('at rest');
    await world.deliver(aRecord(aPayoutPay(), { messageId: 'm-2' }));
    const lines = world.results.taken.map((it) => JSON.stringify(it));
    expect(lines).toHaveLength(3);
    await restore(new Map());
    for (const line of order === 'as told' ? lines : lines.toReversed()) await adoptLine(line, table);
    expect(world.entries.get(key)).toMatchObject({
      operation: 'payout-pay',
      state: 'accepted',
      gatewayOrderId: '9000001',
    });
  },
);

it('a payment that may have been sent in the gap is in doubt as a payment, and its result of the gap still comes in', async () => {
  const { world, kept, restore, table } = await checked('at rest');
  await world.deliver(aRecord(aPayoutPay(), { messageId: 'm-2' }));
  const paid = world.results.taken.at(-1);
  await restore(kept);
  await world.deliver(aRecord(aPayoutPay(), { messageId: 'm-3' }));
  expect(world.entries.get(key)).toMatchObject({ operation: 'payout-pay', state: 'in-doubt' });
  expect(await adoptLine(JSON.stringify(paid), table)).toBe('adopted');
  expect(world.entries.get(key)).toMatchObject({ operation: 'payout-pay', state: 'accepted' });
  expect(await adoptLine(JSON.stringify(paid), table)).toBe('known');
  expect(world.gateway.postsOf('INV-1')).toBe(2);
});

it('a payment that was lost with the table is told as paid once the gateway says so, under the id of the check that is still known', async () => {
  const { world, kept, restore } = await checked('at rest');
  await world.deliver(aRecord(aPayoutPay(), { messageId: 'm-2' }));
  await restore(kept);
  await world.deliver(aRecord(aPayoutPay(), { messageId: 'm-3' }));
  world.gateway.statusStays('approved');
  await world.pass(3_600_000);
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'approved', payoutId: '9000001' });
  expect(world.gateway.postsOf('INV-1')).toBe(2);
});

it('a word about a message says nothing of an order, with revision 0 as without one', async () => {
  const { table } = restorableWorld();
  const word = { version: 1, resultId: 'rejected/m-9', operation: 'payout-pay', merchant: 'acme-eu', orderId: 'INV-9' };
  const rest = { status: 'failed', final: true, attempts: 0, revision: 0, occurredAt: '2026-11-21T09:00:00.000Z' };
  expect(await adoptLine(JSON.stringify({ ...word, endpointId: '39915', ...rest }), table)).toBe('nothing');
});
