// A file of rejects is opened in a spreadsheet, mended and sent again: what is in it must not run there, must not be made
// another by it, and must come back as it was.
import { join } from 'node:path';
import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFaultSink } from '../../lib/cli/batches/bulk-rejects.ts';
import { openBulkFile } from '../../lib/files/bulk-file.ts';
import { csvLine, guarded, guardedForSheet, unguarded, unguardedFromSheet } from '../../lib/files/csv.ts';
import { bulkRowsOf } from '../../lib/files/readers.ts';
import { all } from '../support/bulk-rows.ts';
import { lengthOf } from '../support/long-proof.ts';
import { aDirectory } from './support/files.ts';

const files = aDirectory();
const given = { merchant: 'acme-eu', operation: 'payout', endpointId: '1' };
const choices = { given, columns: new Map<string, string>() };

async function rejected(original: readonly string[], delimiter?: string): Promise<string> {
  const rejectsFile = join(files.path(), 'nov.rejects.csv');
  const columns = [
    { title: 'order_id', path: 'orderId' },
    { title: 'description', path: 'params.order_desc' },
    { title: 'context.staff', path: 'context.staff' },
  ];
  const sink = createFaultSink({
    faultsFile: `${rejectsFile}.faults`,
    rejectsFile,
    columns,
    titleOf: (path) => path,
    ...(delimiter !== undefined && { delimiter }),
  });
  await sink.add({ kind: 'rejected', row: 2, faults: [{ path: 'orderId', fault: 'is one' }], original });
  await sink.close();
  return rejectsFile;
}

describe('a file of rejects', () => {
  it.each([[','], [';']])('is sent again as it is, its cells apart by "%s"', async (delimiter) => {
    // given
    const original = ['=2+2', 'x;=HYPERLINK("http://evil.example","x")', '00012345678901234567'];

    // when
    const file = await openBulkFile(await rejected(original, delimiter));
    const rows = await all((await bulkRowsOf(file, choices)).read(() => {}));
    await file.close();

    // then
    expect(rows).toMatchObject([
      {
        message: { orderId: original[0], params: { order_desc: original[1] }, context: { staff: original[2] } },
        faults: [],
        original: [...original, '2', 'orderId is one'],
      },
    ]);
  });
});

describe('what a spreadsheet would run', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['\n=1+1', "\n'=1+1"],
    ['\t@SUM(A1)', "\t'@SUM(A1)"],
    ['x;=1+1', "x;'=1+1"],
    ['x, -5', "x, '-5"],
    ['x;"=1+1"', 'x;"\'=1+1"'],
    ['x|+1', "x|'+1"],
    ['a\r\n=1', "a\r\n'=1"],
    ['\uff1d1', "'\uff1d1"],
    ["'=1", "''=1"],
    ['\u0085=1', "\u0085'=1"],
    ['\u200b\ufeff\u202e=1', "\u200b\ufeff\u202e'=1"],
    ['x;\u00ad@SUM(A1)', "x;\u00ad'@SUM(A1)"],
  ])('%j becomes text', (text, shown) => {
    expect(guarded(text)).toBe(shown);
    expect(unguarded(shown)).toBe(text);
  });

  it('all else stays as it is', () => {
    for (const text of ['a=b', 'a-b', '10.42', '-2,42', '-5', "O'Neil", 'x; y', '']) expect(guarded(text)).toBe(text);
  });

  // Whatever a spreadsheet takes for its separator, no cell that it makes of the line is a formula.
  it('by whatever separator the line is read', () => {
    const sign = constantFrom(...`=+-@ab1;,|\t"'\n `);
    const cell = array(sign, { maxLength: 8 }).map((it) => it.join(''));
    assert(
      property(array(cell, { minLength: 1, maxLength: 4 }), (cells) => {
        for (const it of csvLine(cells).split(/[,;\t|\r\n]/))
          expect(it.replaceAll(/^[\s"]+/g, '')).not.toMatch(/^(?!-\d+$)[=+@-]/);
      }),
    );
  });
});

it('what a spreadsheet would change is kept as text; numbers to add up, and words, stay as they are', () => {
  for (const text of ['000123', '123456789012', '12345678901234567890', '1E5', '1-2', '3/4/2026'])
    expect(guardedForSheet(text)).toBe(`'${text}`);
  for (const text of ['0', '10.42', '1250,00', '12345', '0.5', 'INV-1', 'A0001', '2026-12-01', '-2.42'])
    expect(guardedForSheet(text)).toBe(text);
});

it('what was guarded comes back as it was, whatever it was', () => {
  const sign = constantFrom(...`=+-@ab0123456789012;,|\t"'''''\n\u0085\u200b /e`);
  const text = array(sign, { maxLength: 16 }).map((it) => it.join(''));
  assert(
    property(text, (it) => {
      expect(unguarded(guarded(it))).toBe(it);
      expect(unguardedFromSheet(guardedForSheet(it))).toBe(it);
    }),
    { numRuns: lengthOf({ short: 600, long: 3_000 }) },
  );
});
