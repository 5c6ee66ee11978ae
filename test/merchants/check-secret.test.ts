// What a check of a secret says: which field, what is wrong, what to do, and never a value.
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkSecret } from '../../lib/merchants/check-secret.ts';
import type { StoredSecret } from '../../lib/merchants/secret-ports.ts';
import type { MerchantCredentials } from '../../lib/gateway/ports.ts';
import { aPrivateKey } from '../support/fake-secret-desk.ts';
import { merchantSecrets, readFields } from '../support/merchant-secrets.ts';
import { clientCertificate, privateAuthorityPem } from '../support/private-authority.ts';
import { createManualClock, createSeededRandom } from '../support/time-and-chance.ts';

const secret = {
  login: 'acme-login',
  controlKey: 'FAKE0000-0000-0000-0000-000000000000',
  privateKey: aPrivateKey(),
  baseUrl: 'https://gateway.test',
};
const ports = { clock: createManualClock(), random: createSeededRandom() };

function stored(fields: object, change: (read: MerchantCredentials) => MerchantCredentials = (it) => it): StoredSecret {
  const { contract, keys } = merchantSecrets(fields);
  const texts = { contract: JSON.stringify(contract), text: JSON.stringify(keys) };
  return { version: 'v1', ...texts, read: { kind: 'credentials', credentials: change(readFields(fields)) } };
}

