// What the published schemas of the secrets refuse, the worker refuses too; what they can't say is in their comments.
import { describe, expect, it } from 'vitest';
import { contracts } from '../../infra/contracts/contracts.ts';
import { readContract, readKeys } from '../../lib/aws/merchant-secret.ts';
import { readWorkerSecret } from '../../lib/aws/secret-schemas.ts';
import { contractText, schemaCheck } from './schemas.ts';

const contractSchemaTakes = schemaCheck('merchant-contract');
const keysSchemaTakes = schemaCheck('merchant-keys');
const workerSchemaTakes = schemaCheck('worker-secret');

const merchant = { login: 'acme-eu-login', baseUrl: 'https://gate.example.com' };
const controlKey = 'FAKE0000-0000-0000-0000-000000000000';
const worker = { fingerprintKeyId: 'k1', fingerprintKeys: { k1: '0123456789abcdef'.repeat(4) } };

const workerTakes = (read: () => unknown): boolean => {
  try {
    read();
    return true;
  } catch {
    return false;
  }
};

describe("a merchant's contract", () => {
  it.each([
    ['with login and address alone', merchant],
    ['with a port and a slash', { ...merchant, baseUrl: 'https://gate.example.com:8443/' }],
    ['on loopback', { ...merchant, baseUrl: 'http://127.0.0.1:8080' }],
    ['with a profile', { ...merchant, profile: { statusInquiry: true, quietPeriodSeconds: 60 } }],
    [
      'with spellings',
      { ...merchant, profile: { orderIdField: { payout: 'client_orderid', status: 'client-order-id' } } },
    ],
    ['with extra fields', { ...merchant, profile: { extraFields: { payout: ['purpose'] } } }],
    ['with a limit of doubt', { ...merchant, profile: { doubtLimits: { JPY: '5000' } } }],
  ])('%s is taken by both', (_what, secret) => {
    expect([contractSchemaTakes(secret), contractSchemaTakes.errors]).toEqual([true, null]);
    expect(readContract(JSON.stringify(secret), 'v1').login).toBe('acme-eu-login');
  });

  it.each([
    ['with a key', { ...merchant, controlKey }],
    ['without a login', { ...merchant, login: undefined }],
    ['with an empty login', { ...merchant, login: '' }],
    ['with a path in the URL', { ...merchant, baseUrl: 'https://gate.example.com/paynet' }],
    ['with a field that is none', { ...merchant, password: 'fake' }],
    ['with a profile field that is none', { ...merchant, profile: { statusEnquiry: true } }],
    ['with a spelling of no operation', { ...merchant, profile: { orderIdField: { refund: 'client_orderid' } } }],
    ['with a spelling that is none', { ...merchant, profile: { orderIdField: { payout: 'clientOrderId' } } }],
    ['with an extra field that is none', { ...merchant, profile: { extraFields: { payout: ['purposes'] } } }],
    ['with a doubtful 500', { ...merchant, profile: { doubtfulHttpStatuses: [500] } }],
    ['with a quiet period of half a second', { ...merchant, profile: { quietPeriodSeconds: 0.5 } }],
    ['with a limit that is a number', { ...merchant, profile: { doubtLimits: { EUR: 1000 } } }],
    ['with a limit of no currency', { ...merchant, profile: { doubtLimits: { euro: '1' } } }],
    ['with caps, which approvers write', { ...merchant, profile: { caps: { EUR: { single: '1' } } } }],
    ['with two persons, which approvers write', { ...merchant, profile: { twoPersonRelease: false } }],
  ])('%s is refused by both', (_what, secret) => {
    const text = JSON.stringify(secret);
    expect(contractSchemaTakes(JSON.parse(text))).toBe(false);
    expect(workerTakes(() => readContract(text, 'v1'))).toBe(false);
  });

  it.each([
    ['plain http beyond loopback', { ...merchant, baseUrl: 'http://gate.example.com' }, 'plain http only on loopback'],
    [
      'a limit with cents of a yen',
      { ...merchant, profile: { doubtLimits: { JPY: '1.50' } } },
      'must not have more decimals',
    ],
  ])('%s is refused by the worker alone, as the schema says', (_what, secret, told) => {
    expect(contractSchemaTakes(secret)).toBe(true);
    expect(workerTakes(() => readContract(JSON.stringify(secret), 'v1'))).toBe(false);
    expect(contractText('merchant-contract.schema.json')).toContain(told);
  });

  it('the example of the page is taken', () => {
    const [example] = contracts['merchant-contract'].examples;
    expect(readContract(JSON.stringify(example), 'v1').profile.statusInquiry).toBe(true);
  });
});

describe("a merchant's keys", () => {
  it.each([
    ['with a control key alone', { login: { controlKey } }],
    ['of two logins', { login: { controlKey }, before: { kmsKeyId: 'alias/acme' } }],
    ['of the page', contracts['merchant-keys'].examples[0]],
  ])('%s are taken by both', (_what, keys) => {
    expect([keysSchemaTakes(keys), keysSchemaTakes.errors]).toEqual([true, null]);
    expect(readKeys(JSON.stringify(keys)).size).toBe(Object.keys(keys ?? {}).length);
  });

  it.each([
    ['without a login', { controlKey }],
    ['with a field that is none', { login: { password: 'fake' } }],
    ['with an empty control key', { login: { controlKey: '' } }],
    ['with half a proxy', { login: { proxy: { username: 'a' } } }],
  ])('%s are refused by both', (_what, keys) => {
    expect(keysSchemaTakes(keys)).toBe(false);
    expect(workerTakes(() => readKeys(JSON.stringify(keys)))).toBe(false);
  });

  it('that can not be read, or fit no login, are refused by the worker alone, as the schema says', () => {
    expect(keysSchemaTakes({ login: { privateKey: 'FAKE' } })).toBe(true);
    expect(contractText('merchant-keys.schema.json')).toContain('holds a key that cannot be read');
  });
});

describe("the worker's secret", () => {
  it('with a key of 32 bytes is taken by both', () => {
    expect(workerSchemaTakes(worker)).toBe(true);
    expect(readWorkerSecret(JSON.stringify(worker)).current).toBe('k1');
  });

  it.each([
    ['a key of 31 bytes', { ...worker, fingerprintKeys: { k1: 'ab'.repeat(31) } }],
    ['an odd digit', { ...worker, fingerprintKeys: { k1: `${'ab'.repeat(32)}c` } }],
    ['an id with a dot', { fingerprintKeyId: 'k.1', fingerprintKeys: { 'k.1': 'ab'.repeat(32) } }],
    ['no keys', { fingerprintKeyId: 'k1' }],
  ])('with %s is refused by both', (_what, secret) => {
    expect(workerSchemaTakes(secret)).toBe(false);
    expect(workerTakes(() => readWorkerSecret(JSON.stringify(secret)))).toBe(false);
  });

  it('that names a key which is not there is refused by the worker alone, as the schema says', () => {
    const secret = { ...worker, fingerprintKeyId: 'k2' };
    expect(workerSchemaTakes(secret)).toBe(true);
    expect(workerTakes(() => readWorkerSecret(JSON.stringify(secret)))).toBe(false);
    expect(contractText('worker-secret.schema.json')).toContain('fingerprintKeyId must name one of fingerprintKeys');
  });
});
