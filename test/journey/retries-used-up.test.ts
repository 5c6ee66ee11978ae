// A gateway that stays away: the order waits, as long as a queue would keep it; then it fails without ever having been sent,
// is kept, and can be paid later.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, deliveryOf, redelivered, redriven } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';

const daysMs = 86_400_000;

async function failedWorld() {
  const world = aWorld();
  world.gateway.stays('refuses the connection');
  let record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  let deliveries = 0;
  for (;;) {
    deliveries += 1;
    expect(await world.deliver(record)).toEqual([]);
    const [copy, ...more] = world.jobsQueue.copies.taken.splice(0);
    expect(more).toEqual([]);
    if (!copy) return { world, lastRecord: record, deliveries };
    world.clock.advance(copy.delaySeconds * 1000);
    record = deliveryOf(copy);
  }
}

it('after fourteen days of tries the order has failed, and its message waits on the dead-letter queue', async () => {
  const { world, deliveries } = await failedWorld();
  const [told, ...more] = world.results.taken;
  expect(more).toEqual([]);
  expect(told).toMatchObject({
    status: 'failed',
    final: true,
    failure: { code: 'WAITED_TOO_LONG', message: 'it waited for 14 days: connect ECONNREFUSED' },
  });
  expect(world.gateway.posts).toEqual([]);
  const waitedMs = world.clock.nowMs() - startMs;
  expect(waitedMs).toBeGreaterThanOrEqual(14 * daysMs);
  expect(waitedMs).toBeLessThan(14 * daysMs + 900_000);
  // Between 4 and 8 an hour, and a few more in the first quarter of it.
  expect(deliveries).toBeLessThan(14 * 24 * 8);
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([
    { reason: { code: 'WAITED_TOO_LONG' }, originMessageId: 'm-1' },
  ]);
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
