// `payouts submit` as an operator runs it: files as spreadsheets and programs write them, against the embedded AWS.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { testCards } from '../support/jobs.ts';
import { type CliEnd, runCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { ibanOf } from './support/ibans.ts';
import { anAws, type SentJob } from './support/aws.ts';
import { longDescribe } from '../support/long-proof.ts';

const files = aDirectory();
const queue = anAws();
const same = ['--merchant', 'acme-eu', '--operation', 'payout', '--endpoint', '39915'];
const header = 'order_id,amount,currency,description,iban,bank';
const row = (id: string, amount = '10.42') => `${id},${amount},EUR,Invoice,${ibanOf(id)},Cool bank`;
const fileOf = (name: string, ...lines: string[]) => files.file(name, `${lines.join('\n')}\n`);
const submit = (...args: string[]): Promise<CliEnd> =>
  runCli(['submit', ...args], { cwd: files.path(), env: queue.env() });
const outcomeOf = ({ stdout }: CliEnd): Record<string, unknown> => JSON.parse(stdout);
const idsOf = (jobs: readonly SentJob[]) => jobs.map(({ orderId }) => orderId).toSorted();

describe('a file out of a spreadsheet', () => {
  const excel =
    '\ufeffRechnung;Betrag;CCY;Order Desc;IBAN;Bank;Notiz;context.invoice\r\n' +
    'INV-1;10.42;EUR;"one; and ""quotes""";DE89370400440532013000;Bänk;x;"two\r\nlines"\r\n' +
    ';;;;;;;\r\n' +
    'INV-2;1000;JPY;;DE89370400440532013000;Bänk;;\r\n' +
    '\r\n\r\n';
  const choices = [...same, '--map', 'Rechnung=orderId', '--map', 'Betrag=amount', '--ignore', 'Notiz'];

  it('is understood, added up exactly, and not sent in a dry run, which needs no AWS', async () => {
    const file = await files.file('excel.csv', excel);
    const { code, stdout, stderr } = await runCli(['submit', file, '--dry-run', ...choices], { cwd: files.path() });
    expect(stderr).toContain('acme-eu    payout         1   10.42   EUR');
    expect(stderr).toContain('acme-eu    payout         1    1000   JPY');
    expect(stderr).toMatch(/excel\.csv · 2 rows · batch excel-[0-9a-f]{12}\n {2}SHA-256 [0-9a-f]{64}\n/);
    expect(stdout).toBe('nothing was sent (--dry-run)\n');
    expect(code).toBe(0);
  });

  it('is sent to the letter', async () => {
    const file = await files.file('excel.csv', excel);
    expect(await submit(file, '--batch', 'excel', '--yes', ...choices)).toMatchObject({
      code: 0,
      stdout:
        'batch excel: all 2 rows of excel.csv are on the queue, none of them paid yet\n  how they end: `npx --no payouts batch excel --watch`\n',
    });
    const params = { account_number: 'DE89370400440532013000', bank_name: 'Bänk' };
    const common = { version: 1, merchant: 'acme-eu', operation: 'payout', endpointId: '39915', batchId: 'excel' };
    expect((await queue.takeJobs()).toSorted((a, b) => (a.orderId < b.orderId ? -1 : 1))).toEqual([
      {
        ...common,
        orderId: 'INV-1',
        params: { ...params, amount: '10.42', currency: 'EUR', order_desc: 'one; and "quotes"' },
        context: { invoice: 'two\r\nlines' },
      },
      { ...common, orderId: 'INV-2', params: { ...params, amount: '1000', currency: 'JPY' } },
    ]);
  });
});

longDescribe('faults', () => {
  let end: CliEnd;
  let listed: string;

  beforeAll(async () => {
    const many = Array.from({ length: 25 }, (_, index) => row(`X-${index}`, '"1,5"'));
    const card = row('INV-9').replace('Invoice', testCards.sender);
    const lines = [header, row('INV-1'), row('INV-1'), row('1.2E+15'), 'INV-4,1', row('', '1'), card, ...many];
    end = await submit(await fileOf('faulty.csv', ...lines), ...same, '--yes');
    listed = await readFile(`${files.path()}/faulty.faults.csv`, 'utf8');
  });

  it('are all found, by row and column, before anything is sent', async () => {
    expect(end.code).toBe(2);
    expect(end.stderr).toContain('30 faults in 30 of 31 rows; nothing was sent. Mend the file, or say --skip-invalid.');
    expect(end.stderr).toContain('… and 10 more');
    expect(await queue.takeJobs()).toEqual([]);
    expect(listed.split('\n').slice(0, 7)).toEqual([
      'row,column,fault',
      '3,order_id,is the order id of row 2 too',
      '4,order_id,"is in exponent form: the spreadsheet has dropped digits that nobody can put back; format the column as text in the source and export it again"',
      '5,,"has 2 cells where the header has 6; put quotes around a cell that holds the delimiter"',
      '6,order_id,is missing',
      '7,description,"holds digits that pass for a card number; leave them out"',
      '8,amount,"has a decimal comma; write it without thousands separators and with a dot, as in ""1234.56"", or say --decimal comma where all amounts have commas"',
    ]);
    expect(listed.trimEnd().split('\n')).toHaveLength(31);
  });

  it('can be left out, into a file of rejects that bears no card data', async () => {
    const plain =
      'order_id,amount,currency,credit_card_number,cvv2,description,destination_card_recurring_payment_id\n';
    const bad = `T-1,x,EUR,${testCards.sender},737,paid by ${testCards.receiver},1\n`;
    const good = 'T-2,5,EUR,,,by reference,2\nT-3,5,EUR,,,,3\n';
    const file = await files.file('cards.csv', plain + bad + good);
    const choices = ['--merchant', 'acme-eu', '--operation', 'transfer', '--endpoint', '1'];
    const left = await submit(file, ...choices, '--yes', '--skip-invalid', '--batch', 'cards');
    expect(left).toMatchObject({
      code: 0,
      stdout:
        'batch cards: all 2 rows of cards.csv are on the queue, none of them paid yet\n  how they end: `npx --no payouts batch cards --watch`\n',
    });
    expect(idsOf(await queue.takeJobs())).toEqual(['T-2', 'T-3']);
    const rejects = await readFile(`${files.path()}/cards.rejects.csv`, 'utf8');
    expect(rejects).toBe(
      'order_id,amount,currency,credit_card_number,cvv2,description,destination_card_recurring_payment_id,payouts_row,payouts_fault\n' +
        'T-1,x,EUR,***1111,***,paid by ***,1,2,"amount is not a plain decimal number such as ""10.42"""\n',
    );
    expect(left.stdout + left.stderr).not.toMatch(/4111|5555|737/);
  });

  it('of which one hides the rest of the file can not be left out', async () => {
    const file = await fileOf('torn.csv', header, row('INV-1'), 'INV-2,"1', row('INV-3'));
    const torn = await submit(file, ...same, '--yes', '--skip-invalid');
    expect(torn.code).toBe(2);
    expect(torn.stderr).toContain('opens a quote (") that is never closed; what follows could not be read');
    expect(torn.stderr).toContain(
      'nothing was sent: what is wrong with the whole file leaves no row that could be sent.',
    );
    expect(await queue.takeJobs()).toEqual([]);
  });

  it("are the contract's too, and a file without a fault leaves no list of them", async () => {
    const file = await fileOf('contract.csv', `${header},bank_city`, `${row('INV-1')},Ulm`);
    const outside = await submit(file, ...same, '--yes');
    expect(outside.code).toBe(2);
    expect(outside.stderr).toContain('is not in the contract of acme-eu');
    await submit(await fileOf('fine.csv', header, row('INV-1')), ...same, '--dry-run');
    expect(existsSync(`${files.path()}/fine.faults.csv`)).toBe(false);
  });
});

describe('the same file', () => {
  it('is not sent twice, under this batch or another, unless that is asked for', async () => {
    const file = await fileOf('once.csv', header, row('ONE-1'), row('ONE-2'));
    const first = await submit(file, ...same, '--yes', '--json');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const { batch, ...told } = outcomeOf(first);
    expect(told).toMatchObject({
      outcome: 'uploaded',
      rows: 2,
      sent: 2,
      totals: { EUR: { count: 2, amount: '20.84' } },
    });
    expect(await queue.takeJobs()).toHaveLength(2);

    const second = await submit(file, ...same, '--yes');
    expect(second.code).toBe(1);
    expect(second.stdout).toMatch(
      new RegExp(`^once.csv was sent already, as batch ${batch}, 20.* by first-operator\\. With --again `),
    );
    const renamed = await submit(await fileOf('renamed.csv', header, row('ONE-1'), row('ONE-2')), ...same, '--yes');
    expect(renamed.code).toBe(1);
    expect(renamed.stdout).toContain(`renamed.csv was taken already, as batch ${batch}`);
    expect(await queue.takeJobs()).toEqual([]);

    expect(await submit(file, ...same, '--yes', '--again')).toMatchObject({ code: 0 });
    expect(idsOf(await queue.takeJobs())).toEqual(['ONE-1', 'ONE-2']);
  });
});

longDescribe('JSON lines', () => {
  const line = (orderId: string, more: object = {}) => {
    const params = { amount: '1', currency: 'EUR', order_desc: 'line\u2028break', account_number: ibanOf(orderId) };
    return JSON.stringify({ operation: 'payout', endpointId: '7', orderId, params, ...more });
  };

  it('come through standard input, which leaves nothing behind', async () => {
    const input = `\ufeff${line('J-1', { batchId: 'from-row' })}\r\n\n${line('J-2')}`;
    const tmp = await files.file('tmp', '').then(() => files.path());
    const before = await readdir(tmp);
    const piped = await runCli(['submit', '-', '--yes', '--json', '--merchant', 'globex-us'], {
      cwd: files.path(),
      env: { ...queue.env(), TMPDIR: tmp },
      input,
    });
    expect(piped).toMatchObject({ code: 0, stderr: '' });
    expect(outcomeOf(piped)).toMatchObject({ file: 'stdin', batch: 'from-row', rows: 2, outcome: 'uploaded' });
    expect(idsOf(await queue.takeJobs())).toEqual(['J-1', 'J-2']);
    expect(await readdir(tmp)).toEqual(before);
  });

  it('are told their faults by line; what the command line says may not be contradicted', async () => {
    const lines = [
      line('J-1', { merchant: 'acme-eu' }),
      '{',
      '[]',
      line('J-2', { merchant: 'globex-us' }),
      line('J-3', { x: 1 }),
    ];
    const end = await submit(await fileOf('lines.jsonl', ...lines), '--merchant', 'acme-eu', '--yes', '--skip-invalid');
    expect(end.code).toBe(0);
    expect(await readFile(`${files.path()}/lines.faults.csv`, 'utf8')).toBe(
      'row,column,fault\n' +
        '2,,"is not JSON; write one whole object per line"\n' +
        '3,,"is not an object; write a job message as README.md shows it"\n' +
        '4,merchant,"is not what the command line says; leave one of them out"\n' +
        '5,x,"is not a field of this contract; remove it"\n',
    );
    const rejects = (await readFile(`${files.path()}/lines.rejects.jsonl`, 'utf8')).trimEnd().split('\n');
    expect(rejects.map((it) => JSON.parse(it).orderId)).toEqual([undefined, undefined, 'J-2', 'J-3']);
    expect(idsOf(await queue.takeJobs())).toEqual(['J-1']);
  });
});
