// A walk per format, from the file to the books, by the real commands, with the real worker and the gateway simulator: what
// each file asks for, what its report says, and what the journal books are the same money, to the cent.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import readWorkbook from 'read-excel-file/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import writeWorkbook from 'write-excel-file/node';
import { type CliEnd, runCli } from '../cli/support/cli.ts';
import { creditTransfers } from '../cli/support/credit-transfers.ts';
import { aDirectory } from '../cli/support/files.ts';
import { type SampleWorld, startSampleWorld } from '../cli/support/sample-world.ts';

const directory = aDirectory();
const iban = 'DE89370400440532013000';
let world: SampleWorld;

const payouts = (...args: string[]): Promise<CliEnd> => runCli(args, { env: world.env, cwd: directory.path() });
const place = (name: string) => join(directory.path(), name);
const asSubmitted = ['--merchant', 'globex-us', '--operation', 'payout', '--endpoint', '39915'];

/** One file of each format: two payments that go through, and one that is declined. */
interface Walk {
  readonly name: string;
  readonly file: string;
  /** How it is read, where it does not say so itself. */
  readonly layout?: object;
  readonly accept: readonly string[];
  readonly write: (file: string) => Promise<void>;
  readonly paid: readonly [id: string, cents: number][];
  readonly declined: readonly [id: string, cents: number];
}

const idsOf = (name: string) => [`${name}-1`, `${name}-2`, `${name}-3.decline`] as const;
const table = (name: string, amounts: readonly string[]) => {
  const [a, b, c] = idsOf(name);
  return [a, b, c].map((id, index) => [id, amounts[index] ?? '', 'EUR', 'Zoë Ångström', iban]);
};

const walks: readonly Walk[] = [
  {
    name: 'csv',
    file: 'sap.csv',
    layout: { columns: { Beleg: 'orderId', Betrag: 'amount', Name: 'payee_name' }, decimal: 'comma' },
    accept: [],
    // As Excel writes "Unicode text": UTF-16, semicolons, commas before the cents, and a line break in a text.
    async write(file) {
      const rows = table('csv', ['1.250,00', '310,5', '0,01']).map((cells) =>
        [...cells, '"Salary\nNovember"'].join(';'),
      );
      const text = ['\ufeffBeleg;Betrag;currency;Name;IBAN;description', ...rows, ''].join('\r\n');
      await writeFile(file, Buffer.from(text, 'utf16le'));
    },
    paid: [
      ['csv-1', 125_000],
      ['csv-2', 31_050],
    ],
    declined: ['csv-3.decline', 1],
  },
  {
    name: 'xlsx',
    file: 'hr.xlsx',
    accept: [],
    async write(file) {
      const head = ['order id', 'amount', 'currency', 'payee', 'iban'].map((value) => ({ value }));
      const rows = table('xlsx', ['99.99', '0.3', '77']).map(([id = '', amount, ...rest]) => [
        { value: id },
        { value: Number(amount), format: '0.00' },
        ...rest.map((value) => ({ value })),
      ]);
      await writeFile(file, await writeWorkbook([head, ...rows]).toBuffer());
    },
    paid: [
      ['xlsx-1', 9_999],
      ['xlsx-2', 30],
    ],
    declined: ['xlsx-3.decline', 7_700],
  },
  {
    name: 'xml',
    file: 'erp.xml',
    accept: [],
    write: (file) => {
      const [a, b, c] = idsOf('xml');
      const transfer = (id: string, amount: string) => ({ id, amount, bic: 'COBADEFFXXX', name: 'Zoë &amp; Co' });
      const day = new Date().toISOString().slice(0, 10);
      const blocks = [
        { day, transfers: [transfer(a, '4711.10')] },
        { day, transfers: [transfer(b, '0.05'), transfer(c, '12.00')] },
      ];
      return writeFile(file, creditTransfers(blocks, '09'));
    },
    paid: [
      ['xml-1', 471_110],
      ['xml-2', 5],
    ],
    declined: ['xml-3.decline', 1_200],
  },
];

const centsOf = (text: unknown) => Math.round(Number(text) * 100);
const sum = (numbers: readonly number[]) => numbers.reduce((all, it) => all + it, 0);
const today = (days = 0) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  world = await startSampleWorld(place('worker.log'));
  for (const walk of walks) {
    await walk.write(place(walk.file));
    const { name, layout } = walk;
    if (layout) await writeFile(place(`${name}.layout.json`), JSON.stringify(layout));
    const read = [...asSubmitted, ...(layout ? ['--layout', `${name}.layout.json`] : [])];
    const args = ['submit', walk.file, ...read, ...walk.accept, '--batch', walk.name, '--yes'];
    const { stdout, stderr } = await payouts(...args);
    assert(stdout.includes(`all 3 rows of ${walk.file} are on the queue`), stderr);
  }
  // Until the gateway has said of each whether it was paid.
  for (const { name } of walks) while ((await payouts('batch', name, '--json')).code !== 0) await sleep(1_000);
});
afterAll(() => world.stop());

