// A person ends what nobody could know. Whatever they say, the truth is not lost when it comes later, and an order goes
// out a second time only by a job that names the end of which it was said that it is not paid.
import { describe, expect, it } from 'vitest';
import { type Release, releaseOrder } from '../../lib/payout/operate/decide.ts';
import type { Profile } from '../../lib/gateway/profile.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const key = 'acme-eu/INV-1';
const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
const paid: Release = { as: 'paid', by: 'ops', reason: 'on the bank statement', gatewayOrderId: '9000777' };
const notPaid: Release = { as: 'not-paid', by: 'ops', reason: 'the bank knows nothing' };
const statuses = (world: World) => world.results.taken.map(({ status }) => status);
/** The quiet period after the lease, and the skew of two clocks. */
const quietMs = 2 * 3_600_000;

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
    history: [{ reason: 'claimed' }, { reason: 'released-as-paid' }],
  });
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it('as not paid: failed; neither a late copy of its message nor a new one sends it again, a job that names its end does, once', async () => {
  const world = await aHeldOrder();
  expect(await releaseOrder(key, notPaid, world.ports)).toMatchObject({
    kind: 'refused',
    why: expect.stringContaining('quiet period'),
  });
  world.clock.advance(quietMs);
  await releaseOrder(key, notPaid, world.ports);
  const failed = world.results.taken.at(-1);
  expect(failed).toMatchObject({
    status: 'failed',
    failure: { code: 'RELEASED_NOT_PAID', message: 'ops: the bank knows nothing' },
    endId: expect.any(String),
  });
  await world.deliver([redelivered(record), aRecord(aPayoutJob())]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  const again = aPayoutJob({ resends: failed?.endId ?? '' });
  await world.deliver([aRecord(again), aRecord(again)]);
  await world.deliver(aRecord(again));
  expect(world.gateway.postsOf('INV-1')).toBe(2);
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'accepted', attempts: 2 });
});

it('the gateway is asked first, and its word wins', async () => {
  const world = await aHeldOrder({ statusInquiry: true });
  world.clock.advance(quietMs);
  world.gateway.statusStays('approved');
  expect(await releaseOrder(key, notPaid, world.ports)).toMatchObject({ kind: 'answered' });
  await world.deliver(aRecord(aPayoutJob()));
  expect(statuses(world)).toEqual(['in-doubt', 'approved', 'approved']);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it('the gateway has it under way: releasing it as not paid is refused', async () => {
  const world = await aHeldOrder({ statusInquiry: true });
  world.clock.advance(quietMs);
  world.gateway.statusStays('processing');
  expect(await releaseOrder(key, notPaid, world.ports)).toMatchObject({ kind: 'contradicted' });
  await world.deliver(aRecord(aPayoutJob()));
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

describe('the sender’s own answer comes late', () => {
  /** The gateway took the order, and the ledger could not be told: the answer lies on the worker's own queue. */
  async function aLateAnswer(): Promise<World> {
    const world = aWorld();
    world.orders.stays('down', 'write');
    await world.deliver(record);
    world.orders.stays('up', 'write');
    expect(world.ownQueue.taken).toMatchObject([{ message: { kind: 'answer' } }]);
    // Meanwhile the lease is over, and another message finds the order without an answer.
    world.clock.advance(quietMs);
    await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-2' }));
    expect(world.entries.get(key)?.state).toBe('held');
    return world;
  }

  it('before the release: it stands, and the release is refused', async () => {
    const world = await aLateAnswer();
    await world.inquire();
    expect(await releaseOrder(key, notPaid, world.ports)).toMatchObject({ kind: 'refused' });
    expect(world.entries.get(key)?.state).toBe('accepted');
  });

  it('after it was released as not paid: accepted all the same, and its end opens no more', async () => {
    const world = await aLateAnswer();
    await releaseOrder(key, notPaid, world.ports);
    const { endId = '' } = world.results.taken.at(-1) ?? {};
    await world.inquire();
    expect(world.entries.get(key)).toMatchObject({ state: 'accepted', gatewayOrderId: '9000001' });
    await world.deliver(aRecord(aPayoutJob({ resends: endId })));
    expect(statuses(world)).toEqual(['held', 'failed', 'accepted', 'accepted']);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('after it was released as paid: the release stands', async () => {
    const world = await aLateAnswer();
    await releaseOrder(key, paid, world.ports);
    await world.inquire();
    expect(new Set(statuses(world))).toEqual(new Set(['held', 'approved']));
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });
});