describe('a check of a secret', () => {
  it('that is in order says what was proven of it', async () => {
    const profile = { statusInquiry: true };
    const { faults, warnings, fine } = await checkSecret(stored({ ...secret, profile }), ports);
    expect({ faults, warnings }).toEqual({ faults: [], warnings: [] });
    expect(fine).toEqual([
      'every field is valid',
      expect.stringMatching(/^privateKey: RSA, 2048 bits, signs and verifies; public key [0-9a-f]{64}$/),
      'signed dry: transfer by RSA-SHA256, transfer-by-ref by RSA-SHA256, payout by RSA-SHA256, ' +
        'pan-eligibility by HMAC-SHA1, status by RSA-SHA256',
    ]);
  });

  it('tells until when certificates are valid, and which proxy', async () => {
    const way = {
      clientCertificate: clientCertificate.certificatePem,
      clientKey: clientCertificate.keyPem,
      ca: privateAuthorityPem,
      proxy: { url: 'http://proxy.test:3128', username: 'acme', password: 'hunter2' },
    };
    const at = (iso: string) => ({ ...ports, clock: createManualClock(Date.parse(iso)) });
    const { fine } = await checkSecret(stored({ ...secret, ...way }), at('2027-01-01'));
    expect(fine).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^clientCertificate: valid until 2126-10-29, SHA-256 ([0-9A-F]{2}:){31}/),
        expect.stringMatching(/^ca: valid until 2126-10-29, SHA-256 /),
        'proxy: proxy.test:3128, with a name and password',
      ]),
    );
    const late = await checkSecret(stored({ ...secret, ...way }), at('2126-10-09T00:00:00Z'));
    const says = 'is valid until 2126-10-29 only; get a new one';
    expect(late.warnings).toEqual(['clientCertificate', 'ca'].map((field) => ({ level: 'warning', field, says })));
    const over = await checkSecret(
      stored({ ...secret, earlierAccounts: [{ ...secret, ...way, login: 'before' }] }),
      at('2127-01-01'),
    );
    expect(over.faults).toContainEqual({
      level: 'fault',
      field: 'earlierAccounts.0.clientCertificate',
      says: 'was valid until 2126-10-29: nothing can connect',
    });
  });

  it('that the worker could not read repeats its words', async () => {
    const read = { kind: 'fault', message: 'login is missing' } as const;
    expect(await checkSecret({ version: 'v1', contract: '{}', text: '{}', read }, ports)).toEqual({
      faults: [{ level: 'fault', field: 'secret', says: 'login is missing' }],
      warnings: [],
      fine: [],
    });
  });

  it('whose key does not sign finds it out, without the words of the library that saw the key', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const broken = { kind: 'rsa-private-key', privateKey: publicKey, bits: 2048 } as const;
    const it = stored(secret, (read) => ({ ...read, keys: { ...read.keys, 'RSA-SHA256': broken } }));
    expect(await checkSecret(it, ports)).toEqual({
      faults: [
        {
          level: 'fault',
          field: 'privateKey',
          says: 'makes signatures that its own public half does not take; make a new one with `node . keys new MERCHANT`',
        },
      ],
      warnings: [],
      // Nothing is signed dry with it: each request would only say the same again.
      fine: ['every field is valid'],
    });
  });

  it('whose key is in AWS KMS signs there, or says that it can’t', async () => {
    const signer = (signDigest: () => Promise<Uint8Array>) => {
      const keys = { 'RSA-SHA256': { kind: 'rsa-signer', keyId: 'alias/acme', signDigest } } as const;
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
    const says = 'AWS KMS did not sign with the key of kmsKeyId';
    expect(refuses.faults).toEqual([
      { level: 'fault', field: 'transfer', says },
      { level: 'fault', field: 'transfer-by-ref', says },
      { level: 'fault', field: 'payout', says },
    ]);
    expect(refuses.fine).toEqual(['every field is valid', 'the private key is kept in AWS KMS']);
  });

  it('without any key has nothing to sign dry, and nothing that could be guessed', async () => {
    const keyless = stored({ ...secret, controlKey: undefined }, (read) => ({ ...read, keys: {} }));
    const { warnings, fine } = await checkSecret(keyless, ports);
    expect(fine).toEqual(['every field is valid']);
    expect(warnings.map(({ field }) => field)).toEqual(['privateKey', 'privateKey', 'privateKey', 'controlKey']);
    expect(JSON.stringify(warnings)).not.toContain('guessed');
  });

  it('signs each request by the method that the profile has chosen, inquiries only where they are offered', async () => {
    const signatureMethod = { payout: 'HMAC-SHA1', status: 'HMAC-SHA1', 'pan-eligibility': 'RSA-SHA256' };
    const [, , asked] = (
      await checkSecret(stored({ ...secret, profile: { statusInquiry: true, signatureMethod } }), ports)
    ).fine;
    expect(asked).toBe(
      'signed dry: transfer by RSA-SHA256, transfer-by-ref by RSA-SHA256, payout by HMAC-SHA1, ' +
        'pan-eligibility by RSA-SHA256, status by HMAC-SHA1',
    );
    const [, , unasked] = (await checkSecret(stored({ ...secret, profile: { signatureMethod } }), ports)).fine;
    expect(unasked).not.toContain('status');
  });

  it('with a profile that no request can be signed by says so of each', async () => {
    const it = stored(secret, (read) => ({ ...read, profile: { ...read.profile, realm: 'é', statusInquiry: true } }));
    const { faults, fine } = await checkSecret(it, ports);
    const says = 'The realm may hold printable ASCII only.';
    expect(faults).toEqual(
      ['transfer', 'transfer-by-ref', 'payout', 'pan-eligibility', 'status'].map((field) => ({
        level: 'fault',
        field,
        says,
      })),
    );
    expect(fine).toHaveLength(2);
  });

  it.each([
    ['k'.repeat(15), ['has 15 bytes; one below 16 can be guessed, ask the gateway for another']],
    ['k'.repeat(16), []],
    [
      'x'.repeat(8) + 'é'.repeat(4),
      [
        'has U+00E9 as character 9, U+00E9 as character 10, U+00E9 as character 11 and 1 more; take this out, unless the gateway gave it so',
      ],
    ],
  ])('counts the bytes of the control key %s', async (controlKey, says) => {
    const { warnings } = await checkSecret(stored({ ...secret, controlKey }), ports);
    expect(warnings).toEqual(says.map((it) => ({ level: 'warning', field: 'controlKey', says: it })));
  });

  it.each([
    ['controlKey', { controlKey: `${secret.controlKey}\n` }, 'U+000A at the end'],
    ['controlKey', { controlKey: ` ${secret.controlKey}` }, 'U+0020 at the start'],
    ['controlKey', { controlKey: `\ufeff${secret.controlKey}` }, 'U+FEFF at the start'],
    ['controlKey', { controlKey: 'FAKE0000 0000-0000-0000-000000000000' }, 'U+0020 as character 9'],
    ['controlKey', { controlKey: 'FAKE0000\u200b-0000-0000-0000-000000000000' }, 'U+200B as character 9'],
    ['controlKey', { controlKey: 'FAKE0000–0000-0000-0000-000000000000' }, 'U+2013 as character 9'],
    ['controlKey', { controlKey: `"${secret.controlKey}"` }, 'U+0022 at the start, U+0022 at the end'],
    ['controlKey', { controlKey: `“${secret.controlKey}”` }, 'U+201C at the start, U+201D at the end'],
    ['login', { login: 'acme-login ' }, 'U+0020 at the end'],
    ['login', { login: 'асme-login' }, 'U+0430 at the start, U+0441 as character 2'],
    ['kmsKeyId', { kmsKeyId: 'alias/acme', privateKey: undefined }, undefined],
    ['earlierAccounts.0.login', { earlierAccounts: [{ ...secret, login: '\tacme' }] }, 'U+0009 at the start'],
  ])('names the characters that %s was pasted with: %j', async (field, fields, found) => {
    const check = await checkSecret(stored({ ...secret, ...fields }), ports);
    const says = `has ${found}; take this out, unless the gateway gave it so`;
    expect(check.warnings).toEqual(found === undefined ? [] : [{ level: 'warning', field, says }]);
    // Only code points are told: the characters around them are the secret.
    expect(JSON.stringify(check)).not.toContain('FAKE0000');
  });

  it('names the characters of the other texts as well; a blank within a realm is none', async () => {
    const proxy = { url: 'http://p.test:1', username: 'a', password: 'x ' };
    const odd = { ...secret, profile: { realm: 'our gate', temporaryErrorCodes: ['7\u00a0'] }, proxy };
    const { warnings } = await checkSecret(stored(odd), ports);
    expect(warnings.map(({ field, says }) => `${field} ${says.split(';', 1)}`)).toEqual([
      'profile.temporaryErrorCodes.0 has U+00A0 at the end',
      'proxy.password has U+0020 at the end',
    ]);
  });
});
