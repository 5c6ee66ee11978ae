// What may lie in a dead-letter queue: everything but card data, whoever sent it in whatever form.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  holdsCardNumber,
  isCardNumber,
  plainCardFields,
  withoutCardNumbers,
  withoutNumbersAndCodes,
} from '../../lib/payout/card-fields.ts';
import { withoutCardData } from '../../lib/payout/without-card-data.ts';
import { anEligibilityJob, aPayoutJob, aTransferByRefJob, aTransferJob, jobOf } from '../support/jobs.ts';

const pan = '4111111111111111';
const mark = '[card data cut out]';

describe('plain card data of a job', () => {
  it('is a card number or a CVV, under whichever name', () => {
    expect(plainCardFields(jobOf(aTransferJob()))).toEqual(['credit_card_number', 'cvv2', 'destination-card-no']);
    expect(plainCardFields(jobOf(aTransferByRefJob()))).toEqual(['destination-card-no']);
    expect(plainCardFields(jobOf(anEligibilityJob({ params: { 'sending-card-number': pan } })))).toEqual([
      'sending-card-number',
    ]);
  });

  it('is no reference, no account, and nothing that stands beside a card number', () => {
    expect(plainCardFields(jobOf(aPayoutJob()))).toEqual([]);
    expect(plainCardFields(jobOf(anEligibilityJob()))).toEqual([]);
    const job = aPayoutJob({ params: { expire_month: '12', card_printed_name: 'JANE DOE' } });
    expect(plainCardFields(jobOf(job))).toEqual([]);
  });
});

describe('a card number is told from other numbers', () => {
  it.each(['4111111111111111', '5555555555554444', '2200000000000004', '378282246310005', '6304000000000000'])(
    '%s is one',
    (digits) => expect(isCardNumber(digits)).toBe(true),
  );

  it.each([
    ['the check digit is wrong', '4111111111111112'],
    ['no network begins so', '9111111111111116'],
    ['too short', '411111111116'],
    ['too long', '41111111111111111117'],
  ])('%s', (_, digits) => {
    expect(isCardNumber(digits)).toBe(false);
  });
});

describe('a job loses', () => {
  it('its card fields, and nothing else', () => {
    const job = aTransferJob({ context: { shop: 'berlin' } });
    const { body, cut } = withoutCardData(JSON.stringify(job));
    expect(cut).toBe(true);
    expect(JSON.parse(body)).toEqual({
      ...job,
      params: {
        amount: '25.00',
        currency: 'USD',
        order_desc: 'Rent',
        credit_card_number: mark,
        card_printed_name: mark,
        cvv2: mark,
        expire_month: mark,
        expire_year: mark,
        'destination-card-no': mark,
      },
    });
  });

  it('a card number in its free text, in its context too', () => {
    const job = aPayoutJob({ params: { order_desc: `card ${pan}` }, context: { note: '4111-1111-1111-1111', n: 7 } });
    const { body } = withoutCardData(JSON.stringify(job));
    expect(JSON.parse(body)).toMatchObject({
      params: { order_desc: `card ${mark}` },
      context: { note: mark, n: 7 },
    });
  });

  it('nothing where it has no card data: it can be redriven as it is, account number and references included', () => {
    const payout = JSON.stringify(aPayoutJob({ params: { account_number: pan, order_desc: 'Invoice 2026-11-21/7' } }));
    expect(withoutCardData(payout)).toEqual({ body: payout, cut: false });
    const check = JSON.stringify(anEligibilityJob({ params: { 'sending-card-ref-id': pan } }));
    expect(withoutCardData(check)).toEqual({ body: check, cut: false });
  });

  it('the first of two values under one name, which no parser shows', () => {
    const body = JSON.stringify(aPayoutJob()).replace('"params":{', `"params":{"order_desc":"${pan}",`);
    expect(withoutCardData(body).body).not.toContain(pan);
  });
});

