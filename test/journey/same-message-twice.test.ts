// SQS delivers at least once: two workers can hold one message, and one can come back after the end.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('the same message twice at once is sent once; the second comes back soon', async () => {
  // given a worker in the middle of its POST
  const world = aWorld();
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  const second: string[][] = [];
  world.gateway.meanwhile(async () => {
    world.clock.advance(2_000);
    second.push(await world.deliver(redelivered(record)));
  });

  // when the message is delivered to a second worker too
  const first = await world.deliver(record);

  // then the second made no POST: it comes back after the first wait of a retry, long before the lease ends
  expect(first).toEqual([]);
  expect(second).toEqual([[]]);
  expect(world.waits()).toMatchObject([{ where: 'table', because: 'busy' }]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.results.taken).toMatchObject([{ status: 'accepted', payoutId: '9000001' }]);

  // and when it comes back it finds the end, and tells the same result again
  await world.again();
  expect(world.waits()).toEqual([]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.results.taken[1]).toEqual(world.results.taken[0]);
});

it('twice in one batch, it is sent once', async () => {
  const world = aWorld();
  const record = aRecord(aPayoutJob());
  await world.deliver([record, redelivered(record)]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it('the whole file resubmitted as new messages moves no money again', async () => {
  const world = aWorld();
  const file = Array.from({ length: 20 }, (_, index) => aPayoutJob({ orderId: `INV-${index}` }));
  await world.deliver(file.map((job) => aRecord(job)));
  await world.deliver(file.map((job) => aRecord(job)));
  expect(world.gateway.posts).toHaveLength(20);
  expect(world.results.taken).toHaveLength(40);
  expect(new Set(world.results.taken.map((result) => result.resultId)).size).toBe(20);
});
