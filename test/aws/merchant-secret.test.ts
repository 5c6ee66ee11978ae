// The account of a merchant in its contract: live or a trial's, where it was before, under which names; and the keys of each login.
import { describe, expect, it } from 'vitest';
import { inspect } from 'node:util';
import { accountOf } from '../../lib/gateway/signed-request.ts';
import { readFields } from '../support/merchant-secrets.ts';
import { clientCertificate, privateAuthorityPem, strangersCertificate } from '../support/private-authority.ts';

const secret = {
  login: 'acme-login',
  controlKey: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20',
  baseUrl: 'https://gateway.test',
};
const read = (changes: object = {}) => readFields({ ...secret, ...changes });

describe('a secret', () => {
  it('is live unless it says that it is for tests', () => {
    expect(read().mode).toBe('live');
    expect(read({ mode: 'test' }).mode).toBe('test');
  });

  it('that is live must not take keys for tests', () => {
    const profile = { testKeys: true };
    const fault = 'profile.testKeys is for tests only: take it out, or set mode to "test"';
    expect(() => read({ profile })).toThrow(fault);
    expect(() => read({ mode: 'live', profile })).toThrow(fault);
    expect(read({ mode: 'test', profile }).profile).toMatchObject(profile);
  });

  it('keeps the accounts of before with keys of their own, and the profile of today', () => {
    const before = { login: 'old-login', controlKey: 'old-key-0123456789', baseUrl: 'https://old-gateway.test/' };
    const { earlierAccounts, ...now } = read({
      profile: { statusInquiry: true },
      earlierAccounts: [before, { ...before, apiPath: '/old/api' }],
    });
    expect(earlierAccounts).toMatchObject([
      { login: 'old-login', baseUrl: 'https://old-gateway.test', mode: 'live', profile: { ...now.profile } },
      { profile: { statusInquiry: true, apiPath: '/old/api' } },
    ]);
  });

  it('names former spellings of its account by their digests', () => {
    const digest = accountOf({ ...read(), baseUrl: 'https://old-name.test' }, '39915');
    expect(read({ sameAccountAs: [digest] }).sameAccountAs).toEqual([digest]);
  });

  it.each<[what: string, changes: object, fault: string]>([
    ['another mode', { mode: 'sandbox' }, 'mode must be "live" or "test"'],
    ['a host in the place of a digest', { sameAccountAs: ['gateway.test'] }, 'sameAccountAs.0 must be the digest'],
    [
      'an earlier account without keys',
      { earlierAccounts: [{ login: 'x', baseUrl: 'https://a.test' }] },
      'has neither',
    ],
    [
      'an earlier account without a login',
      { earlierAccounts: [{ baseUrl: 'https://a.test' }] },
      'earlierAccounts.0.login',
    ],
    [
      'nine earlier accounts',
      { earlierAccounts: Array.from({ length: 9 }, () => secret) },
      'earlierAccounts must have',
    ],
  ])('with %s is malformed', (_what, changes, fault) => {
    expect(() => read(changes)).toThrow(fault);
  });
});

const shown = { clientCertificate: clientCertificate.certificatePem, clientKey: clientCertificate.keyPem };
const proxy = { url: 'http://proxy.acme.internal:3128', username: 'acme', password: 'hunter2-hunter2' };

describe('the way to the gateway', () => {
  it('is straight unless the secret names one, and an earlier account has one of its own', () => {
    expect(read().route).toBeUndefined();
    const before = { login: 'old', controlKey: 'old-key-0123456789', baseUrl: 'https://old.test' };
    const { route, earlierAccounts } = read({
      proxy,
      earlierAccounts: [before, { ...before, login: 'older', ...shown }],
    });
    expect(route?.proxy).toMatchObject({ host: 'proxy.acme.internal', port: 3128 });
    expect(earlierAccounts?.map((it) => [it.route?.proxy, it.route?.client !== undefined])).toEqual([
      [undefined, false],
      [undefined, true],
    ]);
  });

  it('takes certificates and key with their line breaks as they are, as \\n, as CRLF', () => {
    for (const lineBreak of ['\n', '\\n', '\r\n']) {
      const spelled = (pem: string) => pem.replaceAll('\n', lineBreak);
      const { route } = read({
        clientCertificate: spelled(shown.clientCertificate + privateAuthorityPem),
        clientKey: spelled(shown.clientKey),
        ca: spelled(privateAuthorityPem + strangersCertificate.certificatePem),
      });
      expect(route?.client?.certificatePem).toBe(shown.clientCertificate + privateAuthorityPem);
      expect(route?.ca).toBe(privateAuthorityPem + strangersCertificate.certificatePem);
    }
  });

  it('never prints its key or password', () => {
    const { route } = read({ ...shown, proxy });
    const printed = inspect(route, { depth: 9 }) + JSON.stringify(route);
    const basic = Buffer.from(`${proxy.username}:${proxy.password}`).toString('base64');
    expect(printed).not.toContain('PRIVATE KEY');
    expect(printed).not.toContain(proxy.password);
    expect(printed).not.toContain(basic);
  });

  const noPem = 'must be certificates in PEM, beginning with -----BEGIN CERTIFICATE-----';
  it.each<[what: string, changes: object, fault: string]>([
    ['a certificate without its key', { clientCertificate: shown.clientCertificate }, 'must both be given, or neither'],
    ['a key without its certificate', { clientKey: shown.clientKey }, 'must both be given, or neither'],
    ['no certificate', { ...shown, clientCertificate: 'MIIB' }, `clientCertificate ${noPem}`],
    ['a key in its place', { ...shown, clientCertificate: shown.clientKey }, `clientCertificate ${noPem}`],
    [
      'a certificate that was cut',
      { ...shown, clientCertificate: shown.clientCertificate.replace(/\n.{20}/, '\n') },
      "clientCertificate holds a certificate that can't be read (number 1)",
    ],
    ['no key', { ...shown, clientKey: 'hunter2' }, 'clientKey must be a private key in PEM, without a passphrase'],
    [
      'the key of another',
      { ...shown, clientKey: strangersCertificate.keyPem },
      "clientKey is not the key of clientCertificate's first certificate",
    ],
    ['no authority', { ca: 'trust me' }, `ca ${noPem}`],
    ['a proxy over TLS', { proxy: { url: 'https://proxy.test:443' } }, 'proxy.url must be "http://host:port"'],
    ['a proxy without a port', { proxy: { url: 'http://proxy.test' } }, 'proxy.url must be "http://host:port"'],
    [
      'a password in the address',
      { proxy: { url: 'http://a:b@proxy.test:1' } },
      'proxy.url must be "http://host:port"',
    ],
    ['a port that is none', { proxy: { url: 'http://proxy.test:70000' } }, 'proxy.url must name a port from 1'],
    ['a name without a password', { proxy: { url: proxy.url, username: 'acme' } }, 'proxy.username and proxy.password'],
    ['a password of two lines', { proxy: { ...proxy, password: 'a\r\nb' } }, 'proxy.password must have 1 to 255'],
    ['a field of another proxy', { proxy: { ...proxy, realm: 'x' } }, 'proxy.realm is not a field of this secret'],
    ['a proxy to plain HTTP', { baseUrl: 'http://127.0.0.1:8080', proxy }, 'proxy is only for an https gateway'],
  ])('with %s is malformed, and no value is told', (_what, changes, fault) => {
    let told = '';
    try {
      read(changes);
    } catch (error) {
      told = String(error);
    }
    expect(told).toContain(fault);
    expect(told).not.toMatch(/hunter2|MIIB|MIGH|trust me/);
  });
});
