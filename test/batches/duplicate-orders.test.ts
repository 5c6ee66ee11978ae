// The table that finds a second row of the same order.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSeenOrders } from '../../lib/batches/duplicate-orders.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest();

it('names the first row of an order, however many came between and however often the table had to grow', () => {
  const seen = createSeenOrders(sha256);
  const count = 20_000;
  for (let row = 2; row < count; row += 1) expect(seen.firstRow(`acme/INV-${row}`, row)).toBeUndefined();
  for (let row = 2; row < count; row += 1) expect(seen.firstRow(`acme/INV-${row}`, count + row)).toBe(row);
});

it('tells orders apart whose digests begin alike, up to the last of the bits that it keeps', () => {
  const digests: Record<string, Buffer> = {
    a: Buffer.from('00000000000000000000000f', 'hex'),
    b: Buffer.from('000000000000000000000000', 'hex'),
    c: Buffer.from('00000000000000010000000f', 'hex'),
  };
  const seen = createSeenOrders((text) => digests[text] ?? Buffer.alloc(12), 10);
  expect(['a', 'b', 'c'].map((key, row) => seen.firstRow(key, row + 2))).toEqual([undefined, undefined, undefined]);
  expect(['a', 'b', 'c'].map((key) => seen.firstRow(key, 9))).toEqual([2, 3, 4]);
});
