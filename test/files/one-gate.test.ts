// One gate for text from outside: each rule for each reader, from the bytes of its format to the fault that is printed, or to the field
// that is posted. What one reader refuses, no other lets through; what one mends, all mend alike.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import writeWorkbook from 'write-excel-file/node';
import { type CheckedRow, checkRows } from '../../lib/files/check-rows.ts';
import { openBulkFile } from '../../lib/files/bulk-file.ts';
import { bulkRowsOf } from '../../lib/files/readers.ts';
import { readGateway } from '../../lib/cli/reconcile/reconcile-inputs.ts';
import { formParameters } from '../../lib/gateway/fields.ts';
import { operations } from '../../lib/gateway/operations.ts';
import { readJob } from '../../lib/payout/message/read-job.ts';
import type { Job } from '../../lib/payout/message/job.ts';
import { all } from '../support/bulk-rows.ts';
import { creditTransfers } from '../cli/support/credit-transfers.ts';
import { aDirectory } from '../cli/support/files.ts';

const files = aDirectory();

const good = {
  orderId: 'INV-1',
  amount: '10.42',
  currency: 'EUR',
  account_number: '12345678',
  bank_name: 'Cool bank',
  order_desc: 'Invoice 7',
};
type Name = keyof typeof good;
type Payment = Readonly<Record<Name, string>>;

const { orderId: _, ...noId } = good;
const given = { merchant: 'acme-eu', operation: 'payout', endpointId: '39915' };
const messageOf = ({ orderId, ...params }: Payment) => JSON.stringify({ version: 1, ...given, orderId, params });
const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The field as it is posted, or the fault that is printed. */
type Ending = string;

const posted = (job: Job, name: Name): Ending => {
  const pairs = formParameters(operations[job.operation], { ...job, orderIdField: 'orderId' });
  return `= ${pairs.find(([field]) => field === name)?.[1] ?? ''}`;
};

/** The rows of a file of these bytes. */
async function checkedRows(file: string, bytes: string | Uint8Array): Promise<readonly CheckedRow[]> {
  const path = join(files.path(), file);
  await writeFile(path, bytes);
  const opened = await openBulkFile(path);
  try {
    const rows = await bulkRowsOf(opened, { given, columns: new Map() });
    const checked = checkRows(
      rows.read(() => {}),
      undefined,
      { firstOfOrder: () => undefined },
    );
    return await all(checked);
  } finally {
    await opened.close();
  }
}

/** The first fault or the field of the one row of a file of these bytes. */
async function fileWith(name: Name, file: string, bytes: string | Uint8Array): Promise<Ending> {
  const [row, ...more] = await checkedRows(file, bytes);
  expect(more).toEqual([]);
  return row?.kind === 'job' ? posted(row.job, name) : (row?.faults.map(({ fault }) => fault).join('; ') ?? 'no row');
}

const readers: Readonly<Record<string, (payment: Payment, name: Name) => Promise<Ending>>> = {
  async 'a job on the queue'(payment, name) {
    const read = readJob(messageOf(payment));
    return read.kind === 'job' ? posted(read.job, name) : read.failure.message;
  },
  'JSON lines': (payment, name) => fileWith(name, 'a.jsonl', `${messageOf(payment)}\n`),
  CSV: (payment, name) =>
    fileWith(
      name,
      'a.csv',
      `order_id,${Object.keys(noId).join(',')}\n${[payment.orderId, ...Object.keys(noId).map((it) => payment[it as Name])].map(cell).join(',')}\n`,
    ),
  async XLSX(payment, name) {
    const head = ['order_id', ...Object.keys(noId)].map((value) => ({ value }));
    const cells = [payment.orderId, ...Object.keys(noId).map((it) => payment[it as Name])];
    const row = cells.map((value) => ({ value, type: String }));
    return fileWith(name, 'a.xlsx', await writeWorkbook([head, row] as never).toBuffer());
  },
  'pain.001': (payment, name) =>
    fileWith(
      name,
      'a.xml',
      creditTransfers([
        {
          day: '2026-11-30',
          transfers: [
            {
              id: xml(payment.orderId),
              amount: xml(payment.amount),
              currency: xml(payment.currency),
              account: `<Othr><Id>${xml(payment.account_number)}</Id></Othr>`,
              bic: xml(payment.bank_name),
              remittance: `<RmtInf><Ustrd>${xml(payment.order_desc)}</Ustrd></RmtInf>`,
            },
          ],
        },
      ]).replaceAll(/<(NbOfTxs|CtrlSum)>[^<]*<\/\1>/g, (all, tag) => (tag === 'CtrlSum' ? '' : all)),
    ),
  async "the gateway's report"(payment, name) {
    const path = join(files.path(), 'report.csv');
    const cells = [payment.orderId, payment.account_number, payment.amount, payment.currency, 'approved'];
    await writeFile(path, `client_orderid,orderid,amount,currency,status\n${cells.map(cell).join(',')}\n`);
    const read: Record<string, string> = {};
    const books = {
      addGateway: (key: string, { amount, currency, gatewayOrderId }: Record<string, string>) =>
        Object.assign(read, {
          orderId: key.slice('acme-eu/'.length),
          amount,
          currency,
          account_number: gatewayOrderId,
        }),
    };
    try {
      await readGateway(
        { path, merchant: 'acme-eu' },
        books as never,
        { maps: new Map(), statuses: new Map() },
        () => {},
      );
    } catch (error) {
      return (error as Error).message;
    }
    return `= ${read[name] ?? ''}`;
  },
};

