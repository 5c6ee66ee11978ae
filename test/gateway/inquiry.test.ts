// One look at the gateway: what is asked, and what an answer proves about the order, and about no other.
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../lib/gateway/ports.ts';
import { judgeInquiry, statusParameters, statusRequest } from '../../lib/gateway/inquiry.ts';
import { defaultProfile } from '../../lib/gateway/profile.ts';
import { aView } from '../support/orders.ts';
import { answer } from './evidence.ts';

/** 10.42 EUR, accepted as the gateway's 9000123. */
const entry = aView({ orderId: 'INV-1', standing: 'confirming', gatewayOrderId: '9000123' });
/** The same, with no identity at the gateway known. */
const unnamed = aView({ orderId: 'INV-1', standing: 'in-doubt' });

const whole = {
  type: 'status-response',
  'serial-number': '00000000-0000-0000-0000-000000000001',
  'merchant-order-id': 'INV-1',
  'paynet-order-id': '9000123',
  status: 'approved',
  amount: '10.42',
  currency: 'EUR',
};
type Fields = Readonly<Record<string, unknown>>;
const asJson = (changes: Fields = {}) => answer(200, JSON.stringify({ ...whole, ...changes }));
const asForm = (changes: Fields = {}) =>
  answer(
    200,
    Object.entries({ ...whole, ...changes })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}\n`)
      .join('&'),
  );

describe('an inquiry', () => {
  it('asks by both ids, or by ours alone where the gateway has named none', () => {
    expect(statusParameters(entry, 'acme-login', defaultProfile)).toEqual([
      ['login', 'acme-login'],
      ['client_orderid', 'INV-1'],
      ['orderid', '9000123'],
    ]);
    expect(statusParameters(unnamed, 'acme-login', defaultProfile)).toEqual([
      ['login', 'acme-login'],
      ['client_orderid', 'INV-1'],
    ]);
  });

  it('spells the order id as the profile says', () => {
    const profile = { ...defaultProfile, orderIdField: { status: 'client-order-id' as const } };
    expect(statusParameters(unnamed, 'acme-login', profile)).toContainEqual(['client-order-id', 'INV-1']);
  });

  it('goes to v4/status, signed by RSA-SHA256', () => {
    expect(statusRequest).toEqual({
      path: 'v4/status',
      signatureMethod: 'RSA-SHA256',
      orderIdField: 'client_orderid',
    });
  });
});

describe.each([
  ['JSON', asJson],
  ['form text', asForm],
])('a status in %s', (_, reply) => {
  it.each([
    ['approved', { kind: 'approved', gatewayOrderId: '9000123' }],
    [
      'declined',
      {
        kind: 'declined',
        gatewayOrderId: '9000123',
        failure: { code: 'GATEWAY_DECLINED', message: 'the gateway says declined' },
      },
    ],
    [
      'error',
      {
        kind: 'inconclusive',
        gatewayOrderId: '9000123',
        status: 'error',
        failure: { code: 'STATUS_UNPROVEN', message: 'the gateway says error' },
      },
    ],
    [
      'filtered',
      {
        kind: 'filtered',
        gatewayOrderId: '9000123',
        failure: { code: 'FILTERED', message: 'the gateway says filtered' },
      },
    ],
    ['processing', { kind: 'pending', gatewayOrderId: '9000123', status: 'processing' }],
    [
      'unknown',
      {
        kind: 'inconclusive',
        gatewayOrderId: '9000123',
        status: 'unknown',
        failure: { code: 'STATUS_UNPROVEN', message: 'the gateway says unknown' },
      },
    ],
    ['chain_declined', { kind: 'pending', gatewayOrderId: '9000123', status: 'chain_declined' }],
    ['reversal-pending', { kind: 'pending', gatewayOrderId: '9000123', status: 'reversal-pending' }],
  ])('%s', (status, finding) => {
    expect(judgeInquiry(reply({ status }), entry)).toEqual(finding);
    expect(judgeInquiry(reply({ status }), unnamed)).toEqual(finding);
  });

  it('tells why it was declined', () => {
    const why = { status: 'declined', 'error-code': 28, 'error-message': 'Insufficient funds' };
    expect(judgeInquiry(reply(why), entry)).toMatchObject({
      failure: { code: 'GATEWAY_DECLINED', message: 'Insufficient funds', gatewayCode: '28' },
    });
    const bank = { status: 'declined', bank_message: 'Do not honor' };
    expect(judgeInquiry(reply(bank), entry)).toMatchObject({ failure: { message: 'Do not honor' } });
  });

  it('that is unknown is cut, and bears no card number', () => {
    const odd = judgeInquiry(reply({ status: 'waits for 4111 1111 1111 1111 in the back office' }), entry);
    expect(odd).toMatchObject({ kind: 'pending', status: 'waits for [redacted] in ' });
  });

  it.each(['merchant-order-id', 'client_orderid', 'client-order-id'])('may name our order as %s', (name) => {
    const nameless = { 'merchant-order-id': undefined, 'paynet-order-id': undefined };
    expect(judgeInquiry(reply({ ...nameless, [name]: 'INV-1' }), unnamed)).toEqual({ kind: 'approved' });
    const reason = 'the answer is about another order';
    expect(judgeInquiry(reply({ ...nameless, [name]: 'INV-2' }), unnamed)).toEqual({ kind: 'unclear', reason });
  });

  it.each(['4111111111111111', '4111-1111-1111-1111'])('gives no id that passes for the card %s', (number) => {
    expect(judgeInquiry(reply({ 'paynet-order-id': number }), unnamed)).toEqual({ kind: 'approved' });
    const known = aView({ orderId: 'INV-1', standing: 'confirming', gatewayOrderId: number });
    expect(judgeInquiry(reply({ 'paynet-order-id': number }), known)).toMatchObject({ gatewayOrderId: number });
  });

  it('repeats no card number', () => {
    const echo = { status: 'declined', 'error-message': 'card 4111 1111 1111 1111 is blocked' };
    expect(judgeInquiry(reply(echo), entry)).toMatchObject({ failure: { message: 'card [redacted] is blocked' } });
  });

  it.each<[what: string, changes: Fields, reason: string]>([
    ['about another order', { 'merchant-order-id': 'INV-2' }, 'the answer is about another order'],
    ['about a longer order id', { 'merchant-order-id': 'INV-10' }, 'the answer is about another order'],
    [
      "about another of the gateway's orders",
      { 'paynet-order-id': '9000124' },
      "the answer is about another of the gateway's orders",
    ],
    [
      'with an id of the gateway that is none',
      { 'paynet-order-id': '9'.repeat(41) },
      "the answer is about another of the gateway's orders",
    ],
    ['of a type that is none of a status', { type: 'async-response' }, 'the answer is not about a status'],
    ['without a status', { status: '' }, 'the answer has no status'],
  ])('%s is not taken', (_what, changes, reason) => {
    expect(judgeInquiry(reply(changes), entry)).toEqual({ kind: 'unclear', reason });
  });

  it.each<[string, Fields]>([
    ['another amount', { amount: '10.43' }],
    ['a tenth of the amount', { amount: '1.042' }],
    ['no amount at all', { amount: 'ten' }],
    ['an amount with a comma', { amount: '10,42' }],
    ['another currency', { currency: 'USD' }],
  ])('about %s is for a person', (_what, changes) => {
    expect(judgeInquiry(reply(changes), entry)).toMatchObject({ kind: 'amount-differs', status: 'approved' });
  });

  it('that names no order is not taken', () => {
    const nameless = { 'merchant-order-id': undefined, 'paynet-order-id': undefined };
    const reason = 'the answer does not say which order it is about';
    expect(judgeInquiry(reply(nameless), entry)).toEqual({ kind: 'unclear', reason });
    // The gateway's own id names the order only where we know it from elsewhere.
    const half = { 'merchant-order-id': undefined };
    expect(judgeInquiry(reply(half), unnamed)).toEqual({ kind: 'unclear', reason });
    expect(judgeInquiry(reply(half), entry)).toMatchObject({ kind: 'approved' });
  });

  it('may do without amount and currency where it is of the kind of the operation', () => {
    const bare = { amount: undefined, currency: undefined };
    expect(judgeInquiry(reply({ ...bare, 'transaction-type': 'payout' }), entry)).toMatchObject({ kind: 'approved' });
    expect(judgeInquiry(reply(bare), entry)).toMatchObject({ kind: 'unclear' });
    expect(judgeInquiry(reply({ amount: undefined }), entry)).toMatchObject({ kind: 'unclear' });
    expect(judgeInquiry(reply({ ...bare, status: 'declined' }), entry)).toMatchObject({ kind: 'unclear' });
    expect(judgeInquiry(reply({ ...bare, status: 'processing' }), entry)).toMatchObject({ kind: 'pending' });
  });

  it('may not, after another amount, say without one that the payment is paid', () => {
    const corrected = { ...entry, gatewayAmount: '10.43 EUR' };
    const bare = { amount: undefined, currency: undefined, 'transaction-type': 'payout' };
    const reason = 'the gateway said another amount before, and says none now';
    expect(judgeInquiry(reply(bare), corrected)).toEqual({ kind: 'unclear', reason });
    expect(judgeInquiry(reply({ ...bare, status: 'declined' }), corrected)).toMatchObject({ kind: 'declined' });
    expect(judgeInquiry(reply({ 'transaction-type': 'payout' }), corrected)).toMatchObject({ kind: 'approved' });
  });

  it('of another kind of transaction says nothing of the payment', () => {
    const reason = 'the answer is about another kind of transaction';
    expect(judgeInquiry(reply({ 'transaction-type': 'pan-eligibility' }), entry)).toEqual({ kind: 'unclear', reason });
    const profile = { ...defaultProfile, transactionTypes: { payout: ['bank_payout'] } };
    expect(judgeInquiry(reply({ 'transaction-type': 'BANK-PAYOUT' }), entry, profile).kind).toBe('approved');
  });

  it.each(['reversal', 'Chargeback', 'refund'])('of a %s is no approval, and no refusal either', (type) => {
    for (const status of ['approved', 'declined']) {
      const finding = judgeInquiry(reply({ status, 'transaction-type': type }), entry);
      expect(finding).toMatchObject({ kind: 'reversed', transactionType: type, status });
    }
  });

  it.each(['09', '91', '92', '94', '96'])('declined by a bank that says [%s] proves nothing', (code) => {
    const why = { status: 'declined', 'error-message': `[${code}] issuer or switch is inoperative` };
    expect(judgeInquiry(reply(why), entry)).toMatchObject({ kind: 'inconclusive', status: 'declined' });
  });

  it('error and unknown mean what a sandbox has shown', () => {
    const profile = { ...defaultProfile, statusWords: { error: 'declined', unknown: 'pending' } as const };
    expect(judgeInquiry(reply({ status: 'error' }), entry, profile)).toMatchObject({ kind: 'declined' });
    expect(judgeInquiry(reply({ status: 'unknown' }), entry, profile)).toMatchObject({ kind: 'pending' });
  });

  it('under an alias that is known names our order, whatever identity is beside it', () => {
    const byAlias = { ...entry, gatewayOrderId: '55', gatewayAlias: '55' };
    const said = { 'merchant-order-id': undefined, 'payout-id': '55' };
    expect(judgeInquiry(reply(said), byAlias)).toMatchObject({ kind: 'approved', gatewayOrderId: '9000123' });
    expect(judgeInquiry(reply({ 'merchant-order-id': 'INV-1' }), byAlias)).toMatchObject({ kind: 'approved' });
    expect(statusParameters(byAlias, 'acme-login', defaultProfile)).not.toContainEqual(['orderid', '55']);
  });
});

describe('the gateway knows no such order when it answers 101', () => {
  it.each<[string, Evidence]>([
    ['as form text under 200', answer(200, 'type=error\n&error-message=Order+not+found\n&error-code=101\n')],
    ['as JSON under 400', answer(400, '{"type":"error","error-message":"Order not found","error-code":101}')],
    ['as JSON under 404', answer(404, '{"type":"error","error-code":"101"}')],
    ['as JSON under 499', answer(499, '{"type":"error","error-code":101}')],
    ['in capitals', answer(400, '{"type":"ERROR","error-code":101,"merchant-order-id":"INV-1"}')],
  ])('%s', (_, evidence) => {
    expect(judgeInquiry(evidence, unnamed)).toEqual({ kind: 'unknown-order' });
  });

  it.each([
    ['order-12345', 'Order order-12345 not found'],
    ['ORDER_20261129_1', 'No such order: ORDER_20261129_1'],
    ['payment-no-1234', 'payment-no-1234'],
    ['PAYOUTID7', 'PAYOUTID7'],
  ])('and repeats the id %s as "%s", which is no id of the gateway', (orderId, words) => {
    const asked = aView({ orderId, standing: 'in-doubt' });
    const answered = { type: 'error', 'error-code': 101, 'error-message': words, 'merchant-order-id': orderId };
    expect(judgeInquiry(answer(400, JSON.stringify(answered)), asked)).toEqual({ kind: 'unknown-order' });
  });

  it('and names another order beside ours', () => {
    const asked = aView({ orderId: 'order-12345', standing: 'in-doubt' });
    const words = 'order-12345 is order 9000123';
    const answered = { type: 'error', 'error-code': 101, 'error-message': words };
    expect(judgeInquiry(answer(400, JSON.stringify(answered)), asked)).toMatchObject({ kind: 'unclear' });
  });

  it.each<[string, Evidence, string]>([
    [
      'about another order',
      answer(400, '{"type":"error","error-code":101,"merchant-order-id":"INV-2"}'),
      'the answer is about another order',
    ],
    [
      'beside an id of the gateway',
      answer(400, '{"type":"error","error-code":101,"paynet-order-id":"9000001"}'),
      'the gateway refused the inquiry',
    ],
    ...[
      ',"error-message":"see paynet-order-id=9000001"',
      ',"errors":[{"code":503}]',
      ',"error-message":"error-code: 503"',
      ',"status":"processing"',
      ',"Status":"processing"',
      ',"order":{"status":"processing"}',
    ].map((more): [string, Evidence, string] => [
      `beside ${more}`,
      answer(400, `{"type":"error","error-code":101${more}}`),
      'the gateway refused the inquiry',
    ]),
    ['under 500', answer(500, '{"type":"error","error-code":101}'), 'HTTP 500'],
    ['under 429', answer(429, '{"type":"error","error-code":101}'), 'HTTP 429'],
    ['without a type', answer(400, '{"error-code":101}'), 'HTTP 400'],
    ['with another code', answer(400, '{"type":"error","error-code":1013}'), 'the gateway refused the inquiry'],
    [
      'with a code that begins so',
      answer(400, '{"type":"error","error-code":1011}'),
      'the gateway refused the inquiry',
    ],
    ['with no code', answer(400, '{"type":"error"}'), 'the gateway refused the inquiry'],
    [
      'as a refusal of the question',
      answer(200, '{"type":"validation-error","error-code":"101"}'),
      'the gateway refused the inquiry',
    ],
    [
      'in a text whose end nothing marks',
      answer(200, 'type=error\n&error-code=101\n', 'until-close'),
      'the answer may have been cut off',
    ],
  ])('but not %s', (_, evidence, reason) => {
    expect(judgeInquiry(evidence, unnamed)).toEqual({ kind: 'unclear', reason });
  });
});

describe('nothing is learned', () => {
  it.each<[string, Evidence, string]>([
    ['from no answer', { kind: 'no-answer', reason: 'reset', httpStatus: 200 }, 'no answer'],
    ['from no connection', { kind: 'not-sent', reason: 'refused' }, 'no answer'],
    ['from 502', answer(502, '<html/>'), 'HTTP 502'],
    ['from a redirect', answer(302, JSON.stringify(whole)), 'HTTP 302'],
    ['from 204', answer(204, ''), 'HTTP 204'],
    ['from an empty 200', answer(200, ''), 'the body is empty'],
    ['from a page', answer(200, '<html>It works!</html>'), 'the body is neither JSON nor form text'],
    ['from a status under 400', answer(400, JSON.stringify(whole)), 'HTTP 400'],
    ['from half a JSON', answer(200, JSON.stringify(whole).slice(0, -1)), 'the body is not whole JSON'],
  ])('%s', (_, evidence, reason) => {
    expect(judgeInquiry(evidence, entry)).toEqual({ kind: 'unclear', reason });
  });

  it('from a refused signature, but that the credentials may be stale', () => {
    expect(judgeInquiry(answer(401, ''), entry)).toEqual({ kind: 'credentials-refused' });
    expect(judgeInquiry(answer(403, ''), entry)).toEqual({ kind: 'credentials-refused' });
  });

  it('from an amount of sixty thousand zeros, and that at once', () => {
    const startedAt = performance.now();
    const evidence = asJson({ amount: `10.42${'0'.repeat(60_000)}1` });
    expect(judgeInquiry(evidence, entry)).toMatchObject({ kind: 'amount-differs' });
    expect(performance.now() - startedAt).toBeLessThan(200);
  });
});

it('an answer whose end nothing marks is taken where it says that it is about our order', () => {
  const body = (name: string) =>
    `type=status-response\n&merchant-order-id=${name}\n&status=approved\n&amount=10.42\n&currency=EUR\n`;
  expect(judgeInquiry(answer(200, body('INV-1'), 'until-close'), entry)).toEqual({ kind: 'approved' });
  expect(judgeInquiry(answer(200, body(''), 'until-close'), entry)).toMatchObject({ kind: 'unclear' });
});
