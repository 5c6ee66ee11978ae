// A refusal for pace proves nothing before the gateway was asked about it. Until then its job takes no slot of its lane: where
// slots are few, they are the looks'.
import { expect, it } from 'vitest';
import type { Evidence } from '../../lib/gateway/ports.ts';
import type { LaneGrant } from '../../lib/payout/lanes/lane.ts';
import { sweep } from '../../lib/payout/inquire/sweep.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { createQueuePlayer } from '../support/queue-player.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

/** A gateway that takes a request each ten seconds, and says "slow down" to the first ten orders without saying for how long. */
function aSlowWorld(): World {
  const world = aWorld({ profile: { ratePerSecond: 0.1, statusInquiry: true } });
  world.gateway.statusStays('never heard of it');
  const { post } = world.gateway;
  let refused = 0;
  const refusing: typeof post = async (request) => {
    const evidence = await post(request);
    if (request.url.includes('/v4/status/') || refused >= 10) return evidence;
    refused += 1;
    return { kind: 'answer', httpStatus: 429, body: 'slow down', framing: 'delimited' } satisfies Evidence;
  };
  Object.assign(world.ports.gateway, { post: refusing });
  return world;
}

/** Counts the slots that jobs are given; looks' are not counted. */
function countSlots(world: World): () => number {
  const pacing = { ...world.ports.pacing };
  let slots = 0;
  const counted = <Grant extends { readonly kind: string }>(grant: Grant) => {
    if (grant.kind === ('slot' satisfies LaneGrant['kind'])) slots += 1;
    return grant;
  };
  const ask: typeof pacing.ask = async (lane, asking, caps) => {
    const grant = await pacing.ask(lane, asking, caps);
    return asking.class === 'inquiry' ? grant : counted(grant);
  };
  const slice: typeof pacing.slice = async (...asked) => (await pacing.slice(...asked)).map(counted);
  Object.assign(world.ports.pacing, { ask, slice });
  return () => slots;
}

it.each([
  ['jobs without a batch', {}],
  ['rows of a batch', { batchId: 'salaries' }],
])('%s that were refused send in each slot that they take', async (_, of) => {
  const world = aSlowWorld();
  const player = createQueuePlayer(world);
  const slots = countSlots(world);
  for (let n = 0; n < 10; n += 1)
    player.send(aRecord(aPayoutJob({ orderId: `INV-${n}`, ...of }), { messageId: `m-${n}` }));
  await player.pass(3_600_000, () => sweep(world.clock.nowMs() + 60_000, world.ports));
  expect(world.gateway.posts.length).toBeGreaterThan(15);
  expect(slots()).toBe(world.gateway.posts.length);
});