describe.each(walks)('$name', ({ name, file, layout, paid, declined }) => {
  const report = (...args: string[]) => payouts('report', name, '--file', file, ...args);

  it('has a report whose rows are the file’s, and whose column of amounts is its sum', async () => {
    const output = `${name}-report.csv`;
    expect(await report('--output', output)).toMatchObject({ code: 0 });
    const lines: Record<string, string>[] = parse(await readFile(place(output), 'utf8'), { columns: true });
    const shown = ['payouts_order_id', 'payouts_status', 'payouts_amount', 'payouts_payee_name'];
    const payee = name === 'xml' ? 'Zoë & Co' : 'Zoë Ångström';
    expect(lines.map((line) => shown.map((column) => line[column]))).toEqual([
      ...paid.map(([id, cents]) => [id, 'paid', (cents / 100).toFixed(2), payee]),
      [declined[0], 'declined', (declined[1] / 100).toFixed(2), payee],
    ]);
    const all = sum([...paid.map(([, cents]) => cents), declined[1]]);
    expect(sum(lines.map((line) => centsOf(line['payouts_amount'])))).toBe(all);
    const totals: string[][] = parse(await readFile(place(`${name}-report.totals.csv`), 'utf8'));
    expect(totals).toContainEqual(['total', 'paid', '2', (sum(paid.map(([, it]) => it)) / 100).toFixed(2), 'EUR']);
    expect(totals).toContainEqual(['control', 'balanced', '3', (all / 100).toFixed(2), 'EUR']);
  });

  it('has the same as a workbook', async () => {
    const output = `${name}-report.xlsx`;
    expect(await report('--format', 'xlsx', '--output', output)).toMatchObject({ code: 0 });
    const [rows] = await readWorkbook(place(output));
    const at = (rows?.data[0] ?? []).indexOf('payouts_amount');
    expect(sum((rows?.data ?? []).slice(1).map((row) => centsOf(row[at])))).toBe(
      sum([...paid.map(([, cents]) => cents), declined[1]]),
    );
  });

  it('has one row that is sent again: by the name of its end, or in a file of the same columns', async () => {
    // when
    const retry = (...args: string[]) => payouts('retry', name, file, ...args, '--json');
    const looked = await retry('--dry-run', '--accept', 'all');
    const again = await retry('--as-file', `${name}-again.csv`);

    // then each is the declined one alone, to the cent
    const [id, cents] = declined;
    const amount = (cents / 100).toFixed(2);
    const [shown = '', submitted = ''] = looked.stdout.split('\n');
    const totals = [{ currency: 'EUR', count: 1, amount }];
    expect(JSON.parse(shown)).toMatchObject({ batch: name, written: 1, totals, kept: { paid: 2 }, left: 0 });
    expect(JSON.parse(submitted)).toMatchObject({ outcome: 'dry-run', totals: { EUR: { count: 1, amount } } });
    expect(JSON.parse(again.stdout)).toMatchObject({ written: 1, totals, left: 0 });
    const job = await readFile(place((JSON.parse(shown) as { file: string }).file), 'utf8');
    expect(JSON.parse(job)).toMatchObject({
      orderId: id,
      params: { account_number: iban },
      resends: expect.any(String),
    });

    // and the file of the same columns is taken as it is
    const taken = [
      'submit',
      `${name}-again.csv`,
      ...(layout ? ['--layout', `${name}-again.csv.layout.json`] : asSubmitted),
      '--dry-run',
      '--json',
      '--accept',
      'all',
    ];
    expect(JSON.parse((await payouts(...taken)).stdout)).toMatchObject({ rows: 1, totals: { EUR: { amount } } });
  });
});

it('the bank’s file has its answer', async () => {
  const args = ['--file', 'erp.xml', '--format', 'pain.002'];
  const { code, stdout } = await payouts('report', 'xml', ...args);
  expect(code).toBe(0);
  expect(stdout).toContain('urn:iso:std:iso:20022:tech:xsd:pain.002.001.10');
  const statuses = [...stdout.matchAll(/<OrgnlEndToEndId>([^<]*)<\/OrgnlEndToEndId><TxSts>([^<]*)/g)];
  expect(statuses.map(([, id, status]) => `${id} ${status}`)).toEqual([
    'xml-1 ACSC',
    'xml-2 ACSC',
    'xml-3.decline RJCT',
  ]);
});

it('the three books agree, and the journal has what was paid, to the cent', async () => {
  // when
  await writeFile(place('results.jsonl'), await world.takeResults());
  const days = ['--from', today(-1), '--to', today(2)];
  await writeFile(place('gateway.csv'), world.gatewayReport('globex-us'));
  const books = ['--results', 'results.jsonl', '--gateway', 'gateway.csv', '--journal', 'journal.csv'];
  const reconciled = await payouts('reconcile', 'globex-us', ...days, ...books);

  // then
  expect(reconciled).toMatchObject({ code: 0 });
  const lines: Record<string, string>[] = parse(await readFile(place('journal.csv'), 'utf8'), { columns: true });
  const paid = walks.flatMap((it) => it.paid);
  expect(lines.map((it) => `${it['order_id']} ${centsOf(it['amount'])} ${it['movement']}`).toSorted()).toEqual(
    paid.map(([id, cents]) => `${id} ${cents} paid`).toSorted(),
  );
  const totals: Record<string, string>[] = parse(await readFile(place('journal.totals.csv'), 'utf8'), {
    columns: true,
  });
  expect(sum(totals.map((it) => centsOf(it['amount'])))).toBe(sum(paid.map(([, cents]) => cents)));
  expect(sum(world.simulator.orders().map(() => 1))).toBe(9);
});

it('who is paid is shown to who asks, and is in no log of the worker and in no question to the gateway', async () => {
  expect((await payouts('order', 'globex-us/csv-1')).stdout).toContain('1250.00 EUR · to Z… Å… …3000 · ');
  const log = await readFile(place('worker.log'), 'utf8');
  expect(log).toContain('csv-1');
  expect(log).not.toContain('payee_name');
  expect(log).not.toMatch(/Ångström|Zo\S{0,6} /);
  expect(JSON.stringify(world.simulator.orders())).not.toContain('Ångström');
});
