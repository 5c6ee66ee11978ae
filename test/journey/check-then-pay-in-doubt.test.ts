// What comes in between the two steps of a payout: workers die, answers get lost, people decide. One order is paid once,
// and doubt about its payment is asked about, never sent again.
import { describe, expect, it } from 'vitest';
import type { GatewayMood, StatusMood } from '../support/fake-gateway.ts';
import type { Profile } from '../../lib/gateway/profile.ts';
import { cancelOrder, releaseOrder } from '../../lib/payout/operate/decide.ts';
import { aPayoutCheck, aPayoutPay, type JobBody } from '../support/jobs.ts';
import { beginRestore } from '../../lib/restore/restore-ledger.ts';
import { ordersAfterRestore } from '../../lib/restore/restored-orders.ts';
import { createMemoryRestoration } from '../support/memory-restoration.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const profile = { statusInquiry: true, twoStepPayouts: true } as const;
const quarterHourMs = 900_000;

/** A world in which the check of INV-1 is validated. */
async function validated(changes: Partial<JobBody> = {}, more: Partial<Profile> = {}): Promise<World> {
  const world = aWorld({ profile: { ...profile, ...more } });
  world.gateway.statuses('check validating');
  world.gateway.statusStays('check validated');
  await world.deliver(aRecord(aPayoutCheck(changes)));
  await world.pass(60_000);
  return world;
}

const entryOf = (world: World) => world.entries.get('acme-eu/INV-1');
const payments = ({ gateway }: World) => gateway.posts.filter(({ url }) => url.includes('/payout-pay/'));
const paths = ({ gateway }: World) => gateway.posts.map(({ url }) => url.split('/').at(-2));
const lastTold = ({ results }: World) => results.taken.at(-1);

describe('a person', () => {
  const by = { by: 'ops', reason: 'the bank knows nothing' } as const;

  it('cancels a validated payout: nothing pays it any more', async () => {
    const world = await validated();
    const order = { operation: 'payout-check', merchant: 'acme-eu', orderId: 'INV-1' } as const;
    expect(await cancelOrder({ ...order, ...by }, world.ports)).toMatchObject({ kind: 'done' });
    await world.deliver(aRecord(aPayoutPay()));
    expect([payments(world), lastTold(world)?.status]).toEqual([[], 'cancelled']);
  });

  it('releases a check as not paid: it is checked anew, and never paid as it was', async () => {
    const world = await validated();
    await releaseOrder('acme-eu/INV-1', { as: 'not-paid', ...by }, world.ports);
    await world.deliver(aRecord(aPayoutPay()));
    expect([paths(world), entryOf(world)?.state]).toEqual([['payout-check'], 'failed']);
    await world.deliver(aRecord(aPayoutCheck()));
    await world.pass(60_000);
    await world.deliver(aRecord(aPayoutPay()));
    expect(payments(world).map(({ fields }) => fields.at(-1))).toEqual([['orderid', '9000002']]);
  });

  it('releases a payment as not paid: a new message pays the same order of the gateway, a late copy does not', async () => {
    const world = await validated();
    world.gateway.moods('stalls');
    const pay = aRecord(aPayoutPay());
    await world.deliver(pay);
    expect(await releaseOrder('acme-eu/INV-1', { as: 'not-paid', ...by }, world.ports)).toMatchObject({
      kind: 'unanswered',
    });
    await releaseOrder('acme-eu/INV-1', { as: 'not-paid', evenUnanswered: true, ...by }, world.ports);
    await world.deliver(pay);
    expect(payments(world)).toHaveLength(1);
    await world.deliver(aRecord(aPayoutPay()));
    expect(payments(world).map(({ fields }) => fields.at(-1))).toEqual([
      ['orderid', '9000001'],
      ['orderid', '9000001'],
    ]);
  });
});

