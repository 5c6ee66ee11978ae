// `payouts retry`: what of a batch is proven unpaid, why, and the same rows with new ids in a file of the same layout, which
// `payouts submit` takes as it is.
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { viewOf } from '../../lib/payout/order/projection.ts';
import { contentDigest } from '../../lib/payout/message/plain-digest.ts';
import { aPayoutJob, type JobBody, jobOf, testCards } from '../support/jobs.ts';
import { longIt } from '../support/long-proof.ts';
import { aDirectory } from './support/files.ts';
import { aLedgerWithBatch, aRow } from './support/ledger-with-batch.ts';

const directory = aDirectory();
const world = aLedgerWithBatch({ merchants: true, cwd: () => directory.path() });

const reading = { merchant: 'acme-eu', operation: 'payout', endpoint: '39915', columns: { Remark: '' } };
const run = world.payouts;
const textOf = (name: string) => readFile(join(directory.path(), name), 'utf8');
const iban = 'DE89370400440532013000';

/** A file that was submitted as a batch of the rows that are named. */
async function submitted(batchId: string, name: string, text: string, ids: readonly string[]): Promise<void> {
  await directory.file(name, text);
  const fileHash = createHash('sha256').update(text).digest('hex');
  await world.upload(
    batchId,
    ids.map((id) => aRow(id)),
    { fileHash, reading },
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
  await world.order('payday', 'A', { standing: 'paid' });
  await world.order('payday', 'B', { standing: 'declined', failure: refused });
  await world.order('payday', 'D', { standing: 'declined', failure: refused });
  await world.order('retried', 'D-R1', { standing: 'confirming' });
  await world.order('payday', 'E', { standing: 'in-doubt' });
  await world.order('payday', 'F', { standing: 'failed', failure: { code: 'NOT_SENT', message: 'closed' } });
  await world.order('payday', 'G', { standing: 'declined', failure: refused });

  // when it is retried as a file
  const retried = await run('retry', 'payday', 'payday.csv', '--as-file', 'again.csv');

  // then the two that nothing has paid and nothing will are in it, with new ids and as they were
  const again = await textOf('again.csv');
  expect(again.split('\n')).toEqual([
    head,
    `B-R1;10.42;EUR;${iban};Cool bank;'=1+1;"first; of all"`,
    `F-R1;10.42;EUR;${iban};Cool bank;;`,
    '',
  ]);
  expect((await stat(join(directory.path(), 'again.csv'))).mode & 0o777).toBe(0o600);

  // and the old ids are never sent again, not even by the name of their end
  for (const id of ['B', 'F']) {
    const read = await world.orders().read(`acme-eu/${id}`);
    const view = read.kind === 'found' ? viewOf(read.order) : undefined;
    expect([view?.standing, view?.endId]).toEqual(['cancelled', undefined]);
  }

  // and why they failed, what is kept back, and what a person must write is told
  expect(retried.stdout).toContain('1 declined · GATEWAY_REFUSED: gateway code 28, no such account');
  expect(retried.stdout).toContain('1 failed · NOT_SENT: closed');
  expect(retried.stdout).toContain('not retried: 1 paid, 1 in-doubt');
  expect(retried.stdout).toContain('✔ 2 rows, 20.84 EUR, with new order ids in again.csv; the old ids are cancelled');
  expect((await textOf('again.csv.left.csv')).split('\n').slice(1, 3)).toEqual([
    '5,acme-eu/D,"it was sent again as D-R1, which is confirming"',
    '8,acme-eu/G,"it bears card data, which no file of ours has; send it again from where it came"',
  ]);
  expect(retried.stdout).not.toContain(testCards.sender);
  expect(retried.code).toBe(1);

  // and `submit` takes the file by the command that was printed, to the cent, with no word about the earlier orders
  const [, printed = ''] = /`node \. (submit again\.csv [^`]+)`/.exec(retried.stdout) ?? [];
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
  const failed = await world.order('twice', 'T', { standing: 'declined', failure: refused });
  expect(viewOf(failed).standing).toBe('declined');
  const first = await run('retry', 'twice', 'twice.csv', '--as-file', 'one.csv', '--json');
  await run('retry', 'twice', 'twice.csv', '--as-file', 'two.csv');
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
  await world.order('twice-again', 'T-R1', { standing: 'confirming' });
  const third = await run('retry', 'twice', 'twice.csv', '--as-file', 'three.csv');
  expect(third).toMatchObject({ code: 1, stdout: expect.stringContaining('nothing to retry') });
  await expect(textOf('three.csv')).rejects.toThrow('ENOENT');
});

it('closes every earlier id before it writes a new one, so that no retry of an earlier one pays beside it', async () => {
  // given a payout that was declined, written under a new id, and declined under that too
  const head = 'Order ID;amount;currency;IBAN;bank_name;context.note;Remark';
  await submitted('chain', 'chain.csv', [head, `H;10.42;EUR;${iban};Cool bank;;`, ''].join('\n'), ['H']);
  await world.order('chain', 'H', { standing: 'declined', failure: refused });
  await run('retry', 'chain', 'chain.csv', '--as-file', 'h1.csv');
  const h1 = await textOf('h1.csv');
  await submitted('chain-1', 'h1.csv', h1, ['H-R1']);
  await world.order('chain-1', 'H-R1', { standing: 'declined', failure: refused });

  // when the first batch is written once more
  await run('retry', 'chain', 'chain.csv', '--as-file', 'h2.csv');
  expect(await textOf('h2.csv')).toContain('H-R2;10.42');

  // then the second batch opens its order no more
  const named = await run('retry', 'chain-1', 'h1.csv', '--dry-run');
  expect(named).toMatchObject({ code: 1, stdout: expect.stringContaining('nothing to retry') });
});

it('takes what was sent out of dead letters where no file is named, each by the name of its end', async () => {
  // given a batch without its file: two rows were declined, of which one is a dead letter, and of a third the seal is one
  const bodies = ['L-1', 'L-3'].map((orderId) => ({
    ...aPayoutJob({ orderId, batchId: 'letters', context: { invoice: 7 } }),
    approval: '0.',
    resends: 'end-of-old',
  }));
  const sealed = { ...bodies[1], sealedParams: 'e30.AAAA.AAAA.AAAA.AAAA' };
  const digestOf = (body: object) => contentDigest(jobOf(body as JobBody));
  await world.upload('letters', [
    { ...aRow('L-1'), digest: digestOf(bodies[0] ?? {}) },
    aRow('L-2'),
    { ...aRow('L-3'), digest: digestOf(sealed) },
  ]);
  for (const id of ['L-1', 'L-2', 'L-3'])
    await world.order('letters', id, {
      standing: 'failed',
      failure: { code: 'NOT_SENT', message: 'closed' },
    });
  const forged = { ...bodies[0], params: { ...bodies[0]?.params, account_number: 'GB33BUKB20201555555555' } };
  for (const body of [bodies[0] ?? {}, forged, sealed]) await world.deadLetter(body);

  // when it is looked at
  const looked = await run('retry', 'letters', '--dry-run', '--accept', 'all');

  // then the new batch holds what was sent, without what belonged to the old one, and names the end that is in force
  const [, file = ''] = /its file is (\S+\.jsonl)/.exec(looked.stdout) ?? [];
  const { approval: _, batchId: _batch, ...own } = bodies[0] ?? {};
  expect(JSON.parse(await textOf(file))).toEqual({ ...own, resends: 'end-1' });
  expect((await stat(join(directory.path(), file))).mode & 0o777).toBe(0o600);
  expect(looked.stdout).toContain('1 row never sent: where a dead letter holds one, discard it once these are paid');
  expect(looked.stdout).toContain('✔ 1 row, 10.42 EUR, each under its order id');

  // and what no batch has, or what is sealed for its batch, is listed
  expect((await textOf('letters-retry.left.csv')).split('\n').slice(1, 3)).toEqual([
    ',acme-eu/L-2,"neither a dead letter nor a file has it; name the file of its batch"',
    ',acme-eu/L-3,"its card data is sealed for its batch; redrive its dead letter, or send it again from where it came"',
  ]);
  expect(looked.code).toBe(1);
});

longIt('opens no order that was sent again under a new id, and writes no card', async () => {
  // given a row whose retry under a new id was declined too, and one that bears a card by a slip
  const head = 'Order ID;amount;currency;IBAN;bank_name;context.note;Remark';
  const rows = [`N;10.42;EUR;${iban};Cool bank;;`, `C;10.42;EUR;${iban};${testCards.sender};;`];
  await submitted('renewed', 'renewed.csv', [head, ...rows, ''].join('\n'), ['N', 'C']);
  for (const [batchId, id] of [
    ['renewed', 'N'],
    ['renewed', 'C'],
    ['renewed-again', 'N-R1'],
  ] as const)
    await world.order(batchId, id, { standing: 'declined', failure: refused });

  // when both are retried by name
  const looked = await run('retry', 'renewed', 'renewed.csv', '--dry-run');

  // then neither is
  expect(looked).toMatchObject({ code: 1, stdout: expect.stringContaining('nothing to retry') });
  const left = await textOf('renewed-retry.left.csv');
  expect(left).toContain('it was sent again as N-R1; retry the batch of that order');
  expect(left).toContain('it bears card data');
  expect(looked.stdout + left).not.toContain(testCards.sender);
});

longIt('refuses another file, another batch, and to write over what it reads', async () => {
  await directory.file('other.csv', 'Order ID;amount;currency;IBAN\nA;1.00;EUR;DE89370400440532013000\n');
  const retry = (...args: readonly string[]) => run('retry', ...args);
  expect(await retry('payday', 'other.csv', '--as-file', 'x.csv')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not the file of batch payday'),
  });
  expect(await retry('nothing', 'other.csv', '--as-file', 'x.csv')).toMatchObject({ code: 1 });
  expect(await retry('payday', 'payday.csv', '--as-file', 'payday.csv')).toMatchObject({ code: 2 });
  expect(await retry('no/batch', 'payday.csv', '--as-file', 'x.csv')).toMatchObject({ code: 2 });
});
