// What may be in a dead-letter queue: everything but card data, in whatever form it was sent.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cardNumbersInText, plainCardFields } from '../../../lib/payout/message/card-fields.ts';
import { cutBody, readJob } from '../../../lib/payout/message/read-job.ts';
import { anEligibilityJob, aPayoutJob, aTransferByRefJob, aTransferJob, jobOf } from '../../support/jobs.ts';

const pan = '4111111111111111';
const mark = '[card data cut out]';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const cut = (body: string, how?: { readonly sealSpent: boolean }) => cutBody(body, readJob(body), how);

describe('plain card data of a job', () => {
  it('is a card number, a CVV or a detail of the card, under whichever name', () => {
    expect(plainCardFields(jobOf(aTransferJob()))).toEqual([
      'credit_card_number',
      'card_printed_name',
      'cvv2',
      'expire_month',
      'expire_year',
      'destination-card-no',
    ]);
    expect(plainCardFields(jobOf(aTransferByRefJob()))).toEqual(['destination-card-no']);
    expect(plainCardFields(jobOf(anEligibilityJob({ params: { 'sending-card-number': pan } })))).toEqual([
      'sending-card-number',
    ]);
  });

  it('is no reference and no account', () => {
    expect(plainCardFields(jobOf(aPayoutJob()))).toEqual([]);
    expect(plainCardFields(jobOf(anEligibilityJob()))).toEqual([]);
  });
});

describe('a job loses', () => {
  it('its card fields, and nothing else', () => {
    const job = aTransferJob({ context: { shop: 'berlin' } });
    const { body, cut: isCut } = cut(JSON.stringify(job));
    expect(isCut).toBe(true);
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
    const { body } = cut(JSON.stringify(job));
    expect(JSON.parse(body)).toMatchObject({
      params: { order_desc: `card ${mark}` },
      context: { note: mark, n: 7 },
    });
  });

  it('a card number in the place of an account, a reference, a URL or an id', () => {
    const params = { account_number: '4111 1111 1111 1111', redirect_url: `https://a.example/?c=${pan}` };
    const { body } = cut(JSON.stringify(aPayoutJob({ orderId: pan, params })));
    expect(JSON.parse(body)).toMatchObject({
      orderId: mark,
      params: { account_number: mark, redirect_url: `https://a.example/?c=${mark}` },
    });
    const check = cut(JSON.stringify(anEligibilityJob({ params: { 'sending-card-ref-id': pan } })));
    expect(JSON.parse(check.body)).toMatchObject({ params: { 'sending-card-ref-id': mark } });
  });

  it('all but its identity where it is longer than a job can be', () => {
    const long = { ...aPayoutJob({ batchId: pan }), note: `${'4111 '.repeat(20_000)}` };
    expect(cut(JSON.stringify(long))).toEqual({
      body: JSON.stringify({
        operation: 'payout',
        merchant: 'acme-eu',
        endpointId: '39915',
        orderId: 'INV-1',
        message: 'longer than 65536 bytes: only its identity is kept',
      }),
      cut: false,
    });
  });

  it('the first of two values under one name, which no parser shows', () => {
    const body = JSON.stringify(aPayoutJob()).replace('"params":{', `"params":{"order_desc":"${pan}",`);
    expect(cut(body).body).not.toContain(pan);
  });
});

describe('a message that is no job loses card data', () => {
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
    const { body, cut: isCut } = cut(message);
    expect(isCut).toBe(true);
    expect(body).toContain(mark);
    expect(body.replaceAll(/\D/g, '')).not.toContain('41111111');
    expect(body).not.toContain('NDExMT');
  });

  it.each([
    ['in JSON', '{"params":{"cvv2":"737"}}'],
    ['as a number', '{"cvc":737}'],
    ['in an object', '{"security_code":{"value":"737"}}'],
    ['in JSON that is cut off', '{"cvv2": "737", "expire'],
    ['in JSON that is cut off, its name in escapes', String.raw`{"cv\u00762": "737", "expire`],
    ['in the first of two values of a name, its own in escapes', String.raw`{"card":{"cv\u00762":"737"},"card":1}`],
    ['in a form', 'amount=1&cvv=737&x=1'],
    ['in Base64', base64('{"cvv2":"737"}')],
  ])('a CVV %s', (_, message) => {
    const { body, cut: isCut } = cut(message);
    expect(isCut).toBe(true);
    expect(body).not.toContain('737');
  });

  it('however deep it is', () => {
    const deep = `${'['.repeat(100_000)}"${pan}"`;
    expect(cut(deep).body).not.toContain(pan);
  });
});

