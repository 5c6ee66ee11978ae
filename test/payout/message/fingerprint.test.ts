import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { comparedWith, fingerprints } from '../../../lib/payout/message/fingerprint.ts';
import { aPayoutJob, aTransferJob, type JobBody, jobOf } from '../../support/jobs.ts';

const one = createSecretKey(Buffer.alloc(32, 1));
const two = createSecretKey(Buffer.alloc(32, 2));
const keys = { current: 'k1', keys: new Map([['k1', one]]) };
const fingerprint = (body: JobBody) => fingerprints(jobOf(body), keys)[0];

describe('the same order has the same fingerprint', () => {
  it.each([
    [
      'with its params in another order',
      { params: Object.fromEntries(Object.entries(aPayoutJob().params).toReversed()) },
    ],
    ['with its amount written another way', { params: { amount: '10.420'.slice(0, 5) } }],
    ['with blanks around its values', { params: { bank_name: ' Deutsche Bank ' } }],
    [
      'in another batch, with another context and time',
      { batchId: 'b', context: { a: 1 }, expiresAt: '2030-01-01T00:00:00Z' },
    ],
  ])('%s', (_, changes) => {
    expect(fingerprint(aPayoutJob(changes))).toBe(fingerprint(aPayoutJob()));
  });

  it('10.4 is 10.40', () => {
    expect(fingerprint(aPayoutJob({ params: { amount: '10.4' } }))).toBe(
      fingerprint(aPayoutJob({ params: { amount: '10.40' } })),
    );
  });

  it('without its CVV, which a thousand tries would find', () => {
    expect(fingerprint(aTransferJob({ params: { cvv2: '111' } }))).toBe(fingerprint(aTransferJob()));
  });
});

describe('another order has another fingerprint', () => {
  it.each([
    ['amount', { params: { amount: '10.43' } }],
    ['currency', { params: { currency: 'USD' } }],
    ['account', { params: { account_number: 'DE02120300000000202051' } }],
    ['endpoint', { endpointId: '39916' }],
    ['one field more', { params: { bank_city: 'Berlin' } }],
  ])('%s', (_, changes) => {
    expect(fingerprint(aPayoutJob(changes))).not.toBe(fingerprint(aPayoutJob()));
  });

  it('operation', () => {
    const params = { params: { amount: '1', currency: 'EUR', order_desc: 'x' } };
    const payout = jobOf({ ...aPayoutJob(), ...params });
    const [a] = fingerprints(payout, keys);
    const [b] = fingerprints({ ...payout, operation: 'transfer' }, keys);
    expect(a).not.toBe(b);
  });
});

describe('under its keys', () => {
  it('names the key with its check value, and shows 132 bits', () => {
    expect(fingerprint(aPayoutJob())).toMatch(/^k1~[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{22}$/);
  });

  it('the current key makes the first, older keys still recognise theirs', () => {
    const [before] = fingerprints(jobOf(aPayoutJob()), keys);
    const rotated = {
      current: 'k2',
      keys: new Map([
        ['k1', one],
        ['k2', two],
      ]),
    };
    const [after, ...older] = fingerprints(jobOf(aPayoutJob()), rotated);
    expect(after).toMatch(/^k2~/);
    expect(older).toEqual([before]);
  });

  it('a current key that is not there stops everything', () => {
    expect(() => fingerprints(jobOf(aPayoutJob()), { current: 'k9', keys: keys.keys })).toThrow(RangeError);
  });
});

describe('beside a stored fingerprint', () => {
  const own = fingerprints(jobOf(aPayoutJob()), keys);
  const [another] = fingerprints(jobOf(aPayoutJob({ params: { amount: '10.43' } })), keys);
  const remade = { current: 'k1', keys: new Map([['k1', two]]) };

  it.each([
    ['of the same content', own[0], 'same'],
    ['of other content, under a key that is at hand', another, 'other'],
    ['under a key that is not', own[0].replace('k1', 'k9'), 'unknown key'],
    ['under another key of the same id, made anew', fingerprints(jobOf(aPayoutJob()), remade)[0], 'unknown key'],
  ])('%s', (_what, stored, said) => {
    expect(comparedWith(stored, own)).toBe(said);
  });
});
