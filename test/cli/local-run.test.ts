// `payouts local` as an operator runs it, with files of a few jobs: what it counts, what it writes, how it ends. The runs
// wait far more than they work, so they are made side by side.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../lib/payout/message/result.ts';
import type { Accounts } from '../../lib/local/accounts.ts';
import { type GatewaySimulator, startGatewaySimulator } from '../../lib/local/gateway/simulator.ts';
import { aPayoutJob, type JobBody } from '../support/jobs.ts';
import { quotedAccounts } from '../docs/sample-run.ts';
import { runCli, startCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';

type Printed = Accounts & {
  readonly resultsFile: string;
  readonly logFile: string;
  readonly gatewayUrl?: string;
  readonly environment?: Readonly<Record<string, string>>;
};

const directory = aDirectory();
let simulator: GatewaySimulator;

const merchant = { login: 'northwind-login', controlKey: 'fake-control-key-northwind' };

beforeAll(async () => void (simulator = await startGatewaySimulator({ merchants: [merchant] })));
afterAll(() => simulator.close());

const jobsFile = (name: string, ...jobs: (JobBody | string)[]) =>
  directory.file(name, jobs.map((job) => (typeof job === 'string' ? job : JSON.stringify(job))).join('\n'));

describe.concurrent('a file of a few jobs', () => {
  it('ends with the books closed, printed as one JSON object, and every result in the file', async () => {
    const accepted = aPayoutJob({ orderId: 'CLI-1' });
    // Between an order and its copies, so that they are no busy order's: those would wait for a whole lease.
    const others = Array.from({ length: 27 }, (_, index) => aPayoutJob({ orderId: `OTHER-${index}` }));
    const jobs = await jobsFile(
      'few.jsonl',
      accepted,
      aPayoutJob({ orderId: 'CLI-2.validation-error' }),
      '{"version": 1, "operation": "payout"',
      aPayoutJob({ orderId: 'CLI-3.stall-after' }),
      ...others,
      accepted,
      aPayoutJob({ orderId: 'CLI-1', params: { amount: '99.99' } }),
    );
    const results = join(directory.path(), 'made', 'on', 'the', 'way', 'results.jsonl');
    const { code, stdout, stderr } = await runCli(['local', jobs, '--json', '--results', results]);
    // The books agree; but a line that is no job, a reused id and an order in doubt are not what their sender asked for.
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout.split('\n')).toHaveLength(2);
    const printed = JSON.parse(stdout) as Printed;
    expect(printed).toMatchObject({
      messages: 33,
      orders: 30,
      deadLetters: 1,
      paidTwice: [],
      disagreements: [],
      agree: true,
      settled: false,
      unsettled: 3,
      resultsFile: results,
      endings: { accepted: 29, declined: 1, failed: 2, 'in doubt': 1, missing: 0, checked: 0, 'dead letter only': 0 },
      money: [{ currency: 'EUR', counted: '302.18', accepted: '291.76', inDoubtCounted: '10.42', difference: '0.00' }],
    });
    expect(printed).not.toHaveProperty('environment');
    const told = await resultsIn(results);
    const byOrder = (orderId: string) => told.filter((it) => it.orderId === orderId && it.revision !== 0);
    expect(byOrder('CLI-1').every((it) => it.status === 'accepted' && it.payoutId !== undefined)).toBe(true);
    expect(byOrder('CLI-2.validation-error')).toMatchObject([{ status: 'declined', failure: { gatewayCode: '29' } }]);
    expect(byOrder('CLI-3.stall-after')).toMatchObject([{ status: 'held', failure: { code: 'NO_ANSWER' } }]);
    const rejected = told.filter((it) => it.revision === 0).map((it) => it.failure?.code);
    expect(rejected.toSorted()).toEqual(['INVALID_MESSAGE', 'ORDER_ID_REUSED']);
    expect(await readFile(printed.logFile, 'utf8')).toContain('"event":"worker-started"');
  });

  it('ends with a table for people, and results where they are by default', async () => {
    const jobs = await jobsFile('one.jsonl', aPayoutJob({ orderId: 'CLI-10' }));
    const { code, stdout } = await runCli(['local', jobs, '--faults', 'slow'], { cwd: directory.path() });
    expect(code).toBe(0);
    expect(stdout).toContain('fault schedule "slow"');
    expect(stdout).toMatch(/accepted +1/);
    expect(stdout).toContain('✔ 1 job: 1 accepted');
    expect(await resultsIn(join(directory.path(), '.local', 'results.jsonl'))).toMatchObject([{ status: 'accepted' }]);
  });
});

