// What became of each payout of a batch, in the order of the file: by the index where it shows an end, else by its order.
import { describe, expect, it } from 'vitest';
import { type BatchIndex, payoutOf, readBatch, indexOf } from '../../lib/batches/batch-payouts.ts';
import { type BatchRow, newBatch } from '../../lib/batches/batch.ts';
import type { KnownOrder } from '../../lib/batches/known-orders.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { createMemoryBatchIndex, createMemoryKnownOrders } from '../support/memory-batch-index.ts';
import { all } from '../support/bulk-rows.ts';
import { anOrder, withFacts } from '../support/orders.ts';

const batchId = 'payroll';
const money = { currency: 'EUR', minorUnits: 1042n };
const row = (orderId: string): BatchRow => ({ orderKey: `acme-eu/${orderId}`, digest: 'd', money });
const order = (orderId: string, changes: Parameters<typeof anOrder>[0] = {}): Order =>
  anOrder({ batchId, orderId, digest: 'd', ...changes });
const paid = { attempt: { reports: ['approved'] } } as const;

describe('a payout', () => {
  it.each<[what: string, known: KnownOrder | undefined, standing: string, elsewhere: boolean]>([
    ['without an order', undefined, 'not-started', false],
    ['whose order newer code wrote', { unreadable: true }, 'unreadable', false],
    ['whose order is being sent', { order: order('A') }, 'sending', false],
    ['whose order is paid', { order: order('A', paid) }, 'paid', false],
    ['whose order bears another batch', { order: order('A', { ...paid, batchId: 'earlier' }) }, 'paid', true],
    ['whose order was put back by a restore', { order: anOrder({ batchId, orderId: 'A', ...paid }) }, 'paid', false],
    ['whose id is of other content', { order: order('A', { ...paid, digest: 'other' }) }, 'id-taken', false],
    [
      'whose id is of other money',
      { order: order('A', { ...paid, money: { ...money, minorUnits: 1n } }) },
      'id-taken',
      false,
    ],
  ])('%s', (_, known, standing, elsewhere) => {
    expect(payoutOf(row('A'), batchId, known)).toMatchObject({ standing, elsewhere });
  });
});

/** A batch of parts of these sizes over these orders; `reads` has the keys that were read. */
function aBatchOf(sizes: readonly number[], orders: readonly Order[]) {
  const rows = sizes.reduce((sum, size) => sum + size, 0);
  const content = { batchId, fileHash: 'ab', contentHash: '12', rows, totals: {}, by: 'ada', nowMs: 0 };
  const items = new Map(orders.map((it) => [it.key, it]));
  const known = createMemoryKnownOrders(items);
  const reads: string[] = [];
  const ports = {
    batches: {
      async *parts() {
        let from = 0;
        for (const [n, size] of sizes.entries()) {
          const first = from;
          yield { n, rows: Array.from({ length: size }, (_, at) => row(`R-${first + at}`)) };
          from += size;
        }
      },
    },
    knownOrders: {
      async read(keys: readonly string[], how?: { readonly consistent: boolean }) {
        expect(how).toEqual({ consistent: true });
        reads.push(...keys);
        return known.read(keys);
      },
    },
    batchIndex: createMemoryBatchIndex(items),
  };
  return { batch: { ...newBatch(content), parts: sizes.length }, ports, reads };
}

describe('the payouts of a batch', () => {
  it('come in the order of the file, each with its own place, whatever the size of its part', async () => {
    const { batch, ports } = aBatchOf([120, 3, 0, 51], []);
    const payouts = (await all(readBatch(batch, ports))).flat();
    expect(payouts.map(({ index, row: { orderKey } }) => `${index} ${orderKey}`)).toEqual(
      Array.from({ length: 174 }, (_, n) => `${n} acme-eu/R-${n}`),
    );
  });

  it('are read by their keys where the index shows no end', async () => {
    const held = withFacts(order('R-1'), {});
    const { batch, ports, reads } = aBatchOf([4], [order('R-0', paid), held, order('R-2', { ...paid, digest: 'x' })]);
    const payouts = (await all(readBatch(batch, ports, { shown: await indexOf(batchId, ports) }))).flat();
    expect(payouts.map(({ standing }) => standing)).toEqual(['paid', 'sending', 'id-taken', 'not-started']);
    expect(reads).toEqual(['acme-eu/R-1', 'acme-eu/R-3']);
  });

  it('are not called absent by an index that has not seen them yet', async () => {
    const { batch, ports } = aBatchOf([1], [order('R-0', paid)]);
    const late: BatchIndex = { async *entries() {} };
    const payouts = await all(readBatch(batch, ports, { shown: await indexOf(batchId, { batchIndex: late }) }));
    expect(payouts.flat()).toMatchObject([{ standing: 'paid' }]);
  });
});
