// What the published schemas of the secrets refuse, the worker refuses too; what they can't say is in their comments.
import { describe, expect, it } from 'vitest';
import { contracts } from '../../infra/contracts/contracts.ts';
import { readMerchantSecret } from '../../lib/aws/merchant-secret.ts';
import { readWorkerSecret } from '../../lib/aws/secret-schemas.ts';
import { contractText, schemaCheck } from './schemas.ts';

const merchantSchemaTakes = schemaCheck('merchant-secret');
const workerSchemaTakes = schemaCheck('worker-secret');

const merchant = {
  login: 'acme-eu-login',
  controlKey: 'FAKE0000-0000-0000-0000-000000000000',
  baseUrl: 'https://gate.example.com',
};
const worker = { fingerprintKeyId: 'k1', fingerprintKeys: { k1: '0123456789abcdef'.repeat(4) } };

const workerTakes = (read: () => unknown): boolean => {
  try {
    read();
    return true;
  } catch {
    return false;
  }
};

describe("a merchant's secret", () => {
  it.each([
    ['with a control key alone', merchant],
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
    expect([merchantSchemaTakes(secret), merchantSchemaTakes.errors]).toEqual([true, null]);
    expect(readMerchantSecret(JSON.stringify(secret), 'v1').login).toBe('acme-eu-login');
  });

  it.each([
    ['without a key', { ...merchant, controlKey: undefined }],
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
    expect(merchantSchemaTakes(JSON.parse(text))).toBe(false);
    expect(workerTakes(() => readMerchantSecret(text, 'v1'))).toBe(false);
  });

  it.each([
    ['plain http beyond loopback', { ...merchant, baseUrl: 'http://gate.example.com' }, 'plain http only on loopback'],
    ['a key that is none', { ...merchant, privateKey: 'FAKE' }, 'holds a key that can not be read'],
    [
      'a limit with cents of a yen',
      { ...merchant, profile: { doubtLimits: { JPY: '1.50' } } },
      'must not have more decimals',
    ],
  ])('%s is refused by the worker alone, as the schema says', (_what, secret, told) => {
    expect(merchantSchemaTakes(secret)).toBe(true);
    expect(workerTakes(() => readMerchantSecret(JSON.stringify(secret), 'v1'))).toBe(false);
    expect(contractText('merchant-secret.schema.json')).toContain(told);
  });

  it('the example of the contract is taken but for its key, which is cut short', () => {
    const [example] = contracts['merchant-secret'].examples;
    expect(readMerchantSecret(JSON.stringify({ ...example, privateKey: undefined }), 'v1').profile.statusInquiry).toBe(
      true,
    );
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
