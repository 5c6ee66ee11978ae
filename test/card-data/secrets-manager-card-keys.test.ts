// The worker's card keys out of Secrets Manager: found by id, looked for anew when a sender is ahead, never printed.
import { generateKeyPairSync } from 'node:crypto';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CardKeys, createSecretsManagerCardKeys } from '../../lib/card-data/secrets-manager-card-keys.ts';
import { type SecretsManagerEndpoint, startSecretsManagerEndpoint } from '../../lib/local/secrets-manager-endpoint.ts';
import { privateCardKeys } from '../support/card-keys.ts';
import { createManualClock, type ManualClock } from '../support/time-and-chance.ts';
import { silentLog } from '../../lib/aws/cloudwatch-lines.ts';

const { 'ec-1': ec = {}, 'rsa-1': rsa = {} } = privateCardKeys;

let endpoint: SecretsManagerEndpoint;
let client: SecretsManagerClient;
let clock: ManualClock;
let keys: CardKeys;

beforeEach(async () => {
  endpoint = await startSecretsManagerEndpoint();
  const credentials = { accessKeyId: 'fake', secretAccessKey: 'fake' };
  client = new SecretsManagerClient({ region: 'eu-central-1', endpoint: endpoint.url, credentials, maxAttempts: 1 });
  clock = createManualClock();
  keys = createSecretsManagerCardKeys({ client, prefix: 'payouts/', ttlMs: 300_000, clock, log: silentLog });
});

afterEach(async () => {
  client.destroy();
  await endpoint.close();
});

const store = (secret: object | string) => endpoint.put('payouts/_card', secret);
const fetches = () => endpoint.requests()['GetSecretValue'] ?? 0;

it('are found by id, with one fetch for both, and never print', async () => {
  store({ current: 'ec-1', keys: { 'ec-1': ec, 'rsa-1': rsa } });
  const found = [await keys.of('ec-1'), await keys.of('rsa-1')];
  expect(found).toMatchObject([
    { kind: 'key', alg: 'ECDH-ES' },
    { kind: 'key', alg: 'RSA-OAEP-256' },
  ]);
  expect(fetches()).toBe(1);
  expect(JSON.stringify(found)).not.toContain(String(ec.d));
});

it('a key that was added since is found at once', async () => {
  store({ current: 'rsa-1', keys: { 'rsa-1': rsa } });
  await keys.of('rsa-1');
  store({ current: 'ec-1', keys: { 'ec-1': ec, 'rsa-1': rsa } });
  expect(await keys.of('ec-1')).toMatchObject({ kind: 'key' });
  expect(fetches()).toBe(2);
});

it('ids that do not exist do not use up Secrets Manager', async () => {
  store({ current: 'ec-1', keys: { 'ec-1': ec } });
  for (const kid of ['x', 'y', 'z']) expect(await keys.of(kid)).toEqual({ kind: 'unknown' });
  expect(fetches()).toBe(2);
  clock.advance(10_000);
  expect(await keys.of('z')).toEqual({ kind: 'unknown' });
  expect(fetches()).toBe(3);
});

it('while Secrets Manager is down, the keys known serve, and of others nothing is said', async () => {
  store({ current: 'ec-1', keys: { 'ec-1': ec } });
  await keys.of('ec-1');
  await endpoint.close();
  expect(await keys.of('ec-1')).toMatchObject({ kind: 'key' });
  expect(await keys.of('ec-2')).toEqual({
    kind: 'unavailable',
    failure: { code: 'CREDENTIALS_UNAVAILABLE', message: 'Secrets Manager did not answer' },
  });
});

describe('an invalid secret says what to mend, and never a key', () => {
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'jwk' });
  const otherCurve = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ format: 'jwk' });
  const { d: _d, ...publicHalf } = ec;
  const noKey = "the worker's card keys: keys.a is no private key as a JWK: EC on P-256, or RSA of at least 2048 bits";

  it.each([
    ['none at all', undefined, 'the worker has no secret "_card" with card keys'],
    ['no JSON', 'secret', "the worker's card keys: the secret is not JSON"],
    [
      'a current key that is not there',
      { current: 'b', keys: { a: ec } },
      "the worker's card keys: must name one of its keys as current",
    ],
    ['a public key', { current: 'a', keys: { a: publicHalf } }, noKey],
    ['another curve', { current: 'a', keys: { a: otherCurve } }, noKey],
    ['a small key', { current: 'a', keys: { a: small } }, noKey],
    [
      'another kind of key',
      { current: 'a', keys: { a: { kty: 'oct', k: 'AAAA' } } },
      'the worker\'s card keys: keys.a.kty must be "EC" or "RSA"',
    ],
  ])('%s', async (_, secret, message) => {
    if (secret !== undefined) store(secret);
    expect(await keys.of('a')).toEqual({ kind: 'unavailable', failure: { code: 'SECRET_INVALID', message } });
  });
});
