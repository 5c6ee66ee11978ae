// A merchant's key is rotated: what a new one changes and what not, and everything that keeps a wrong one from counting.
import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Activation, checkActivation, stageNewKey } from '../../lib/merchants/rotate-key.ts';
import type { Gateway } from '../../lib/gateway/ports.ts';
import type { SecretAdmin } from '../../lib/merchants/secret-ports.ts';
import type { RsaSigner } from '../../lib/oauth1/signing-key.ts';
import { createFakeGateway } from '../support/fake-gateway.ts';
import { aPrivateKey, createFakeKeyMaker, createFakeSecretDesk } from '../support/fake-secret-desk.ts';
import { privateAuthorityPem as ca } from '../support/private-authority.ts';
import { createManualClock, createSeededRandom, startMs } from '../support/time-and-chance.ts';

const oldKey = aPrivateKey();
const current = {
  login: 'acme-login',
  controlKey: 'FAKE0000-0000-0000-0000-000000000000',
  privateKey: oldKey,
  baseUrl: 'https://gateway.test',
  profile: { statusInquiry: true, doubtLimits: { EUR: '100.00' } },
  earlierAccounts: [{ login: 'old-login', controlKey: 'FAKE-OLD-KEY-000', baseUrl: 'https://gateway.test' }],
};

function aDesk() {
  const clock = createManualClock();
  const secretAdmin = createFakeSecretDesk();
  secretAdmin.put('AWSCURRENT', current);
  const gateway = createFakeGateway(clock);
  return { secretAdmin, keyMaker: createFakeKeyMaker(), gateway, clock, random: createSeededRandom() };
}

const activation = (changes: Partial<Activation> = {}): Activation => ({
  rollback: false,
  evenChanged: false,
  ...changes,
});

/** The desk, its versions read as of a key that is kept in AWS KMS. */
function withSigner(desk: SecretAdmin, signDigest: RsaSigner['signDigest']): SecretAdmin {
  return {
    ...desk,
    async read(merchant, stage) {
      const it = await desk.read(merchant, stage);
      if (it?.read.kind !== 'credentials') return it;
      const { credentials } = it.read;
      const keys = {
        ...credentials.keys,
        'RSA-SHA256': { kind: 'rsa-signer', keyId: 'alias/acme', signDigest },
      } as const;
      return { ...it, read: { kind: 'credentials', credentials: { ...credentials, keys } } };
    },
  };
}

describe('a new key', () => {
  it('is of 4096 bits, pending with every other field of the current version, and counts for nothing yet', async () => {
    const desk = aDesk();
    const made = await stageNewKey('acme-eu', false, desk);
    expect(desk.keyMaker.asked).toEqual([4096]);
    const { controlKey, privateKey: oldOne } = current;
    const { privateKey, ...others } = desk.secretAdmin.keys('AWSPENDING')['acme-login'] ?? {};
    expect(others).toEqual({ controlKey });
    expect(desk.secretAdmin.keys('AWSPENDING')['old-login']).toEqual({ controlKey: 'FAKE-OLD-KEY-000' });
    expect(desk.secretAdmin.keys('AWSCURRENT')['acme-login']).toEqual({ controlKey, privateKey: oldOne });
    const publicHalf = createPublicKey(String(privateKey)).export({ type: 'spki', format: 'pem' });
    expect(made).toMatchObject({ kind: 'staged', version: 'v2', publicKey: { pem: publicHalf } });
    // The private half leaves for nowhere but the secret.
    expect(JSON.stringify(made)).not.toContain('PRIVATE KEY');
  });

  it('may be made where the pending version has become current since: nothing waits for the gateway', async () => {
    const desk = aDesk();
    await stageNewKey('acme-eu', false, desk);
    await desk.secretAdmin.promote('acme-eu', { from: 'v1', to: 'v2' });
    expect(await stageNewKey('acme-eu', false, desk)).toMatchObject({ kind: 'staged', version: 'v3' });
  });

  it('does not take the place of a pending one whose public half the gateway may have', async () => {
    const desk = aDesk();
    await stageNewKey('acme-eu', false, desk);
    expect(await stageNewKey('acme-eu', false, desk)).toEqual({
      kind: 'refused',
      why: 'there is a pending version already (v2), whose public key the gateway may have; activate it, or add --force',
    });
    expect(await stageNewKey('acme-eu', true, desk)).toMatchObject({ kind: 'staged', version: 'v3' });
  });

  const isNoJson = 'its contract, or its current keys, can not be read; correct them first';
  it.each<[string, object | string, string]>([
    [
      'its key in AWS KMS',
      { ...current, privateKey: undefined, kmsKeyId: 'alias/acme' },
      'its key is kept in AWS KMS (kmsKeyId): make the new one there',
    ],
    ['keys that are no JSON', '{"login":', isNoJson],
    ['keys that are a list of none', '["x"]', isNoJson],
    ['keys that are null', 'null', isNoJson],
    ['keys that are a text', '"login"', isNoJson],
  ])('is not made for a merchant with %s', async (_, secret, why) => {
    const desk = aDesk();
    desk.secretAdmin.put('AWSCURRENT', secret);
    expect(await stageNewKey('acme-eu', false, desk)).toEqual({ kind: 'refused', why });
    expect(desk.keyMaker.asked).toEqual([]);
  });

  it('is not made for an unknown merchant', async () => {
    expect(await stageNewKey('acme', false, aDesk())).toEqual({
      kind: 'refused',
      why: 'there is no secret for a merchant "acme"; make it first, see infra/docs/settings.md',
    });
  });
});

