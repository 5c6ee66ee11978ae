// Other people's tables by their own names: known layouts, and one that was saved.
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

describe('Wise', () => {
  const head =
    'name,recipientEmail,paymentReference,referenceNumber,receiverType,amountCurrency,amount,sourceCurrency,targetCurrency,IBAN';
  const row = (kind: string, source: string) =>
    `Ann Example,ann@example.com,Salary,PAY-1,PERSON,${kind},1250.00,${source},EUR,DE89370400440532013000`;

  it('is read by its own names', async () => {
    expect(await read(`${head}\n${row('target', 'GBP')}\n`, { layout: 'wise' })).toMatchObject([
      {
        faults: [],
        message: {
          orderId: 'PAY-1',
          params: {
            amount: '1250.00',
            currency: 'EUR',
            account_number: 'DE89370400440532013000',
            order_desc: 'Salary',
          },
          context: { payee_name: 'Ann Example' },
        },
      },
    ]);
  });

  it('an amount that would have to be exchanged is another than is paid here', async () => {
    const [row1, row2] = await read(`${head}\n${row('source', 'GBP')}\n${row('source', 'EUR')}\n`, { layout: 'wise' });
    expect(row1?.faults).toEqual([
      {
        path: 'params.amount',
        fault: 'is of GBP, to be exchanged into EUR: nothing is exchanged here; write what the payee gets',
      },
    ]);
    expect(row2?.faults).toEqual([]);
  });

  it('without a number of its own, the reference is the order id where that is said', async () => {
    const text = `${head.replace('referenceNumber,', '')}\n${row('target', 'EUR').replace('PAY-1,', '')}\n`;
    await expect(read(text, { layout: 'wise' })).rejects.toThrow('no column says the orderId');
    const map = new Map([['paymentReference', 'orderId']]);
    expect(await read(text, { layout: 'wise', map })).toMatchObject([{ message: { orderId: 'Salary' } }]);
  });
});

it('Adyen’s report is read by its own names, and whatever else it has is left out', async () => {
  const text =
    'Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Currency,Amount,Type,IBAN\n' +
    'Acme,AcmeEU,8816178812321234,PAY-9,bank,2026-11-24 10:00:00,CET,EUR,60.50,Payout,DE89370400440532013000\n';
  expect(await read(text, { layout: 'adyen' })).toMatchObject([
    {
      faults: [],
      message: {
        orderId: 'PAY-9',
        params: { amount: '60.50', currency: 'EUR', account_number: 'DE89370400440532013000' },
        context: { psp_reference: '8816178812321234' },
      },
    },
  ]);
});

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

describe('a layout of one’s own', () => {
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
      'there is no layout my-erp: wise, adyen are known, and my-erp.layout.json is not there; --save-layout makes it',
    );
    const wrong = await files.file('wrong.layout.json', '{"maps": {}}');
    await expect(read(text, { layout: wrong })).rejects.toThrow('is no layout; write {"map"');
    expect(() => keepLayout('wise', choicesOf(reading))).toThrow('that name is taken');
    expect(() => keepLayout('/nowhere/x.layout.json', choicesOf(reading))).toThrow("can't write /nowhere");
  });
});
