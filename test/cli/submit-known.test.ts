// What the ledger knows of a file's orders is said before anybody is asked, and the question names the money that will move.
import { createSecretKey, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { fingerprints, type FingerprintKeys } from '../../lib/payout/message/fingerprint.ts';
import { parseJob } from '../../lib/payout/message/job.ts';
import { runInTerminal } from './support/cli.ts';
import { anOrderThatStands, type OrderStanding } from '../support/order-that-stands.ts';
import { ibanOf } from './support/ibans.ts';
import { aSubmitter, row, same } from './support/submitting.ts';
import { longIt } from '../support/long-proof.ts';

const queue = aSubmitter();
const { files, submit } = queue;
const secret = randomBytes(32);
const keys: FingerprintKeys = { current: 'k', keys: new Map([['k', createSecretKey(secret)]]) };

beforeAll(() => {
  queue.aws().secrets.put('payouts/_worker', { fingerprintKeyId: 'k', fingerprintKeys: { k: secret.toString('hex') } });
});

/** A file of payouts, each of an id and an amount. */
const fileOf = (name: string, rows: Readonly<Record<string, string>>) =>
  queue.fileOf(name, ...Object.entries(rows).map(([id, amount]) => row(id, { amount })));

/** The rows that lie on the queue become orders, as the worker would have left them; each with its standing. */
async function worked(states: Readonly<Record<string, OrderStanding>>): Promise<void> {
  const jobs = await queue.takeJobs();
  expect(jobs.map(({ orderId }) => orderId).toSorted()).toEqual(Object.keys(states));
  for (const message of jobs) {
    const parsed = parseJob(JSON.stringify(message));
    if (parsed.kind !== 'job') throw new Error('a row that is no job');
    const { job } = parsed;
    const standing = states[job.orderId];
    const { merchant, orderId, operation, endpointId, money, batchId } = job;
    const from = { ...(money && { money }), ...(batchId !== undefined && { batchId }) };
    const named = { merchant, orderId, operation, endpointId, ...from, ...(standing && { standing }) };
    await queue.put(anOrderThatStands({ ...named, fingerprint: fingerprints(job, keys)[0] }));
  }
}

it('yesterday’s ids, today: nothing moves, and so says the question', async () => {
  // given a file that was sent and worked on: one row is paid, one was declined, one was never begun
  const sent = await submit(await fileOf('monday', { A: '100.00', B: '191.50', C: '20.00' }), '--yes');
  expect(sent).toMatchObject({ code: 0 });
  await worked({ A: 'confirming', B: 'declined', C: 'confirming' });

  // when the same ids come again in another file, one with another amount, and one that is new
  const tuesday = await fileOf('tuesday', { A: '100.00', B: '191.50', C: '21.00', D: '5.25' });
  const looked = await submit(tuesday, '--dry-run', '--json');

  // then each is known as what it is, the money that moves is that of the new one, and nothing goes without a word
  expect(looked).toMatchObject({ code: 3 });
  expect(JSON.parse(looked.stdout)).toMatchObject({
    totals: { EUR: { count: 4, amount: '317.75' } },
    inLedger: {
      moving: { rows: 1, totals: { EUR: { count: 1, amount: '5.25' } } },
      known: {
        sent: { rows: 1, totals: { EUR: { amount: '100.00' } } },
        ended: { rows: 1, totals: { EUR: { amount: '191.50' } } },
        'other-content': { rows: 1, totals: { EUR: { amount: '21.00' } } },
      },
    },
    warnings: { sent: 1, ended: 1, 'other-content': 1 },
  });
  expect(await submit(tuesday, '--yes')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('--accept sent,ended,other-content'),
  });
  const place = { cwd: files.path(), env: queue.env() };
  const { code, shown } = await runInTerminal(['submit', tuesday, ...same], place, 'no');
  expect(shown).toContain('Send 5.25 EUR in 1 of 4 rows, with sent, ended, other-content as warned?');
  expect(shown).toMatch(/used for another payment: refused +1 +21\.00 +EUR/);
  expect(code).toBe(1);
  expect(await queue.takeJobs()).toEqual([]);
});

longIt('the same file again goes on without a warning, and names what is left of it', async () => {
  // given a batch two rows of which were worked on
  const file = await fileOf('again', { 'G-1': '1.00', 'G-2': '2.00', 'G-3': '4.00' });
  await submit(file, '--yes');
  const jobs = ['G-1', 'G-2'];
  await worked({ 'G-1': 'confirming', 'G-2': 'declined', 'G-3': 'waiting' });

  // when it is sent again, then the question names the row that is not sent yet, and no word is asked for
  const place = { cwd: files.path(), env: queue.env() };
  const { shown } = await runInTerminal(['submit', file, ...same, '--again'], place, 'no');
  expect(shown).toContain('Send 4.00 EUR in 1 of 3 rows? Type');
  for (const job of jobs) expect(shown).not.toContain(`order ${job}`);
});

longIt('an earlier order that was declined is no second payment, and one that is not is', async () => {
  // given two files of the same payee and amount, of which one was declined and the other accepted
  const payee = (orderId: string, amount: string) => row(orderId, { amount, iban: ibanOf('retried') });
  await submit(
    await queue.fileOf('first', payee('E-1', '70.00'), payee('E-2', '71.00'), payee('E-3', '72.00')),
    '--yes',
  );
  await worked({ 'E-1': 'declined', 'E-2': 'confirming', 'E-3': 'waiting' });

  // when the same payments are asked for under other ids
  const again = await queue.fileOf('retry', payee('E-1b', '70.00'), payee('E-2b', '71.00'), payee('E-3b', '72.00'));
  const looked = await submit(again, '--dry-run');

  // then those that may be paid twice are warned of, with the state of the earlier order
  expect(looked.code).toBe(3);
  expect(looked.stderr).toContain('2 warnings: earlier 2');
  const list = await readFile(`${files.path()}/retry.warnings.csv`, 'utf8');
  expect(list).toMatch(
    /^3,,earlier,"asks for the same payment as order E-2 of batch first-\w+, .*, which is confirming"$/m,
  );
  expect(list).toMatch(/^4,,earlier,"asks for the same payment as order E-3 .*, which is waiting"$/m);
});
