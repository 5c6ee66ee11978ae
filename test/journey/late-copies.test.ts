// After an end was told, only a message that was sent after it asks for the order anew. What was there before repeats it.
import { expect, it } from 'vitest';
import { releaseOrder, type ReleaseRequest } from '../../lib/payout/operate/decide.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, longAgoMs, redelivered } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const key = 'acme-eu/INV-1';
const paidByHand: ReleaseRequest = { as: 'not-paid', by: 'jane', reason: 'paid by hand at the bank' };
const message = (messageId: string) => aRecord(aPayoutJob(), { messageId });

async function released(): Promise<World> {
  const world = aWorld();
  world.gateway.moods('refuses the connection', 'stalls');
  await world.deliver(message('m-1'));
  world.clock.advance(60_000);
  await world.deliver(message('m-2'));
  world.clock.advance(60_000);
  await releaseOrder(key, paidByHand, world.ports);
  return world;
}

it('a copy of a message that claimed it earlier does not send it', async () => {
  const world = await released();
  const posts = world.gateway.postsOf('INV-1');
  await world.deliver([redelivered(message('m-1')), redelivered(message('m-2'))]);
  expect(world.gateway.postsOf('INV-1')).toBe(posts);
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'failed', failure: { code: 'RELEASED_NOT_PAID' } });
});

it('a message that was sent before the end does not send it, however late it comes', async () => {
  const world = await released();
  const posts = world.gateway.postsOf('INV-1');
  const before = world.clock.nowMs() - 30_000;
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-3', sentAtMs: before }));
  await world.deliver(aRecord(aPayoutJob(), { attributes: { originMessageId: 'm-4', sentAtMs: String(before) } }));
  expect(world.gateway.postsOf('INV-1')).toBe(posts);
});

it('a message that was sent after it does, and so does a dead letter that somebody brings back', async () => {
  const world = await released();
  world.clock.advance(1_000);
  const posts = world.gateway.postsOf('INV-1');
  await world.deliver(message('m-5'));
  expect(world.gateway.postsOf('INV-1')).toBe(posts + 1);
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'accepted' });
});

it('of a hundred messages that claimed it, the old ones are told by their time', async () => {
  const world = aWorld();
  const sentAtMs = (n: number) => longAgoMs + n * 1_000;
  world.gateway.moods(...Array.from({ length: 20 }, () => 'refuses the connection' as const));
  for (let n = 0; n < 20; n += 1) {
    world.clock.advance(1_000);
    await world.deliver(aRecord(aPayoutJob(), { messageId: `m-${n}`, sentAtMs: sentAtMs(n) }));
  }
  world.clock.advance(1_000);
  const posts = world.gateway.postsOf('INV-1');
  for (let n = 0; n < 20; n += 1)
    await world.deliver(aRecord(aPayoutJob(), { messageId: `m-${n}`, sentAtMs: sentAtMs(n) }));
  expect(world.gateway.postsOf('INV-1')).toBe(posts);
});
