// Were the rows of my file paid? `payouts submit --watch`, `payouts batch` and `payouts worker --once` at gateways that
// nobody here wrote, each of another kind: what they say at the end, and their exit codes, are the truth. One worker serves
// all the merchants, and the runs wait far more than they work, so they are made side by side.
import { join } from 'node:path';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { sendToJobsQueue } from '../../lib/local/jobs-and-results.ts';
import { clientConfigOf, workerEnvironment } from '../../lib/local/local-environment.ts';
import { localWorkerLimits } from '../../lib/local/local-limits.ts';
import { workerSecret } from '../../lib/local/sample-merchants.ts';
import { startWorkerProcess, type WorkerProcess } from '../../lib/local/worker-process.ts';
import { type GatewayOptions, startIndependentGateway } from '../support/independent-gateway.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { type CliEnd, runCli, turns } from './support/cli.ts';
import { aDirectory } from './support/files.ts';

const directory = aDirectory();
const stopping: (() => Promise<void>)[] = [];
let aws: EmbeddedAws;
let worker: WorkerProcess | undefined;
let env: Record<string, string>;

beforeAll(async () => {
  aws = await startEmbeddedAws({ maxReceiveCount: localWorkerLimits.maxReceiveCount });
  aws.secrets.put('payouts/_worker', workerSecret());
  env = workerEnvironment(aws, localWorkerLimits.environment);
  worker = startWorkerProcess(env, { logFile: join(directory.path(), 'worker.log') });
});
afterAll(async () => {
  await worker?.stop();
  await Promise.all(stopping.map((stop) => stop()));
  await aws.close();
});

const profile = { signatureMethod: { payout: 'HMAC-SHA1' } };

/** A merchant of this name at a gateway of this kind. */
async function aMerchant(name: string, gateway: GatewayOptions | string, secret: object = {}): Promise<void> {
  const started = typeof gateway === 'string' ? undefined : await startIndependentGateway(gateway);
  if (started) stopping.push(started.stop);
  const baseUrl = started?.url ?? gateway;
  const keys = { login: 'northwind-login', controlKey: 'fake-control-key-northwind' };
  aws.secrets.put(`payouts/${name}`, { ...keys, baseUrl, profile, ...secret });
}

const inTurn = turns(3);

/** Sends four rows of a merchant at such a gateway and watches them; `batch` is asked after it. */
async function walk(name: string, gateway: GatewayOptions | string, secret: object = {}) {
  await aMerchant(name, gateway, secret);
  const rows = [1, 2, 3, 4].map((n) => `${name}-${n},${n}.42,EUR,Invoice,DE89370400440532013000,Cool bank`);
  const head = 'order id,amount,currency,description,iban,bank';
  const file = await directory.file(`${name}.csv`, [head, ...rows].join('\n'));
  const args = ['--merchant', name, '--operation', 'payout', '--endpoint', '39915', '--batch', name, '--yes'];
  const [sent, batch] = await inTurn(async () => [
    await runCli(['submit', file, ...args, '--watch', '--wait', '8'], { env, cwd: directory.path() }),
    await runCli(['batch', name], { env }),
  ]);
  expect(batch.code).toBe(sent.code);
  // A lane may be trying one of them again just now, so what each waits for is not compared.
  const verdictIn = ({ stdout }: CliEnd) => stdout.match(/[✔✘] (all )?\d+ .*?:/g)?.at(-1);
  expect(verdictIn(batch)).toBe(verdictIn(sent));
  expect(verdictIn(sent)).toBeDefined();
  return { ...batch, lines: batch.stdout.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, '  ')) };
}

describe.concurrent('submit --watch, and batch', { timeout: 300_000 }, () => {
  it('at a gateway that pays: 0, and the money', async () => {
    const { code, lines } = await walk('pays', {});
    expect(code).toBe(0);
    expect(lines).toContain('4  accepted  11.68  EUR  accepted by the gateway, not confirmed as paid');
    expect(lines).toContain('✔ all 4 rows: 4 accepted');
  });

  it('at a gateway that can tell more: accepted is not yet an end', async () => {
    const { code, lines } = await walk('tells', {}, { profile: { ...profile, statusInquiry: true } });
    expect(code).toBe(1);
    expect(lines).toContain('4 not settled yet');
    expect(lines).toContain(
      'tells/tells-1 · accepted · accepted, not confirmed as paid: the gateway is asked how it ended',
    );
    expect(lines).toContain('✘ 4 of 4 rows are not settled: 4 accepted');
  });

  it.each([
    ['wrong-key', {}, { controlKey: 'another' }, 'waiting · AUTHENTICATION: HTTP 401', "→ Mend the merchant's secret"],
    ['closed', 'http://127.0.0.1:9', {}, 'waiting · NOT_SENT: no connection (ECONNREFUSED)', '→ Nobody listens'],
    ['untrusted', { selfSigned: true }, {}, 'DEPTH_ZERO_SELF_SIGNED_CERT', 'set NODE_EXTRA_CA_CERTS=FILE'],
    ['refusing', { manner: 'refuses signatures' }, {}, 'waiting · AUTHENTICATION: HTTP 401', 'Look at "login"'],
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
    const { code, stdout, lines } = await walk(name, gateway, secret);
    expect(code).toBe(1);
    expect(stdout).toContain(reason);
    expect(stdout).toContain(remedy);
    expect(lines.find((line) => line.startsWith('✘'))).toMatch(/^✘ 4 of 4 rows are not settled: /);
    expect(stdout).not.toContain('✔');
  });

  it('declined for their own reasons, two of four: no fault', async () => {
    const { code, stdout } = await walk('some', { manner: 'refuses every second' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/✔ all 4 rows: 2 accepted, 2 declined\n$/);
  });
});

it('worker --once says the same of all that it took, each of another kind', async () => {
  // given the rows of above that wait on their queue, those in doubt with them, and two jobs that a gateway pays
  await worker?.stop();
  worker = undefined;
  await aMerchant('late', {});
  const sqs = new SQSClient(clientConfigOf(aws, 'SQS'));
  const jobs = ['ONCE-1', 'ONCE-2'].map((orderId) => JSON.stringify(aPayoutJob({ merchant: 'late', orderId })));
  await sendToJobsQueue(sqs, aws.queueUrls.jobs, jobs);
  sqs.destroy();

  // when a worker takes what is there, once
  const { code, stderr } = await runCli(['worker', '--once', '--wait', '5'], { env });

  // then money, reasons and what is open are told
  expect(code).toBe(1);
  expect(stderr).toMatch(/EUR +90\.92 \(26\) +20\.84 \(2\) +11\.68 \(4\) +58\.40 \(20\)\n/);
  expect(stderr).toContain('8 waiting · AUTHENTICATION: HTTP 401');
  expect(stderr).toContain('4 waiting · NOT_SENT: no connection (ECONNREFUSED)');
  expect(stderr).toContain('4 waiting · NOT_SENT: no connection (DEPTH_ZERO_SELF_SIGNED_CERT)');
  expect(stderr).toContain('4 waiting · ACCOUNT_NOT_READY: gateway code 28');
  expect(stderr).toContain('24 still open\n');
  expect(stderr).toContain('✘ 24 of 26 jobs are not settled: 2 accepted, 4 in doubt, 20 waiting\n');
});
