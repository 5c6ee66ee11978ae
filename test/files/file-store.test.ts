// The store of a file: what was read comes back as it was, and is asked by order and by payment.
import { afterEach, describe, expect, it } from 'vitest';
import { type FileStore, openFileStore } from '../../lib/files/file-store.ts';
import { all, checked, payoutJobs } from '../support/bulk-rows.ts';
import { aPayoutJob } from '../support/jobs.ts';

let store: FileStore;
const opened = () => (store = openFileStore('november.csv'));
afterEach(() => store.close());

describe('the rows of a file', () => {
  it('come back as they were read, in their order, as often as they are asked for', async () => {
    const rows = await all(checked([...payoutJobs(230), undefined, aPayoutJob({ context: { n: 1.5, '10': 'x' } })]));
    const { add, rows: again } = opened();
    for (const row of rows) add(row);
    expect(await all(again())).toEqual(rows);
    expect(await all(again())).toEqual(rows);
  });
});

describe('an order and a payment', () => {
  it('have the first row that names them', () => {
    const { firstOfOrder, hasOrder, firstOfPayment, rowOfPayment } = opened();
    const digest = Buffer.from('12345678');
    expect([firstOfOrder('acme/A', 2), firstOfOrder('acme/B', 3), firstOfOrder('acme/A', 4)]).toEqual([
      undefined,
      undefined,
      2,
    ]);
    expect([hasOrder('acme/B'), hasOrder('acme/C')]).toEqual([true, false]);
    expect([firstOfPayment(digest, 2), firstOfPayment(digest, 3), rowOfPayment(digest)]).toEqual([undefined, 2, 2]);
    expect(rowOfPayment(Buffer.from('87654321'))).toBeUndefined();
  });
});
