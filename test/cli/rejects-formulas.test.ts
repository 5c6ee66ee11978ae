// A file of rejects is opened in a spreadsheet, mended and sent again: what is in it must not run there, and must come back
// as it was.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFaultSink } from '../../lib/cli/batches/bulk-rejects.ts';
import { csvRows } from '../../lib/cli/csv.ts';
import { aDirectory } from './support/files.ts';

const files = aDirectory();

it('a cell that begins like a formula is text in it, and the same value when it is read again', async () => {
  // given
  const rejectsFile = join(files.path(), 'nov.rejects.csv');
  const columns = [
    { title: 'order_id', path: 'orderId' },
    { title: 'description', path: 'params.order_desc' },
  ];
  const sink = createFaultSink({ faultsFile: `${rejectsFile}.faults`, rejectsFile, columns, titleOf: (path) => path });

  // when
  const original = ['A-1', '=HYPERLINK("http://evil.example","x")'];
  await sink.add({ kind: 'rejected', row: 2, faults: [{ path: 'orderId', fault: 'is one' }], original });
  await sink.close();

  // then
  expect(await readFile(rejectsFile, 'utf8')).toContain(`"'=HYPERLINK(""http://evil.example"",""x"")"`);
  const read: string[][] = [];
  for await (const row of csvRows(rejectsFile, () => {})) read.push(row);
  expect(read[1]?.slice(0, 2)).toEqual(original);
});
