// `payouts report --file`: the file that was submitted, row by row, beside what became of it.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import readWorkbook from 'read-excel-file/node';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BatchRow } from '../../lib/batches/batch.ts';
import { testCards } from '../support/jobs.ts';
import { aDirectory } from './support/files.ts';
import { aLedgerWithBatch, aRow } from './support/ledger-with-batch.ts';
import { longIt } from '../support/long-proof.ts';

const directory = aDirectory();
const world = aLedgerWithBatch();

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const reading = {
  merchant: 'acme-eu',
  operation: 'payout',
  endpoint: '39915',
  columns: { Remark: '', staff: '' },
};

/** Four rows of which the third could not be sent, with a note of the sender's and a formula in it. */
const payroll = [
  'Order ID;amount;currency;IBAN;bank_name;context.note;Remark',
  'A;10.42;EUR;DE89370400440532013000;Cool bank;=1+1;"first; of all"',
  'B;10.42;EUR;DE89370400440532013000;Cool bank;;',
  'C;10,42;EUR;DE89370400440532013000;Cool bank;;',
  'D;10.42;EUR;DE89370400440532013000;Cool bank;;',
  '',
].join('\r\n');

async function uploaded(
  batchId: string,
  text: string,
  rows: readonly BatchRow[],
  how: object = reading,
  name = `${batchId}.csv`,
) {
  await world.upload(batchId, rows, { fileHash: hashOf(text), reading: how });
  return directory.file(name, text);
}

const report = (...args: string[]) => world.payouts('report', ...args);

describe('payouts report --file', () => {
  let file: string;

  beforeAll(async () => {
    file = await uploaded('payroll', payroll, [aRow('A'), aRow('B'), aRow('D')]);
    await world.order('payroll', 'A', { standing: 'paid', gatewayOrderId: '9000' });
    await world.order('payroll', 'D', { standing: 'declined' });
  });

  it('has every row of the file in its order, its own columns in front, rejected rows included', async () => {
    const { code, stdout, stderr } = await report('payroll', '--file', file);
    expect(code).toBe(0);
    const lines: Record<string, string>[] = parse(stdout, { columns: true });
    expect(Object.keys(lines[0] ?? {}).slice(0, 9)).toEqual([
      'Order ID',
      'amount',
      'currency',
      'IBAN',
      'bank_name',
      'context.note',
      'Remark',
      'payouts_row',
      'payouts_order_id',
    ]);
    expect(lines.slice(0, 4).map((it) => [it['Order ID'], it['payouts_row'], it['payouts_status']])).toEqual([
      ['A', '2', 'paid'],
      ['B', '3', 'not-started'],
      ['C', '4', 'rejected'],
      ['D', '5', 'declined'],
    ]);
    expect(lines[0]).toMatchObject({
      IBAN: 'DE89370400440532013000',
      'context.note': "'=1+1",
      Remark: 'first; of all',
      payouts_gateway_order_id: '9000',
      payouts_final: 'true',
    });
    expect(lines[2]).toMatchObject({
      amount: '10,42',
      payouts_failure_code: 'INVALID_ROW',
      payouts_failure_message: expect.stringMatching(/^amount has a decimal comma/),
    });
    expect(lines).toHaveLength(4);
    const sums = stderr.split('\n').map((it) => it.trim().split(/\s+/));
    expect(sums).toEqual([
      ['record', 'status', 'rows', 'amount', 'currency'],
      ['total', 'rejected', '1'],
      ['total', 'not-started', '1', '10.42', 'EUR'],
      ['total', 'paid', '1', '10.42', 'EUR'],
      ['total', 'declined', '1', '10.42', 'EUR'],
      ['control', 'balanced', '3', '31.26', 'EUR'],
      ['control', 'balanced', '3'],
      ['payouts:', '4', 'rows'],
      [''],
    ]);
  });

  it('is a workbook as well: amounts are numbers in it, ids are text, the sums have a sheet of their own', async () => {
    const output = join(directory.path(), 'payroll.xlsx');
    const args = ['--file', file, '--format', 'xlsx', '--output', output];
    expect(await report('payroll', ...args)).toMatchObject({ code: 0 });
    const [rows, totals] = await readWorkbook(output);
    expect([rows?.sheet, totals?.sheet]).toEqual(['rows', 'totals']);
    const head = rows?.data[0] ?? [];
    expect(rows?.data[1]?.[head.indexOf('payouts_amount')]).toBe(10.42);
    expect(rows?.data[1]?.[head.indexOf('payouts_gateway_order_id')]).toBe('9000');
    // Text, which no spreadsheet runs.
    expect(rows?.data[1]?.[head.indexOf('context.note')]).toBe('=1+1');
    expect(totals?.data.slice(1, 3)).toEqual([
      ['total', 'rejected', 1, null, null],
      ['total', 'not-started', 1, 10.42, 'EUR'],
    ]);
  });

  longIt('refuses another file, were it by one byte', async () => {
    const other = await directory.file('other.csv', payroll.replace('first', 'First'));
    const { code, stdout, stderr } = await report('payroll', '--file', other);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('other.csv is not the file of batch payroll: its SHA-256 is another');
  });
});

