// The table against the interface document, which is written down here once more: the two may only change together.
import { describe, expect, it } from 'vitest';
import { parseJob } from '../../lib/payout/message/job.ts';
import { operationNames, operations, operationUrl } from '../../lib/gateway/operations.ts';
import { aTransferJob, jobOf } from '../support/jobs.ts';
import { formParameters } from '../../lib/gateway/fields.ts';

const published = {
  transfer: {
    path: 'v4/transfer',
    orderIdField: 'client_orderid',
    signatureMethod: 'RSA-SHA256',
    resultIdField: 'transactionId',
    fields: [
      'amount',
      'currency',
      'order_desc',
      'credit_card_number',
      'card_printed_name',
      'cvv2',
      'expire_month',
      'expire_year',
      'card_recurring_payment_id',
      'destination-card-no',
      'destination_card_recurring_payment_id',
      'deposit2card',
      'ipaddress',
      'redirect_url',
    ],
  },
  'transfer-by-ref': {
    path: 'v4/transfer-by-ref',
    orderIdField: 'client-order-id',
    signatureMethod: 'RSA-SHA256',
    resultIdField: 'transactionId',
    fields: ['amount', 'currency', 'order_desc', 'destination-card-no'],
  },
  payout: {
    path: 'v4/payout',
    orderIdField: 'client-order-id',
    signatureMethod: 'RSA-SHA256',
    resultIdField: 'payoutId',
    fields: ['amount', 'currency', 'order_desc', 'account_number', 'bank_name'],
  },
  'pan-eligibility': {
    path: 'v2/pan-eligibility/send',
    orderIdField: 'client-order-id',
    signatureMethod: 'HMAC-SHA1',
    resultIdField: 'transactionId',
    fields: ['sending-card-ref-id'],
  },
} as const;

const example: Readonly<Record<string, string>> = {
  amount: '10.42',
  currency: 'EUR',
  order_desc: 'Invoice 123',
  credit_card_number: '4111111111111111',
  card_printed_name: 'JANE DOE',
  cvv2: '737',
  expire_month: '12',
  expire_year: '2030',
  card_recurring_payment_id: '4242',
  'destination-card-no': '5555555555554444',
  destination_card_recurring_payment_id: '4243',
  deposit2card: 'true',
  ipaddress: '192.0.2.1',
  redirect_url: 'https://merchant.example/back?order=1',
  'sending-card-ref-id': '12345678901234567890',
  account_number: 'DE89370400440532013000',
  bank_name: 'Deutsche Bank',
};

it('knows the four operations of the interface, and no other', () => {
  expect(operationNames).toEqual(Object.keys(published));
});

describe.each(operationNames)('%s', (name) => {
  const operation = operations[name];
  const { fields, ...row } = published[name];

  it('has the path, the spelling of the order id, the signature and the result id of the interface', () => {
    expect(operation).toMatchObject({ name, ...row });
  });

  it('takes every field of the interface from every merchant', () => {
    const params = Object.fromEntries(fields.map((field) => [field, example[field]]));
    const body = { version: 1, operation: name, merchant: 'acme-eu', endpointId: '39915', orderId: 'X', params };
    expect(parseJob(JSON.stringify(body))).toMatchObject({ kind: 'job', job: { params } });
  });

  it('takes any other field only where a contract names it', () => {
    const others = Object.entries(operation.fields).filter(([field]) => !fields.some((it) => it === field));
    expect(others.filter(([, { contractDependent }]) => !contractDependent)).toEqual([]);
    const ofTheInterface = Object.entries(operation.fields).filter(([field]) => fields.some((it) => it === field));
    expect(ofTheInterface.filter(([, { contractDependent }]) => contractDependent)).toEqual([]);
  });
});

it('treats card and account data as sensitive wherever they are taken', () => {
  const sensitive = operationNames.flatMap((name) =>
    Object.entries(operations[name].fields).flatMap(([field, { sensitive }]) => (sensitive ? [field] : [])),
  );
  expect([...new Set(sensitive)].toSorted()).toEqual([
    'account_number',
    'card-printed-name',
    'card_printed_name',
    'credit_card_number',
    'cvv2',
    'destination-card-no',
    'expire_month',
    'expire_year',
    'sending-card-number',
  ]);
});

describe('the URL', () => {
  const base = { baseUrl: 'https://gate.example', apiPath: '/paynet/api', endpointId: '39915' };
  it('is base, API path, operation and endpoint', () => {
    expect(operationUrl(operations.payout, base)).toBe('https://gate.example/paynet/api/v4/payout/39915');
  });
});

describe('the form', () => {
  it("has the order id first, then the fields in the table's order, whatever the message's order", () => {
    const { params } = jobOf(aTransferJob());
    const reversed = Object.fromEntries(Object.entries(params).toReversed());
    const form = formParameters(operations.transfer, {
      orderIdField: 'client_orderid',
      orderId: 'TRF-1',
      params: reversed,
    });
    expect(form.map(([name]) => name)).toEqual([
      'client_orderid',
      'amount',
      'currency',
      'order_desc',
      'credit_card_number',
      'card_printed_name',
      'cvv2',
      'expire_month',
      'expire_year',
      'destination-card-no',
    ]);
  });
});
