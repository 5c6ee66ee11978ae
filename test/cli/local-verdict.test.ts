// Were my jobs paid? `payouts local` at gateways that nobody here wrote, as a new user meets them: what it says at the
// end, and its exit code, are the truth. The runs wait far more than they work, so they are made side by side, three at once:
// each is three processes, whose answers must come within the run's own deadlines.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { sendToJobsQueue } from '../../lib/local/jobs-and-results.ts';
import { clientConfigOf, workerEnvironment } from '../../lib/local/local-environment.ts';
import { localWorkerLimits } from '../../lib/local/local-limits.ts';
import { workerSecret } from '../../lib/local/sample-merchants.ts';
import type { PaidVerdict } from '../../lib/local/verdict.ts';
import { type GatewayOptions, startIndependentGateway } from '../support/independent-gateway.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { wholeIt } from '../support/long-proof.ts';
import { runCli, startCli, turns } from './support/cli.ts';
import { aDirectory } from './support/files.ts';

const directory = aDirectory();
const stopping: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(stopping.map((stop) => stop())));

const merchant = { login: 'northwind-login', controlKey: 'fake-control-key-northwind' };

const jobs = Array.from({ length: 4 }, (_, index) =>
  aPayoutJob({ merchant: 'northwind', orderId: `NW-${index + 1}`, context: { note: 'thanks 🙂' } }),
);

const inTurn = turns(3);

async function walk(name: string, gateway: GatewayOptions | string, { secret = {}, more = [] as string[] } = {}) {
  const started = typeof gateway === 'string' ? undefined : await startIndependentGateway(gateway);
  if (started) stopping.push(started.stop);
  const profile = { signatureMethod: { payout: 'HMAC-SHA1' } };
  const secrets = JSON.stringify({ northwind: { ...merchant, profile, ...secret } });
  const args = [
    'local',
    await directory.file(`${name}.jsonl`, jobs.map((it) => JSON.stringify(it)).join('\n')),
    '--gateway-url',
    started?.url ?? String(gateway),
    '--secrets',
    await directory.file(`${name}.json`, secrets),
    '--results',
    join(directory.path(), name, 'results.jsonl'),
    '--wait',
    '6',
    ...more,
  ];
  const { code, stdout, stderr } = await inTurn(() => runCli(args));
  return { code, stdout, stderr, lines: stdout.split('\n').map((line) => line.trim()), started };
}

