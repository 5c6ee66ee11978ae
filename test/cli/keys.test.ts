// A merchant's key rotated while payments run, as an operator does it: a new pair, the gateway learns the public half, the
// worker signs with it, and no job is lost. And what the tool says about secrets, without a word of them.
import { createPublicKey } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import type { GatewaySimulator } from '../../lib/local/gateway/simulator.ts';
import { collectResults, sendToJobsQueue } from '../../lib/local/jobs-and-results.ts';
import { clientConfigOf, workerEnvironment } from '../../lib/local/local-environment.ts';
import { startLocalGateway } from '../../lib/local/local-gateway.ts';
import { localWorkerLimits } from '../../lib/local/local-limits.ts';
import { type MerchantSecret, sampleSecrets, workerSecret } from '../../lib/local/sample-merchants.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { type CliEnd, runCli, startCli } from './support/cli.ts';

let aws: EmbeddedAws;
let gateway: GatewaySimulator;
let sqs: SQSClient;
let env: Record<string, string>;
let secrets: Readonly<Record<string, MerchantSecret>>;
const outputs: string[] = [];

beforeAll(async () => {
  aws = await startEmbeddedAws({ maxReceiveCount: localWorkerLimits.maxReceiveCount, visibilityTimeoutSeconds: 60 });
  const local = await startLocalGateway('none', (gatewayUrl) => sampleSecrets({ gatewayUrl, closedUrl: gatewayUrl }));
  gateway = local.simulator;
  secrets = local.secrets;
  for (const [merchant, secret] of Object.entries(secrets)) aws.secrets.put(`payouts/${merchant}`, secret);
  aws.secrets.put('payouts/_worker', workerSecret());
  sqs = new SQSClient(clientConfigOf(aws, 'SQS'));
  env = workerEnvironment(aws, localWorkerLimits.environment);
});

afterAll(async () => {
  sqs.destroy();
  await gateway.close();
  await aws.close();
});

async function payouts(...args: string[]): Promise<CliEnd> {
  const end = await runCli(args, { env });
  outputs.push(end.stdout, end.stderr);
  return end;
}

const send = (orderId: string) => sendToJobsQueue(sqs, aws.queueUrls.jobs, [JSON.stringify(aPayoutJob({ orderId }))]);

async function told(orderId: string) {
  const queues = { jobsQueueUrl: aws.queueUrls.jobs, resultsQueueUrl: aws.queueUrls.results };
  return (await collectResults(sqs, queues)).find((it) => it.orderId === orderId);
}

it('a key is rotated while the worker runs, and no job is lost', async () => {
  // given a worker that signs with the old key
  const worker = startCli(['worker'], { env });
  await send('BEFORE');
  expect(await told('BEFORE')).toMatchObject({ status: 'accepted', attempts: 1 });

  // when a new pair is made, only its public half is to be seen
  const made = await payouts('keys', 'new', 'acme-eu');
  expect(made).toMatchObject({ code: 0 });
  expect(createPublicKey(made.stdout).asymmetricKeyDetails?.modulusLength).toBe(4096);
  expect(made.stderr).toContain('3. `npx --no payouts keys activate acme-eu --endpoint ENDPOINT`');
  const pending = await payouts('secrets', 'check', 'acme-eu', '--stage', 'AWSPENDING');
  expect(pending).toMatchObject({ code: 0, stdout: expect.stringContaining('privateKey: RSA, 4096 bits, signs and') });

  // then the gateway, asked too early, refuses it, and nothing has changed
  const early = await payouts('keys', 'activate', 'acme-eu', '--endpoint', '39915');
  expect(early).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^the gateway refused a signature by the new key: .*; nothing was changed\n$/),
  });
  await send('BETWEEN');
  expect(await told('BETWEEN')).toMatchObject({ status: 'accepted' });

  // and when the gateway has learnt it, and the version is activated
  expect(await payouts('pause', 'acme-eu', '--reason', 'key rotation')).toMatchObject({ code: 0 });
  // A pause is known within five seconds; what is sent before that would meet the new key with the old one.
  await sleep(5_000);
  await send('DURING');
  const { login, controlKey } = secrets['acme-eu'] ?? {};
  gateway.enrol({ login: String(login), controlKey: String(controlKey), publicKeyPem: made.stdout });
  const activated = await payouts('keys', 'activate', 'acme-eu', '--endpoint', '39915', '--json');
  expect(JSON.parse(activated.stdout)).toMatchObject({ outcome: 'activated', merchant: 'acme-eu', asked: true });
  expect(await payouts('resume', 'acme-eu')).toMatchObject({ code: 0 });

  // then the worker, which still holds the old key, is refused once, fetches the new one and sends again
  expect(await told('DURING')).toMatchObject({ status: 'accepted', attempts: 2 });
  await send('AFTER');
  expect(await told('AFTER')).toMatchObject({ status: 'accepted', attempts: 1 });
  expect(gateway.payments().map(({ clientOrderId, acceptedCount }) => [clientOrderId, acceptedCount])).toEqual(
    ['BEFORE', 'BETWEEN', 'DURING', 'AFTER'].map((orderId) => [orderId, 1]),
  );
  worker.child.kill('SIGTERM');
  expect(await worker.ended).toMatchObject({ code: 0 });

  // and activating it again, or going back, is said as it is
  expect(await payouts('keys', 'activate', 'acme-eu', '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^version \S+ is current already\n$/),
  });
  expect(await payouts('keys', 'activate', 'acme-eu', '--rollback', '--yes')).toMatchObject({ code: 0 });
  expect(await payouts('secrets', 'check', 'acme-eu')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('privateKey: RSA, 2048 bits'),
  });
});

