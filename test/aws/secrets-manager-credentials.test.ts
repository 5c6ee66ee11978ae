import { generateKeyPairSync } from 'node:crypto';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createSecretsManagerContracts,
  createSecretsManagerCredentials,
} from '../../lib/aws/secrets-manager-credentials.ts';
import { payneteasy } from '../../lib/gateway/payneteasy.ts';
import type { MerchantCredentials, Credentials, CredentialsAnswer } from '../../lib/gateway/ports.ts';
import type { Fingerprinting } from '../../lib/payout/ports.ts';
import { defaultProfile, unreadSafeguards } from '../../lib/gateway/profile.ts';
import { type SecretsManagerEndpoint, startSecretsManagerEndpoint } from '../../lib/local/secrets-manager-endpoint.ts';
import { merchantSecrets } from '../support/merchant-secrets.ts';
import { createManualClock, type ManualClock } from '../support/time-and-chance.ts';

const rsaPem = (modulusLength: number): string =>
  generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const privateKey = rsaPem(2048);
const smallKey = rsaPem(1024);
const controlKey = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const aSecret = { login: 'acme-login', controlKey, baseUrl: 'https://gateway.test' };
const aWorkerSecret = { fingerprintKeyId: 'k2', fingerprintKeys: { k1: '1a'.repeat(32), k2: '2b'.repeat(32) } };
const ttlMs = 300_000;

let endpoint: SecretsManagerEndpoint;
let client: SecretsManagerClient;
let clock: ManualClock;
let log: string[];
let credentials: Credentials<MerchantCredentials> & Fingerprinting;

beforeEach(async () => {
  endpoint = await startSecretsManagerEndpoint();
  client = new SecretsManagerClient({
    region: 'eu-central-1',
    endpoint: endpoint.url,
    credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
    maxAttempts: 1,
  });
  clock = createManualClock();
  log = [];
  credentials = createSecretsManagerCredentials({
    client,
    prefix: 'payouts/',
    workerSecretId: 'payouts/_worker',
    ttlMs,
    clock,
    log: { write: (level, event, fields) => void log.push(`${level} ${event} ${JSON.stringify(fields)}`) },
  });
});

afterEach(async () => {
  client.destroy();
  await endpoint.close();
});

/** Both secrets; a text, or a list, in the place of each. */
function store(secret: object | string): string {
  const both =
    typeof secret === 'string' || Array.isArray(secret) ? { contract: secret, keys: secret } : merchantSecrets(secret);
  return [
    endpoint.put('payouts/contract/acme-eu', both.contract),
    endpoint.put('payouts/keys/acme-eu', both.keys),
  ].join(' ');
}
/** Of both secrets, or one. */
const fetches = () => (endpoint.requests()['GetSecretValue'] ?? 0) / 2;
const failureCode = (answer: CredentialsAnswer) => (answer.kind === 'unavailable' ? answer.failure.code : answer.kind);

async function acme(): Promise<MerchantCredentials> {
  const answer = await credentials.of('acme-eu');
  if (answer.kind === 'unavailable') throw new Error(answer.failure.message);
  return answer.credentials;
}

describe('a merchant', () => {
  it('has what is in the secret, every default filled in', async () => {
    const version = store({ ...aSecret, privateKey });
    expect(await acme()).toEqual({
      dialect: payneteasy,
      login: 'acme-login',
      baseUrl: 'https://gateway.test',
      keys: {
        'HMAC-SHA1': { kind: 'shared-secret', secret: expect.anything() },
        'RSA-SHA256': { kind: 'rsa-private-key', privateKey: expect.anything(), bits: 2048 },
      },
      profile: { ...defaultProfile, ...unreadSafeguards },
      controlKey: expect.anything(),
      version,
      mode: 'live',
    });
  });

  it('never shows its keys when it is printed', async () => {
    store({ ...aSecret, privateKey });
    const printed = JSON.stringify(await acme());
    expect(printed).not.toContain(controlKey);
    expect(printed).not.toContain('PRIVATE');
  });

  it('without a secret is unknown', async () => {
    expect(await credentials.of('unknown-eu')).toEqual({
      kind: 'unavailable',
      failure: { code: 'MERCHANT_UNKNOWN', message: 'there is no secret for this merchant' },
    });
  });
});