describe.concurrent('a gateway of your own', { timeout: 300_000 }, () => {
  it('that pays: all jobs, told to the last emoji, and a word about what the ledger forgets', async () => {
    const { code, stdout, started } = await walk('pays', {});
    expect(stdout).toContain('✔ all 4 jobs: 4 accepted\n');
    expect(stdout).toContain('The ledger of this run ends with it');
    expect(code).toBe(0);
    expect(await started?.orders()).toHaveLength(4);
    const results = (await readFile(join(directory.path(), 'pays', 'results.jsonl'), 'utf8')).trim().split('\n');
    expect(results).toHaveLength(4);
    for (const result of results) expect(result).toContain('"context":{"note":"thanks 🙂"}');
  });

  it('at a closed port: nothing was sent, everything waits', async () => {
    const { code, stdout, lines } = await walk('closed', 'http://127.0.0.1:9');
    expect(code).toBe(1);
    expect(lines).toContain('4 waiting · NOT_SENT: no connection (ECONNREFUSED)');
    expect(lines).toContain("→ Nobody listens at the gateway's address: start the gateway, or mend host and port.");
    expect(lines).toContain('line 1 · northwind/NW-1 · waiting · NOT_SENT');
    expect(stdout).toContain('✘ 4 of 4 jobs are not settled: 4 waiting\n');
    expect(stdout).not.toContain('The ledger of this run');
  });

  wholeIt('under a certificate that nobody knows: its remedy', async () => {
    const { code, lines } = await walk('self-signed', { selfSigned: true });
    expect(code).toBe(1);
    expect(lines).toContain('4 waiting · NOT_SENT: no connection (DEPTH_ZERO_SELF_SIGNED_CERT)');
    expect(lines.join('\n')).toContain('set NODE_EXTRA_CA_CERTS=FILE');
  });

  it('with a wrong key: no order ends, and the secret is to be mended', async () => {
    const { code, lines, started } = await walk('wrong', {}, { secret: { controlKey: 'another' } });
    expect(code).toBe(1);
    expect(lines).toContain(
      '4 waiting · AUTHENTICATION: HTTP 401, the gateway answered 401: signature or login refused',
    );
    expect(lines.join('\n')).toContain("→ Mend the merchant's secret");
    expect(await started?.orders()).toEqual([]);
  });

  wholeIt('that refuses all signatures: the same, said to programs', async () => {
    const { code, stdout, stderr } = await walk('refuses', { manner: 'refuses signatures' }, { more: ['--json'] });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout) as PaidVerdict).toMatchObject({
      settled: false,
      unsettled: 4,
      endings: { waiting: 4, accepted: 0, missing: 0 },
      reasons: [{ ending: 'waiting', code: 'AUTHENTICATION', httpStatus: 401, jobs: 4 }],
      results: [{ currency: 'EUR', asked: '41.68', askedOrders: 4, by: { waiting: { amount: '41.68', orders: 4 } } }],
      open: jobs.map(({ orderId }, index) => ({ line: index + 1, order: `northwind/${orderId}`, ending: 'waiting' })),
    });
  });

  it('that says nothing: money may have moved, and nothing is sent again', async () => {
    const { code, stdout, lines, started } = await walk('silent', { manner: 'says nothing' });
    expect(code).toBe(1);
    const posts = (await started?.orders())?.length ?? 0;
    expect(stdout).toMatch(/EUR +41\.68 \(4\)/);
    expect(lines.find((line) => line.includes('in doubt · NO_ANSWER:'))).toMatch(new RegExp(`^${posts} in doubt`));
    expect(stdout).toContain('✘ 4 of 4 jobs are not settled:');
    expect(stdout).toContain('take out what was paid, accepted or left in doubt');
  });

  it('that fails every second time: half accepted, half in doubt, each with its money', async () => {
    const { code, stdout } = await walk('half', { manner: 'fails every second' });
    expect(code).toBe(1);
    expect(stdout).toMatch(/money +asked for +accepted +in doubt\n +EUR +41\.68 \(4\) +20\.84 \(2\) +20\.84 \(2\)/);
    expect(stdout).toContain('2 in doubt · UNCLEAR_ANSWER: HTTP 500');
    expect(stdout).toContain('✘ 2 of 4 jobs are not settled: 2 accepted, 2 in doubt\n');
  });

  wholeIt('that declines some for their own reasons is no fault', async () => {
    const { code, stdout } = await walk('some', { manner: 'refuses every second' });
    expect(stdout).toContain('2 declined · GATEWAY_REFUSED: gateway code 8, HTTP 200, Bank account is unknown 🏦');
    expect(stdout).toContain('✔ all 4 jobs: 2 accepted, 2 declined\n');
    expect(code).toBe(0);
  });

  wholeIt('that refuses every order in the same words is asked about the account', async () => {
    const { code, stdout } = await walk('alike', { manner: 'refuses every order' });
    expect(code).toBe(1);
    expect(stdout).toContain('✘ 4 of 4 jobs are not settled: 4 declined\n');
    expect(stdout).toContain('Ask it about the account.');
  });
});

it(
  'a worker that is killed is started again and mentioned, and every job has its end',
  { timeout: 300_000 },
  async () => {
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
  },
);

it('payouts worker --once says the same of the jobs that it took, and ends although they wait', async () => {
  const aws = await startEmbeddedAws();
  const profile = { signatureMethod: { payout: 'HMAC-SHA1' } };
  aws.secrets.put('payouts/northwind', { ...merchant, profile, baseUrl: 'http://127.0.0.1:9' });
  aws.secrets.put('payouts/_worker', workerSecret());
  const sqs = new SQSClient(clientConfigOf(aws, 'SQS'));
  await sendToJobsQueue(sqs, aws.queueUrls.jobs, [
    ...jobs.map((it) => JSON.stringify(it)),
    '{}',
    JSON.stringify(aPayoutJob({ merchant: 'northwind', orderId: 'NW-LATE', expiresAt: '2020-01-01T00:00:00Z' })),
  ]);
  const env = workerEnvironment(aws, localWorkerLimits.environment);
  const { code, stderr } = await runCli(['worker', '--once', '--wait', '5'], { env });
  sqs.destroy();
  await aws.close();
  expect(code).toBe(1);
  expect(stderr).toContain('4 waiting · NOT_SENT: no connection (ECONNREFUSED)\n');
  expect(stderr).toContain('1 failed · INVALID_MESSAGE: version is missing');
  expect(stderr).toMatch(/money +asked for +failed +waiting\n +EUR +52\.10 \(5\) +10\.42 \(1\) +41\.68 \(4\)/);
  expect(stderr).toContain('1 failed · EXPIRED: The job was past its expiresAt before it was sent; no money moved.\n');
  expect(stderr).toContain('message 1 · northwind/NW-1 · waiting · NOT_SENT\n');
  expect(stderr).toContain(
    '✘ 6 of 6 jobs are not settled: 2 failed, 4 waiting\n    What waits stays, on its queue or in the table: `npx --no payouts worker` goes on.\n    What failed is',
  );
});
