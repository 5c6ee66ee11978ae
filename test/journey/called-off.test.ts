// An operator calls a batch or an order off: what is not claimed yet ends as cancelled, with one result a job; what was
// sent already stands.
import { describe, expect, it } from 'vitest';
import { cancelOrder } from '../../lib/payout/operate/decide.ts';
import { aPayoutJob, type JobBody } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld, type World } from '../support/world.ts';

const saying = { by: 'ops', reason: 'wrong file', atMs: startMs };
const inBatch = (orderId: string) => aPayoutJob({ orderId, batchId: 'b-1', context: { row: orderId } });
const cancel = (world: World, orderId = 'INV-1') =>
  cancelOrder({ merchant: 'acme-eu', orderId, by: 'ops', reason: 'entered twice' }, world.ports);
const deliver = (world: World, ...jobs: JobBody[]) => world.deliver(jobs.map((job) => aRecord(job)));
const told = (world: World) => world.results.taken.map(({ orderId, status }) => `${orderId} ${status}`);

describe('a batch is called off', () => {
  it('in the middle: what was sent stands, the rest is cancelled, each job with one result', async () => {
    const world = aWorld();
    await deliver(world, inBatch('INV-1'));
    await world.controls.cancelBatch('b-1', saying);
    const second = aRecord(inBatch('INV-2'), { messageId: 'm-2' });
    expect(
      await world.deliver([second, ...[inBatch('INV-3'), aPayoutJob({ orderId: 'INV-4' })].map((it) => aRecord(it))]),
    ).toEqual([]);
    expect(told(world)).toEqual(['INV-1 accepted', 'INV-2 cancelled', 'INV-3 cancelled', 'INV-4 accepted']);
    expect(world.gateway.posts.map(({ orderId }) => orderId)).toEqual(['INV-1', 'INV-4']);
    expect(world.results.taken[1]).toMatchObject({
      resultId: expect.stringMatching(/^rejected\/m-2\//),
      final: true,
      amount: '10.42',
      attempts: 0,
      batchId: 'b-1',
      context: { row: 'INV-2' },
    });
  });

  it('and its messages come again: the same results, and still nothing is sent', async () => {
    const world = aWorld();
    await world.controls.cancelBatch('b-1', saying);
    const record = aRecord(inBatch('INV-1'));
    await world.deliver([record, redelivered(record), aRecord(inBatch('INV-1'))]);
    // One word for each message, however often it comes.
    const ids = world.results.taken.map(({ resultId }) => resultId);
    expect([ids.length, new Set(ids).size]).toEqual([3, 2]);
    expect(new Set(world.results.taken.map((it) => JSON.stringify(it))).size).toBe(2);
    expect(world.gateway.posts).toEqual([]);
  });

  it('while an order of it waits to be sent again: that one is never sent', async () => {
    const world = aWorld();
    world.gateway.moods('refuses the connection');
    const record = aRecord(inBatch('INV-1'));
    expect(await world.deliver(record)).toEqual([]);
    await world.controls.cancelBatch('b-1', saying);
    expect(await world.deliver(redelivered(record))).toEqual([]);
    expect(told(world)).toEqual(['INV-1 cancelled']);
    expect(world.gateway.postsOf('INV-1')).toBe(0);
  });

  it('while an order of it is in doubt: doubt stays doubt', async () => {
    const world = aWorld();
    world.gateway.moods('stalls');
    const record = aRecord(inBatch('INV-1'));
    await world.deliver(record);
    await world.controls.cancelBatch('b-1', saying);
    await world.deliver(redelivered(record));
    expect(told(world)).toEqual(['INV-1 held']);
  });

  describe('while an order of it waits for another batch too, as one file was sent twice', () => {
    /** Both messages of the order wait, and the second was refused last; the gateway is there again by now. */
    async function waitsForBoth() {
      const world = aWorld({ lanes: 'open' });
      world.gateway.stays('refuses the connection');
      const of = (batchId: string) =>
        aRecord(aPayoutJob({ batchId, context: { row: 'INV-1' } }), { messageId: batchId });
      const messages = { first: of('b-0'), second: of('b-1') };
      await world.deliver(messages.first);
      await world.deliver(messages.second);
      expect(world.waits().map(({ messageId }) => messageId)).toEqual(['b-0', 'b-1']);
      world.gateway.stays('accepts');
      world.clock.advance(3_600_000);
      return { world, ...messages };
    }

    it.each(['b-0', 'b-1'])('%s alone: it is paid for the other', async (batchId) => {
      const { world } = await waitsForBoth();
      await world.controls.cancelBatch(batchId, saying);
      await world.again();
      await world.again();
      expect(world.waits()).toEqual([]);
      expect(world.gateway.postsOf('INV-1')).toBe(1);
      expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'accepted', batchId: 'b-0' });
    });

    it('both, at once: it is cancelled', async () => {
      const { world } = await waitsForBoth();
      for (const batchId of ['b-0', 'b-1']) await world.controls.cancelBatch(batchId, saying);
      await world.again();
      expect(world.waits()).toEqual([]);
      expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'cancelled' });
      expect(world.gateway.posts).toEqual([]);
    });

    it.each([
      ['b-0', 'b-1'],
      ['b-1', 'b-0'],
    ])('%s, and then %s, although one of them had never tried to send it: it is cancelled', async (...batchIds) => {
      const world = aWorld({ lanes: 'open' });
      world.gateway.stays('refuses the connection');
      const of = (batchId: string) => aRecord(aPayoutJob({ batchId }), { messageId: batchId });
      await world.deliver(of('b-0'));
      await world.controls.pause('acme-eu', true, saying);
      await world.deliver(of('b-1'));
      for (const batchId of batchIds) {
        await world.controls.cancelBatch(batchId, saying);
        for (let times = 0; times < 2; times += 1) await world.again();
      }
      expect(world.waits()).toEqual([]);
      expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'cancelled' });
      expect(world.gateway.posts.filter(({ orderId }) => orderId === 'INV-1')).toHaveLength(0);
    });

    it('its own, while another payment waits under its order id: it is cancelled once that one is refused', async () => {
      const world = aWorld({ lanes: 'open' });
      await world.controls.pause('acme-eu', true, saying);
      const another = aPayoutJob({ batchId: 'b-1', params: { amount: '99.00' } });
      await world.deliver(aRecord(another, { messageId: 'b-1' }));
      await world.controls.pause('acme-eu', false, saying);
      world.gateway.moods('refuses the connection');
      await world.deliver(aRecord(aPayoutJob({ batchId: 'b-0' }), { messageId: 'b-0' }));
      await world.controls.cancelBatch('b-0', saying);
      for (let times = 0; times < 3; times += 1) await world.again();
      expect(world.waits()).toEqual([]);
      expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'cancelled', batchId: 'b-0' });
    });

    it.each([
      ['b-0', 'b-1'],
      ['b-1', 'b-0'],
    ] as const)('%s, and %s before that one is tried: it is cancelled', async (...batchIds) => {
      const { world, first, second } = await waitsForBoth();
      for (const batchId of batchIds) {
        await world.controls.cancelBatch(batchId, saying);
        await world.deliver(redelivered(batchId === 'b-0' ? first : second));
        for (const [place, row] of world.waitingRows) if (row.messageId === batchId) world.waitingRows.delete(place);
      }
      expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'cancelled' });
      expect(world.gateway.posts).toEqual([]);
    });
  });

  it('although its merchant is paused', async () => {
    const world = aWorld();
    await world.controls.pause('acme-eu', true, saying);
    await world.controls.cancelBatch('b-1', saying);
    await deliver(world, inBatch('INV-1'));
    expect(told(world)).toEqual(['INV-1 cancelled']);
  });

  it('and the ledger’s answer to the cancellation is lost: told once, with the same words', async () => {
    const world = aWorld();
    world.orders.faults('put', 'answer lost');
    await world.controls.cancelBatch('b-1', saying);
    await deliver(world, inBatch('INV-1'));
    expect(world.results.taken).toMatchObject([{ status: 'cancelled', amount: '10.42', context: { row: 'INV-1' } }]);
  });
});

