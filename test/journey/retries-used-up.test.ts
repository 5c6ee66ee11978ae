// A gateway that stays away: the order fails without ever having been sent, is kept, and can be paid later.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered, redriven } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

async function failedWorld() {
  const world = aWorld();
  world.gateway.stays('refuses the connection');
  let record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  for (let receive = 1; receive <= 4; receive += 1) {
    expect(await world.deliver(record)).toEqual(['m-1']);
    world.clock.advance(300_000);
    record = redelivered(record);
  }
  expect(await world.deliver(record)).toEqual([]);
  return { world, lastRecord: record };
}

it('after the fifth receive the order has failed, and the message waits on the dead-letter queue', async () => {
  const { world } = await failedWorld();
  expect(world.gateway.posts).toEqual([]);
  expect(world.results.taken).toMatchObject([
    { status: 'failed', final: true, failure: { code: 'NOT_SENT', message: 'connect ECONNREFUSED' } },
  ]);
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'NOT_SENT' }, originMessageId: 'm-1' }]);
});

it('a late copy of the same message only repeats that it failed', async () => {
  const { world, lastRecord } = await failedWorld();
  world.gateway.stays('accepts');
  expect(await world.deliver(redelivered(lastRecord))).toEqual([]);
  expect(world.gateway.posts).toEqual([]);
  expect(world.results.taken[1]).toEqual(world.results.taken[0]);
});

it('redriven as a new message, the order is paid, and the new result supersedes the failure', async () => {
  // given a failed order, and a gateway that is back
  const { world } = await failedWorld();
  world.gateway.stays('accepts');
  const letters = world.jobsQueue.deadLetters.taken;

  // when a person moves the dead letter back
  const returned = await world.deliver(letters.map(redriven));

  // then
  expect(returned).toEqual([]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  const [failed, accepted] = world.results.taken;
  expect(accepted).toMatchObject({ status: 'accepted', payoutId: '9000001' });
  expect(accepted?.revision).toBeGreaterThan(failed?.revision ?? Infinity);
});

it('redriven twice, it is still paid once', async () => {
  const { world } = await failedWorld();
  world.gateway.stays('accepts');
  const [letter] = world.jobsQueue.deadLetters.taken;
  if (!letter) throw new Error('there is no dead letter');
  await world.deliver([redriven(letter), redriven(letter)]);
  for (const copy of [redriven(letter), redriven(letter)]) await world.deliver(copy);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});
