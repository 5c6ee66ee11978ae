// Were my payouts paid? `payouts submit --watch`, `payouts batch`, `payouts worker --once` and `payouts local` at gateways that
// nobody here wrote, each of another kind: what they say at the end, and their exit codes, are the truth. The runs wait far more
// than they work, so a few are made side by side.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PaidVerdict } from '../../lib/local/verdict.ts';
import { startWorkerProcess, type WorkerProcess } from '../../lib/local/worker-process.ts';
import { type GatewayOptions, startIndependentGateway } from '../support/independent-gateway.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { wholeIt } from '../support/long-proof.ts';
import { anAws } from './support/aws.ts';
import { type CliEnd, runCli, startCli, turns } from './support/cli.ts';
import { aDirectory } from './support/files.ts';

const directory = aDirectory();
const world = anAws({ gateway: true, merchants: false, visibilityTimeoutSeconds: 30, cwd: () => directory.path() });
const { payouts } = world;
const stopping: (() => Promise<void>)[] = [];
let worker: WorkerProcess | undefined;
beforeAll(() => {
  worker = startWorkerProcess(world.env(), { logFile: join(directory.path(), 'worker.log') });
});
afterAll(async () => {
  await worker?.stop();
  await Promise.all(stopping.map((stop) => stop()));
});

const patience = { timeout: 300_000 };
const inTurn = turns(3);
const profile = { signatureMethod: { payout: 'HMAC-SHA1' } };
const keys = { login: 'northwind-login', controlKey: 'fake-control-key-northwind', profile };

async function aGateway(kind: GatewayOptions | string) {
  if (typeof kind === 'string') return { url: kind };
  const started = await startIndependentGateway(kind);
  stopping.push(started.stop);
  return started;
}

async function aMerchant(name: string, gateway: GatewayOptions | string, secret: object = {}): Promise<void> {
  const { url } = await aGateway(gateway);
  world.aws().secrets.put(`payouts/${name}`, { ...keys, baseUrl: url, ...secret });
}

/** Sends four rows of a merchant at such a gateway and watches them; `batch` is asked after it. */
async function watched(name: string, gateway: GatewayOptions | string, secret: object = {}) {
  await aMerchant(name, gateway, secret);
  const rows = [1, 2, 3, 4].map((n) => `${name}-${n},${n}.42,EUR,Invoice,DE89370400440532013000,Cool bank`);
  const file = await directory.file(
    `${name}.csv`,
    ['order id,amount,currency,description,iban,bank', ...rows].join('\n'),
  );
  const args = ['--merchant', name, '--operation', 'payout', '--endpoint', '39915', '--batch', name, '--yes'];
  const [sent, batch] = await inTurn(async () => [
    await payouts('submit', file, ...args, '--watch', '--wait', '8'),
    await payouts('batch', name),
  ]);
  expect(batch.code).toBe(sent.code);
  // A lane may be trying one of them again just now, so what each waits for is not compared.
  const verdictIn = ({ stdout }: CliEnd) => stdout.match(/[✔✘] (all )?\d+ .*?:/g)?.at(-1);
  expect(verdictIn(batch)).toBe(verdictIn(sent));
  expect(verdictIn(sent)).toBeDefined();
  return { ...batch, lines: batch.stdout.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, '  ')) };
}