describe('an order is cancelled', () => {
  it('while its job waits to be sent again', async () => {
    const world = aWorld();
    world.gateway.moods('refuses the connection');
    const record = aRecord(inBatch('INV-1'));
    await world.deliver(record);
    expect(await cancel(world)).toMatchObject({ kind: 'done', told: true });
    await world.deliver(redelivered(record));
    expect(world.results.taken).toHaveLength(2);
    expect(world.results.taken[1]).toEqual(world.results.taken[0]);
    expect(world.gateway.posts).toEqual([]);
  });

  it('and its id comes with other content: refused as such, so that nobody takes one for the other', async () => {
    const world = aWorld();
    world.gateway.moods('refuses the connection');
    await deliver(world, inBatch('INV-1'));
    await cancel(world);
    await deliver(world, aPayoutJob({ params: { amount: '99.99' } }));
    expect(world.results.taken).toMatchObject([
      { status: 'cancelled', amount: '10.42' },
      { status: 'rejected', failure: { code: 'ORDER_ID_REUSED' } },
    ]);
    expect(world.gateway.posts).toEqual([]);
  });

  it('too late, while its POST is under way: refused, and the order is paid', async () => {
    const world = aWorld();
    const ends: unknown[] = [];
    world.gateway.meanwhile(async () => void ends.push(await cancel(world)));
    await deliver(world, aPayoutJob());
    expect(ends).toMatchObject([{ kind: 'refused' }]);
    expect(told(world)).toEqual(['INV-1 accepted']);
  });

  it('in the very moment of its claim: either it is sent or it is cancelled, never both', async () => {
    for (let tick = 0; tick < 12; tick += 1) {
      const world = aWorld();
      const delivered = deliver(world, aPayoutJob());
      for (let step = 0; step < tick; step += 1) await Promise.resolve();
      const { kind } = await cancel(world);
      await delivered;
      const cancelledInTime = kind === 'beforehand';
      expect(new Set(told(world))).toEqual(new Set([cancelledInTime ? 'INV-1 cancelled' : 'INV-1 accepted']));
      expect(world.gateway.posts).toHaveLength(cancelledInTime ? 0 : 1);
    }
  });
});
