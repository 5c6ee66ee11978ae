// How a delivery that has to wait ends: one copy at the first receive, and from then on the message itself, by its visibility.
import { describe, expect, it } from 'vitest';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { runBatch } from '../../lib/payout/submit/run-jobs.ts';
import { cardJwks } from '../support/card-keys.ts';
import { aPayoutJob, aTransferJob, withoutParams } from '../support/jobs.ts';
import { aRecord, deliveryOf, redelivered, redriven } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';

describe('a wait', () => {
  it('goes round as a copy of the first message, and does not count as a receive', async () => {
    const world = aWorld();
    const record = aRecord(aPayoutJob(), { messageId: 'm-1', groupId: 'acme-eu' });
    expect(await world.deliver(record, 1_000)).toEqual([]);
    for (let waits = 1; waits <= 3; waits += 1) {
      const [copy] = world.waits().slice(-1);
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
    expect(world.waits()).toMatchObject([{ delaySeconds: 900 }]);
  });

  it('that a gate asked for is as long as it said, however short retries are set', async () => {
    const world = aWorld({ limits: { retryFirstDelaySeconds: 1, retryMaxDelaySeconds: 4 } });
    await world.deliver(aRecord(aPayoutJob({ notBefore: new Date(startMs + 600_000).toISOString() })));
    expect(world.waits()).toMatchObject([{ delaySeconds: 600 }]);
  });

  it('is a copy no more for a while where SQS takes copies and does not say so: an order has one message more, not one each time', async () => {
    const world = aWorld();
    await world.controls.pause('acme-eu', true, { by: 'ops', reason: 'odd', atMs: 0 });
    world.jobsQueue.copies.stays('answer lost');
    const first = aRecord(aPayoutJob(), { messageId: 'm-1' });
    expect(await world.deliver(first)).toEqual(['m-1']);
    const copy = world.waits().at(-1);
    if (!copy) throw new Error('it lies there, unconfirmed');
    world.clock.advance(900_000);
    const second = deliveryOf(copy);
    expect(await world.deliver(second)).toEqual([second.messageId]);
    expect(world.waits()).toHaveLength(1);
    // Confirmed again, what comes for the first time is copied as ever.
    world.jobsQueue.copies.stays('up');
    world.clock.advance(900_000);
    expect(await world.deliver(aRecord(aPayoutJob({ orderId: 'INV-2' })))).toEqual([]);
    expect(world.waits()).toHaveLength(2);
  });

  it('of a message that came before is by its visibility, as long again as it lies there, up to an hour, and is never copied', async () => {
    const world = aWorld();
    await world.controls.pause('acme-eu', true, { by: 'ops', reason: 'odd', atMs: 0 });
    const waits = [];
    for (const [receiveCount, lainSeconds] of [
      [2, 100],
      [2, 3_600],
      [3, 700],
      [3, 9_000],
      [4, 3_600],
    ] as const) {
      const sentAtMs = world.clock.nowMs() - lainSeconds * 1_000;
      const record = aRecord(aPayoutJob(), { messageId: 'm-1', receiveCount, sentAtMs });
      expect(await world.deliver(record)).toEqual(['m-1']);
      waits.push(world.jobsQueue.postponed.get(record.receiptHandle));
    }
    expect(waits).toEqual([100, 3_600, 2_800, 3_600, 3_600]);
    expect(world.waits()).toEqual([]);
  });
});

describe('a message that waits by its visibility', () => {
  it.each([
    ['its merchant is paused', { because: 'pause' }],
    ['nobody can read the keys of its card data', { because: 'keys' }],
  ])(
    'for 14 days, as %s, is received far less often than SQS allows, and then kept elsewhere',
    async (_, { because }) => {
      const world = aWorld();
      const saying = { by: 'ops', reason: 'odd', atMs: 0 };
      if (because === 'pause') await world.controls.pause('acme-eu', true, saying);
      world.cardKeys.outage('down');
      const job =
        because === 'pause' ? aPayoutJob() : await sealJob(withoutParams(aTransferJob(), 'cvv2'), { jwks: cardJwks });
      let record = aRecord(job, { messageId: 'm-1', receiveCount: 2 });
      let receives = 1;
      for (; world.jobsQueue.deadLetters.taken.length === 0; receives += 1) {
        expect(receives).toBeLessThan(900);
        const stays = await world.deliver(record);
        if (stays.length === 0) break;
        world.clock.advance((world.jobsQueue.postponed.get(record.receiptHandle) ?? Infinity) * 1000);
        record = redelivered(record);
      }
      expect(world.waits()).toEqual([]);
      expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'WAITED_TOO_LONG' } }]);
      const waitedDays = (world.clock.nowMs() - startMs) / 86_400_000;
      expect(waitedDays).toBeGreaterThan(13.9);
      expect(waitedDays).toBeLessThan(14);
    },
  );
});

