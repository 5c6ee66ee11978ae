// A merchant's key is rotated: what a new one changes and what not, and everything that keeps a wrong one from counting.
import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Activation, checkActivation, stageNewKey } from '../../lib/app/rotate-key.ts';
import { createFakeGateway } from '../support/fake-gateway.ts';
import { aPrivateKey, createFakeKeyMaker, createFakeSecretDesk } from '../support/fake-secret-desk.ts';
import { createManualClock, createSeededRandom } from '../support/time-and-chance.ts';

const oldKey = aPrivateKey();
const current = {
  login: 'acme-login',
  controlKey: 'FAKE0000-0000-0000-0000-000000000000',
  privateKey: oldKey,
  baseUrl: 'https://gateway.test',
  profile: { statusInquiry: true, caps: { EUR: { single: '100.00' } } },
};

function aDesk() {
  const clock = createManualClock();
  const secretDesk = createFakeSecretDesk();
  secretDesk.put('AWSCURRENT', current);
  const gateway = createFakeGateway(clock);
  return { secretDesk, keyMaker: createFakeKeyMaker(), gateway, clock, random: createSeededRandom() };
}

const activation = (changes: Partial<Activation> = {}): Activation => ({
  rollback: false,
  evenChanged: false,
  ...changes,
});

describe('a new key', () => {
  it('is of 4096 bits, pending with every other field of the current version, and counts for nothing yet', async () => {
    const desk = aDesk();
    const made = await stageNewKey('acme-eu', false, desk);
    expect(desk.keyMaker.asked).toEqual([4096]);
    const { privateKey, ...others } = desk.secretDesk.fields('AWSPENDING');
    expect(others).toEqual({ ...current, privateKey: undefined });
    expect(desk.secretDesk.fields('AWSCURRENT')).toEqual(current);
    const publicHalf = createPublicKey(String(privateKey)).export({ type: 'spki', format: 'pem' });
    expect(made).toMatchObject({ kind: 'staged', version: 'v2', publicKey: { pem: publicHalf } });
  });

  it('does not take the place of a pending one whose public half the gateway may have', async () => {
    const desk = aDesk();
    await stageNewKey('acme-eu', false, desk);
    expect(await stageNewKey('acme-eu', false, desk)).toEqual({
      kind: 'refused',
      why: 'there is a pending version already (v2), whose public key the gateway may have; activate it, or say --replace',
    });
    expect(await stageNewKey('acme-eu', true, desk)).toMatchObject({ kind: 'staged', version: 'v3' });
  });

  it.each<[string, object | string, RegExp]>([
    ['its key in AWS KMS', { ...current, privateKey: undefined, kmsKeyId: 'alias/acme' }, /kept in AWS KMS/],
    ['a secret that is no JSON', '{"login":', /is not JSON; mend it first$/],
  ])('is not made for a merchant with %s', async (_, secret, why) => {
    const desk = aDesk();
    desk.secretDesk.put('AWSCURRENT', secret);
    expect(await stageNewKey('acme-eu', false, desk)).toMatchObject({
      kind: 'refused',
      why: expect.stringMatching(why),
    });
    expect(desk.keyMaker.asked).toEqual([]);
  });

  it('is not made for nobody', async () => {
    expect(await stageNewKey('acme', false, aDesk())).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('there is no secret for a merchant "acme"'),
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
    ['that lacks its login', { ...current, login: undefined }, 'login is missing'],
    ['whose key is cut short', { ...current, privateKey: oldKey.slice(0, 300) }, 'privateKey: '],
    ['with a misspelt field', { ...current, privatKey: 'x' }, 'privatKey is not a field of this secret'],
  ])('a version %s is refused with the field', async (_, secret, says) => {
    const desk = aDesk();
    desk.secretDesk.put('AWSPENDING', secret);
    const it = await checkActivation('acme-eu', activation(), desk);
    expect(it).toMatchObject({ kind: 'refused', why: "the version AWSPENDING can't be used" });
    expect(it).toMatchObject({ faults: [{ field: 'secret', says: expect.stringContaining(says) }] });
    expect(JSON.stringify(it)).not.toContain(current.controlKey);
  });

  it('what somebody has changed beside the key since must not get lost', async () => {
    const desk = aDesk();
    await stageNewKey('acme-eu', false, desk);
    desk.secretDesk.put('AWSCURRENT', { ...current, profile: { ...current.profile, caps: {} } });
    expect(await checkActivation('acme-eu', activation(), desk)).toMatchObject({
      kind: 'refused',
      why: expect.stringMatching(/^besides the key, profile of the current version would change; /),
    });
    expect(await checkActivation('acme-eu', activation({ evenChanged: true }), desk)).toMatchObject({ kind: 'ready' });
  });

  it('the gateway can be asked about an order that nobody has, signed by the new key', async () => {
    const desk = aDesk();
    await stageNewKey('acme-eu', false, desk);
    const asked = activation({ endpointId: '39915' });

    desk.gateway.statuses('refuses the signature');
    expect(await checkActivation('acme-eu', asked, desk)).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('the gateway refused a signature by the new key'),
    });
    desk.gateway.statuses('stalls');
    expect(await checkActivation('acme-eu', asked, desk)).toMatchObject({
      kind: 'refused',
      why: 'the gateway gave no clear answer (no answer); try again',
    });
    desk.gateway.statuses('never heard of it');
    expect(await checkActivation('acme-eu', asked, desk)).toMatchObject({ kind: 'ready', taken: true });
    const [first] = desk.gateway.inquiries;
    expect(first?.url).toBe('https://gateway.test/paynet/api/v4/status/39915');
    expect(first?.orderId).toMatch(/^key-check-/);
    expect(desk.gateway.posts).toEqual([]);
  });

  it('where inquiries are signed by the control key, asking would prove nothing', async () => {
    const desk = aDesk();
    const profile = { ...current.profile, signatureMethod: { status: 'HMAC-SHA1' } };
    desk.secretDesk.put('AWSCURRENT', { ...current, profile });
    await stageNewKey('acme-eu', false, desk);
    expect(await checkActivation('acme-eu', activation({ endpointId: '1' }), desk)).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('inquiries are signed by HMAC-SHA1; leave --endpoint out'),
    });
  });

  it('there must be one', async () => {
    expect(await checkActivation('acme-eu', activation(), aDesk())).toEqual({
      kind: 'refused',
      why: 'the secret has no version AWSPENDING',
      faults: [],
    });
  });
});

describe('once it is current', () => {
  it('activating it again changes nothing; a rollback goes to the version before, whatever has changed', async () => {
    const desk = aDesk();
    await stageNewKey('acme-eu', false, desk);
    const it = await checkActivation('acme-eu', activation(), desk);
    if (it.kind !== 'ready') throw new Error('it is not ready');
    expect(await desk.secretDesk.promote('acme-eu', it)).toBe('moved');
    expect(await checkActivation('acme-eu', activation(), desk)).toEqual({ kind: 'already', version: 'v2' });
    expect(await checkActivation('acme-eu', activation({ rollback: true }), desk)).toMatchObject({
      kind: 'ready',
      from: 'v2',
      to: 'v1',
    });
  });
});