describe('a fetched secret', () => {
  it('serves for its time to live, and is fetched anew after it', async () => {
    store({ ...aSecret, login: 'old' });
    expect((await acme()).login).toBe('old');
    store({ ...aSecret, login: 'new' });
    clock.advance(ttlMs - 1);
    expect((await acme()).login).toBe('old');
    expect(fetches()).toBe(1);
    clock.advance(1);
    expect((await acme()).login).toBe('new');
    expect(fetches()).toBe(2);
  });

  it('is fetched once for however many ask at once', async () => {
    store(aSecret);
    await Promise.all(Array.from({ length: 50 }, acme));
    expect(fetches()).toBe(1);
  });

  it('goes on serving while the service fails, asked for again every 10 seconds', async () => {
    store(aSecret);
    await acme();
    clock.advance(ttlMs);
    endpoint.failNext(4, 'InternalServiceError');
    expect((await acme()).login).toBe('acme-login');
    clock.advance(9_999);
    expect((await acme()).login).toBe('acme-login');
    expect(fetches()).toBe(2);
    clock.advance(1);
    expect((await acme()).login).toBe('acme-login');
    expect(fetches()).toBe(3);
    store({ ...aSecret, login: 'new' });
    clock.advance(10_000);
    expect((await acme()).login).toBe('new');
    const line = 'warn secret-not-refreshed {"merchant":"acme-eu","errorCode":"CREDENTIALS_UNAVAILABLE"}';
    expect(log).toEqual(
      [line, line, line, line].map((it, at) => it.replace('acme-eu', `${at % 2 ? 'keys' : 'contract'}/acme-eu`)),
    );
  });

  it.each(['ResourceNotFoundException', 'InvalidRequestException'])(
    'stops serving once the service says that it is gone (%s)',
    async (gone) => {
      store(aSecret);
      await acme();
      clock.advance(ttlMs);
      endpoint.failNext(2, gone);
      expect(failureCode(await credentials.of('acme-eu'))).toBe('MERCHANT_UNKNOWN');
      clock.advance(30_000);
      endpoint.failNext(2, 'InternalServiceError');
      expect(failureCode(await credentials.of('acme-eu'))).toBe('CREDENTIALS_UNAVAILABLE');
      expect((await acme()).login).toBe('acme-login');
    },
  );
});

describe('a refresh after a refused signature', () => {
  it('fetches at once, however fresh the cached value is', async () => {
    store({ ...aSecret, login: 'old' });
    const stale = await acme();
    store({ ...aSecret, login: 'new' });
    expect(await credentials.refresh('acme-eu', stale)).toMatchObject({ credentials: { login: 'new' } });
    expect((await acme()).login).toBe('new');
    expect(fetches()).toBe(2);
  });

  it('is unavailable while the service fails: the refused value is not given out as fresh', async () => {
    store(aSecret);
    const stale = await acme();
    endpoint.failNext(2, 'ThrottlingException');
    expect(failureCode(await credentials.refresh('acme-eu', stale))).toBe('CREDENTIALS_UNAVAILABLE');
    expect((await acme()).login).toBe('acme-login');
  });
});

