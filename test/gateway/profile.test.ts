import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defaultProfile, profileSchema } from '../../lib/gateway/profile.ts';
import { fieldsOutsideContract } from '../../lib/gateway/operations.ts';
import { aPayoutJob, aTransferByRefJob, jobOf } from '../support/jobs.ts';

it('by default assumes no more than the interface document says', () => {
  expect(defaultProfile).toEqual({
    statusInquiry: false,
    statusWords: {},
    transactionTypes: {},
    duplicateOrderCodes: [],
    temporaryErrorCodes: [],
    accountCodes: {},
    doubtfulHttpStatuses: [],
    orderIdField: {},
    signatureMethod: {},
    extraFields: {},
    apiPath: '/paynet/api',
    requiredFields: {},
    quietPeriodSeconds: 1800,
    visibleAfterSeconds: 60,
    namesNewest: false,
    resubmitUnknownOrders: false,
    acceptedHorizonSeconds: 259_200,
    doubtHorizonSeconds: 86_400,
    caps: {},
    doubtLimits: {},
    twoPersonRelease: false,
    testKeys: false,
  });
});

describe('a profile is refused', () => {
  it.each([
    ['with an unknown key', { statusInquries: true }],
    ['with an unknown operation', { orderIdField: { refund: 'client_orderid' } }],
    ['with an unknown spelling', { orderIdField: { payout: 'clientOrderId' } }],
    ['with an unknown signature method', { signatureMethod: { payout: 'PLAINTEXT' } }],
    ['with an unknown field', { extraFields: { payout: ['iban'] } }],
    ['with a doubtful status that is no 4xx', { doubtfulHttpStatuses: [200] }],
    ['with a path that is none', { apiPath: 'paynet/api' }],
    ['with a realm that would break the header', { realm: 'a"b' }],
    ['with a negative quiet period', { quietPeriodSeconds: -1 }],
  ])('%s', (_, profile) => {
    expect(v.safeParse(profileSchema, profile).success).toBe(false);
  });
});

describe('the fields outside the contract', () => {
  const job = jobOf(aPayoutJob({ params: { purpose: 'wages', bank_city: 'Berlin' } }));

  it('are those that depend on it and are not named', () => {
    expect(fieldsOutsideContract(defaultProfile, job).toSorted()).toEqual(['bank_city', 'purpose']);
    const profile = { ...defaultProfile, extraFields: { payout: ['purpose'] } };
    expect(fieldsOutsideContract(profile, job)).toEqual(['bank_city']);
  });

  it('are named per operation', () => {
    const profile = { ...defaultProfile, extraFields: { payout: ['ipaddress'] } };
    const transfer = jobOf(aTransferByRefJob({ params: { ipaddress: '192.0.2.1' } }));
    expect(fieldsOutsideContract(profile, transfer)).toEqual(['ipaddress']);
  });

  it('are none for the fields of the interface', () => {
    expect(fieldsOutsideContract(defaultProfile, jobOf(aPayoutJob()))).toEqual([]);
  });
});
