// Every row of a batch and how it stands: in the order of the file, though many reads are under way at once.
import { describe, expect, it } from 'vitest';
import { readBatch, type ReadBatchPorts } from '../../lib/batches/batch-report.ts';
import { type BatchRow, newBatch } from '../../lib/batches/batch.ts';
import type { RowRecord } from '../../lib/batches/batch-row.ts';
import { all } from '../support/bulk-rows.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { aRecord } from '../support/records.ts';
import { aJobOf, batchId, upload } from '../support/uploaded-batch.ts';
import { aWorld } from '../support/world.ts';

const rowsNamed = (from: number, count: number): BatchRow[] =>
  Array.from({ length: count }, (_, n) => ({
    orderKey: `acme-eu/R-${from + n}`,
    money: { currency: 'EUR', minorUnits: 1042n },
  }));

/** A batch of parts of these sizes, whose reads are written down and of which the ledger holds these records. */
function aBatchOf(sizes: readonly number[], records: Readonly<Record<string, RowRecord>> = {}) {
  const rows = sizes.reduce((sum, size) => sum + size, 0);
  const content = { batchId, fileHash: 'ab', contentHash: '12', rows, totals: {}, by: 'ada', nowMs: 0 };
  const batch = { ...newBatch(content), parts: sizes.length };
  const reads: (readonly [of: string, rows: number])[] = [];
  const ports: ReadBatchPorts = {
    batches: {
      async *parts() {
        let from = 0;
        for (const [n, size] of sizes.entries()) {
          yield { n, rows: rowsNamed(from, size) };
          from += size;
        }
      },
    },
    batchRows: {
      async read(of, some) {
        reads.push([of, some.length]);
        return new Map(some.flatMap(({ orderKey }) => (records[orderKey] ? [[orderKey, records[orderKey]]] : [])));
      },
    },
  };
  return { batch, ports, reads };
}

describe('the rows of a batch', () => {
  it('come in the order of the file, each with its own place, whatever the size of its part', async () => {
    const { batch, ports } = aBatchOf([120, 3, 0, 51]);
    const rows = await all(readBatch(batch, ports));
    expect(rows.map(({ index, row }) => `${index} ${row.orderKey}`)).toEqual(
      Array.from({ length: 174 }, (_, n) => `${n} acme-eu/R-${n}`),
    );
  });

  it('are read fifty at a time: a part is too large for one answer', async () => {
    const { batch, ports, reads } = aBatchOf([120, 50]);
    const slices: number[] = [];
    for await (const rows of readBatch(batch, ports)) slices.push(rows.length);
    expect(slices).toEqual([50, 50, 20, 50]);
    expect(reads).toEqual(slices.map((length) => [batchId, length]));
  });

  it('stand as the ledger has them, each by its own record', async () => {
    const paid = anEntry({ batchId, orderId: 'R-1', state: 'approved', final: true });
    const others = anEntry({ batchId: 'earlier', orderId: 'R-60', state: 'approved', final: true });
    const { batch, ports } = aBatchOf([61], {
      'acme-eu/R-1': { entry: paid },
      'acme-eu/R-60': { entry: others },
    });
    const rows = await all(readBatch(batch, ports));
    expect(rows[1]?.standing).toMatchObject({ kind: 'ended', end: 'approved', elsewhere: false });
    // Nobody has said yet that the order of the other batch is this row's too.
    expect(rows.filter(({ standing }) => standing.kind === 'open')).toHaveLength(60);
    expect(rows[60]?.standing).toEqual({ kind: 'open', state: 'waiting' });
  });

  it('of an empty batch are none', async () => {
    const { batch, ports, reads } = aBatchOf([0]);
    expect(await all(readBatch(batch, ports))).toEqual([]);
    expect(reads).toEqual([]);
  });
});

it('what a worker has done to an uploaded file is found again', async () => {
  const world = aWorld();
  const bodies = [aJobOf('A'), aJobOf('B'), aJobOf('C')];
  const batch = await upload(world, bodies);
  world.gateway.moods('accepts', 'refuses the order');
  for (const body of bodies.slice(0, 2)) await world.deliver(aRecord(body));
  const rows = await all(readBatch(batch, world.ports));
  expect(rows.map(({ row, standing }) => [row.orderKey, 'end' in standing ? standing.end : standing.state])).toEqual([
    ['acme-eu/A', 'accepted'],
    ['acme-eu/B', 'declined'],
    ['acme-eu/C', 'waiting'],
  ]);
});
