// `payouts retry`: what of a batch is proven unpaid, why, and the same rows with new ids in a file of the same layout, which
// `payouts submit` takes as it is.
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleSecrets, workerSecret } from '../../lib/local/sample-merchants.ts';
import { viewOf } from '../../lib/payout/order/view.ts';
import { testCards } from '../support/jobs.ts';
import { longIt } from '../support/long-proof.ts';
import { runCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { aRow, type LedgerWithBatch, startLedgerWithBatch } from './support/ledger-with-batch.ts';

const directory = aDirectory();
let world: LedgerWithBatch;

beforeAll(async () => {
  world = await startLedgerWithBatch();
  const nobody = 'http://127.0.0.1:9';
  for (const [merchant, secret] of Object.entries(await sampleSecrets({ gatewayUrl: nobody, closedUrl: nobody })))
    world.aws.secrets.put(`payouts/${merchant}`, secret);
  world.aws.secrets.put('payouts/_worker', workerSecret());
});
afterAll(() => world.close());

const same = ['--merchant', 'acme-eu', '--operation', 'payout', '--endpoint', '39915', '--ignore', 'Remark'];
const run = (...args: readonly string[]) => runCli(args, { cwd: directory.path(), env: world.env });
const textOf = (name: string) => readFile(join(directory.path(), name), 'utf8');
const iban = 'DE89370400440532013000';

/** A file that was submitted as a batch of the rows that are named. */
async function submitted(batchId: string, name: string, text: string, ids: readonly string[]): Promise<void> {
  await directory.file(name, text);
  const fileHash = createHash('sha256').update(text).digest('hex');
  await world.upload(
    batchId,
    ids.map((id) => aRow(id)),
    { fileHash },
  );
}

const refused = { code: 'GATEWAY_REFUSED', message: 'no such account', gatewayCode: '28' } as const;

it('writes what is proven unpaid, with new ids, and says why each failed', async () => {
  // given a payday: paid, declined, refused when it was submitted, declined and retried, in doubt, never sent, and a slip
  const head = 'Order ID;amount;currency;IBAN;bank_name;context.note;Remark';
  const rows = ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((id) => {
    const note = id === 'B' ? '=1+1' : '';
    const remark = id === 'B' ? '"first; of all"' : id === 'G' ? testCards.sender : '';
    return `${id};${id === 'C' ? '10,42' : '10.42'};EUR;${iban};Cool bank;${note};${remark}`;
  });
  await submitted('payday', 'payday.csv', [head, ...rows, ''].join('\r\n'), ['A', 'B', 'D', 'E', 'F', 'G']);
  await world.order('payday', 'A', { state: 'approved', final: true });
  await world.order('payday', 'B', { state: 'declined', final: true, failure: refused });
  await world.order('payday', 'D', { state: 'declined', final: true, failure: refused });
  await world.order('retried', 'D-R1', { state: 'accepted' });
  await world.order('payday', 'E', { state: 'in-doubt' });
  await world.order('payday', 'F', { state: 'failed', final: true, failure: { code: 'NOT_SENT', message: 'closed' } });
  await world.order('payday', 'G', { state: 'declined', final: true, failure: refused });

  // when it is retried as a file
  const retried = await run('retry', 'payday', 'payday.csv', ...same, '--as-file', 'again.csv');

  // then the two that nothing has paid and nothing will are in it, with new ids and as they were
  const again = await textOf('again.csv');
  expect(again.split('\n')).toEqual([
    head,
    `B-R1;10.42;EUR;${iban};Cool bank;'=1+1;"first; of all"`,
    `F-R1;10.42;EUR;${iban};Cool bank;;`,
    '',
  ]);
  expect((await stat(join(directory.path(), 'again.csv'))).mode & 0o777).toBe(0o600);

  // and why they failed, what is kept back, and what a person must write is told
  expect(retried.stdout).toContain('1 declined · GATEWAY_REFUSED: gateway code 28, no such account');
  expect(retried.stdout).toContain('1 failed · NOT_SENT: closed');
  expect(retried.stdout).toContain('not retried: 1 paid, 1 in-doubt');
  expect(retried.stdout).toContain('1 row never sent: where a dead letter holds one, discard it');
  expect(retried.stdout).toContain('✔ 2 rows, 20.84 EUR, with new order ids in again.csv');
  expect((await textOf('again.csv.left.csv')).split('\n').slice(1, 3)).toEqual([
    '5,acme-eu/D,"it was sent again as D-R1, which is accepted"',
    '8,acme-eu/G,"it bears card data, which no file of ours has; send it again from where it came"',
  ]);
  expect(retried.stdout).not.toContain(testCards.sender);
  expect(retried.code).toBe(1);

  // and `submit` takes the file by the command that was printed, to the cent, with no word about the earlier orders
  const [, printed = ''] = /`npx --no payouts (submit again\.csv [^`]+)`/.exec(retried.stdout) ?? [];
  const words = printed.split(' ').map((it) => it.replaceAll("'", ''));
  const looked = await run(...words, '--dry-run', '--json', '--accept', 'duplicate', '--look-back', '0');
  expect(JSON.parse(looked.stdout)).toMatchObject({
    rows: 2,
    totals: { EUR: { count: 2, amount: '20.84' } },
    inLedger: { moving: { rows: 2 }, known: {} },
  });
  expect(looked.code).toBe(0);
});

longIt('writes the same ids again, so that who retries twice pays once', async () => {
  const head = 'Order ID;amount;currency;IBAN;bank_name;context.note;Remark';
  await submitted('twice', 'twice.csv', [head, `T;10.42;EUR;${iban};Cool bank;;`, ''].join('\n'), ['T']);
  const failed = await world.order('twice', 'T', { state: 'declined', final: true, failure: refused });
  expect(viewOf(failed).state).toBe('declined');
  const first = await run('retry', 'twice', 'twice.csv', ...same, '--as-file', 'one.csv', '--json');
  await run('retry', 'twice', 'twice.csv', ...same, '--as-file', 'two.csv');
  expect(await textOf('one.csv')).toBe(await textOf('two.csv'));
  expect(JSON.parse(first.stdout)).toMatchObject({
    batch: 'twice',
    file: 'one.csv',
    written: 1,
    totals: [{ currency: 'EUR', count: 1, amount: '10.42' }],
    kept: {},
    left: 0,
  });
  expect(first.code).toBe(0);

  // and once the first was sent and may be paid, nothing is written any more
  await world.order('twice-again', 'T-R1', { state: 'accepted' });
  const third = await run('retry', 'twice', 'twice.csv', ...same, '--as-file', 'three.csv');
  expect(third).toMatchObject({ code: 1, stdout: expect.stringContaining('nothing to retry') });
  await expect(textOf('three.csv')).rejects.toThrow('ENOENT');
});

longIt('keeps JSON lines as they were, without the batch that they name', async () => {
  const job = {
    version: 1,
    operation: 'payout',
    merchant: 'acme-eu',
    endpointId: '39915',
    batchId: 'lines',
    context: { invoice: 7 },
    params: { amount: '10.42', currency: 'EUR', account_number: iban, bank_name: 'Bank' },
  };
  const lines = ['J-1', 'J-2'].map((orderId) => `${JSON.stringify({ ...job, orderId })}\n`).join('');
  await submitted('lines', 'lines.jsonl', lines, ['J-1', 'J-2']);
  await world.order('lines', 'J-2', { state: 'declined', final: true, failure: refused });
  const { code } = await run('retry', 'lines', 'lines.jsonl', '--as-file', 'lines-again.jsonl');
  expect(code).toBe(0);
  const { batchId: _, ...rest } = job;
  expect(JSON.parse(await textOf('lines-again.jsonl'))).toEqual({ ...rest, orderId: 'J-2-R1' });
});

longIt('refuses another file, another batch, and to write over what it reads', async () => {
  await directory.file('other.csv', 'Order ID;amount;currency;IBAN\nA;1.00;EUR;DE89370400440532013000\n');
  const retry = (...args: readonly string[]) => run('retry', ...args, ...same.slice(0, 6));
  expect(await retry('payday', 'other.csv', '--as-file', 'x.csv')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not the file of batch payday'),
  });
  expect(await retry('nothing', 'other.csv', '--as-file', 'x.csv')).toMatchObject({ code: 1 });
  expect(await retry('payday', 'payday.csv', '--as-file', 'payday.csv')).toMatchObject({ code: 2 });
  expect(await retry('no/batch', 'payday.csv', '--as-file', 'x.csv')).toMatchObject({ code: 2 });
});
