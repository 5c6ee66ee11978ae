// `payouts retry`: what of a batch is proven unpaid goes out once more under its own order ids, as a batch of its own whose jobs
// name the ends that a person saw. By the real commands, with the real worker and the gateway simulator.
import { setTimeout } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { attemptsOf, ofAttempt } from '../../lib/payout/order/facts.ts';
import { recorded } from '../../lib/payout/order/record.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { type CliEnd, runCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { ibanOf } from './support/ibans.ts';
import { type SampleWorld, startSampleWorld } from './support/sample-world.ts';
import { anotherLogin, putMerchant } from '../support/merchant-secrets.ts';

const directory = aDirectory();
let world: SampleWorld;
let client: DynamoDBClient;

beforeAll(async () => {
  world = await startSampleWorld(join(directory.path(), 'worker.log'));
  client = new DynamoDBClient(clientConfigOf(world.aws, 'DYNAMODB'));
});
afterAll(async () => {
  client.destroy();
  await world.stop();
});

const as =
  (person: 'first' | 'second') =>
  (...args: readonly string[]): Promise<CliEnd> => {
    const env = { ...world.env, ...(person === 'second' && world.aws.secondOperator) };
    return runCli(args, { env, cwd: directory.path() });
  };
const [run, grace] = [as('first'), as('second')];

const globex = ['--merchant', 'globex-us', '--operation', 'payout', '--endpoint', '40217'];
const eu = (merchant: string) => ['--merchant', merchant, '--operation', 'payout', '--endpoint', '39915'];
const watched = ['--watch', '--wait', '60'];

/** A file of payouts, one a line: order id, amount, currency. */
const aFile = (name: string, rows: readonly string[]) =>
  directory.file(
    `${name}.csv`,
    ['order id,amount,currency,iban,bank', ...rows.map((it) => `${it},${ibanOf(it)},B`), ''].join('\n'),
  );
const textOf = (name: string) => readFile(join(directory.path(), name), 'utf8');
const sentOf = (orderId: string) =>
  world.simulator.orders().filter(({ clientOrderId }) => clientOrderId === orderId).length;
