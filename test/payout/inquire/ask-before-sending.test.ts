// The delivery that will send a refused order asks about it first: the question has a turn of its own, before the order's turn.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../../support/jobs.ts';
import { aRecord } from '../../support/records.ts';
import { aWorld, type World } from '../../support/world.ts';

async function refusedOnce(): Promise<World> {
  const world = aWorld({ profile: { statusInquiry: true } });
  world.gateway.moods('asks to slow down');
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  world.ownQueue.taken.splice(0);
  world.clock.advance(60_000);
  return world;
}
const sent = ({ gateway }: World) => [gateway.inquiries.length, gateway.posts.length];

it('where the gateway knows no such order, it is sent by the same delivery', async () => {
  const world = await refusedOnce();
  world.gateway.statusStays('never heard of it');
  await world.begin();
  expect([sent(world), world.waits()]).toEqual([[1, 2], []]);
  expect(world.results.taken.map(({ status }) => status)).toEqual(['accepted']);
});

it('where the gateway has taken it all the same, nothing is sent, and it is told as accepted', async () => {
  const world = await refusedOnce();
  world.gateway.statusStays('processing');
  await world.begin();
  expect([sent(world), world.waits()]).toEqual([[1, 1], []]);
  expect(world.results.taken.map(({ status }) => status)).toEqual(['accepted']);
});

it('where the gateway answers nothing of use, it waits as long as its age, without a write of the ledger', async () => {
  const world = await refusedOnce();
  const before = world.items.get('acme-eu/INV-1')?.version;
  world.gateway.statusStays('refuses the signature');
  await world.begin();
  expect([sent(world)[1], world.items.get('acme-eu/INV-1')?.version]).toEqual([1, before]);
  expect(world.waits()).toMatchObject([{ because: 'unsent' }]);
});

it('where its lane has no turn, it waits for the lane, and the gateway is not asked', async () => {
  const world = await refusedOnce();
  const paused = { by: 'ada', reason: 'audit', atMs: world.clock.nowMs() };
  const lane = { merchant: 'acme-eu', endpointId: '39915' };
  const state = await world.ports.lanes.read(lane);
  if (!state) throw new Error('it was used');
  await world.ports.lanes.write(lane, { ...state, paused, version: state.version + 1 });
  await world.begin();
  expect([sent(world), world.waits()]).toMatchObject([[0, 1], [{ because: 'lane-paused' }]]);
});
