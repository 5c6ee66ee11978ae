// What lib/batches/batch-ports.ts promises of the rows of a batch, as stories: what the ledger holds of them is found, orders
// and notes.
import { beforeAll, describe, expect, it } from 'vitest';
import type { BatchRow } from '../../lib/batches/batch.ts';
import type { Orders } from '../../lib/payout/order/orders.ts';
import { viewOf } from '../../lib/payout/order/projection.ts';
import type { RowNote } from '../../lib/payout/submit/note-row.ts';
import type { NotedRows } from '../support/memory-batch-rows.ts';
import { anOrder } from '../support/orders.ts';

const refused: RowNote = { kind: 'refused', failure: { code: 'ORDER_ID_REUSED', message: 'used before' } };
const elsewhere: RowNote = { kind: 'elsewhere' };

let names = 0;
const aBatchId = () => `batch-${(names += 1)}`;

/** Runs the suite over one store. */
export function describeBatchRows(name: string, make: () => { rows: NotedRows; orders: Orders }): void {
  describe(`the rows that ${name} holds`, () => {
    let rows: NotedRows;
    let orders: Orders;

    beforeAll(() => {
      ({ rows, orders } = make());
    });

    async function recordOf(batchId: string, orderKey: string) {
      return (await rows.read(batchId, [{ digest: 'd', orderKey }])).get(orderKey);
    }

    it('are the orders under their keys, whole, however many', async () => {
      const all = Array.from({ length: 120 }, () => anOrder());
      for (const order of all) await orders.put(order);
      const asked = all.flatMap(({ key }): BatchRow[] => [
        { digest: 'd', orderKey: key },
        { digest: 'd', orderKey: `${key}.not` },
      ]);
      const found = await rows.read('b', asked);
      expect(found.size).toBe(120);
      for (const order of all) expect(found.get(order.key)).toEqual({ entry: viewOf(order) });
    });

    it('are the notes of this batch and this order, with or without an order there', async () => {
      const [batchId, order] = [aBatchId(), anOrder()];
      const entry = viewOf(order);
      await orders.put(order);
      await rows.note({ batchId: batchId, orderKey: entry.key, digest: 'd' }, elsewhere);
      await rows.note({ batchId: batchId, orderKey: 'acme-eu/no order/at all', digest: 'd' }, refused);
      expect(await recordOf(batchId, entry.key)).toEqual({ entry, note: elsewhere });
      expect(await recordOf(batchId, 'acme-eu/no order/at all')).toEqual({ note: refused });
      expect(await recordOf(aBatchId(), entry.key)).toEqual({ entry });
      expect(await recordOf(batchId, 'acme-eu/no order')).toBeUndefined();
    });

    it('keep the first note, save that a job which was taken after all goes over a refusal', async () => {
      const other: RowNote = { kind: 'refused', failure: { code: 'INVALID_MESSAGE', message: 'amount is zero' } };
      const batchId = aBatchId();
      await rows.note({ batchId: batchId, orderKey: 'acme-eu/A', digest: 'd' }, refused);
      await rows.note({ batchId: batchId, orderKey: 'acme-eu/A', digest: 'd' }, other);
      expect(await recordOf(batchId, 'acme-eu/A')).toEqual({ note: refused });
      await rows.note({ batchId: batchId, orderKey: 'acme-eu/A', digest: 'd' }, elsewhere);
      await rows.note({ batchId: batchId, orderKey: 'acme-eu/A', digest: 'd' }, refused);
      await rows.note({ batchId: batchId, orderKey: 'acme-eu/A', digest: 'd' }, elsewhere);
      expect(await recordOf(batchId, 'acme-eu/A')).toEqual({ note: elsewhere });
    });
  });
}
