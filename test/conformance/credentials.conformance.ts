// Merchants' credentials and the worker's keys out of moto's Secrets Manager.
import { randomUUID } from 'node:crypto';
import { CreateSecretCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createSecretsManagerCredentials } from '../../lib/aws/secrets-manager-credentials.ts';
import { systemClock } from '../../lib/aws/system.ts';
import type { Fingerprinting } from '../../lib/payout/ports.ts';
import { workerSecret } from '../../lib/local/sample-merchants.ts';
import { fakeCredentials } from './table.ts';
import type { Credentials, CredentialsAnswer, MerchantCredentials } from '../../lib/gateway/ports.ts';

const motoUrl = inject('moto');

describe.skipIf(motoUrl === null)('credentials out of moto', () => {
  let client: SecretsManagerClient;
  let secrets: Credentials<MerchantCredentials> & Fingerprinting;
  const prefix = `payouts-${randomUUID()}/`;
  const secretOf = (login: string) =>
    JSON.stringify({ login, controlKey: 'fake-control-key', baseUrl: 'https://gate.example.com' });

  beforeAll(() => {
    client = new SecretsManagerClient({
      region: 'eu-central-1',
      endpoint: motoUrl ?? '',
      credentials: fakeCredentials,
      maxAttempts: 1,
    });
    const log = { write: () => {} };
    secrets = createSecretsManagerCredentials({ client, prefix, ttlMs: 60_000, clock: systemClock, log });
  });

  afterAll(() => client.destroy());

  const create = (name: string, SecretString: string) =>
    client.send(new CreateSecretCommand({ Name: prefix + name, SecretString }));
  const loginOf = (answer: CredentialsAnswer<MerchantCredentials>) =>
    answer.kind === 'credentials' ? answer.credentials.login : answer.failure.code;

  it('are the current version, and name it', async () => {
    const { VersionId } = await create('acme-eu', secretOf('acme-login'));
    expect(await secrets.of('acme-eu')).toMatchObject({
      kind: 'credentials',
      credentials: { login: 'acme-login', baseUrl: 'https://gate.example.com', version: VersionId },
    });
  });

  it('of nobody are unknown, those of a broken secret invalid', async () => {
    await create('broken', 'not JSON');
    expect(loginOf(await secrets.of('nobody'))).toBe('MERCHANT_UNKNOWN');
    expect(loginOf(await secrets.of('broken'))).toBe('SECRET_INVALID');
  });

  it('that were rotated are seen after a refusal, and only then', async () => {
    await create('rotating', secretOf('old-login'));
    const stale = await secrets.of('rotating');
    await client.send(
      new PutSecretValueCommand({ SecretId: `${prefix}rotating`, SecretString: secretOf('new-login') }),
    );
    expect(loginOf(await secrets.of('rotating'))).toBe('old-login');
    const fresh = stale.kind === 'credentials' ? await secrets.refresh('rotating', stale.credentials) : stale;
    expect(loginOf(fresh)).toBe('new-login');
    expect(loginOf(await secrets.of('rotating'))).toBe('new-login');
  });

  it('that wait for their rotation are not used', async () => {
    await create('waiting', secretOf('old-login'));
    const stale = await secrets.of('waiting');
    const VersionStages = ['AWSPENDING'];
    await client.send(
      new PutSecretValueCommand({
        SecretId: `${prefix}waiting`,
        SecretString: secretOf('new-login'),
        VersionStages,
      }),
    );
    const fresh = stale.kind === 'credentials' ? await secrets.refresh('waiting', stale.credentials) : stale;
    expect(loginOf(fresh)).toBe('old-login');
  });

  it('bring the keys of the fingerprints', async () => {
    await create('_worker', JSON.stringify(workerSecret()));
    const { current, keys } = await secrets.keys();
    expect(keys.get(current)?.symmetricKeySize).toBe(32);
  });
});