describe('a malformed secret', () => {
  /** No value of a secret may be told, nor a long piece of one. */
  function expectNoneOf(message: string, secret: object | string): void {
    const values = typeof secret === 'string' ? [secret] : leavesOf(secret);
    for (const value of values) {
      for (let at = 0; at + 12 <= Math.max(value.length, 12); at += 6) {
        expect(message).not.toContain(value.slice(at, at + 12));
      }
    }
  }

  /** Every value, and every name too long to be one. */
  function leavesOf(value: unknown): string[] {
    if (typeof value !== 'object' || value === null) return [String(value)].filter((text) => text.length > 4);
    const names = Object.keys(value).filter((name) => name.length > 24);
    return [...names, ...Object.values(value).flatMap(leavesOf)];
  }

  it.each<[what: string, secret: object | string, message: string]>([
    ['that is not JSON', 'hunter2-hunter2-hunter2', 'the secret is not JSON'],
    ['without a login', { controlKey, baseUrl: 'https://gateway.test' }, 'login is missing'],
    [
      'without any key',
      { login: 'acme-login', baseUrl: 'https://gateway.test' },
      'the secret has neither controlKey nor privateKey',
    ],
    [
      'with a field too many',
      { ...aSecret, contrlKey: 'c0ntr0l-key-value' },
      'contrlKey is not a field of this secret',
    ],
    [
      'with a key where a name belongs',
      { ...aSecret, [controlKey]: 'controlKey' },
      '(unprintable name) is not a field of this secret',
    ],
    [
      'whose private key is no PEM',
      { ...aSecret, privateKey: 'MIIEvQIBADANBgkqhkiG9w0B' },
      'privateKey: No PEM key found: "-----BEGIN RSA PRIVATE KEY-----" is expected.',
    ],
    [
      'whose private key is cut short',
      { ...aSecret, privateKey: `${privateKey.slice(0, 400)}\n-----END PRIVATE KEY-----` },
      'privateKey: The content of the PRIVATE KEY cannot be read: is it cut short?',
    ],
    [
      'with a small RSA key',
      { ...aSecret, privateKey: smallKey },
      'privateKey: The RSA key has 1024 bits, at least 2048 needed.',
    ],
    [
      'with an unknown setting',
      { ...aSecret, profile: { statusInquiries: true } },
      'profile.statusInquiries is not a field of this secret',
    ],
    ['that is a list', ['a-value-in-a-list'], 'login is missing'],
  ])('%s is refused by field, never by value', async (_, secret, message) => {
    store(secret);
    const answer = await credentials.of('acme-eu');
    expect(answer).toEqual({
      kind: 'unavailable',
      failure: { code: 'SECRET_INVALID', message: expect.stringContaining(message) },
    });
    if (answer.kind === 'unavailable') expectNoneOf(answer.failure.message, secret);
  });

  it.each([
    'http://gateway.test',
    'http://10.0.0.1:8080',
    'ftp://gateway.test',
    'gateway.test',
    'https://',
    'https://user:password@gateway.test',
    'https://@gateway.test',
    'https://gateway.test/paynet',
    'https://gateway.test?',
    'https://gateway.test?x=1',
    'https://gateway.test#',
    'https://gateway.test\\path',
    ' https://gateway.test',
    'http://127.0.0.1.gateway.test',
    'http://localhost.gateway.test',
  ])('whose base URL is "%s" is refused', async (baseUrl) => {
    store({ ...aSecret, baseUrl });
    const message = 'baseUrl must be "https://host[:port]" (plain http only on loopback)';
    expect(await credentials.of('acme-eu')).toMatchObject({ failure: { code: 'SECRET_INVALID', message } });
  });

  it('tells every fault at once', async () => {
    store({ login: '', baseUrl: 'http://gateway.test', colour: 'red' });
    expect(await credentials.of('acme-eu')).toMatchObject({
      failure: {
        message:
          'login must not be empty; baseUrl must be "https://host[:port]" (plain http only on loopback); ' +
          'colour is not a field of this secret',
      },
    });
  });
});

