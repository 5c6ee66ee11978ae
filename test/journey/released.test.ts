// A person ends what nobody could know. Whatever they say, the truth is not lost when it comes later, and an order goes
// out a second time only by a new message after it was said not to be paid.
import { describe, expect, it } from 'vitest';
import { releaseOrder, type ReleaseRequest } from '../../lib/payout/operate/decide.ts';
import type { Profile } from '../../lib/gateway/profile.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, deliveryOf, redelivered } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const key = 'acme-eu/INV-1';
const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
const paid: ReleaseRequest = { as: 'paid', by: 'ops', reason: 'on the bank statement', gatewayOrderId: '9000777' };
const notPaid: ReleaseRequest = { as: 'not-paid', by: 'ops', reason: 'the bank knows nothing' };
const statuses = (world: World) => world.results.taken.map(({ status }) => status);

async function aHeldOrder(profile: Partial<Profile> = {}): Promise<World> {
  const world = aWorld({ profile });
  world.gateway.moods('stalls');
  await world.deliver(record);
  return world;
}

it('as paid: approved, who and why are kept, and no message sends it again', async () => {
  const world = await aHeldOrder();
  await releaseOrder(key, paid, world.ports);
  await world.deliver([redelivered(record), aRecord(aPayoutJob())]);
  expect(statuses(world)).toEqual(['held', 'approved', 'approved', 'approved']);
  expect(world.results.taken[1]).toMatchObject({ final: true, payoutId: '9000777' });
  expect(world.entries.get(key)).toMatchObject({
    note: 'ops: on the bank statement',
    history: [{ reason: 'claimed' }, { reason: 'NO_ANSWER' }, { reason: 'released-as-paid' }],
  });
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it('as not paid: failed; a late copy of its message does not send it again, a new message does, once', async () => {
  const world = await aHeldOrder();
  await releaseOrder(key, notPaid, world.ports);
  expect(world.results.taken.at(-1)).toMatchObject({
    status: 'failed',
    failure: { code: 'RELEASED_NOT_PAID', message: 'ops: the bank knows nothing' },
  });
  await world.deliver(redelivered(record));
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  await world.deliver([aRecord(aPayoutJob()), aRecord(aPayoutJob())]);
  expect(world.gateway.postsOf('INV-1')).toBe(2);
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'accepted', attempts: 2 });
});

it('the gateway is asked first, and its word wins', async () => {
  const world = await aHeldOrder({ statusInquiry: true });
  world.gateway.statusStays('approved');
  expect(await releaseOrder(key, notPaid, world.ports)).toMatchObject({ kind: 'answered' });
  await world.deliver(aRecord(aPayoutJob()));
  expect(statuses(world)).toEqual(['in-doubt', 'approved', 'approved']);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it('the gateway has it under way: releasing it as not paid is refused', async () => {
  const world = await aHeldOrder({ statusInquiry: true });
  world.gateway.statusStays('processing');
  expect(await releaseOrder(key, notPaid, world.ports)).toMatchObject({ kind: 'contradicted' });
  await world.deliver(aRecord(aPayoutJob()));
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

describe('the owner’s own answer comes late', () => {
  /** The gateway took the order, and the ledger could not be told: the answer rides on a copy of the message. */
  async function aCarriedAnswer(): Promise<World> {
    const world = aWorld();
    world.orders.stays('down', 'write');
    await world.deliver(record);
    world.orders.stays('up', 'write');
    expect(world.jobsQueue.copies.taken).toMatchObject([{ attributes: { answer: expect.any(String) } }]);
    // Meanwhile the lease is over, and another message finds the order without an answer.
    world.clock.advance(101_000);
    await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-2' }));
    expect(world.entries.get(key)?.state).toBe('held');
    return world;
  }

  const deliverCopies = async (world: World) => {
    for (const copy of world.jobsQueue.copies.taken.splice(0)) await world.deliver(deliveryOf(copy));
  };

  it('before the release: it stands, and the release is refused', async () => {
    const world = await aCarriedAnswer();
    await deliverCopies(world);
    expect(await releaseOrder(key, notPaid, world.ports)).toMatchObject({ kind: 'refused' });
    expect(world.entries.get(key)?.state).toBe('accepted');
  });

  it('after it was released as not paid: accepted all the same, and no new message sends it', async () => {
    const world = await aCarriedAnswer();
    await releaseOrder(key, notPaid, world.ports);
    await deliverCopies(world);
    expect(world.entries.get(key)).toMatchObject({ state: 'accepted', gatewayOrderId: '9000001' });
    await world.deliver(aRecord(aPayoutJob()));
    expect(statuses(world)).toEqual(['held', 'failed', 'accepted', 'accepted']);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('after it was released as paid: the release stands', async () => {
    const world = await aCarriedAnswer();
    await releaseOrder(key, paid, world.ports);
    await deliverCopies(world);
    expect(statuses(world)).toEqual(['held', 'approved', 'approved']);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('while its POST still runs and its order is released as not paid: accepted all the same', async () => {
    const world = aWorld();
    world.gateway.meanwhile(async () => {
      world.gateway.meanwhile(() => {});
      world.clock.advance(101_000);
      await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-2' }));
      expect(await releaseOrder(key, notPaid, world.ports)).toMatchObject({ kind: 'done' });
    });
    await world.deliver(record);
    await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-3' }));
    expect(statuses(world)).toEqual(['held', 'failed', 'accepted', 'accepted']);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });
});