longIt('a line of totals was refused, however whole the batch is, and by the reason that the file shows', async () => {
  const text =
    'order_id,amount,currency,iban,staff\nM,10.42,EUR,DE89370400440532013000,12345678901234567890\nN,10.42,EUR,,\nTotal,20.84,EUR,,\n';
  const file = await uploaded('totals', text, [aRow('M')]);
  const { stdout } = await report('totals', '--file', file);
  const lines: Record<string, string>[] = parse(stdout, { columns: true });
  expect(lines.map((it) => [it['payouts_row'], it['payouts_status'], it['payouts_final']])).toEqual([
    ['2', 'not-started', 'false'],
    ['3', 'rejected', 'true'],
    ['4', 'rejected', 'true'],
  ]);
  expect(lines[1]?.['payouts_failure_message']).toMatch(/^iban is missing; payout needs account_number/);
  expect(lines[2]?.['payouts_failure_message']).toBe(
    'looks like a line of totals, and is no payment; remove it from the file',
  );
  // Twenty digits are no card, so nothing of them is masked.
  expect(lines[0]?.['staff']).toBe('12345678901234567890');
});

longIt('shows nothing of a card, in CSV or JSON, from either kind of file', async () => {
  const names =
    'operation,merchant,endpoint,order_id,amount,currency,credit_card_number,cvv2,expire_month,expire_year,card_printed_name,destination-card-no,order_desc';
  const values = `transfer,acme-eu,39915,T,10.42,EUR,${testCards.sender},737,12,2030,JANE DOE,${testCards.receiver},rent`;
  const csv = `${names}\n${values}\n`;
  const params = {
    amount: '10.42',
    currency: 'EUR',
    credit_card_number: testCards.sender,
    cvv2: '737',
    card_printed_name: 'JANE DOE',
    'destination-card-no': testCards.receiver,
  };
  const job = { version: 1, operation: 'transfer', merchant: 'acme-eu', endpointId: '39915', orderId: 'U', params };
  const jsonl = `${JSON.stringify(job)}\n`;
  const files = [
    ['cards', await uploaded('cards', csv, [aRow('T')], {})],
    ['jobs', await uploaded('jobs', jsonl, [aRow('U')], {}, 'jobs.jsonl')],
  ] as const;
  for (const [batchId, file] of files) {
    for (const format of ['csv', 'jsonl']) {
      const { code, stdout, stderr } = await report(batchId, '--file', file, '--format', format);
      expect(code).toBe(0);
      expect(stdout).toMatch(/waiting|not-started/);
      for (const secret of [testCards.sender, testCards.receiver, '737', 'JANE DOE'])
        expect(stdout + stderr).not.toContain(secret);
    }
  }
});