describe('a probe of the sandbox', () => {
  const account = ['--field', 'account_number=DE89370400440532013000', '--field', 'bank_name=Test bank'];

  it('prints what it saw, and the profile for the secret', async () => {
    aws.secrets.put('payouts/sandbox', { ...secrets['globex-us'], mode: 'test' });
    const end = await payouts('probe', 'sandbox', '--endpoint', '39915', ...account);
    expect(end).toMatchObject({ code: 0, stderr: '' });
    expect(end.stdout).toContain('✔ status inquiry: is answered\n    request 2: HTTP 200 type=status-response');
    const profile: unknown = JSON.parse(end.stdout.slice(end.stdout.indexOf('\n{\n')));
    // This account has a control key alone.
    expect(profile).toEqual({ statusInquiry: true, signatureMethod: { payout: 'HMAC-SHA1', status: 'HMAC-SHA1' } });
    const asJson = await payouts('probe', 'sandbox', '--endpoint', '39915', '--json', ...account);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ kind: 'report', profile });
  });

  it('is refused for a live account, before anything is sent', async () => {
    const live = { ...secrets['acme-eu'], mode: 'live' };
    aws.secrets.put('payouts/real', live);
    const before = gateway.orders().length;
    const end = await payouts('probe', 'real', '--endpoint', '39915', ...account);
    expect(end).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('real is a live account') });
    expect(gateway.orders()).toHaveLength(before);
  });

  it.each<[what: string, args: string[], says: string]>([
    ['a field that the operation has not', ['--field', 'iban=x'], '"iban" is no field of payout'],
    ['a field without a value', ['--field', 'iban'], 'write name=value'],
    ['an endpoint that is none', ['--endpoint', 'a b'], '"a b" is no endpoint id'],
  ])('refuses %s', async (_, args, says) => {
    const end = await payouts('probe', 'sandbox', '--endpoint', '39915', ...args);
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
  });
});

describe('payouts keys new', () => {
  it('prints the public half alone; the private one is nowhere but in the secret', async () => {
    const made = await payouts('keys', 'new', 'initech-uk', '--json');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { publicKey, bits } = JSON.parse(made.stdout) as { publicKey: string; bits: number };
    expect(bits).toBe(4096);
    expect(createPublicKey(publicKey).asymmetricKeyType).toBe('rsa');
    expect(made.stdout).not.toContain('PRIVATE');
  });

  it('of a merchant without a secret is refused', async () => {
    expect(await payouts('keys', 'new', 'nobody')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('there is no secret for a merchant "nobody"'),
    });
  });
});

describe('payouts secrets check', () => {
  it('of a secret with a fault ends with 1, the field and what to do', async () => {
    aws.secrets.put('payouts/broken', { ...secrets['acme-eu'], baseUrl: 'http://gate.example.com' });
    expect(await payouts('secrets', 'check', 'broken')).toMatchObject({
      code: 1,
      stdout: '✘ secret: baseUrl must be "https://host[:port]" (plain http only on loopback)\n',
    });
    const { stdout } = await payouts('secrets', 'check', 'broken', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'fault', stage: 'AWSCURRENT', faults: [{ field: 'secret' }] });
  });

  it('of what is not there ends with 1', async () => {
    expect(await payouts('secrets', 'check', 'globex-us', '--stage', 'AWSPREVIOUS')).toMatchObject({
      code: 1,
      stdout: 'globex-us: there is no AWSPREVIOUS version of its secret\n',
    });
  });
});

it('nothing secret was ever printed', () => {
  const printed = outputs.join('\n');
  expect(printed).toContain('BEGIN PUBLIC KEY');
  expect(printed).not.toContain('PRIVATE KEY');
  const values = Object.values(secrets).flatMap(({ controlKey, login }) => [String(controlKey), String(login)]);
  expect(values.length).toBe(6);
  for (const value of values) expect(printed).not.toContain(value);
});
