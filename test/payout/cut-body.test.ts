// To the letter what is left of a message whose card data is cut out: no more than must be, or nobody could mend it.
import { describe, expect, it } from 'vitest';
import { cardNumbersInText, plainCardFields } from '../../lib/payout/message/card-fields.ts';
import { cutBody, readJob } from '../../lib/payout/message/read-job.ts';
import { aPayoutJob, testCards } from '../support/jobs.ts';

const pan = testCards.sender;
const mark = '[card data cut out]';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const cut = (body: string, how?: { readonly sealSpent: boolean }) => cutBody(body, readJob(body), how);

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

  it('under a name that the operation does not have is nobody’s field', () => {
    expect(cardNumbersInText(payout({ whatever: pan }))).toEqual([]);
    expect(plainCardFields(payout({ whatever: pan }))).toEqual([]);
  });
});

describe('of a job', () => {
  const sealedParams = 'eyJhbGciOiJFQ0RILUVTIn0..iv.ciphertext.tag';

  it('the seal stays, unless it can’t be opened any more', () => {
    const job = aPayoutJob({ sealedParams });
    expect(cut(JSON.stringify(job))).toEqual({ body: JSON.stringify(job), cut: false });
    const spent = cut(JSON.stringify(job), { sealSpent: true });
    expect(spent).toEqual({ body: JSON.stringify({ ...job, sealedParams: mark }), cut: false });
  });

  it('all else stays to the letter', () => {
    const body = JSON.stringify(aPayoutJob(), undefined, 2);
    expect(cut(body)).toEqual({ body, cut: false });
  });

  it('its own names and numbers stay, card data in its context goes at any depth', () => {
    const job = aPayoutJob({ context: { cvv: '737', list: [{ pan }, 'a'], phone: 491701234567 } });
    expect(JSON.parse(cut(JSON.stringify(job)).body)).toEqual({
      ...job,
      context: { cvv: mark, list: [{ pan: mark }, 'a'], phone: 491701234567 },
    });
  });
});

describe('of JSON that is no job', () => {
  const left = (value: unknown) => JSON.parse(cut(JSON.stringify(value)).body) as unknown;

  it('what is named like card data goes, whatever it is and however the name is written', () => {
    const all = { 'Card Number': 'x', CVV2: 737, 'card-holder': ['JANE', 'DOE'], Exp_Month: { a: 1 }, track1: '' };
    const marks = Object.fromEntries(Object.keys(all).map((name) => [name, mark]));
    expect(left(all)).toEqual(marks);
  });

  it('what is named like it and holds nothing stays', () => {
    const empty = { cvv: null, pan: false, cardholder: true };
    expect(left(empty)).toEqual(empty);
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

  it('a list says nothing of what is in it, nor does the name of the list’s owner', () => {
    expect(left({ list: [1, 'a', null, pan] })).toEqual({ list: [1, 'a', null, mark] });
    expect(left([['JANE DOE'], { note: `to ${pan}` }])).toEqual([['JANE DOE'], { note: `to ${mark}` }]);
  });

  it('a name that is a card number goes, and what stands under it stays', () => {
    expect(left({ [`x ${pan}`]: { amount: '1.00' } })).toEqual({ [`x ${mark}`]: { amount: '1.00' } });
  });

  it('a seal stays to the letter, though its letters pass for a card number: else nobody could open it', () => {
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

describe('of JSON that broke off', () => {
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

describe('of a text', () => {
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
