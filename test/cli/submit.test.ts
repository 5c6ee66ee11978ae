// `payouts submit` as an operator runs it: files as spreadsheets and programs write them, against the embedded AWS.
import { existsSync } from 'node:fs';
import { lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { testCards } from '../support/jobs.ts';
import { longDescribe } from '../support/long-proof.ts';
import { type CliEnd, runCli } from './support/cli.ts';
import { creditTransfers } from './support/credit-transfers.ts';
import { ibanOf } from './support/ibans.ts';
import { aSubmitter, row, same } from './support/submitting.ts';

const { files, fileOf, submit, listed, idsOf, takeJobs, payouts, env } = aSubmitter();
const outcomeOf = ({ stdout }: CliEnd): Record<string, unknown> => JSON.parse(stdout);

describe('a file out of a spreadsheet', () => {
  const excel =
    '\ufeffRechnung;Betrag;CCY;Order Desc;IBAN;Bank;Notiz;context.payee_name\r\n' +
    'INV-1;10.42;EUR;"one; and ""quotes""";DE89370400440532013000;Bänk;x;"Ann\r\nSöhne"\r\n' +
    ';;;;;;;\r\n' +
    'INV-2;1000;JPY;;DE89370400440532013000;Bänk;;\r\n' +
    `INV-3;10.41;EUR;;${ibanOf('3')};Bänk;;Bob\r\n` +
    `INV-4;0.01;EUR;;${ibanOf('4')};Bänk;;Cyd\r\n` +
    `INV-5;0.02;EUR;;${ibanOf('5')};Bänk;;Dan\r\n` +
    '\r\n\r\n';
  const layout = JSON.stringify({ columns: { Rechnung: 'orderId', Betrag: 'amount', Notiz: '' } });
  const choices = async () => ['--layout', await files.file('our.json', layout)];

  it('is understood, added up exactly, and not sent in a dry run, which needs no AWS', async () => {
    const file = await files.file('excel.csv', excel);
    const args = ['submit', file, '--dry-run', ...same, ...(await choices())];
    const { code, stdout, stderr } = await runCli(args, { cwd: files.path() });
    expect(stderr).toMatch(/excel\.csv · 5 rows · batch excel-[0-9a-f]{12}\n {2}SHA-256 [0-9a-f]{64}\n/);
    const lines = stderr.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' '));
    // The sums, and the three largest of each currency.
    const sums = ['acme-eu payout 4 20.86 EUR', 'acme-eu payout 1 1000 JPY'];
    expect(lines).toEqual(expect.arrayContaining([...sums, '5 INV-3 10.41 EUR Bob', '7 INV-5 0.02 EUR Dan']));
    expect(stderr).not.toContain('Cyd');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'nothing was sent (--dry-run)\n' });
  });

  it('is sent to the letter', async () => {
    const file = await files.file('excel.csv', excel);
    expect(await submit(file, '--batch', 'excel', '--yes', ...(await choices()))).toMatchObject({
      code: 0,
      stdout:
        'batch excel: all 5 rows of excel.csv are on the queue, which does not mean paid\n  follow them: `node . batch excel --watch`\n',
    });
    const params = { account_number: 'DE89370400440532013000', bank_name: 'Bänk' };
    const common = { version: 1, merchant: 'acme-eu', operation: 'payout', endpointId: '39915', batchId: 'excel' };
    expect((await takeJobs()).toSorted((a, b) => (a.orderId < b.orderId ? -1 : 1)).slice(0, 2)).toEqual([
      {
        ...common,
        orderId: 'INV-1',
        params: { ...params, amount: '10.42', currency: 'EUR', order_desc: 'one; and "quotes"' },
        context: { payee_name: 'Ann\r\nSöhne' },
      },
      { ...common, orderId: 'INV-2', params: { ...params, amount: '1000', currency: 'JPY' } },
    ]);
  });
});

