// What a row is held against before it is sent: each kind of fault found, and nothing refused that may be right.
import { describe, expect, it } from 'vitest';
import { preflight, type PreflightRules } from '../../lib/files/preflight.ts';
import type { ValueForm } from '../../lib/files/row-findings.ts';
import { defaultProfile, type Profile } from '../../lib/gateway/profile.ts';
import type { OperationName } from '../../lib/gateway/operations.ts';
import { parseJob } from '../../lib/payout/message/job.ts';

const nowMs = Date.parse('2026-11-22T12:00:00Z');
const iban = 'DE89370400440532013000';

function held(
  params: Readonly<Record<string, string>>,
  how: {
    operation?: OperationName;
    profile?: Partial<Profile>;
    forms?: [string, ValueForm][];
    notBefore?: string;
  } = {},
) {
  const { operation = 'payout', profile, forms = [], notBefore } = how;
  const message = { version: 1, merchant: 'acme-eu', endpointId: '39915', orderId: 'INV-1', operation, notBefore };
  const money = operation === 'pan-eligibility' ? {} : { amount: '10.42', currency: 'EUR' };
  const parsed = parseJob(JSON.stringify({ ...message, params: { ...money, ...params } }));
  if (parsed.kind === 'rejected') throw new Error(JSON.stringify(parsed.faults));
  const rules: PreflightRules = { nowMs, forms: new Map(forms) };
  const { faults, warnings } = preflight(parsed.job, profile && { ...defaultProfile, ...profile }, rules);
  return [
    ...faults.map(({ path, fault }) => `${path} ${fault}`),
    ...warnings.map(({ kind, path, warning }) => `${kind}: ${path} ${warning}`),
  ];
}

it('a row of a day that is over would go at once, which needs a word', () => {
  expect(held({ account_number: iban }, { notBefore: '2026-11-21T13:00:00Z' })).toEqual([]);
  expect(held({ account_number: iban }, { notBefore: '2025-11-22T00:00:00Z' })).toEqual([
    'past: notBefore is over for more than a day; the payment would go at once',
  ]);
});

it('a row of a day that the worker would not wait for is refused before it is sent', () => {
  expect(held({ account_number: iban }, { notBefore: '2026-11-29T12:00:00Z' })).toEqual([]);
  expect(held({ account_number: iban }, { notBefore: '2026-11-29T12:00:01Z' })).toEqual([
    'notBefore is more than 7 days ahead; send the file nearer to its time',
  ]);
});

describe('who is paid', () => {
  it.each([
    ['payout', {}, 'params.account_number is missing; payout needs account_number or credit_card_number'],
    [
      'transfer',
      { credit_card_number: '4111111111111111' },
      'params.destination-card-no is missing; transfer needs destination-card-no or destination_card_recurring_payment_id',
    ],
    [
      'transfer-by-ref',
      {},
      'params.destination-card-no is missing; transfer-by-ref needs destination-card-no or destination-card-ref-id',
    ],
    [
      'pan-eligibility',
      {},
      'params.sending-card-ref-id is missing; pan-eligibility needs sending-card-ref-id or sending-card-number',
    ],
  ] as const)('must be said of a %s', (operation, params, fault) => {
    expect(held(params, { operation })).toEqual([fault]);
  });

  it('is asked for by the profile, of an operation or at one endpoint of it', () => {
    const requiredFields = {
      payout: ['account_number'],
      'payout/39915': ['account_number', 'bank_name', 'bank_city|purpose'],
    };
    expect(held({ account_number: iban, bank_name: 'B' }, { profile: { requiredFields } })).toEqual([
      'params.bank_city is missing; payout at endpoint 39915 needs bank_city or purpose',
    ]);
    expect(held({}, { profile: { requiredFields: { payout: [] } } })).toEqual([]);
  });
});

describe('an account', () => {
  it.each([
    ['DE89370400440532013001', 'is an IBAN whose check digits are wrong; take it from the payee again'],
    ['DE8937040044053201300', 'has 21 characters, and an IBAN of DE has 22; take it from the payee again'],
    ['GB29NWBK6016133192681A', 'has letters or digits where an IBAN of GB has none; take it from the payee again'],
  ])('%s is refused', (account_number, fault) => {
    expect(held({ account_number })).toEqual([`params.account_number ${fault}`]);
  });

  it.each(['12345678', '40817810099910004312', 'AB12345', 'US12345678901234', 'PL12', 'GB-0042-1', 'DE12ABC'])(
    '%s is no IBAN, and may be right all the same',
    (account_number) => {
      expect(held({ account_number })).toEqual([]);
    },
  );
});

it.each([
  ['IR', 'IR580540105180021273113007', 'Iran'],
  ['BY', 'BY13NBRB3600900000002Z00AB00', 'Belarus'],
])('an account in %s is named as what it is', (_, account_number, country) => {
  expect(held({ account_number })).toEqual([
    `country: params.account_number is in ${country}, whose banks are under sanctions; make sure that it may be paid`,
  ]);
});

describe('a card', () => {
  const to = (number: string, more = {}) =>
    held({ 'destination-card-no': number, ...more }, { operation: 'transfer-by-ref' });

  it('has a right check digit, where its network has one', () => {
    expect(to('4111111111111111')).toEqual([]);
    expect(to('4111111111111112')).toEqual([
      'params.destination-card-no is no card number: its check digit is wrong; take it from the payee again',
    ]);
    expect(to('6212345678901233')).toEqual([
      'card: params.destination-card-no has a wrong check digit, which few cards of its network have; take it from the payee again',
    ]);
    expect(to('41111111')).toEqual([
      'params.destination-card-no has 8 digits, too few for a card number; take it from the payee again',
    ]);
  });
});