it('no card number comes out of any text, and a second pass finds nothing more', () => {
  const around = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(around, fc.constantFrom(pan, '5555 5555 5555 4444', '378282246310005'), around, (a, number, b) => {
      const text = `${a.replaceAll(/\d/g, '')} ${number} ${b.replaceAll(/\d/g, '')}`;
      const { body } = cut(text);
      expect(body).not.toContain(number);
      expect(cut(body)).toEqual({ body, cut: false });
    }),
  );
});

// What is left of a message: no more goes than must, or it could not be mended.
describe('a card number in a job', () => {
  const payout = (params: Readonly<Record<string, string>>, context?: unknown) =>
    ({ operation: 'payout', params, ...(context !== undefined && { context: JSON.stringify(context) }) }) as const;

  it('is found in the free texts and the context, and not where numbers belong', () => {
    expect(cardNumbersInText(payout({ order_desc: `card ${pan}`, bank_name: pan }, { a: [pan] }))).toEqual([
      'order_desc',
      'bank_name',
      'context',
    ]);
    const honest = { order_desc: 'Invoice 1', account_number: 'DE89370400440532013000', bank_name: 'a bank' };
    expect(cardNumbersInText(payout(honest, { a: 'b' }))).toEqual([]);
    expect(cardNumbersInText(payout({ account_number: pan, redirect_url: `https://a.b/${pan}` }))).toEqual([
      'account_number',
      'redirect_url',
    ]);
    expect(cardNumbersInText({ ...payout({}), orderId: pan })).toEqual(['orderId']);
    const transfer = { operation: 'transfer', params: { card_recurring_payment_id: pan, order_desc: 'x' } } as const;
    expect(cardNumbersInText(transfer)).toEqual(['card_recurring_payment_id']);
  });

  it('its code is found by its name, in the context by the name of its field', () => {
    expect(cardNumbersInText(payout({ order_desc: 'card cvv 737' }, { CVV2: '737' }))).toEqual([
      'order_desc',
      'context',
    ]);
    expect(cardNumbersInText(payout({}, { a: { 'security code': { value: 737 } } }))).toEqual(['context']);
    expect(cardNumbersInText(payout({ order_desc: 'invoice 737' }, { code: '737' }))).toEqual([]);
  });
});

describe('to the letter, of a job', () => {
  const sealedParams = 'eyJhbGciOiJFQ0RILUVTIn0..iv.ciphertext.tag';

  it('the seal stays, unless it can’t be opened any more', () => {
    const job = aPayoutJob({ sealedParams });
    expect(cut(JSON.stringify(job))).toEqual({ body: JSON.stringify(job), cut: false });
    const spent = cut(JSON.stringify(job), { sealSpent: true });
    expect(spent).toEqual({ body: JSON.stringify({ ...job, sealedParams: mark }), cut: false });
  });

  it('its own names and numbers stay, card data in its context goes at any depth', () => {
    const job = aPayoutJob({ context: { cvv: '737', list: [{ pan }, 'a'], phone: 491701234567 } });
    expect(JSON.parse(cut(JSON.stringify(job)).body)).toEqual({
      ...job,
      context: { cvv: mark, list: [{ pan: mark }, 'a'], phone: 491701234567 },
    });
  });
});