longDescribe('faults', () => {
  let end: CliEnd;

  beforeAll(async () => {
    const many = Array.from({ length: 25 }, (_, index) => row(`X-${index}`, { amount: '"1,5"' }));
    const card = row('INV-9').replace('Invoice', testCards.sender);
    const lines = [row('INV-1'), row('INV-1'), row('1.2E+15'), 'INV-4,1', row('', { amount: '1' }), card, ...many];
    end = await submit(await fileOf('faulty', ...lines), '--yes');
  });

  it('are all found, by row and column, before anything is sent', async () => {
    expect(end.code).toBe(2);
    expect(end.stderr).toContain(
      '30 faults in 30 of 31 rows; nothing was sent. Correct the file, or add --skip-invalid.',
    );
    expect(end.stderr).toContain('… and 10 more');
    expect(await takeJobs()).toEqual([]);
    const faults = await listed('faulty.faults.csv');
    expect(faults.slice(0, 7)).toEqual([
      'row,column,fault',
      '3,order_id,is the order id of row 2 too',
      '4,order_id,"is in exponent form: the spreadsheet has dropped digits that cannot be put back; format the column as text in the source and export it again"',
      '5,,"has 2 cells where the header has 6; put quotes around a cell that holds the delimiter"',
      '6,order_id,is missing',
      '7,description,"holds digits that pass for a card number; leave them out"',
      '8,amount,"has a decimal comma; write a dot, as in ""10.42"", or say ""decimal"": ""comma"" in a layout where all amounts have commas"',
    ]);
    expect(faults).toHaveLength(31);
  });

  it('can be left out, into a file of rejects of their owner alone, which bears no card data', async () => {
    // given a file with a card, and a link that another has laid where the rejects go
    const plain =
      'order_id,amount,currency,credit_card_number,cvv2,description,destination_card_recurring_payment_id\n';
    const bad = `T-1,x,EUR,${testCards.sender},737,paid by ${testCards.receiver},1\n`;
    const good = 'T-2,5,EUR,,,by reference,2\nT-3,5,EUR,,,,3\n';
    const file = await files.file('cards.csv', plain + bad + good);
    const [elsewhere, rejects] = [`${files.path()}/elsewhere`, `${files.path()}/cards.rejects.csv`];
    await writeFile(elsewhere, 'mine');
    await symlink(elsewhere, rejects);

    // when
    const choices = ['--merchant', 'acme-eu', '--operation', 'transfer', '--endpoint', '1'];
    const left = await payouts('submit', file, ...choices, '--yes', '--skip-invalid', '--batch', 'cards');

    // then
    expect(left).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('all 2 rows of cards.csv are on the queue'),
    });
    expect(await idsOf()).toEqual(['T-2', 'T-3']);
    expect(await readFile(rejects, 'utf8')).toBe(
      'order_id,amount,currency,credit_card_number,cvv2,description,destination_card_recurring_payment_id,payouts_row,payouts_fault\n' +
        'T-1,x,EUR,***1111,***,paid by ***,1,2,"amount is not a plain decimal number such as ""10.42"""\n',
    );
    expect(left.stdout + left.stderr).not.toMatch(/4111|5555|737/);
    expect([(await lstat(rejects)).isSymbolicLink(), (await stat(rejects)).mode & 0o777]).toEqual([false, 0o600]);
    expect(await readFile(elsewhere, 'utf8')).toBe('mine');
  });

  it('of which one hides the rest of the file can not be left out', async () => {
    const file = await fileOf('torn', row('INV-1'), 'INV-2,"1', row('INV-3'));
    const torn = await submit(file, '--yes', '--skip-invalid');
    expect(torn.code).toBe(2);
    expect(torn.stderr).toContain('opens a quote (") that is never closed; what follows could not be read');
    expect(torn.stderr).toContain(
      'nothing was sent: what is wrong with the whole file leaves no row that could be sent.',
    );
    expect(await takeJobs()).toEqual([]);
  });

  it("are the contract's too, and a file without a fault leaves no list of them", async () => {
    const file = await files.file('contract.csv', `order_id,amount,currency,bank_city\nINV-1,1.00,EUR,Ulm\n`);
    const outside = await submit(file, '--yes');
    expect(outside).toMatchObject({ code: 2, stderr: expect.stringContaining('is not in the contract of acme-eu') });
    await submit(await fileOf('fine', row('INV-1')), '--dry-run');
    expect(existsSync(`${files.path()}/fine.faults.csv`)).toBe(false);
  });
});

it('the same file is not sent twice, under this batch or another, unless that is asked for', async () => {
  const file = await fileOf('once', row('ONE-1'), row('ONE-2'));
  const first = await submit(file, '--yes', '--json');
  expect(first).toMatchObject({ code: 0, stderr: '' });
  const { batch, ...told } = outcomeOf(first);
  const totals = { EUR: { count: 2, amount: '20.84' } };
  expect(told).toMatchObject({ outcome: 'uploaded', rows: 2, sent: 2, totals });
  expect(await takeJobs()).toHaveLength(2);

  const second = await submit(file, '--yes');
  expect(second.code).toBe(1);
  expect(second.stderr).toMatch(
    new RegExp(`payouts: once.csv was sent already, as batch ${batch}, 20.* by first-operator\\. With --again `),
  );
  const renamed = await submit(await fileOf('renamed', row('ONE-1'), row('ONE-2')), '--yes');
  expect(renamed.code).toBe(1);
  expect(renamed.stderr).toContain(`renamed.csv was taken already, as batch ${batch}`);
  expect(await takeJobs()).toEqual([]);

  expect(await submit(file, '--yes', '--again')).toMatchObject({ code: 0 });
  expect(await idsOf()).toEqual(['ONE-1', 'ONE-2']);
});

