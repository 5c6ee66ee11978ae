// How a delivery that has to wait ends: shortly on its queue, longer in the table of what waits.
import { describe, expect, it } from 'vitest';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { cardJwks } from '../support/card-keys.ts';
import { aPayoutJob, aTransferJob, withoutParams } from '../support/jobs.ts';
import { aRecord, redelivered, redriven } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';
import { lengthOf } from '../support/long-proof.ts';

describe('a wait', () => {
  it('of seconds stays on its queue, a longer one is a row of the table, which bears the body sealed', async () => {
    const world = aWorld();
    const record = aRecord(aPayoutJob(), { messageId: 'm-1', groupId: 'acme-eu' });
    expect(await world.deliver(record, 1_000)).toEqual(['m-1']);
    expect(world.waits()).toMatchObject([{ where: 'queue', inSeconds: 1 }]);
    await world.again(1_000);
    await world.again(1_000);
    expect(world.waits()).toMatchObject([{ where: 'table', messageId: 'm-1', because: 'no-time' }]);
    expect([...world.waitingRows.values()]).toMatchObject([{ groupId: 'acme-eu', waits: 3 }]);
    expect(JSON.stringify([...world.waitingRows.values()], (_, it) => String(it))).not.toContain(
      'DE89370400440532013000',
    );
    expect(world.gateway.posts).toEqual([]);
    await world.again();
    expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
  });
});

describe('a message that waits by its visibility', () => {
  const reasons = [
    ['nobody can read the keys of its card data', { because: 'keys' }],
    ['its merchant is paused, and the table takes nothing', { because: 'pause' }],
  ] as const;
  it.each(reasons.slice(0, lengthOf({ short: 1, long: 2 })))(
    'for 14 days, as %s, is received far less often than SQS allows, and then kept elsewhere',
    async (_, { because }) => {
      const world = aWorld();
      const saying = { by: 'ops', reason: 'odd', atMs: 0 };
      if (because === 'pause') await world.controls.pause('acme-eu', true, saying);
      world.cardKeys.outage('down');
      const { waiting } = world.ports;
      const put = async () => 'full' as const;
      Object.assign(world.ports, { waiting: { ...waiting, rows: { ...waiting.rows, put } } });
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
