// Profiles that are allowed field by field and still can't be meant.
import { describe, expect, it } from 'vitest';
import { defaultProfile, type Profile } from '../../lib/gateway/profile.ts';
import { profileRemarks } from '../../lib/gateway/profile-remarks.ts';

const both = new Set(['HMAC-SHA1', 'RSA-SHA256'] as const);
const remarksOf = (changes: Partial<Profile>, methods: Parameters<typeof profileRemarks>[1] = both) =>
  profileRemarks({ ...defaultProfile, ...changes }, methods).map(({ level, field, says }) => [level, field, says]);

describe('remarks about a profile', () => {
  it('warn of operations that can’t be signed with the keys that are there', () => {
    expect(remarksOf({}, new Set(['RSA-SHA256']))).toEqual([
      [
        'warning',
        'controlKey',
        'pan-eligibility is signed by HMAC-SHA1, and the secret has no controlKey: its jobs fail with SECRET_INVALID; ' +
          'add it, or choose another in profile.signatureMethod',
      ],
    ]);
    expect(remarksOf({}, new Set(['HMAC-SHA1'])).map(([level, field]) => `${level} ${field}`)).toEqual([
      'warning privateKey',
      'warning privateKey',
      'warning privateKey',
    ]);
  });

  it('call a method that was chosen without its key a fault', () => {
    expect(remarksOf({ signatureMethod: { payout: 'HMAC-SHA1' } }, new Set(['RSA-SHA256']))[0]).toEqual([
      'fault',
      'profile.signatureMethod.payout',
      'payout is signed by HMAC-SHA1, and the secret has no controlKey; add it, or choose another',
    ]);
  });

  it('call an inquiry that nothing can sign a fault: doubt would never end', () => {
    const hmac = {
      signatureMethod: { transfer: 'HMAC-SHA1', 'transfer-by-ref': 'HMAC-SHA1', payout: 'HMAC-SHA1' },
    } as const;
    const keys = new Set(['HMAC-SHA1'] as const);
    expect(remarksOf({ ...hmac, statusInquiry: true }, keys)).toEqual([
      [
        'fault',
        'profile.statusInquiry',
        'needs RSA-SHA256, and the secret has no privateKey: nothing could be asked; add it',
      ],
    ]);
    const signed = { signatureMethod: { ...hmac.signatureMethod, status: 'HMAC-SHA1' } } as const;
    expect(remarksOf({ ...signed, statusInquiry: true }, keys)).toEqual([]);
  });

  it.each<[Partial<Profile>, field: string]>([
    [{ resubmitUnknownOrders: true }, 'profile.statusInquiry'],
    [{ statusInquiry: true, quietPeriodSeconds: 3_600, doubtHorizonSeconds: 3_600 }, 'profile.quietPeriodSeconds'],
    [{ extraFields: { payout: ['purpose', 'amount'] } }, 'profile.extraFields.payout'],
    [{ testKeys: true }, 'profile.testKeys'],
  ])('warn of %j', (changes, field) => {
    expect(remarksOf(changes).map(([level, named]) => [level, named])).toEqual([['warning', field]]);
  });

  it('call required fields that no row could name faults, each by its name', () => {
    const requiredFields = {
      payout: ['account_number|acount', 'bank_name'],
      'payuot/39915': ['bank_name'],
      transfer: [],
    };
    expect(remarksOf({ requiredFields })).toEqual([
      [
        'fault',
        'profile.requiredFields.payout',
        'names "acount", which is no field of payout; correct it or leave it out',
      ],
      [
        'fault',
        'profile.requiredFields.payuot/39915',
        'is of no operation; write one of transfer, transfer-by-ref, payout, pan-eligibility, or "payout/39915"',
      ],
    ]);
    const dependent = { 'transfer-by-ref': ['destination-card-ref-id'] };
    expect(remarksOf({ requiredFields: dependent })).toMatchObject([
      [
        'fault',
        'profile.requiredFields.transfer-by-ref',
        expect.stringContaining('extraFields.transfer-by-ref names it too'),
      ],
    ]);
    expect(remarksOf({ requiredFields: dependent, extraFields: dependent })).toEqual([]);
  });
});
