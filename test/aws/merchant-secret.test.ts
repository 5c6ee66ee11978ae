// The account of a merchant in its secret: live or a trial's, where it was before, under which names.
import { describe, expect, it } from 'vitest';
import { readMerchantSecret } from '../../lib/aws/merchant-secret.ts';
import { accountOf } from '../../lib/gateway/signed-request.ts';

const secret = {
  login: 'acme-login',
  controlKey: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20',
  baseUrl: 'https://gateway.test',
};
const read = (changes: object = {}) => readMerchantSecret(JSON.stringify({ ...secret, ...changes }), 'v1');

describe('a secret', () => {
  it('is live unless it says that it is for tests', () => {
    expect(read().mode).toBe('live');
    expect(read({ mode: 'test' }).mode).toBe('test');
  });

  it.each([
    ['testKeys', { testKeys: true }],
    ['plainCardData', { plainCardData: 'accepted' }],
  ])('that is live must not have %s', (field, profile) => {
    const fault = `profile.${field} is for tests alone: take it out, or set mode to "test"`;
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