describe('contract and keys', () => {
  const { contract, keys } = merchantSecrets(aSecret);
  const puts = (name: 'contract' | 'keys', json: object) => endpoint.put(`payouts/${name}/acme-eu`, json);

  it('are two: without keys nothing is signed, and a person is told which', async () => {
    puts('contract', contract);
    expect(await credentials.of('acme-eu')).toMatchObject({
      failure: { code: 'SECRET_INVALID', message: 'the merchant has a contract and no keys' },
    });
  });

  it('keys alone make no merchant', async () => {
    puts('keys', keys);
    expect(failureCode(await credentials.of('acme-eu'))).toBe('MERCHANT_UNKNOWN');
  });

  it('the keys of another login sign nothing; half a minute after both fit, they do', async () => {
    puts('contract', { ...contract, login: 'new' });
    puts('keys', keys);
    const message = "the merchant's keys have none of a login that its contract names";
    expect(await credentials.of('acme-eu')).toMatchObject({ failure: { code: 'SECRET_INVALID', message } });
    puts('keys', { ...keys, new: { controlKey } });
    clock.advance(29_999);
    expect(await credentials.of('acme-eu')).toMatchObject({ failure: { message } });
    clock.advance(1);
    expect((await acme()).login).toBe('new');
  });

  it.each([{ controlKey: 'c0ntr0l-key' }, ['c0ntr0l-key'], 'c0ntr0l-key'])(
    'keys without a login are none: %j',
    async (wrong) => {
      puts('contract', contract);
      endpoint.put('payouts/keys/acme-eu', JSON.stringify(wrong));
      const answer = await credentials.of('acme-eu');
      const message = 'the keys must be {"<login>": {"controlKey": …, "privateKey": …}}';
      expect(answer).toMatchObject({ failure: { code: 'SECRET_INVALID', message } });
    },
  );

  it('what tools read has no key in it, and asks for none', async () => {
    store({ ...aSecret, privateKey });
    const log = { write: () => {} };
    const contracts = createSecretsManagerContracts({
      client,
      prefix: 'payouts/',
      workerSecretId: 'payouts/_worker',
      ttlMs,
      clock,
      log,
    });
    const answer = await contracts.of('acme-eu');
    expect(answer).toMatchObject({ kind: 'credentials', credentials: { login: 'acme-login', mode: 'live' } });
    expect(Object.keys(answer.kind === 'credentials' ? answer.credentials : {})).not.toContain('keys');
    expect(endpoint.requests()['GetSecretValue']).toBe(1);
  });
});

describe('the worker’s own secret', () => {
  const storeWorker = (secret: object | string) => endpoint.put('payouts/_worker', secret);

  it('gives the fingerprint keys, fetched once', async () => {
    storeWorker(aWorkerSecret);
    const [{ current, keys }] = await Promise.all([credentials.keys(), credentials.keys()]);
    await credentials.keys();
    expect(current).toBe('k2');
    const exported = [...keys].map(([keyId, key]) => [keyId, key.export().toString('hex')]);
    expect(exported).toEqual([
      ['k1', '1a'.repeat(32)],
      ['k2', '2b'.repeat(32)],
    ]);
    expect(endpoint.requests()['GetSecretValue']).toBe(1);
  });

  it('is needed: without it no order may be claimed', async () => {
    await expect(credentials.keys()).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  it.each<[what: string, secret: object | string, message: string]>([
    ['no JSON', 'k1=1a1a1a1a1a1a1a1a', 'the secret is not JSON'],
    [
      'a short key',
      { fingerprintKeyId: 'k1', fingerprintKeys: { k1: 'ab12'.repeat(8) } },
      'fingerprintKeys.k1 must be at least 64 hexadecimal digits',
    ],
    [
      'a key that is not hexadecimal',
      { fingerprintKeyId: 'k1', fingerprintKeys: { k1: 'xyz'.repeat(40) } },
      'fingerprintKeys.k1 must be at least 64 hexadecimal digits',
    ],
    [
      'a key id that names none',
      { ...aWorkerSecret, fingerprintKeyId: 'k3' },
      'fingerprintKeyId must name one of fingerprintKeys',
    ],
    [
      'a key id that every object has',
      { ...aWorkerSecret, fingerprintKeyId: 'constructor' },
      'fingerprintKeyId must name one of fingerprintKeys',
    ],
    [
      'key and id exchanged',
      { fingerprintKeyId: 'k1', fingerprintKeys: { ['1a'.repeat(32)]: 'k1' } },
      'fingerprintKeys.(unprintable name) must have an id of 1 to 16 letters or digits',
    ],
    ['no keys', { fingerprintKeyId: 'k1' }, 'fingerprintKeys is missing'],
    [
      'a generated key that is none',
      { fingerprintKeyId: 'generated', fingerprintKeys: {}, generated: 'xyz'.repeat(40) },
      'generated must be at least 64 hexadecimal digits',
    ],
  ])('is refused with %s', async (_, secret, message) => {
    storeWorker(secret);
    const fault = await credentials.keys().catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: 'SECRET_INVALID', message: expect.stringContaining(message) });
    for (const key of ['1a1a', 'ab12', 'xyzx']) expect(String(fault)).not.toContain(key);
  });
});