/** How many of the jobs that are never taken become orders before their time is over depends on the machine. */
const { orders: _orders, money: quotedMoney, ...quotedCounts } = quotedAccounts;

describe('the sample', () => {
  it('comes to what the README quotes', async () => {
    const { code, stdout } = await runCli(['local', '--json'], { cwd: directory.path() });
    expect(code).toBe(0);
    const printed = JSON.parse(stdout) as Printed;
    expect(printed).toMatchObject(quotedCounts);
    const moved = (money: Accounts['money']) => money?.filter(({ countedOrders }) => countedOrders > 0);
    expect(moved(printed.money)).toEqual(moved(quotedMoney));
  });
});

describe.concurrent('a gateway of the operator', () => {
  it('is sent to, with the secrets of the file, and nobody claims to have counted the money', async () => {
    const secrets = await directory.file(
      'secrets.json',
      JSON.stringify({ northwind: { ...merchant, profile: { signatureMethod: { payout: 'HMAC-SHA1' } } } }),
    );
    const jobs = await jobsFile('northwind.jsonl', aPayoutJob({ merchant: 'northwind', orderId: 'NW-1' }));
    const args = ['local', jobs, '--json', '--gateway-url', simulator.url, '--secrets', secrets];
    const { code, stdout } = await runCli([...args, '--results', join(directory.path(), 'northwind', 'results.jsonl')]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ agree: true, endings: { accepted: 1 } });
    expect(JSON.parse(stdout)).not.toHaveProperty('money');
    expect(simulator.payments()).toMatchObject([{ login: merchant.login, clientOrderId: 'NW-1', acceptedCount: 1 }]);
  });
});

describe.concurrent('--keep', () => {
  it('prints where everything runs, serves other workers, and ends cleanly on SIGINT', async () => {
    const jobs = await jobsFile('keep.jsonl', aPayoutJob({ orderId: 'KEEP-1' }));
    const results = join(directory.path(), 'keep', 'results.jsonl');
    const kept = startCli(['local', jobs, '--keep', '--json', '--results', results]);
    await expect.poll(() => kept.stdout(), { timeout: 60_000 }).toContain('\n');
    const printed = JSON.parse(kept.stdout()) as Printed;
    expect(new URL(printed.gatewayUrl ?? '').hostname).toBe('127.0.0.1');
    expect(printed.environment).toMatchObject({
      AWS_ENDPOINT_URL_SQS: expect.stringContaining('http://127.0.0.1:'),
      JOBS_QUEUE_URL: expect.stringContaining('payouts-jobs'),
    });
    const worker = await runCli(['worker', '--once'], { env: printed.environment ?? {} });
    expect(worker).toMatchObject({ code: 0, stderr: '  nothing to do: no message was on the queues of jobs\n' });
    kept.child.kill('SIGINT');
    expect(await kept.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  it('prints the environment as a shell takes it, in which the dead letters are that it named', async () => {
    const stranger = aPayoutJob({ merchant: 'nobody', orderId: 'KEEP-3' });
    const jobs = await jobsFile('keep-text.jsonl', aPayoutJob({ orderId: 'KEEP-2' }), stranger, '{}');
    const results = join(directory.path(), 'keep-text', 'results.jsonl');
    const kept = startCli(['local', jobs, '--keep', '--results', results]);
    await expect.poll(() => kept.stdout(), { timeout: 60_000 }).toContain('export SECRET_PREFIX=payouts/');
    expect(kept.stdout()).toContain('Ctrl-C ends it');
    expect(kept.stdout()).toMatch(/dead letters +2 /);
    const exported = [...kept.stdout().matchAll(/^ {2}export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
    const letters = await runCli(['dlq', 'list'], { env: Object.fromEntries(exported) });
    expect(letters).toMatchObject({ code: 0, stdout: expect.stringMatching(/nobody\/KEEP-3[^]*2 dead letters\n$/) });
    kept.child.kill('SIGINT');
    expect(await kept.ended).toMatchObject({ code: 1, signal: null, stderr: '' });
  });
});

async function resultsIn(file: string): Promise<Result[]> {
  const text = await readFile(file, 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Result);
}
