// Other people's tables by their own names: a layout that was saved.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBulkFile } from '../../../lib/cli/formats/bulk-file.ts';
import type { FileReading } from '../../../lib/cli/batches/file-reading.ts';
import { choicesOf, keepLayout } from '../../../lib/cli/batches/reading-choices.ts';
import { bulkRowsOf } from '../../../lib/cli/formats/readers.ts';
import { all } from '../../support/bulk-rows.ts';
import { runCli } from '../support/cli.ts';
import { aDirectory } from '../support/files.ts';

const files = aDirectory();
const reading: FileReading = {
  merchant: 'acme-eu',
  operation: 'payout',
  endpoint: '39915',
  map: new Map(),
  ignore: new Set(),
  ignoreOthers: false,
};

async function read(text: string, more: Partial<FileReading>) {
  const file = await openBulkFile(await files.file('theirs.csv', text));
  try {
    return await all((await bulkRowsOf(file, choicesOf({ ...reading, ...more }))).read(() => {}));
  } finally {
    await file.close();
  }
}

it('a layout is kept by the command once the header was understood by it, and not before', async () => {
  await files.file('erp.csv', `Beleg,amount,currency,iban\nPAY-1,1.00,EUR,DE89370400440532013000\n`);
  const same = ['--merchant', 'acme-eu', '--operation', 'payout', '--endpoint', '39915', '--dry-run'];
  const submit = (...more: string[]) => runCli(['submit', 'erp.csv', ...same, ...more], { cwd: files.path() });
  expect(await submit('--map', 'Belegnummer=orderId', '--save-layout', 'erp')).toMatchObject({ code: 2 });
  expect((await submit('--layout', 'erp')).stderr).toContain('there is no layout erp');
  const saved = await submit('--map', 'Beleg=orderId', '--save-layout', 'erp');
  expect({ code: saved.code, said: saved.stderr.split('\n')[1] }).toEqual({
    code: 0,
    said: 'the layout of erp.csv is kept as erp.layout.json',
  });
  expect(await submit('--layout', 'erp')).toMatchObject({ code: 0 });
});

describe('a layout', () => {
  const text = 'Beleg;Betrag;Währung;Konto;Vermerk\nPAY-1;1.250,50;EUR;DE89370400440532013000;x\n';
  const map = new Map([
    ['Beleg', 'orderId'],
    ['Betrag', 'amount'],
    ['Währung', 'currency'],
    ['Konto', 'account_number'],
  ]);

  it('is kept once and named from then on, with all that was said', async () => {
    const path = join(files.path(), 'my-erp.layout.json');
    const said = { map, ignore: new Set(['Vermerk']), decimal: 'comma' as const };
    expect(keepLayout(path, choicesOf({ ...reading, ...said }))).toBe(path);
    const first = await read(text, said);
    expect(first).toMatchObject([{ faults: [], message: { params: { amount: '1250.50' } } }]);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      map: Object.fromEntries(map),
      ignore: ['Vermerk'],
      ignoreOthers: false,
      decimal: 'comma',
    });
    expect(await read(text, { layout: path })).toEqual(first);
    // A file that has fewer columns is read by it as well.
    expect(await read(text.replaceAll(/;[^;]*\n/g, '\n'), { layout: path })).toMatchObject([{ faults: [] }]);
  });

  it('that is not there, or is none, says what one is', async () => {
    await expect(read(text, { layout: 'my-erp' })).rejects.toThrow(
      'there is no layout my-erp: my-erp.layout.json is not there; --save-layout makes it',
    );
    const wrong = await files.file('wrong.layout.json', '{"maps": {}}');
    await expect(read(text, { layout: wrong })).rejects.toThrow('is no layout; write {"map"');
    expect(() => keepLayout('/nowhere/x.layout.json', choicesOf(reading))).toThrow("can't write /nowhere");
  });
});