/** Fields that the gateway's report does not have. */
const notReported: ReadonlySet<Name> = new Set(['bank_name', 'order_desc']);

const invisible = 'has an invisible character in it';
const exponent = 'is in exponent form';
const emptyWord = 'is a placeholder for no value';
const rounded = 'ends in the zeros that a spreadsheet leaves after fifteen digits';
const decimal = 'was turned into a decimal number';

const rules: readonly [rule: string, name: Name, text: string, ending: Ending][] = [
  ['blanks around are no part of it', 'account_number', ' \u00a0\u202f12345678\ufeff ', '= 12345678'],
  ['format characters around are no part of it', 'account_number', '\u202d12345678\u202c', '= 12345678'],
  ['a zero-width space in an identifier', 'account_number', '1234\u200b5678', invisible],
  ['a zero-width space in an order id', 'orderId', 'INV\u200b-1', invisible],
  ['a blank of another kind in an identifier', 'account_number', '1234\u00a05678', invisible],
  ['format characters in words', 'order_desc', 'In\u00advoice\u200b 7\u2060', '= Invoice 7'],
  ['blanks of other kinds in words', 'order_desc', 'Invoice\u00a07', '= Invoice 7'],
  ['line breaks in words', 'order_desc', 'Invoice\u00857', '= Invoice 7'],
  ['zeros kept by a formula', 'account_number', '="00123456"', '= 00123456'],
  ['zeros of an order id kept by a formula', 'orderId', '="000123"', '= 000123'],
  ['an apostrophe in front of an order id', 'orderId', "'000123", '= 000123'],
  ['an apostrophe in front of an account', 'account_number', "'00123456", '= 00123456'],
  ['a decimal number', 'account_number', '12345678.0', decimal],
  ['a decimal number as an order id', 'orderId', '1001.00', decimal],
  ['an exponent', 'account_number', '1.23457E+11', exponent],
  ['an exponent as an order id', 'orderId', '9.0072E+15', exponent],
  ['an exponent as some programs write it', 'account_number', '9.0072E15', exponent],
  ['an exponent of an order id as some programs write it', 'orderId', '9.0072E15', exponent],
  ['fifteen digits and zeros', 'account_number', '123456789012345000', rounded],
  ['fifteen digits and zeros as an order id', 'orderId', '987654321098765000', rounded],
  ...['nan', 'NULL', 'None', '-', 'undefined'].map(
    (word) => [`the word ${word}`, 'orderId', word, emptyWord] as [string, Name, string, Ending],
  ),
  ['no value as a bank', 'bank_name', 'NOTPROVIDED', emptyWord],
  ['no value as a bank, abbreviated', 'bank_name', 'N/A', emptyWord],
  ['a truth value as an order id', 'orderId', 'TRUE', 'is "true" or "false", and names nothing'],
  ['a date as an order id', 'orderId', '30.11.2026', 'was turned into a date'],
  ['a time as an order id', 'orderId', '2026-11-30T00:00:00.000Z', 'was turned into a date'],
  ["a spreadsheet's error", 'account_number', '#REF!', "is the spreadsheet's mark of an error"],
  ...['#ERROR!', '#FIELD!', '#GETTING_DATA', 'Err:508'].map(
    (mark) =>
      [`the mark ${mark}`, 'bank_name', mark, "is the spreadsheet's mark of an error"] as [
        string,
        Name,
        string,
        Ending,
      ],
  ),
  ['text that is not UTF-8', 'orderId', 'INV-\ufffd', 'has characters that are not UTF-8'],
  ['a control character in an identifier', 'account_number', '1234\u00965678', invisible],
  ['a control character in an order id', 'orderId', 'INV\u0080-1', invisible],
  ['a control character in words', 'order_desc', 'Invoice\u00967', 'is not text without control characters'],
  ['a blank of Braille in an identifier', 'account_number', '1234\u28005678', invisible],
  ['digits of another script', 'account_number', '１２３４５６７８', 'of another width or script'],
];

