// Were my payouts paid? `payouts submit --watch`, `payouts batch` and `payouts local` at
// gateways of another kind each: what they say at the end, and their exit codes, are the truth. The runs wait far more
// than they work, so a few are made side by side.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorkerProcess, type WorkerProcess } from '../../lib/local/worker-process.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { anAws } from './support/aws.ts';
import { type CliEnd, runCli, startCli, turns } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { type GatewayKind, northwind, ownGateways } from './support/own-gateways.ts';
import { merchantSecrets, putMerchant } from '../support/merchant-secrets.ts';

const directory = aDirectory();
const world = anAws({ gateway: true, merchants: false, visibilityTimeoutSeconds: 30, cwd: () => directory.path() });
const { payouts } = world;
const gateway = ownGateways();
let worker: WorkerProcess | undefined;
beforeAll(() => {
  worker = startWorkerProcess(world.env(), { logFile: join(directory.path(), 'worker.log') });
});
afterAll(() => worker?.stop());

const patience = { timeout: 300_000 };
const inTurn = turns(3);
const profile = { signatureMethod: { payout: 'HMAC-SHA1' } };
const keys = { ...northwind, profile };

const aMerchant = (name: string, baseUrl: string, secret: object = {}) =>
  putMerchant(world.aws().secrets, name, { ...keys, baseUrl, ...secret });

/** Sends four rows of a merchant at this kind of gateway and watches them; `batch` is asked after it. */
async function watched(name: string, kind: GatewayKind, secret: object = {}) {
  aMerchant(name, await gateway(kind), secret);
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
  it('at a gateway that can tell more: accepted is not yet an end', async () => {
    const { code, lines } = await watched('tells', 'never tells an end', {
      profile: { ...profile, statusInquiry: true },
    });
    expect(code).toBe(1);
    expect(lines).toContain(
      '4  confirming  11.68  EUR  Accepted by the gateway; the gateway is asked whether the payment ended well.',
    );
    expect(lines).toContain('✘ 4 of 4 payouts are not settled: 4 confirming');
  });

  it.each([
    [
      'wrong-key',
      'pays',
      { controlKey: 'another' },
      'waiting · AUTHENTICATION: HTTP 403',
      "→ Correct the merchant's secret",
    ],
    ['closed', 'does not listen', {}, 'waiting · NOT_SENT: no connection (ECONNREFUSED)', '→ No program listens'],
    ['untrusted', 'is not trusted', {}, 'DEPTH_ZERO_SELF_SIGNED_CERT', 'set NODE_EXTRA_CA_CERTS=FILE'],
    ['silent', 'says nothing', {}, 'held · HELD_UNPROVEN', '→ It is not known whether your gateway took the order'],
    [
      'no-funds',
      'has no funds',
      { profile: { ...profile, accountCodes: { payout: ['28'] } } },
      'waiting · ACCOUNT_NOT_READY: gateway code 28',
      '→ Ask your gateway what the account lacks',
    ],
    [
      'alike',
      'refuses every order',
      {},
      'declined · GATEWAY_REFUSED',
      'The gateway declined every payment: ask the gateway about the account.',
    ],
  ] as const)('%s: 1, with reason, remedy and what is open', async (name, kind, secret, reason, remedy) => {
    const { code, stdout, lines } = await watched(name, kind, secret);
    expect(code).toBe(1);
    expect(stdout).toContain(reason);
    expect(stdout).toContain(remedy);
    expect(lines.find((line) => line.startsWith('✘'))).toMatch(/^✘ 4 of 4 payouts are not settled: /);
    expect(stdout).not.toContain('✔');
  });

  it('declined for their own reasons, two of four: no fault', async () => {
    const { code, stdout } = await watched('some', 'refuses every second');
    expect(code).toBe(0);
    expect(stdout).toMatch(/✔ all 4 payouts: 2 accepted, 2 declined\n$/);
  });
});

const jobs = Array.from({ length: 4 }, (_, index) =>
  aPayoutJob({ merchant: 'northwind', orderId: `NW-${index + 1}`, context: { note: 'thanks 🙂' } }),
);

/** `payouts local` over four jobs at this kind of gateway. */
async function local(kind: GatewayKind, ...more: string[]) {
  const file = await directory.file(`${kind}.jsonl`, jobs.map((it) => JSON.stringify(it)).join('\n'));
  const secrets = await directory.file(`${kind}.json`, JSON.stringify({ northwind: merchantSecrets(keys) }));
  const results = join(directory.path(), `local-${kind}`, 'results.jsonl');
  const args = [
    '--gateway-url',
    await gateway(kind),
    '--secrets',
    secrets,
    '--results',
    results,
    '--wait',
    '6',
    ...more,
  ];
  const { code, stdout } = await inTurn(() => runCli(['local', file, ...args]));
  return { code, stdout, results, lines: stdout.split('\n').map((line) => line.trim()) };
}

describe.concurrent('local', patience, () => {
  it('at a gateway that pays: all jobs, told to the last emoji, and a word about what the ledger forgets', async () => {
    const { code, stdout, results } = await local('pays');
    expect(stdout).toContain('✔ all 4 jobs: 4 accepted\n');
    expect(stdout).toContain('The ledger of this run ends with it');
    expect(code).toBe(0);
    const told = (await readFile(results, 'utf8')).trim().split('\n');
    expect(told).toHaveLength(4);
    for (const result of told) expect(result).toContain('"context":{"note":"thanks 🙂"}');
  });

  it('at a gateway that fails every second time: half accepted, half in doubt, each with its money', async () => {
    const { code, stdout } = await local('fails every second');
    expect(code).toBe(1);
    expect(stdout).toMatch(/ 2 +held +20\.84 +EUR +Money may have moved.*\n +2 +accepted +20\.84 +EUR/);
    expect(stdout).toContain('2 held · HELD_UNPROVEN: HTTP 500');
    expect(stdout).toContain('✘ 2 of 4 jobs are not settled: 2 held, 2 accepted\n');
    expect(stdout).toContain('take out what was paid, accepted or left in doubt');
  });

  it('a worker that is killed is started again and mentioned, and every job has its end', async () => {
    const own = Array.from({ length: 40 }, (_, index) => JSON.stringify(aPayoutJob({ orderId: `KILL-${index + 1}` })));
    const file = await directory.file('killed.jsonl', own.join('\n'));
    const results = join(directory.path(), 'killed', 'results.jsonl');
    // Jobs that the worker had in hand come again after a minute; until each was tried, a run has five times the patience.
    const args = ['local', file, '--faults', 'slow', '--json', '--results', results, '--wait', '15'];
    const { child, ended } = startCli(args);
    // The jobs are on their queue, and the first are at work.
    const log = join(directory.path(), 'killed', 'worker.log');
    await expect.poll(() => readFile(log, 'utf8').catch(() => ''), { timeout: 120_000 }).toContain('"event":"job"');
    const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
    process.kill(Number(children.trim().split(' ')[0]), 'SIGKILL');
    const { standings, restarts } = JSON.parse((await ended).stdout) as {
      readonly standings: Record<string, number>;
      readonly restarts: number;
    };
    expect(restarts).toBe(1);
    // Those that it was sending wait for a person; the worker that follows sends all others.
    const { accepted = 0, held = 0, 'in-doubt': inDoubt = 0 } = standings;
    expect(accepted + held + inDoubt).toBe(40);
  });
});