describe('to the letter, of JSON that is no job', () => {
  const left = (value: unknown) => JSON.parse(cut(JSON.stringify(value)).body) as unknown;

  it('what is named like card data goes, whatever it is and however the name is written', () => {
    const all = { 'Card Number': 'x', CVV2: 737, 'card-holder': ['JANE', 'DOE'], Exp_Month: { a: 1 }, track1: '' };
    const marks = Object.fromEntries(Object.keys(all).map((name) => [name, mark]));
    expect(left(all)).toEqual(marks);
  });

  it('numbers of thirteen digits go, as they may have lost some; shorter ones stay', () => {
    expect(left({ a: 999_999_999_999, b: 1e12, c: -1e12, d: -999_999_999_999, e: 10.42 })).toEqual({
      a: 999_999_999_999,
      b: mark,
      c: mark,
      d: -999_999_999_999,
      e: 10.42,
    });
  });

  it('a seal stays to the letter, though its letters pass for a card number: else it could not be opened', () => {
    const sealed = `eyJhbGciOiJFQ0RILUVTIn0..iv_1.${pan}.tag-2`;
    expect(left({ sealed })).toEqual({ sealed });
  });

  it.each([
    ['before it', `${pan}eyJa.b.c.d.e`],
    ['after it', `eyJa.b.c.d.e ${pan}`],
    ['in a part of what has too few parts', `eyJa.${pan}`],
    ['in a part of what has too many', `eyJa.b.c.d.e.${pan}`],
    ['in what only begins like one', `eyJ.${pan}.a.b.c`],
  ])('what looks like a seal is none with a card number %s', (_, text) => {
    expect(JSON.stringify(left({ text }))).not.toContain(pan);
  });
});

describe('to the letter, of JSON that broke off', () => {
  it.each([
    ['{"cardholder":"JANE DOE","a":"b', `{"cardholder":"${mark}","a":"b`],
    ['{"a":"b","cardholder" : "JANE DO', `{"a":"b","cardholder":"${mark}"`],
    ['{"card holder":\n"JANE \\"X\\" DOE","a":', `{"card holder":"${mark}","a":`],
    ['{"expiry":"12/30\\\\","a":"JANE"', `{"expiry":"${mark}","a":"JANE"`],
    ['{"holder":"JANE DOE","x', '{"holder":"JANE DOE","x'],
  ])('%j, the values of card names go and the rest stays', (text, expected) => {
    expect(cut(text)).toEqual({ body: expected, cut: text !== expected });
  });
});

describe('to the letter, of a text', () => {
  const word = base64(`{"number":"${pan}"}`);

  it.each([
    ['a card number goes', `pay ${pan} now`, `pay ${mark} now`],
    ['an encoded word goes', `payload: ${word} (end)`, `payload: ${mark} (end)`],
    ['an encoded word goes at the end', `note: ${word}`, `note: ${mark}`],
    ['an encoded word goes that needs no padding', `note: ${base64(`{"number": "${pan}"}`)} x`, `note: ${mark} x`],
    ['an encoded word goes with all its padding', `note: ${base64(`{"number":${pan}}\n`)} x`, `note: ${mark} x`],
    ['each encoded word goes', `${word}, ${word}!`, `${mark}, ${mark}!`],
    ['all goes where an escape hides a digit', 'a=1&card=%34111111111111111&b=2', mark],
    ['all goes where escapes stand between the digits', 'no. 4111%2D1111%2D1111%2d1111', mark],
    ['all goes where it is Base64 over several lines', word.replace(/.{10}/g, '$&\r\n'), mark],
    ['an honest encoded word stays', `${base64('{"amount":"10.42"}')} x`, `${base64('{"amount":"10.42"}')} x`],
    ['honest escapes stay', 'a%20b%2', 'a%20b%2'],
    ['a card number goes alone beside a per cent sign', `5%a ${pan} x`, `5%a ${mark} x`],
    ['a per cent sign stays', '100 % of it', '100 % of it'],
  ])('%s', (_, text, expected) => {
    expect(cut(text)).toEqual({ body: expected, cut: text !== expected });
  });
});