const batchOf = ({ stdout }: CliEnd) => /as batch (\S+)/.exec(stdout)?.[1] ?? '';
const printedIn = ({ stdout, stderr }: CliEnd) =>
  (/`node \. ((?:approve|submit) [^`]+)`/.exec(stdout + stderr)?.[1] ?? '').split(' ');

const plain = (text: string) => text.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, '  '));

const patience = { timeout: 240_000 };

it('pays under its own id what was declined, and the books tie to the cent', patience, async () => {
  // given a payday of which one row is paid, one declined once, and one declined whatever is done
  await aFile('wages', ['W-1.approve,10.00,USD', 'W-2.decline-once,20.50,USD', 'W-3.decline,5.25,USD']);
  await run('submit', 'wages.csv', ...globex, '--batch', 'wages', '--yes', ...watched);

  // when it is retried
  const retried = await run('retry', 'wages', 'wages.csv', '--yes', ...watched);

  // then why each failed was shown, and what is proven unpaid went out as a batch of its own
  expect(retried.stdout).toContain('2 declined · GATEWAY_DECLINED');
  expect(retried.stdout).toContain('not retried: 1 paid');
  expect(retried.stdout).toContain('✔ 2 rows, 25.75 USD, each under its order id, as batch wages-retry-');
  const batchId = batchOf(retried);
  const jobs = (await textOf(`${batchId}.jsonl`)).trim().split('\n');
  expect(jobs.map((it) => JSON.parse(it) as object)).toEqual([
    expect.objectContaining({ orderId: 'W-2.decline-once', resends: expect.stringMatching(/^\S+$/) }),
    expect.objectContaining({ orderId: 'W-3.decline', resends: expect.stringMatching(/^\S+$/) }),
  ]);
  expect([sentOf('W-1.approve'), sentOf('W-2.decline-once'), sentOf('W-3.decline')]).toEqual([1, 2, 2]);
  // and one of its rows was paid
  expect(retried.stdout).toContain('1 paid');
  expect(retried.stdout).toContain('1 declined');

  // and the batch that asked first says the same
  const first = await run('batch', 'wages', ...watched);
  expect(first.stdout).toContain('2 paid, 1 declined');

  // and the three books agree
  await directory.file('results.jsonl', await world.takeResults());
  await directory.file('gateway.csv', world.gatewayReport('globex-us'));
  const books = ['--results', 'results.jsonl', '--gateway', 'gateway.csv'];
  const reconciled = await run('reconcile', 'globex-us', ...books);
  expect(reconciled.stdout + reconciled.stderr).toContain('every order is the same in all three');
  expect(reconciled.code).toBe(0);
});

it(
  'closes the books of a merchant whose gateway only accepts, after its unpaid payees were paid by a retry',
  patience,
  async () => {
    // given a payday that was accepted a day ago, of which the gateway declined two payments without saying so
    const secret = anotherLogin(world.simulator, world.secrets['acme-eu'], 'only-accepts');
    putMerchant(world.aws.secrets, 'only-eu', secret);
    const report = () => world.gatewayReport('only-eu', 'only-accepts');
    const orderIds = ['O-1.approve', 'O-2.decline-once', 'O-3.decline-once', 'O-4.approve'];
    const rows = orderIds.map((it, n) => `${it},${n + 1}0.25,EUR`);
    await aFile('only', rows);
    const submitted = await run('submit', 'only.csv', ...eu('only-eu'), '--batch', 'only', '--yes', ...watched);
    expect(submitted.stdout).toContain('✔ all 4 payouts: 4 accepted');
    await expect.poll(() => report().match(/approved|declined/g), { timeout: 10_000 }).toHaveLength(4);
    await aDayPasses(orderIds.map((it) => `only-eu/${it}`));
    // when the gateway's report is applied
    let results = '';
    const reconcile = async (...more: readonly string[]) => {
      results += await world.takeResults();
      await directory.file('only-results.jsonl', results);
      await directory.file('only-gateway.csv', report());
      const books = '--results only-results.jsonl --gateway only-gateway.csv --journal only-journal.csv'.split(' ');
      return run('reconcile', 'only-eu', ...books, ...more);
    };
    const apply = () => ['--apply', '--drawn', new Date().toISOString(), '--reason', 'the report of the day', '--yes'];
    const applied = await reconcile(...apply());
    // then each payee is known to be paid or not, and the batch says so
    expect(applied).toMatchObject({ code: 0 });
    for (const [at, it] of orderIds.entries())
      expect(applied.stdout).toContain(`✔ only-eu/${it} is ${at === 1 || at === 2 ? 'failed' : 'paid'}`);
    expect((await run('batch', 'only')).stdout).toContain('2 paid, 2 failed');
    // when the two are retried, and the next report is applied
    const retried = await run('retry', 'only', 'only.csv', '--yes', ...watched);
    expect(retried.stdout).toContain('✔ 2 rows, 50.50 EUR, each under its order id');
    expect(orderIds.map(sentOf)).toEqual([1, 2, 2, 1]);
    await expect.poll(() => report().match(/approved/g), { timeout: 10_000 }).toHaveLength(4);
    expect(await reconcile(...apply())).toMatchObject({ code: 0 });
    // then the books are closed: all agree, and the journal has each payee once
    const closed = await reconcile();
    expect(plain(closed.stdout)).toEqual(
      expect.arrayContaining([
        '✔ agree-paid  4  101.00  101.00  EUR',
        'EUR  ledger  101.00  0.00  101.00  101.00  0.00  0.00  0.00  0.00',
        'gateway  151.50  101.00  0.00  50.50  0.00  0.00',
        expect.stringMatching(/paid {2}4 {2}101\.00 {2}EUR$/),
      ]),
    );
    expect(closed.code).toBe(0);
    expect((await run('batch', 'only')).stdout).toContain('✔ all 4 payouts: 4 paid');
  },
);

/** All that the ledger knows of these orders is a day older. */
async function aDayPasses(keys: readonly string[]): Promise<void> {
  const orders = createDynamoDbOrders({ client, tableName: world.env['LEDGER_TABLE_NAME'] ?? '' });
  for (const key of keys) {
    const { order } = (await orders.read(key)) as { order: Order };
    const aged = JSON.parse(
      JSON.stringify(order, (_, value: unknown) => (typeof value === 'bigint' ? `n${value}` : value)),
      (name, value: unknown) => {
        if (typeof value === 'number' && name.endsWith('Ms')) return value - 86_400_000;
        return name === 'minorUnits' ? BigInt(String(value).slice(1)) : value;
      },
    ) as Order;
    expect(await orders.write(order, { ...aged, version: order.version + 1 })).toEqual({ kind: 'written' });
  }
}

it('retried twice before the first was sent, it pays once', patience, async () => {
  // given a row that was declined, at a merchant that is paused when it is retried
  await aFile('rent', ['R-1.validation-error-once,700.00,EUR']);
  await run('submit', 'rent.csv', ...eu('acme-eu'), '--batch', 'rent', '--yes', ...watched);
  await run('pause', 'acme-eu', '--reason', 'a look at the rents', '--yes');
  // Workers see a pause within five seconds.
  await setTimeout(5_500);
  const one = await run('retry', 'rent', 'rent.csv', '--yes');
  expect(one).toMatchObject({ code: 0, stdout: expect.stringContaining('is on the queue') });

  // when it is retried again, and once more with a new id
  const two = await run('retry', 'rent', 'rent.csv', '--yes');
  await run('retry', 'rent', 'rent.csv', '--as-file', 'rent-again.csv');
  const other = await run('submit', 'rent-again.csv', ...eu('acme-eu'), '--yes');

  // then the second is the same batch, and the old id pays no more: only the new one does
  expect(two).toMatchObject({ code: 1, stderr: expect.stringContaining('was sent already') });
  expect(other).toMatchObject({ code: 0 });
  await run('resume', 'acme-eu');
  const [, renewed = ''] = /batch (\S+):/.exec(other.stdout) ?? [];
  const end = await run('batch', renewed, ...watched);
  expect(end.stdout).toMatch(/✔ 1 payout: 1 (?:paid|accepted)/);
  const old = await run('batch', batchOf(one), ...watched);
  expect(old.stdout).toContain('✔ 1 payout: 1 cancelled');
  expect([sentOf('R-1.validation-error-once'), sentOf('R-1.validation-error-once-R1')]).toEqual([0, 1]);
});

it('what shows a sign of life after a person looked is not sent again, and that is said', patience, async () => {
  // given a row that was declined, and its retry on the queue
  await aFile('late', ['L-1.decline,44.00,USD', 'L-2.decline-once,6.00,USD']);
  await run('submit', 'late.csv', ...globex, '--batch', 'late', '--yes', ...watched);
  await run('pause', 'globex-us', '--reason', 'a look', '--yes');
  const retried = await run('retry', 'late', 'late.csv', '--yes');

  // when the gateway calls one of them approved after all
  await approvedAfterAll('globex-us/L-1.decline');
  await run('resume', 'globex-us');
  const end = await run('batch', batchOf(retried), ...watched);

  // then that one was never sent again, the other was, and the batch says that its payment is the first batch's
  expect([sentOf('L-1.decline'), sentOf('L-2.decline-once')]).toEqual([1, 2]);
  expect(plain(end.stdout)).toContainEqual(expect.stringMatching(/^1 {2}paid {2}44\.00 {2}USD {2}1 /));
  // and it is nothing that a retry of either batch would send
  const nothing = await run('retry', batchOf(retried), `${batchOf(retried)}.jsonl`, '--yes');
  expect(nothing).toMatchObject({ code: 1, stdout: expect.stringContaining('nothing to retry') });
  const first = await run('retry', 'late', 'late.csv', '--yes');
  expect(first).toMatchObject({ code: 1, stdout: expect.stringContaining('nothing to retry') });
});

it('what changed between the look and the send is listed before the question', patience, async () => {
  await aFile('seen', ['S-1.decline,3.00,USD']);
  await run('submit', 'seen.csv', ...globex, '--batch', 'seen', '--yes', ...watched);
  const looked = await run('retry', 'seen', 'seen.csv', '--dry-run');
  expect(looked).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing was sent (--dry-run)') });
  await approvedAfterAll('globex-us/S-1.decline');
  const batchId = batchOf(looked);
  const sent = await run('submit', `${batchId}.jsonl`, '--batch', batchId, '--yes', '--json');
  expect(sent.code).toBe(3);
  expect(JSON.parse(sent.stdout)).toMatchObject({
    outcome: 'warnings',
    inLedger: { moving: { rows: 0 }, known: { sent: { rows: 1 } } },
  });
});

async function approvedAfterAll(key: string): Promise<void> {
  const tableName = world.env['LEDGER_TABLE_NAME'] ?? '';
  const orders = createDynamoDbOrders({ client, tableName });
  const read = await orders.read(key);
  const order = (read as { order: Order }).order;
  const last = attemptsOf(order.facts).at(-1);
  if (!last) throw new Error('there is no attempt');
  const nowMs = Date.now();
  const approved = ofAttempt({ ...last, reports: [...last.reports, 'approved'], approvedAtMs: nowMs });
  const next = recorded(order, approved, { nowMs, endId: 'end-of-story' });
  expect(await orders.write(order, next)).toMatchObject({ kind: 'written' });
}

it('where two persons release, a retry is approved anew', patience, async () => {
  // given a batch of two rows that two persons released, of which one was declined
  putMerchant(world.aws.secrets, 'two-persons', anotherLogin(world.simulator, world.secrets['acme-eu']));
  await world.aws.safeguard('two-persons', { twoPersonRelease: true, caps: {} });
  const same = eu('two-persons');
  await aFile('both', ['T-1.validation-error-once,11.00,EUR', 'T-2.approve,22.00,EUR']);
  const registered = await run('submit', 'both.csv', ...same, '--batch', 'both', '--hold');
  const released = await grace(...printedIn(registered), '--yes');
  await run(...printedIn(released), '--yes', ...watched);
  expect((await run('batch', 'both')).stdout).toContain('1 declined');

  // when it is retried by one person, then it does not leave
  const alone = await run('retry', 'both', 'both.csv', '--yes');
  expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining('two persons release these payments') });

  // and held, approved by the other, and sent, it is paid
  const held = await run('retry', 'both', 'both.csv', '--hold');
  expect(held).toMatchObject({ code: 0, stdout: expect.stringContaining('a person other than') });
  const [early = '', file = ''] = [batchOf(held), `${batchOf(held)}.jsonl`];
  expect(await run('submit', file, '--batch', early, '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('waits for a person other than'),
  });
  expect(sentOf('T-1.validation-error-once')).toBe(0);
  const approved = await grace(...printedIn(held), '--yes');
  expect(approved.code).toBe(0);
  const sent = await run(...printedIn(approved), '--yes', ...watched);
  expect(sent.stdout).toMatch(/✔ 1 payout: 1 (?:paid|accepted)/);
  expect(sentOf('T-1.validation-error-once')).toBe(1);
  expect(sentOf('T-2.approve')).toBe(1);
});
