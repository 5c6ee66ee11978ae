// A merchant's key rotated while payments run, as an operator does it: a new pair, the gateway learns the public half, the
// worker signs with it, and no job is lost. And what the tool says about secrets, without a word of them.
import { createPublicKey } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { anAws } from './support/aws.ts';
import { startCli } from './support/cli.ts';
import { fieldsOf, putMerchant } from '../support/merchant-secrets.ts';

const world = anAws({ gateway: true, visibilityTimeoutSeconds: 60 });
const { payouts } = world;

const send = (orderId: string) => world.send(aPayoutJob({ orderId }));
const told = async (orderId: string) => (await world.results()).get(orderId);

it('a key is rotated while the worker runs, and no job is lost', async () => {
  // given a worker that signs with the old key
  const worker = startCli(['worker', '--sweep-seconds', '2'], { env: world.env() });
  await send('BEFORE');
  expect(await told('BEFORE')).toMatchObject({ status: 'accepted', attempts: 1 });

  // when a new pair is made, only its public half is to be seen
  const made = await payouts('keys', 'new', 'acme-eu');
  expect(made).toMatchObject({ code: 0 });
  expect(createPublicKey(made.stdout).asymmetricKeyDetails?.modulusLength).toBe(4096);
  expect(made.stderr).toContain('3. `node . keys activate acme-eu --endpoint ENDPOINT`');
  const pending = await payouts('secrets', 'check', 'acme-eu', '--key-version', 'AWSPENDING');
  expect(pending).toMatchObject({ code: 0, stdout: expect.stringContaining('privateKey: RSA, 4096 bits, signs and') });

  // then the gateway, asked too early, refuses it, and nothing has changed
  const early = await payouts('keys', 'activate', 'acme-eu', '--endpoint', '39915');
  expect(early).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^payouts: the gateway refused a signature by the new key: .*; nothing was changed\n$/,
    ),
  });
  await send('BETWEEN');
  expect(await told('BETWEEN')).toMatchObject({ status: 'accepted' });

  // and when the gateway has learnt it, and the version is activated
  expect(await payouts('pause', 'acme-eu', '--reason', 'key rotation')).toMatchObject({ code: 0 });
  // A pause is known within five seconds; what is sent before that would meet the new key with the old one.
  await sleep(5_000);
  await send('DURING');
  const { login, controlKey } = fieldsOf(world.secrets()['acme-eu']);
  world.gateway().enrol({ login: String(login), controlKey: String(controlKey), publicKeyPem: made.stdout });
  const activated = await payouts('keys', 'activate', 'acme-eu', '--endpoint', '39915', '--json');
  expect(JSON.parse(activated.stdout)).toMatchObject({ outcome: 'activated', merchant: 'acme-eu', asked: true });
  expect(await payouts('resume', 'acme-eu')).toMatchObject({ code: 0 });

  // then the worker, which still holds the old key, is refused once, fetches the new one and sends again
  expect(await told('DURING')).toMatchObject({ status: 'accepted', attempts: 2 });
  await send('AFTER');
  expect(await told('AFTER')).toMatchObject({ status: 'accepted', attempts: 1 });
  expect(
    world
      .gateway()
      .orders()
      .map(({ clientOrderId, accepted }) => [clientOrderId, accepted]),
  ).toEqual(['BEFORE', 'BETWEEN', 'DURING', 'AFTER'].map((orderId) => [orderId, true]));
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
    putMerchant(world.aws().secrets, 'sandbox', { ...fieldsOf(world.secrets()['globex-us']), mode: 'test' });
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
    const live = { ...fieldsOf(world.secrets()['acme-eu']), mode: 'live' };
    putMerchant(world.aws().secrets, 'real', live);
    const before = world.gateway().orders().length;
    const end = await payouts('probe', 'real', '--endpoint', '39915', ...account);
    expect(end).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('real is a live account') });
    expect(world.gateway().orders()).toHaveLength(before);
  });
});

describe('payouts secrets check', () => {
  it('of a secret with a fault ends with 1, the field and what to do', async () => {
    putMerchant(world.aws().secrets, 'broken', {
      ...fieldsOf(world.secrets()['acme-eu']),
      baseUrl: 'http://gate.example.com',
    });
    expect(await payouts('secrets', 'check', 'broken')).toMatchObject({
      code: 1,
      stdout: '✘ secret: baseUrl must be "https://host[:port]" (plain http only on loopback)\n',
    });
    const { stdout } = await payouts('secrets', 'check', 'broken', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'fault', stage: 'AWSCURRENT', faults: [{ field: 'secret' }] });
  });
});

it('nothing secret was ever printed', () => {
  const printed = world.printed();
  expect(printed).toContain('BEGIN PUBLIC KEY');
  expect(printed).not.toContain('PRIVATE KEY');
  const values = Object.values(world.secrets())
    .map(fieldsOf)
    .flatMap(({ controlKey, login }) => [String(controlKey), String(login)]);
  expect(values.length).toBe(6);
  for (const value of values) expect(printed).not.toContain(value);
});