/** Rules about payments alone: a report tells of them as the gateway has them. */
const ofPayments: typeof rules = [
  ['letters of another script', 'account_number', 'D\u041589370400440532013000', 'of another width or script'],
  ['a dash that is no hyphen', 'account_number', '1234\u20115678', 'of another width or script'],
  ['a mark over a digit', 'account_number', '1234\u03015678', 'of another width or script'],
  ['a character of private use', 'account_number', '1234\ue0005678', 'of another width or script'],
  ['an IBAN in groups', 'account_number', 'de89 3704 0044\u00a00532 0130 00', '= DE89370400440532013000'],
  ['a withdrawn currency', 'currency', 'SLL', 'was withdrawn; write the amount in SLE'],
  ['a withdrawn currency of two islands', 'currency', 'ANG', 'was withdrawn; write the amount in XCG'],
  ['a withdrawn currency with a peg', 'currency', 'CUC', 'was withdrawn; write the amount in CUP'],
  ['a withdrawn currency after an inflation', 'currency', 'ZWL', 'was withdrawn; write the amount in ZWG'],
  ['a currency that the euro replaced', 'currency', 'HRK', 'was withdrawn; write the amount in EUR'],
  ['drawing rights', 'currency', 'XDR', 'is not a currency'],
  ['a unit of account', 'currency', 'XSU', 'is not a currency'],
  ['a negative amount', 'amount', '-10.42', 'is negative'],
  ['thousands', 'amount', '1,234.50', 'has commas'],
  ['a currency beside the amount', 'amount', '10.42 EUR', 'has a currency beside the number'],
  ['a narrow blank in an amount', 'amount', '1\u202f250.00', 'has blanks or marks between its digits'],
];

describe.each(Object.entries(readers))('%s', (reader, read) => {
  const isReport = reader.endsWith('report');
  const applied = [...rules, ...ofPayments]
    .filter((it) => !isReport || (!notReported.has(it[1]) && !ofPayments.includes(it)))
    .filter(
      // Who writes these workbooks leaves such characters out.
      ([rule]) => reader !== 'XLSX' || !/UTF-8|control character/.test(rule),
    );

  it.each(applied)('%s: %s %j', async (_rule, name, text, ending) => {
    const end = await read({ ...good, [name]: text }, name);
    const isTold = !ending.startsWith('= ') && end.includes(ending);
    expect(isTold ? ending : end).toBe(ending);
  });

  it('takes what is whole', async () => {
    const names = (Object.keys(good) as Name[]).filter((name) => !isReport || !notReported.has(name));
    const endings: Ending[] = [];
    for (const name of names) endings.push(await read(good, name));
    expect(endings).toEqual(names.map((name) => `= ${good[name]}`));
  });
});

it.each([
  ['9007199254740990', true],
  ['9007199254740997', false],
])("numbers of more than fifteen digits in the gateway's report, one of them %s", async (id, isRefused) => {
  const path = join(files.path(), 'rounded.csv');
  const lines = [id, '1234567890123450'].map((it, at) => `A-${at},${it},10.42,EUR,approved\n`);
  await writeFile(path, `client_orderid,orderid,amount,currency,status\n${lines.join('')}`);
  const choices = { maps: new Map(), statuses: new Map() };
  const read = readGateway({ path, merchant: 'acme-eu' }, { addGateway: () => {} }, choices, () => {});
  const said = await read.catch((error: unknown) => String(error));
  expect(String(said).includes('the column of the gatewayOrderId has no number')).toBe(isRefused);
});

it.each([
  ['more', 'A-1,10.42,EUR,Rent, approved,declined', 6],
  ['fewer', 'A-1,10.42,EUR,approved', 4],
])("a line of the gateway's report with %s cells than its header is not guessed at", async (_, line, count) => {
  const path = join(files.path(), 'cells.csv');
  await writeFile(path, `client_orderid,amount,currency,descriptor,status\n${line}\n`);
  const choices = { maps: new Map(), statuses: new Map() };
  const read = readGateway({ path, merchant: 'acme-eu' }, { addGateway: () => {} }, choices, () => {});
  await expect(read).rejects.toThrow(`row 2 has ${count} cells where the header has 5`);
});

it("a delimiter behind the last title of the gateway's report is no column", async () => {
  const path = join(files.path(), 'cells.csv');
  await writeFile(path, `client_orderid,amount,currency,status,\nA-1,10.42,EUR,approved\nA-2,10.42,EUR,approved,\n`);
  const read: string[] = [];
  const choices = { maps: new Map(), statuses: new Map() };
  const addGateway = (key: string) => void read.push(key);
  await readGateway({ path, merchant: 'acme-eu' }, { addGateway }, choices, () => {});
  expect(read).toEqual(['acme-eu/A-1', 'acme-eu/A-2']);
});

