// The time that batches may take: a round gives way to what is worth more, and no batch is forgotten for it. And who tells
// the one result where several are at it.
import { describe, expect, it } from 'vitest';
import type { BatchRows } from '../../lib/batches/batch-row.ts';
import { settleBatch, settleBatches, type SettleBatchesPorts } from '../../lib/batches/settle-batches.ts';
import { type Batch, type BatchRow, newBatch } from '../../lib/batches/batch.ts';
import { totalsOf } from '../../lib/batches/tally.ts';
import { anOrder } from '../support/orders.ts';
import { aWorld, type World } from '../support/world.ts';

const second = 1_000;
const minute = 60 * second;
const ever = Number.MAX_SAFE_INTEGER;

/** An uploaded batch of parts of one row each, all of which are paid unless it is said otherwise. */
async function aBatch(world: World, batchId: string, parts = 1, changes: Partial<Batch> = {}): Promise<Batch> {
  const orders = Array.from({ length: parts }, (_, n) =>
    anOrder({ batchId, orderId: `${batchId}-${n}`, attempt: { reports: ['approved'], ids: [`9${n}`] } }),
  );
  const rows = orders.map(({ key, content }): BatchRow => ({
    digest: 'd',
    orderKey: key,
    ...(content?.money && { money: content.money }),
  }));
  const fileHash = Buffer.from(batchId).toString('hex').padEnd(64, '0');
  const content = { batchId, fileHash, contentHash: '12', rows: parts, totals: totalsOf(rows), by: 'ada' };
  const batch = { ...newBatch({ ...content, nowMs: world.clock.nowMs() }), parts, ...changes };
  await world.batches.register(batch);
  for (const [n, row] of rows.entries()) await world.batches.putPart(batchId, n, [row]);
  for (const order of orders) world.items.set(order.key, order);
  await world.batches.finishUpload(batchId, world.clock.nowMs());
  return { ...batch, state: 'uploaded', uploadedAtMs: world.clock.nowMs() };
}

/** The ports of a world, with reads that take their time. */
function slow(world: World, read: (rows: readonly BatchRow[]) => Promise<void> | void): SettleBatchesPorts {
  const batchRows: Pick<BatchRows, 'read'> = {
    async read(batchId, rows) {
      await read(rows);
      return world.rows.read(batchId, rows);
    },
  };
  return { ...world.ports, batchRows };
}

describe('a round', () => {
  it.each([
    ['half a minute, though there were more time', ever, 3],
    ['the time that is left, where that is less', 15 * second, 2],
  ])('takes %s; what is left is the next round’s', async (_, remainingMs, closed) => {
    const world = aWorld();
    for (const id of ['a', 'b', 'c', 'd', 'e']) await aBatch(world, id);
    const put: string[] = [];
    const batches = { ...world.batches, lookAgain: async (id: string) => void put.push(id) };
    const ports = { ...slow(world, () => world.clock.advance(10 * second)), batches };
    world.clock.advance(1);
    expect(await settleBatches(world.clock.nowMs() + remainingMs, ports)).toEqual({
      closed,
      unbalanced: 0,
      onePerson: 0,
      left: 0,
    });
    // Those that had to wait keep their places, and nobody need hear of it.
    expect([put, world.log]).toEqual([[], []]);
    world.clock.advance(1);
    await settleBatches(ever, ports);
    expect(world.batchResults.map(({ batchId }) => batchId)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});

describe('the next look', () => {
  /** The minutes of half an hour in which the batch was looked at. */
  async function inquiries(world: World): Promise<number[]> {
    const startMs = world.clock.nowMs();
    const minutes: number[] = [];
    const ports = slow(world, () => void minutes.push(Math.floor((world.clock.nowMs() - startMs) / minute)));
    for (let passed = 0; passed < 31; passed += 1) {
      world.clock.advanceTo(startMs + passed * minute + 1);
      await settleBatches(ever, ports);
    }
    return minutes;
  }

  it('is by how long ago it was uploaded, however long it had waited for that', async () => {
    const world = aWorld();
    const dayAgoMs = world.clock.nowMs() - 24 * 60 * minute;
    await aBatch(world, 'nov', 1, { createdAtMs: dayAgoMs });
    const [key = ''] = world.items.keys();
    world.items.delete(key);
    expect((await inquiries(world)).slice(0, 6)).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

describe('the result of a batch', () => {
  it('that can not be told now is told later, and the batch is closed all the same', async () => {
    const world = aWorld();
    const batch = await aBatch(world, 'nov');
    const batchResults = { tellBatch: () => Promise.reject(new Error('no answer')) };
    const look = await settleBatch(batch, ever, { ...world.ports, batchResults });
    expect(look).toEqual({ kind: 'closed', revision: 1, isPublished: false });
    const closed = await world.batches.find('nov');
    expect(closed).toMatchObject({ state: 'closed', unpublished: true });
    const readless = slow(world, () => expect.unreachable('rows that can not have moved are not read again'));
    expect(closed && (await settleBatch(closed, ever, readless))).toEqual({
      kind: 'closed',
      revision: 1,
      isPublished: true,
    });
    expect(world.batchResults).toHaveLength(1);
    expect(await world.batches.find('nov')).not.toHaveProperty('unpublished');
  });
});
