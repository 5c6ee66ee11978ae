// What a check of a secret says: which field, what is wrong, what to do, and never a value.
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readMerchantSecret } from '../../lib/adapters/secret-schemas.ts';
import { checkSecret } from '../../lib/app/check-secret.ts';
import type { StoredSecret } from '../../lib/app/secret-ports.ts';
import type { MerchantCredentials } from '../../lib/app/ports.ts';
import { aPrivateKey } from '../support/fake-secret-desk.ts';
import { createManualClock, createSeededRandom } from '../support/time-and-chance.ts';

const secret = {
  login: 'acme-login',
  controlKey: 'FAKE0000-0000-0000-0000-000000000000',
  privateKey: aPrivateKey(),
  baseUrl: 'https://gateway.test',
};
const ports = { clock: createManualClock(), random: createSeededRandom() };

function stored(fields: object, change: (read: MerchantCredentials) => MerchantCredentials = (it) => it): StoredSecret {
  const text = JSON.stringify(fields);
  return { version: 'v1', text, read: { kind: 'credentials', credentials: change(readMerchantSecret(text, 'v1')) } };
}

describe('a check of a secret', () => {
  it('that is in order says what was proven of it', async () => {
    const profile = { statusInquiry: true };
    const { faults, warnings, fine } = await checkSecret(stored({ ...secret, profile }), ports);
    expect({ faults, warnings }).toEqual({ faults: [], warnings: [] });
    expect(fine).toEqual([
      'every field is as it must be',
      expect.stringMatching(/^privateKey: RSA, 2048 bits, signs and verifies; public key [0-9a-f]{64}$/),
      'signed dry: transfer by RSA-SHA256, transfer-by-ref by RSA-SHA256, payout by RSA-SHA256, ' +
        'pan-eligibility by HMAC-SHA1, status by RSA-SHA256',
    ]);
  });

  it('that the worker could not read repeats its words', async () => {
    const read = { kind: 'fault', message: 'login is missing' } as const;
    expect(await checkSecret({ version: 'v1', text: '{}', read }, ports)).toEqual({
      faults: [{ level: 'fault', field: 'secret', says: 'login is missing' }],
      warnings: [],
      fine: [],
    });
  });

  it('whose key does not sign finds it out, without the words of whoever saw the key', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const broken = { kind: 'rsa-private-key', privateKey: publicKey, bits: 2048 } as const;
    const it = stored(secret, (read) => ({ ...read, keys: { ...read.keys, 'RSA-SHA256': broken } }));
    expect((await checkSecret(it, ports)).faults).toEqual([
      {
        level: 'fault',
        field: 'privateKey',
        says: 'makes signatures that its own public half does not take; make a new one with "payouts keys new"',
      },
    ]);
  });

  it('whose key is in AWS KMS signs there, or says that it can’t', async () => {
    const signer = (signDigest: () => Promise<Uint8Array>) => {
      const keys = { 'RSA-SHA256': { kind: 'rsa-signer', signDigest } } as const;
      return stored({ ...secret, privateKey: undefined }, (read) => ({ ...read, keys }));
    };
    const signs = await checkSecret(
      signer(async () => new Uint8Array(256)),
      ports,
    );
    expect(signs.fine).toContain('the private key is kept in AWS KMS');
    expect(signs.fine).toContainEqual(expect.stringContaining('signed dry: transfer by RSA-SHA256'));
    const refuses = await checkSecret(
      signer(() => Promise.reject(new Error('AccessDenied: arn:aws:kms'))),
      ports,
    );
    expect(refuses.faults).toContainEqual({
      level: 'fault',
      field: 'payout',
      says: 'AWS KMS did not sign with the key of kmsKeyId',
    });
  });

  it('warns of a control key that can be guessed, and passes on what is odd in the profile', async () => {
    const profile = { testKeys: true };
    const { warnings } = await checkSecret(stored({ ...secret, controlKey: 'short', profile }), ports);
    expect(warnings.map(({ field }) => field)).toEqual(['controlKey', 'profile.testKeys']);
    expect(JSON.stringify(warnings)).not.toContain('"short');
  });
});