describe('a message that is no job loses card data', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  it.each([
    ['as bare text', pan],
    ['in text around it', `pay ${pan} now`],
    ['in groups', '4111 1111 1111 1111'],
    ['split over lines', '41111111\n11111111'],
    ['after another number', `1 ${pan}`],
    ['before its expiry', `${pan} 12/30`],
    ['in JSON that is cut off', `{"params":{"credit_card_number":"${pan}","cv`],
    ['as a number', `{"params":{"credit_card_number":${pan}}}`],
    ['as a number that JSON can not hold', '{"x":4111111111111111110}'],
    ['under a name of its own', `{"card":{"pan":"${pan}"}}`],
    ['as a name', `{"${pan}":1}`],
    ['in a list', `["${pan}"]`],
    ['in JSON within JSON', JSON.stringify({ message: JSON.stringify({ number: pan }) })],
    ['percent-encoded', `card=4111%201111%201111%201111&broken=%`],
    ['digit by digit percent-encoded', '%34%31%31%31111111111111'],
    ['in Base64', base64(`{"number":"${pan}"}`)],
    ['in Base64 with line breaks', base64(`{"number":"${pan}"}`).replace(/.{12}/g, '$&\n')],
    ['in Base64 within text', `payload: ${base64(`x${pan}`)} (end)`],
    ['in base64url', Buffer.from(`??>${pan}`).toString('base64url')],
  ])('%s', (_, message) => {
    const { body, cut } = withoutCardData(message);
    expect(cut).toBe(true);
    expect(body).toContain(mark);
    expect(body.replaceAll(/\D/g, '')).not.toContain('41111111');
    expect(body).not.toContain('NDExMT');
  });

  it.each([
    ['in JSON', '{"params":{"cvv2":"737"}}'],
    ['as a number', '{"cvc":737}'],
    ['in an object', '{"security_code":{"value":"737"}}'],
    ['in JSON that is cut off', '{"cvv2": "737", "expire'],
    ['in a form', 'amount=1&cvv=737&x=1'],
    ['in Base64', base64('{"cvv2":"737"}')],
  ])('a CVV %s', (_, message) => {
    const { body, cut } = withoutCardData(message);
    expect(cut).toBe(true);
    expect(body).not.toContain('737');
  });

  it('and keeps what a person needs to mend it', () => {
    const message = {
      version: 1,
      operation: 'payuot',
      orderId: 'INV-1',
      params: { amount: '10,42', iban: 'DE89370400440532013000' },
    };
    expect(withoutCardData(JSON.stringify(message))).toEqual({ body: JSON.stringify(message), cut: false });
    const sealed = 'eyJhbGciOiJFQ0RILUVTIn0..iv.ciphertext.tag';
    expect(withoutCardData(JSON.stringify({ sealedParams: sealed })).cut).toBe(false);
  });

  it('however deep it lies', () => {
    const deep = `${'['.repeat(100_000)}"${pan}"`;
    expect(withoutCardData(deep).body).not.toContain(pan);
  });
});

it('no card number comes out of any text, and a second pass finds nothing more', () => {
  const around = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(around, fc.constantFrom(pan, '5555 5555 5555 4444', '378282246310005'), around, (a, number, b) => {
      const text = `${a.replaceAll(/\d/g, '')} ${number} ${b.replaceAll(/\d/g, '')}`;
      const { body } = withoutCardData(text);
      expect(body).not.toContain(number);
      expect(withoutCardData(body)).toEqual({ body, cut: false });
    }),
  );
});

describe('a card number is told by network, length and check digit', () => {
  it.each([
    ['Visa', '4111111111111111'],
    ['Mastercard', '2221000000000009'],
    ['Mir', '2200123456789019'],
    ['American Express', '378282246310005'],
    ['UnionPay', '6200000000000005'],
    ['RuPay', '8150123456789016'],
    ['Uzcard', '8600123456789012'],
    ['Humo', '9860123456789015'],
    ['Troy', '9792123456789018'],
    ['Elcart', '9417123456789013'],
    ['Visa of thirteen digits', '4111111111119'],
    ['Visa of nineteen digits', '4111111111111111110'],
  ])('%s', (_, number) => {
    expect(withoutCardNumbers(`to ${number} now`, '[card]')).toBe('to [card] now');
    expect(holdsCardNumber({ note: [Number(number)] })).toBe(true);
  });

  it.each([
    ['that begins with a date', '2026110400001239'],
    ['of no network', '7999123456789012'],
    ['with another check digit', '4111111111111112'],
    ['of twelve digits', '411111111117'],
    ['of twenty digits', '41111111111111111115'],
  ])('and no reference %s', (_, reference) => {
    expect(withoutCardNumbers(`ref ${reference}`, '[card]')).toBe(`ref ${reference}`);
  });
});

describe('a number in groups', () => {
  it.each([
    ['blanks', '4111 1111 1111 1111', '[card]'],
    ['dashes, after another number', 'row 12: 4111-1111-1111-1111.', 'row 12: [card].'],
    ['a line break', '41111111\n11111111', '[card]'],
    ['twice', '4111 1111 1111 1111, 5555 5555 5555 4444', '[card], [card]'],
    ['before more digits', '4111 1111 1111 1111 99', '[card] 99'],
    ['that are dates and amounts', '2026-11-22 10.42 99.00 17', '2026-11-22 10.42 99.00 17'],
  ])('by %s', (_, text, clean) => {
    expect(withoutCardNumbers(text, '[card]')).toBe(clean);
    expect(holdsCardNumber(text)).toBe(text !== clean);
  });
});

it('is found at any depth, by value and by name, and nowhere else', () => {
  expect(holdsCardNumber({ a: [{ b: '4222222222222' }] })).toBe(true);
  expect(holdsCardNumber({ '4222222222222': true })).toBe(true);
  expect(holdsCardNumber(Number('9860123456789015'))).toBe(true);
  expect(holdsCardNumber({ a: [null, undefined, true, 42, '411111111117', 'INV-1'] })).toBe(false);
});

it.each([
  ['CVV 737', 'CVV *'],
  ['cvv2=1234', 'cvv2=*'],
  ['security code: 737, then 4111111111111111', 'security code: *, then *'],
  ['code 737', 'code 737'],
  ['cvv 73', 'cvv 73'],
  ['cvv 73712', 'cvv 73712'],
])('a code that is named as one goes too: %s', (text, clean) => {
  expect(withoutNumbersAndCodes(text, '*')).toBe(clean);
});