describe.concurrent('submit --watch, and batch', patience, () => {
  it('at a gateway that pays: 0, and the money', async () => {
    const { code, lines } = await watched('pays', {});
    expect(code).toBe(0);
    expect(lines).toContain('4  accepted  11.68  EUR  accepted by the gateway, not confirmed as paid');
    expect(lines).toContain('✔ all 4 rows: 4 accepted');
  });

  it('at a gateway that can tell more: accepted is not yet an end', async () => {
    const { code, lines } = await watched('tells', {}, { profile: { ...profile, statusInquiry: true } });
    expect(code).toBe(1);
    expect(lines).toContain(
      'tells/tells-1 · accepted · accepted, not confirmed as paid: the gateway is asked how it ended',
    );
    expect(lines).toContain('✘ 4 of 4 rows are not settled: 4 accepted');
  });

  it.each([
    ['wrong-key', {}, { controlKey: 'another' }, 'waiting · AUTHENTICATION: HTTP 401', "→ Mend the merchant's secret"],
    ['closed', 'http://127.0.0.1:9', {}, 'waiting · NOT_SENT: no connection (ECONNREFUSED)', '→ Nobody listens'],
    ['untrusted', { selfSigned: true }, {}, 'DEPTH_ZERO_SELF_SIGNED_CERT', 'set NODE_EXTRA_CA_CERTS=FILE'],
    ['silent', { manner: 'says nothing' }, {}, 'in doubt · NO_ANSWER', '→ Your gateway took the request'],
    [
      'no-funds',
      { manner: 'has no funds' },
      { profile: { ...profile, accountCodes: { payout: ['28'] } } },
      'waiting · ACCOUNT_NOT_READY: gateway code 28',
      '→ Ask your gateway what the account lacks',
    ],
    ['alike', { manner: 'refuses every order' }, {}, 'declined · GATEWAY_REFUSED', 'Ask it about the account.'],
  ] as const)('%s: 1, with reason, remedy and what is open', async (name, gateway, secret, reason, remedy) => {
    const { code, stdout, lines } = await watched(name, gateway, secret);
    expect(code).toBe(1);
    expect(stdout).toContain(reason);
    expect(stdout).toContain(remedy);
    expect(lines.find((line) => line.startsWith('✘'))).toMatch(/^✘ 4 of 4 rows are not settled: /);
    expect(stdout).not.toContain('✔');
  });

  it('declined for their own reasons, two of four: no fault', async () => {
    const { code, stdout } = await watched('some', { manner: 'refuses every second' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/✔ all 4 rows: 2 accepted, 2 declined\n$/);
  });
});

it('worker --once says the same of all that it took, each of another kind', patience, async () => {
  // given the rows of above that wait on their queue, those in doubt with them, two jobs that a gateway pays, and two mistakes
  await worker?.stop();
  worker = undefined;
  await aMerchant('late', {});
  await world.send(
    ...['ONCE-1', 'ONCE-2'].map((orderId) => aPayoutJob({ merchant: 'late', orderId })),
    '{}',
    aPayoutJob({ merchant: 'late', orderId: 'EXPIRED', expiresAt: '2020-01-01T00:00:00Z' }),
  );

  // when a worker takes what is there, once
  const { code, stderr } = await payouts('worker', '--once', '--wait', '5');

  // then money, reasons and what is open are told
  expect(code).toBe(1);
  for (const reason of [
    '4 waiting · AUTHENTICATION: HTTP 401',
    '4 waiting · NOT_SENT: no connection (ECONNREFUSED)',
    '4 waiting · NOT_SENT: no connection (DEPTH_ZERO_SELF_SIGNED_CERT)',
    '4 waiting · ACCOUNT_NOT_READY: gateway code 28',
    '1 failed · INVALID_MESSAGE: version is missing',
    '1 failed · EXPIRED: The job was past its expiresAt before it was sent; no money moved.\n',
  ])
    expect(stderr).toContain(reason);
  expect(stderr).toMatch(/EUR +89\.66 \(23\) +20\.84 \(2\) +10\.42 \(1\) +11\.68 \(4\) +46\.72 \(16\)\n/);
  expect(stderr).toContain('✘ 22 of 24 jobs are not settled: 2 accepted, 2 failed, 4 in doubt, 16 waiting\n');
});

const jobs = Array.from({ length: 4 }, (_, index) =>
  aPayoutJob({ merchant: 'northwind', orderId: `NW-${index + 1}`, context: { note: 'thanks 🙂' } }),
);

/** `payouts local` over four jobs at such a gateway. */
async function local(name: string, gateway: GatewayOptions | string, ...more: string[]) {
  const started = await aGateway(gateway);
  const file = await directory.file(`${name}.jsonl`, jobs.map((it) => JSON.stringify(it)).join('\n'));
  const secrets = await directory.file(`${name}.json`, JSON.stringify({ northwind: keys }));
  const results = join(directory.path(), `local-${name}`, 'results.jsonl');
  const args = ['--gateway-url', started.url, '--secrets', secrets, '--results', results, '--wait', '6', ...more];
  const { code, stdout } = await inTurn(() => runCli(['local', file, ...args]));
  return { code, stdout, results, lines: stdout.split('\n').map((line) => line.trim()), started };
}

describe.concurrent('local, at a gateway of your own', patience, () => {
  it('that pays: all jobs, told to the last emoji, and a word about what the ledger forgets', async () => {
    const { code, stdout, results } = await local('pays', {});
    expect(stdout).toContain('✔ all 4 jobs: 4 accepted\n');
    expect(stdout).toContain('The ledger of this run ends with it');
    expect(code).toBe(0);
    const told = (await readFile(results, 'utf8')).trim().split('\n');
    expect(told).toHaveLength(4);
    for (const result of told) expect(result).toContain('"context":{"note":"thanks 🙂"}');
  });

  it('at a closed port: nothing was sent, everything waits', async () => {
    const { code, stdout, lines } = await local('closed', 'http://127.0.0.1:9');
    expect(code).toBe(1);
    expect(lines).toContain('4 waiting · NOT_SENT: no connection (ECONNREFUSED)');
    expect(lines).toContain('line 1 · northwind/NW-1 · waiting · NOT_SENT');
    expect(stdout).toContain('✘ 4 of 4 jobs are not settled: 4 waiting\n');
    expect(stdout).not.toContain('The ledger of this run');
  });

  wholeIt('that refuses all signatures: the same, said to programs', async () => {
    const { code, stdout } = await local('refuses', { manner: 'refuses signatures' }, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout) as PaidVerdict).toMatchObject({
      settled: false,
      unsettled: 4,
      reasons: [{ ending: 'waiting', code: 'AUTHENTICATION', httpStatus: 401, jobs: 4 }],
      results: [{ currency: 'EUR', asked: '41.68', askedOrders: 4, by: { waiting: { amount: '41.68', orders: 4 } } }],
      open: jobs.map(({ orderId }, index) => ({ line: index + 1, order: `northwind/${orderId}`, ending: 'waiting' })),
    });
  });

  it('that fails every second time: half accepted, half in doubt, each with its money', async () => {
    const { code, stdout } = await local('half', { manner: 'fails every second' });
    expect(code).toBe(1);
    expect(stdout).toMatch(/money +asked for +accepted +in doubt\n +EUR +41\.68 \(4\) +20\.84 \(2\) +20\.84 \(2\)/);
    expect(stdout).toContain('2 in doubt · UNCLEAR_ANSWER: HTTP 500');
    expect(stdout).toContain('✘ 2 of 4 jobs are not settled: 2 accepted, 2 in doubt\n');
    expect(stdout).toContain('take out what was paid, accepted or left in doubt');
  });
});

it('a worker that is killed is started again and mentioned, and every job has its end', patience, async () => {
  const own = Array.from({ length: 40 }, (_, index) => JSON.stringify(aPayoutJob({ orderId: `KILL-${index + 1}` })));
  const file = await directory.file('killed.jsonl', own.join('\n'));
  const results = join(directory.path(), 'killed', 'results.jsonl');
  const { child, ended } = startCli(['local', file, '--faults', 'slow', '--json', '--results', results]);
  // The jobs are on their queue, and the first are at work.
  const log = join(directory.path(), 'killed', 'worker.log');
  await expect.poll(() => readFile(log, 'utf8').catch(() => ''), { timeout: 120_000 }).toContain('"event":"job"');
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  process.kill(Number(children.trim().split(' ')[0]), 'SIGKILL');
  const printed = JSON.parse((await ended).stdout) as { readonly endings: Record<string, number>; restarts: number };
  expect(printed.restarts).toBe(1);
  expect(printed.endings['missing']).toBe(0);
  expect(Object.values(printed.endings).reduce((sum, count) => sum + count, 0)).toBe(40);
});
