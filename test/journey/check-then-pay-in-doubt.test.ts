// What comes in between the two steps of a payout: workers die, answers get lost, people decide. One order is paid once,
// and doubt about its payment is asked about, never sent again.
import { describe, expect, it } from 'vitest';
import type { GatewayMood, StatusMood } from '../support/fake-gateway.ts';
import type { Profile } from '../../lib/gateway/profile.ts';
import { cancelOrder, releaseOrder } from '../../lib/payout/operate/decide.ts';
import { claimOrder } from '../../lib/payout/submit/claim.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutCheck, aPayoutPay, jobOf, type JobBody } from '../support/jobs.ts';
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

/** The check is sent once more, by the name of its order's end, and is validated. */
async function checkAgain(world: World): Promise<void> {
  const { endId } = lastTold(world) ?? {};
  if (endId === undefined) throw new Error('no end was told');
  await world.deliver(aRecord(aPayoutCheck({ resends: endId })));
  await world.pass(60_000);
}

/** The check's approval, or its payment's. */
const called = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };

describe('a payment that was declined, once its order is checked anew by the name of that end', () => {
  it.each([{ type: 'payout-pay' }, {}])(
    'was made after all, as a callback may say: the new check is not paid (%j)',
    async (type) => {
      // given
      const world = await validated();
      await world.deliver(aRecord(aPayoutPay()));
      world.gateway.statusStays('declined');
      await world.pass(600_000);
      expect(lastTold(world)?.status).toBe('declined');
      world.gateway.statusStays('check validated');
      await checkAgain(world);
      expect(entryOf(world)?.failure?.code).toBe('CHECK_VALIDATED');
      // when
      expect(await world.callBack({ ...called, ...type })).toBe(200);
      await world.deliver(aRecord(aPayoutPay(), { messageId: 'pay-2' }));
      // then
      expect(entryOf(world)?.state).toBe('held');
      expect(payments(world)).toHaveLength(1);
    },
  );
});

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
    await checkAgain(world);
    await world.deliver(aRecord(aPayoutPay()));
    expect(payments(world).map(({ fields }) => fields.at(-1))).toEqual([['orderid', '9000002']]);
  });

  it('releases a payment as not paid: nothing pays that check any more, and it is checked anew by its name', async () => {
    const world = await validated();
    world.gateway.moods('stalls');
    const pay = aRecord(aPayoutPay());
    await world.deliver(pay);
    const release = { as: 'not-paid', ...by } as const;
    expect(await releaseOrder('acme-eu/INV-1', release, world.ports)).toMatchObject({ kind: 'refused' });
    await world.pass(3_600_000);
    expect(await releaseOrder('acme-eu/INV-1', release, world.ports)).toMatchObject({ kind: 'done' });
    await world.deliver([pay, aRecord(aPayoutPay())]);
    expect(payments(world)).toHaveLength(1);
    await checkAgain(world);
    await world.deliver(aRecord(aPayoutPay()));
    expect(payments(world).map(({ fields }) => fields.at(-1))).toEqual([
      ['orderid', '9000001'],
      ['orderid', '9000003'],
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
    // The claim is written, and the worker dies before a byte leaves.
    const claim = { source: 'another message', credentials: someCredentials({ profile }) };
    expect(await claimOrder(jobOf(aPayoutPay()), claim, world.ports)).toMatchObject({ kind: 'claimed' });
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
    ['never heard of it', 'in-doubt'],
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
      await world.pass(60_000);
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

describe('a callback that may be about the check alone, and comes once its payment may have left', () => {
  it.each([
    ['by its type', { type: 'payout-check' }],
    ['without a type', {}],
    ['replayed with another type', { type: 'payout-pay' }],
  ])('is told as no payment: %s', async (_, type) => {
    // given a payment that never left
    const world = await validated();
    const claim = { source: 'another message', credentials: someCredentials({ profile }) };
    expect(await claimOrder(jobOf(aPayoutPay()), claim, world.ports)).toMatchObject({ kind: 'claimed' });
    await world.pass(2 * quarterHourMs);
    // when
    expect(await world.callBack({ ...called, ...type })).toBe(200);
    await world.pass(quarterHourMs);
    // then
    expect(world.results.taken.map(({ status }) => status)).not.toContain('approved');
    expect(entryOf(world)?.state).toBe('in-doubt');
  });

  it.each([{ type: 'payout-pay' }, {}])('is published once an inquiry shows the payment approved: %j', async (type) => {
    const world = await validated();
    world.gateway.moods('stalls');
    await world.deliver(aRecord(aPayoutPay()));
    await world.pass(quarterHourMs);
    world.gateway.statusStays('approved');
    await world.callBack({ ...called, ...type });
    await world.pass(quarterHourMs);
    expect(entryOf(world)?.state).toBe('approved');
  });

  it('is asked about once: its approval that comes again asks nobody', async () => {
    const world = await validated();
    await world.deliver(aRecord(aPayoutPay()));
    world.gateway.statusStays('approved');
    await world.callBack(called);
    await world.pass(quarterHourMs);
    expect(entryOf(world)?.state).toBe('approved');
    const asked = world.gateway.inquiries.length;
    await world.callBack(called);
    await world.pass(quarterHourMs);
    expect(world.gateway.inquiries).toHaveLength(asked);
  });
});