it.each(['', '0', '000', 'null', 'N/A'])(
  "an id %j in the gateway's report is none: two payments stay two",
  async (id) => {
    const path = join(files.path(), 'ids.csv');
    await writeFile(
      path,
      `client_orderid,orderid,amount,currency,status\n${`A-1,${id},10.42,EUR,approved\n`.repeat(2)}`,
    );
    const found: object[] = [];
    const books = { addGateway: (_: string, record: object) => void found.push(record) };
    await readGateway({ path, merchant: 'acme-eu' }, books, { maps: new Map(), statuses: new Map() }, () => {});
    expect(found.map((it) => Object.hasOwn(it, 'gatewayOrderId'))).toEqual([false, false]);
  },
);

describe.each([
  [
    'CSV',
    (ids: readonly string[]) =>
      `order_id,amount,currency,account_number,bank_name\n${ids.map((id) => `${id},10.42,EUR,12345678,Cool bank\n`).join('')}`,
  ],
  ['JSON lines', (ids: readonly string[]) => ids.map((orderId) => `${messageOf({ ...good, orderId })}\n`).join('')],
  [
    'pain.001',
    (ids: readonly string[]) =>
      creditTransfers([
        {
          day: '2026-11-30',
          transfers: ids.map((id) => ({
            id,
            amount: '10.42',
            currency: 'EUR',
            account: '<IBAN>DE89370400440532013000</IBAN>',
          })),
        },
      ]),
  ],
])('numbers of more than fifteen digits in %s', (form, bytesOf) => {
  it.each([
    ['each ends in zeros: a spreadsheet has rounded them', ['9007199254740990', '1234567890123450'], true],
    ['one ends in another digit', ['9007199254740990', '1234567890123457'], false],
    ['there is one, which may end in a zero by chance', ['9007199254740990'], false],
    ['they are shorter', ['123456789012340', '123456789012350'], false],
  ])('%s', async (_, ids, isRefused) => {
    const rows = await checkedRows(
      `ids.${form === 'CSV' ? 'csv' : form === 'pain.001' ? 'xml' : 'jsonl'}`,
      bytesOf(ids),
    );
    const ofFile = rows.flatMap((row) =>
      row.kind === 'rejected' && row.cutOff ? row.faults.map(({ path, fault }) => `${path} ${fault.slice(0, 13)}`) : [],
    );
    expect(ofFile).toEqual(isRefused ? ['orderId has no number'] : []);
  });
});

describe('JSON with a name twice', () => {
  const twice = messageOf(good).replace('"amount":"10.42"', '"amount":"5.01","amou\\u006et":"999.01"');

  it('is refused on the queue, by its name', () => {
    const read = readJob(twice);
    expect(read.kind === 'refused' && read.failure.message).toBe('params.amount is given twice; write each name once');
  });

  it('is refused in a file, by its name', async () => {
    expect(await fileWith('amount', 'a.jsonl', `${twice}\n`)).toBe('is given twice; write each name once');
  });

  it('names no order where the order id is given twice', () => {
    const read = readJob(messageOf(good).replace('"orderId"', '"orderId":"INV-0","orderId"'));
    expect(read).toMatchObject({
      kind: 'refused',
      failure: { message: 'orderId is given twice; write each name once' },
      identity: { merchant: 'acme-eu' },
    });
    expect(read.kind === 'refused' && read.identity.orderId).toBeUndefined();
  });
});

describe('JSON with a value that is no text', () => {
  it.each(['10.42', 'null', 'true', '["10.42"]', '{"value":"10.42"}'])('%s is refused', async (value) => {
    const bytes = messageOf(good).replace('"10.42"', value);
    const fault = 'is not text; write every value as a string, amounts too';
    expect(await fileWith('amount', 'a.jsonl', bytes)).toBe(fault);
    const read = readJob(bytes);
    expect(read.kind === 'refused' && read.failure.message).toBe(`params.amount ${fault}`);
  });
});

describe('one payee', () => {
  it('is one, however the account is written', async () => {
    const written = ['DE89370400440532013000', 'DE89 3704 0044 0532 0130 00', '="DE89370400440532013000"'];
    const accounts = written.map((account_number) => {
      const read = readJob(messageOf({ ...good, account_number }));
      return read.kind === 'job' ? read.job.params['account_number'] : read.failure.message;
    });
    expect(new Set(accounts)).toEqual(new Set(['DE89370400440532013000']));
  });
});
