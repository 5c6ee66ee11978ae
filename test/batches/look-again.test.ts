// When the sweeper looks at a batch again: its rows' reads stay few, whatever its age.
import { expect, it } from 'vitest';
import { type Batch, newBatch } from '../../lib/batches/batch.ts';
import { nextLookMs } from '../../lib/batches/row-marks.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const content = { batchId: 'b', fileHash: 'ab', contentHash: '12', rows: 1, totals: {}, by: 'ada', nowMs: 0 };
const uploaded: Batch = { ...newBatch(content), state: 'uploaded', uploadedAtMs: 0 };
const told: Batch = { ...uploaded, state: 'closed', closure: { revision: 1, atMs: 9 * day, firstAtMs: 0, tally: [] } };

it.each([
  ['with open rows, each minute at first', uploaded, 'open', minute, 50_000],
  ['with open rows, after a tenth of its age', uploaded, 'open', hour, 6 * minute],
  ['with open rows, every quarter of an hour in the end', uploaded, 'open', 10 * day, 890_000],
  ['that was told, with open rows, as if it were new', told, 'open', 9 * day + minute, 50_000],
  ['with rows under way, after five minutes at first', told, 'under-way', minute, 290_000],
  ['with rows under way, after a quarter of its age', told, 'under-way', 2 * hour, 30 * minute],
  ['with rows under way, each day in the end', told, 'under-way', 200 * day, day],
  ['with refused rows, as long as a dead letter lives', told, 'refused', 14 * day, day],
] as const)('%s', (_, batch, why, ageMs, inMs) => {
  expect(nextLookMs(batch, why, ageMs)).toBe(ageMs + inMs);
});

it('never by itself where nothing moves by itself', () => {
  expect(nextLookMs(told, 'none', day)).toBeUndefined();
  expect(nextLookMs(told, 'refused', 15 * day + 1)).toBeUndefined();
});

it('in a year some four hundred times at most', () => {
  let looks = 0;
  for (let atMs = 0; atMs < 365 * day; looks += 1) atMs = nextLookMs(told, 'under-way', atMs) ?? Infinity;
  expect(looks).toBeLessThan(400);
});