longDescribe('JSON lines', () => {
  const line = (orderId: string, more: object = {}) => {
    const params = { amount: '1', currency: 'EUR', order_desc: 'line\u2028break', account_number: ibanOf(orderId) };
    return JSON.stringify({ operation: 'payout', endpointId: '7', orderId, params, ...more });
  };

  it('come through standard input, which leaves nothing behind', async () => {
    const input = `\ufeff${line('J-1', { batchId: 'from-row' })}\r\n\n${line('J-2')}`;
    const before = await readdir(files.path());
    const place = { cwd: files.path(), env: { ...env(), TMPDIR: files.path() }, input };
    const piped = await runCli(['submit', '-', '--yes', '--json', '--merchant', 'globex-us'], place);
    expect(piped).toMatchObject({ code: 0, stderr: '' });
    expect(outcomeOf(piped)).toMatchObject({ file: 'stdin', batch: 'from-row', rows: 2, outcome: 'uploaded' });
    expect(await idsOf()).toEqual(['J-1', 'J-2']);
    expect(await readdir(files.path())).toEqual(before);
  });

  it('are told their faults by line; what the command line says may not be contradicted', async () => {
    const [own, others] = [line('J-1', { merchant: 'acme-eu' }), line('J-2', { merchant: 'globex-us' })];
    const file = await files.file('lines.jsonl', [own, '{', '[]', others, line('J-3', { x: 1 })].join('\n'));
    const end = await payouts('submit', file, '--merchant', 'acme-eu', '--yes', '--skip-invalid');
    expect(end.code).toBe(0);
    expect(await listed('lines.faults.csv')).toEqual([
      'row,column,fault',
      '2,,"is not JSON; write one whole object per line"',
      '3,,"is not an object; write a job message as README.md shows it"',
      '4,merchant,"is not what the command line says; leave one of them out"',
      '5,x,"is not a field of this contract; remove it"',
    ]);
    const rejects = await listed('lines.rejects.jsonl');
    expect(rejects.map((it) => JSON.parse(it).orderId)).toEqual([undefined, undefined, 'J-2', 'J-3']);
    expect(await idsOf()).toEqual(['J-1']);
  });
});

it('a first layout is written by a dry run, completed by a person, and kept with the batch for the next person', async () => {
  // given a file whose columns have names of their own
  const rows = ['Beleg;Betrag;currency;IBAN;Seite', `ERP-1;1.250,00;EUR;${ibanOf('erp')};7`];
  const file = await files.file('erp.csv', `${rows.join('\n')}\n`);
  const layout = `${files.path()}/erp.json`;

  // when a dry run writes the layout, and its fields are filled in
  const first = await submit(file, '--dry-run', '--layout', layout);
  expect(first.code).toBe(2);
  expect(first.stderr).toContain(`the layout ${layout} was written; it leaves out "Beleg", "Betrag", "Seite"`);
  const columns = { Beleg: 'orderId', Betrag: 'amount', currency: 'currency', IBAN: 'account_number', Seite: '' };
  expect(JSON.parse(await readFile(layout, 'utf8'))).toEqual({
    columns: { ...columns, Beleg: '', Betrag: '' },
    decimal: 'dot',
  });
  await writeFile(layout, JSON.stringify({ columns, decimal: 'comma' }));

  // then the file is sent by it, and is sent again and reported without a word about it
  expect(await submit(file, '--layout', layout, '--batch', 'erp', '--yes')).toMatchObject({ code: 0 });
  expect(await takeJobs()).toMatchObject([{ orderId: 'ERP-1', params: { amount: '1250.00' } }]);
  expect(await payouts('submit', file, '--batch', 'erp', '--yes', '--again', '--accept', 'all')).toMatchObject({
    code: 0,
  });
  expect(await takeJobs()).toMatchObject([{ orderId: 'ERP-1', params: { amount: '1250.00' } }]);
  const report = await payouts('report', 'erp', '--file', file, '--format', 'jsonl');
  expect(JSON.parse(report.stdout)).toMatchObject({ order_id: 'ERP-1', input: { Beleg: 'ERP-1', Seite: '7' } });
});

it.each([
  ['is torn', 'torn.csv', ['order_id,amount,currency,IBAN', `T-1,1.00,EUR,${ibanOf('t')}`, 'T-2,"1'].join('\n')],
  [
    'has a column that was rounded',
    'rounded.csv',
    'order_id,amount,currency,account_number,bank\nT-1,1.00,EUR,9007199254740990,B\nT-2,1.00,EUR,9007199254740980,B\n',
  ],
  [
    'contradicts its own sum',
    'sum.xml',
    creditTransfers([{ day: '1999-01-01', transfers: [{ id: 'T-1', amount: '1.00' }] }]).replace(
      '<CtrlSum>1.00',
      '<CtrlSum>9.00',
    ),
  ],
])('nothing of a file that %s is sent, with or without its rows that are right', async (_, name, text) => {
  const file = await files.file(name, text);
  for (const args of [['--yes'], ['--yes', '--skip-invalid']]) {
    const { code, stderr } = await submit(file, ...args);
    expect({ code, told: stderr.includes('nothing was sent') }).toEqual({ code: 2, told: true });
  }
  expect(await takeJobs()).toEqual([]);
});
