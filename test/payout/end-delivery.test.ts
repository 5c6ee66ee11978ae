// How a delivery that has to wait ends: one copy at the first receive, and from then on the message itself, by its visibility.
import { describe, expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, deliveryOf } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';

describe('a wait', () => {
  it('goes round as a copy of the first message, and does not count as a receive', async () => {
    const world = aWorld();
    const record = aRecord(aPayoutJob(), { messageId: 'm-1', groupId: 'acme-eu' });
    expect(await world.deliver(record, 1_000)).toEqual([]);
    for (let waits = 1; waits <= 3; waits += 1) {
      const [copy] = world.jobsQueue.copies.taken.slice(-1);
      if (!copy) throw new Error('no copy');
      expect(copy).toMatchObject({
        body: record.body,
        groupId: 'acme-eu',
        attributes: { originMessageId: 'm-1', waits },
      });
      expect(deliveryOf(copy).attributes.ApproximateReceiveCount).toBe('1');
      await world.deliver(deliveryOf(copy), 1_000);
    }
    expect(world.gateway.posts).toEqual([]);
  });

  it('is never longer than SQS can delay', async () => {
    const world = aWorld({ limits: { leaseMs: 10_000_000, retryMaxDelaySeconds: 5_000 } });
    const { body } = aRecord(aPayoutJob());
    const attributes = { originMessageId: 'm-1', waits: 20 };
    const record = deliveryOf({ body, delaySeconds: 0, attributes });
    world.gateway.meanwhile(async () => void (await world.deliver(record)));
    await world.deliver(record);
    expect(world.jobsQueue.copies.taken).toMatchObject([{ delaySeconds: 900 }]);
  });

  it('that a gate asked for is as long as it said, however short retries are set', async () => {
    const world = aWorld({ limits: { retryFirstDelaySeconds: 1, retryMaxDelaySeconds: 4 } });
    await world.deliver(aRecord(aPayoutJob({ notBefore: new Date(startMs + 600_000).toISOString() })));
    expect(world.jobsQueue.copies.taken).toMatchObject([{ delaySeconds: 600 }]);
  });

  it('of a message that came before is by its visibility, ever longer, and a copy when SQS would bring it no more', async () => {
    const world = aWorld();
    await world.controls.pause('acme-eu', true, { by: 'ops', reason: 'odd', atMs: 0 });
    world.clock.advance(3_600_000);
    const waits = [];
    for (const receiveCount of [2, 3, 4]) {
      const record = aRecord(aPayoutJob(), { messageId: 'm-1', receiveCount, sentAtMs: startMs - 1 });
      expect(await world.deliver(record)).toEqual(['m-1']);
      waits.push(world.jobsQueue.postponed.get(record.receiptHandle));
    }
    expect(waits).toEqual([900, 3_600, 14_400]);
    expect(world.jobsQueue.copies.taken).toEqual([]);
    expect(await world.deliver(aRecord(aPayoutJob(), { receiveCount: 5, sentAtMs: startMs - 1 }))).toEqual([]);
    expect(world.jobsQueue.copies.taken).toMatchObject([{ attributes: { sentAtMs: startMs - 1 } }]);
  });
});