describe('a message that came often', () => {
  const record = (receiveCount: number) => aRecord(aPayoutJob(), { messageId: 'm-1', receiveCount });

  it('and took its worker with it five times in a row is laid aside, and nothing is sent for it or told', async () => {
    const world = aWorld();
    for (let crash = 1; crash <= 5; crash += 1) await world.ports.deliveries.begin('m-1', true);
    expect(await world.deliver(record(10))).toEqual([]);
    expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'WORKER_CRASHED' } }]);
    expect(world.gateway.posts).toEqual([]);
    expect(world.results.taken).toEqual([]);
  });

  it('and took its worker with it is worked on alone, so that nobody beside it is counted', async () => {
    // given two messages whose worker was lost over them, and one whose was not
    const world = aWorld();
    const begun: string[] = [];
    const { deliveries } = world.ports;
    const watched = {
      async begin(id: string, alone: boolean) {
        const before = await deliveries.begin(id, alone);
        if (alone || before === 0) begun.push(`begin ${id}`);
        return before;
      },
      async end(id: string) {
        await deliveries.end(id);
        begun.push(`end ${id}`);
      },
    };
    for (const id of ['m-1', 'm-2']) await deliveries.begin(id, true);
    // when all three come in one batch
    const batch = ['m-1', 'm-2', 'm-3'].map((messageId) =>
      aRecord(aPayoutJob({ orderId: messageId }), { messageId, receiveCount: 3 }),
    );
    await runBatch(batch, startMs + 600_000, { ...world.ports, deliveries: watched });
    // then each of the two begins when the one before has ended
    expect(begun).toEqual(['begin m-3', 'end m-3', 'begin m-1', 'end m-1', 'begin m-2', 'end m-2']);
    expect(world.gateway.posts).toHaveLength(3);
  });

  it('and whose answer waits to be written is laid aside all the same: the order is told as it was answered', async () => {
    // given a table that is away when the gateway has answered, and a worker that is lost over the message since
    const world = aWorld();
    world.gateway.meanwhile(() => world.orders.stays('down', 'read', 'write', 'mark'));
    const first = aRecord(aPayoutJob(), { messageId: 'm-1' });
    expect(await world.deliver(first)).toEqual(['m-1']);
    for (let crash = 1; crash <= 5; crash += 1) await world.ports.deliveries.begin('m-1', true);
    expect(await world.deliver(record(8))).toEqual([]);

    // when the table is back, then the answer is written, and the dead letter that comes back sends nothing
    world.orders.stays('up', 'read', 'write', 'mark');
    await world.inquire();
    const [letter] = world.jobsQueue.deadLetters.taken;
    if (!letter) throw new Error('it lies among the dead letters');
    await world.deliver(redriven(letter));
    expect(world.results.taken.at(-1)).toMatchObject({ status: 'accepted', gatewayOrderId: '9000001' });
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('and only waited each time is paid when its time has come: a wait is no crash, nor is a table that does not answer', async () => {
    const world = aWorld();
    await world.controls.pause('acme-eu', true, { by: 'ops', reason: 'odd', atMs: 0 });
    for (let receive = 5; receive <= 40; receive += 1) {
      const down = receive % 2 === 0;
      const deaf = {
        begin: async () => Promise.reject(new Error('down')),
        end: async () => Promise.reject(new Error('down')),
      };
      await world.deliver(record(receive), undefined, down ? { deliveries: deaf } : {});
    }
    await world.controls.pause('acme-eu', false, { by: 'ops', reason: 'well', atMs: 0 });
    world.clock.advance(60_000);
    expect(await world.deliver(record(41))).toEqual([]);
    expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
    expect(world.jobsQueue.deadLetters.taken).toEqual([]);
  });
});