describe('before a pending version becomes current', () => {
  it('its secret is checked as the worker would meet it', async () => {
    const desk = aDesk();
    const made = await stageNewKey('acme-eu', false, desk);
    const it = await checkActivation('acme-eu', activation(), desk);
    expect(it).toMatchObject({ kind: 'ready', from: 'v1', to: 'v2', taken: false });
    expect(it).toMatchObject({ fingerprint: made.kind === 'staged' ? made.publicKey.fingerprint : '' });
    expect(desk.gateway.inquiries).toEqual([]);
  });

  it.each<[string, object | string, string]>([
    ['of a contract that lacks its login', { ...current, login: undefined }, 'login is missing'],
    ['whose key is cut short', { ...current, privateKey: oldKey.slice(0, 300) }, 'privateKey: '],
    ['of a contract with a misspelt field', { ...current, privatKey: 'x' }, 'privatKey is not a field of this secret'],
  ])('a version %s is refused with the field', async (_, secret, says) => {
    const desk = aDesk();
    desk.secretAdmin.put('AWSPENDING', secret);
    const it = await checkActivation('acme-eu', activation(), desk);
    expect(it).toMatchObject({ kind: 'refused', why: "the version AWSPENDING can't be used" });
    expect(it).toMatchObject({ faults: [{ field: 'secret', says: expect.stringContaining(says) }] });
    expect(JSON.stringify(it)).not.toContain(current.controlKey);
  });

  it('what somebody has changed beside the key since must not get lost', async () => {
    const desk = aDesk();
    await stageNewKey('acme-eu', false, desk);
    desk.secretAdmin.put('AWSCURRENT', { ...current, controlKey: 'FAKE-NEW-KEY-0000' });
    expect(await checkActivation('acme-eu', activation(), desk)).toEqual({
      kind: 'refused',
      why: 'besides the key, controlKey of the current version would change; make a key on it (`node . keys new acme-eu --force`), or add --force',
      faults: [],
    });
    expect(await checkActivation('acme-eu', activation({ evenChanged: true }), desk)).toMatchObject({ kind: 'ready' });
  });

  it.each([
    ['of the current version that the pending one lacks', { ...current, ca }, current, 'ca'],
    ['that the pending version alone has', { ...current, controlKey: undefined }, current, 'controlKey'],
    ['or two', { ...current, ca }, { ...current, controlKey: undefined }, 'controlKey, ca'],
    ['nor the keys of an account before', current, { ...current, earlierAccounts: [] }, 'keys of other logins'],
  ])('nor a field %s', async (_, before, after, names) => {
    const desk = aDesk();
    desk.secretAdmin.put('AWSCURRENT', before);
    desk.secretAdmin.put('AWSPENDING', { ...after, privateKey: aPrivateKey() });
    expect(await checkActivation('acme-eu', activation(), desk)).toMatchObject({
      why: expect.stringContaining(`besides the key, ${names} of the current version`),
    });
  });

  it('a version that can be read and would stop payments is refused with the field', async () => {
    const desk = aDesk();
    const profile = { signatureMethod: { payout: 'HMAC-SHA1' } };
    desk.secretAdmin.put('AWSPENDING', { ...current, controlKey: undefined, profile });
    expect(await checkActivation('acme-eu', activation({ evenChanged: true }), desk)).toMatchObject({
      kind: 'refused',
      why: "the version AWSPENDING can't be used",
      faults: [{ field: 'profile.signatureMethod.payout' }],
    });
  });

  it('the gateway can be asked about an order that does not exist, signed by the new key', async () => {
    const desk = aDesk();
    await stageNewKey('acme-eu', false, desk);
    const asked = activation({ endpointId: '39915' });

    desk.gateway.statuses('refuses the signature');
    expect(await checkActivation('acme-eu', asked, desk)).toEqual({
      kind: 'refused',
      why: 'the gateway refused a signature by the new key: it does not know the public key yet (or the login, or the endpoint)',
      faults: [],
    });
    desk.gateway.statuses('stalls');
    expect(await checkActivation('acme-eu', asked, desk)).toEqual({
      kind: 'refused',
      why: 'the gateway gave no clear answer (no answer); try again',
      faults: [],
    });
    desk.gateway.statuses('never heard of it');
    expect(await checkActivation('acme-eu', asked, desk)).toMatchObject({ kind: 'ready', taken: true });
    const [first] = desk.gateway.inquiries;
    expect(first?.url).toBe('https://gateway.test/paynet/api/v4/status/39915');
    expect(first?.orderId).toMatch(/^key-check-id-\d+$/);
    expect(first?.fields).toContainEqual(['login', 'acme-login']);
    expect(first?.oauth['oauth_signature_method']).toBe('RSA-SHA256');
    expect(desk.gateway.posts).toEqual([]);
  });

  it('the question waits half a minute at most', async () => {
    const desk = aDesk();
    await stageNewKey('acme-eu', false, desk);
    const deadlines: number[] = [];
    const gateway: Gateway = {
      post: (request) => (deadlines.push(request.notAfterMs), desk.gateway.post(request)),
    };
    await checkActivation('acme-eu', activation({ endpointId: '39915' }), { ...desk, gateway });
    expect(deadlines).toEqual([startMs + 30_000]);
  });

  it('the gateway is not asked with a signature that could not be made', async () => {
    const desk = aDesk();
    desk.secretAdmin.put('AWSPENDING', current);
    // AWS KMS signs each request of the check, and is gone when the question is to be signed.
    let left = 4;
    const signDigest = () =>
      (left -= 1) < 0 ? Promise.reject(new Error('down')) : Promise.resolve(new Uint8Array(256));
    const secretAdmin = withSigner(desk.secretAdmin, signDigest);
    const it = await checkActivation('acme-eu', activation({ endpointId: '39915' }), { ...desk, secretAdmin });
    expect(it).toEqual({ kind: 'refused', why: 'AWS KMS did not sign with the key of kmsKeyId', faults: [] });
    expect(desk.gateway.inquiries).toEqual([]);
  });

  it('where inquiries are signed by the control key, asking would prove nothing', async () => {
    const desk = aDesk();
    const profile = { ...current.profile, signatureMethod: { status: 'HMAC-SHA1' } };
    desk.secretAdmin.put('AWSCURRENT', { ...current, profile });
    await stageNewKey('acme-eu', false, desk);
    expect(await checkActivation('acme-eu', activation({ endpointId: '1' }), desk)).toMatchObject({
      kind: 'refused',
      why: "the gateway can't be asked about the key: this merchant's inquiries are signed by HMAC-SHA1; leave --endpoint out",
    });
  });

  it('there must be one, and a secret at all', async () => {
    const refusal = (why: string) => ({ kind: 'refused', why, faults: [] });
    expect(await checkActivation('acme-eu', activation(), aDesk())).toEqual(
      refusal('the secret has no version AWSPENDING'),
    );
    expect(await checkActivation('acme-eu', activation({ rollback: true }), aDesk())).toEqual(
      refusal('the secret has no version AWSPREVIOUS'),
    );
    expect(await checkActivation('acme', activation(), aDesk())).toEqual(
      refusal('there is no secret for a merchant "acme"'),
    );
  });
});

describe('once it is current', () => {
  it('activating it again changes nothing; a rollback goes to the version before, whatever has changed', async () => {
    const desk = aDesk();
    await stageNewKey('acme-eu', false, desk);
    const it = await checkActivation('acme-eu', activation(), desk);
    if (it.kind !== 'ready') throw new Error('it is not ready');
    expect(await desk.secretAdmin.promote('acme-eu', it)).toBe('moved');
    expect(await checkActivation('acme-eu', activation(), desk)).toEqual({ kind: 'already', version: 'v2' });
    // A rollback must not wait for anything: what has changed since is what one goes back from.
    desk.secretAdmin.put('AWSCURRENT', { ...current, controlKey: 'FAKE-NEW-KEY-0000' });
    expect(await checkActivation('acme-eu', activation({ rollback: true }), desk)).toMatchObject({
      kind: 'ready',
      from: 'v3',
      to: 'v1',
    });
  });
});