describe('a worker that dies', () => {
  it('after the check has come to rest leaves it at rest, and the message pays once', async () => {
    const world = await validated();
    const pay = aRecord(aPayoutPay());
    await world.deliver(pay);
    await world.deliver(pay);
    expect(payments(world)).toHaveLength(1);
  });

  it('between the claim of the payment and its POST leaves doubt, which is asked about and never paid', async () => {
    const world = await validated();
    const entry = entryOf(world);
    if (!entry) throw new Error('no entry');
    const { failure: _, ...rest } = entry;
    const leaseUntilMs = world.clock.nowMs() + 60_000;
    // The claim as it was written; the worker dies before a byte leaves.
    const claimed = { ...rest, operation: 'payout-pay', state: 'submitting', owner: 'dead', leaseUntilMs } as const;
    world.entries.set(entry.key, { ...claimed, revision: entry.revision + 1, attempts: 2 });
    await world.pass(2 * quarterHourMs);
    await world.deliver(aRecord(aPayoutPay()));
    expect(entryOf(world)).toMatchObject({ state: 'in-doubt', operation: 'payout-pay' });
    // Its status says to the end that only the check is there: that proves nothing, and a person decides.
    await world.pass(26 * 3_600_000);
    expect(payments(world)).toEqual([]);
    expect(lastTold(world)).toMatchObject({ status: 'held', failure: { code: 'WORKER_LOST' } });
  });

  it.each<[GatewayMood]>([
    ['resets after reading'],
    ['stalls'],
    ['fails'],
    ['refuses the order'],
    ['answers nothing readable'],
  ])('or a payment that is answered so ("%s") is asked about, and never sent twice', async (mood) => {
    const world = await validated();
    world.gateway.moods(mood);
    await world.deliver(aRecord(aPayoutPay()));
    expect(entryOf(world)).toMatchObject({ state: 'in-doubt', operation: 'payout-pay', gatewayOrderId: '9000001' });
    await world.pass(quarterHourMs);
    await world.deliver(aRecord(aPayoutPay()));
    expect([payments(world).length, entryOf(world)?.state]).toEqual([1, 'in-doubt']);
    world.gateway.statusStays('approved');
    await world.pass(quarterHourMs);
    expect([payments(world).length, lastTold(world)?.status]).toEqual([1, 'approved']);
  });

  it.each<[StatusMood, string]>([
    ['processing', 'in-doubt'],
    ['check approved', 'in-doubt'],
    ['never heard of it', 'held'],
  ])('in doubt, "%s" is no proof in either direction (%s)', async (mood, state) => {
    const world = await validated({}, { resubmitUnknownOrders: true });
    world.gateway.moods('stalls');
    await world.deliver(aRecord(aPayoutPay()));
    world.gateway.statusStays(mood);
    await world.pass(2 * 3_600_000);
    expect(entryOf(world)?.state).toBe(state);
    await world.deliver(aRecord(aPayoutPay()));
    expect(payments(world)).toHaveLength(1);
  });
});

describe('a payment that was never processed', () => {
  it.each<[GatewayMood]>([['refuses the connection'], ['asks to slow down'], ['refuses the signature']])(
    '("%s") waits, and is sent again under the same order of the gateway',
    async (mood) => {
      const world = await validated();
      world.gateway.moods(mood);
      const pay = aRecord(aPayoutPay());
      await world.deliver(pay);
      expect(entryOf(world)).toMatchObject({ state: 'retryable', gatewayOrderId: '9000001' });
      // A copy of the check that comes late leaves it alone.
      await world.deliver(aRecord(aPayoutCheck()));
      expect(entryOf(world)?.state).toBe('retryable');
      await world.pass(60_000);
      await world.deliver(pay);
      expect(payments(world).at(-1)?.fields.at(-1)).toEqual(['orderid', '9000001']);
      expect(entryOf(world)?.state).toBe('accepted');
    },
  );
});

it('a restored ledger that has forgotten a payment does not send it again: its check may be paid for all that it knows', async () => {
  const restoration = createMemoryRestoration();
  const lost = { by: 'anna', reason: 'the table was deleted', atMs: 0 };
  const world = await validated();
  const backup = new Map(world.entries);
  await world.deliver(aRecord(aPayoutPay()));
  for (const [key, entry] of backup) world.entries.set(key, entry);
  world.clock.advance(60_000);
  await beginRestore(0, lost, { ...world.ports, controlsAdmin: world.controls, restoreAdmin: restoration });
  await world.controls.pause(undefined, false, lost);
  world.clock.advance(120_000);
  const ledger = ordersAfterRestore(world.orders, restoration);
  await world.deliver(aRecord(aPayoutPay()), undefined, { ledger });
  expect(entryOf(world)).toMatchObject({ state: 'in-doubt', failure: { code: 'LEDGER_RESTORED' } });
  await world.pass(30 * 3_600_000);
  await world.deliver(aRecord(aPayoutPay()), undefined, { ledger });
  expect([payments(world).length, entryOf(world)?.state]).toEqual([1, 'held']);
});
