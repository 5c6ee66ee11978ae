// The whole outcome of an attempt, as the ledger keeps it and its sender reads it: a person decides by these words.
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../lib/gateway/ports.ts';
import { judge } from '../../lib/gateway/outcome.ts';
import { defaultProfile } from '../../lib/gateway/profile.ts';
import { aPayoutJob, aTransferJob, jobOf } from '../support/jobs.ts';
import { answer } from './evidence.ts';

const payout = jobOf(aPayoutJob({ orderId: 'X-1' }));
const transfer = jobOf(aTransferJob({ orderId: 'X-1' }));
const after = (evidence: Evidence, job = payout) => judge(evidence, job, defaultProfile);
const unclear = (httpStatus: number, message: string, gatewayCode?: string) => ({
  kind: 'in-doubt',
  failure: { code: 'UNCLEAR_ANSWER', message, ...(gatewayCode !== undefined && { gatewayCode }), httpStatus },
});

describe('doubt says what came back', () => {
  it.each<[Evidence, string]>([
    [answer(200, ''), 'the gateway answered 200: the body is empty'],
    [answer(201, '<html>'), 'the gateway answered 201: the body is neither JSON nor form text'],
    [answer(200, '{"type":"async-response"}'), 'the gateway answered 200 without an order id'],
    [answer(200, '{"payout-id":"9","status":"declined"}'), 'the gateway answered 200 and speaks of trouble'],
    [answer(200, '{"payout-id":"a b"}'), 'the gateway answered 200 with an order id'],
    [answer(200, '{"message":"Duplicate order"}'), 'the gateway answered 200 and speaks of trouble'],
    [answer(200, '{"merchant-order-id":"X-2","payout-id":"9"}'), 'the answer names another order'],
    [answer(200, '{"client-order-id":"X-2","payout-id":"9"}'), 'the answer names another order'],
    [answer(200, 'payout-id=9\n', 'until-close'), 'the gateway answered 200 with an order id'],
    [answer(200, 'serial-number=9\n', 'until-close'), 'the gateway answered 200, and more may have followed'],
    [answer(404, '<html>', 'until-close'), 'the gateway answered 404, and more may have followed'],
    [answer(404, '', 'until-close'), 'the gateway answered 404: the body may have been cut off'],
    [answer(401, 'type=error&paynet-o'), 'the gateway answered 401: the body is not whole form text'],
    [answer(400, '{"payout-id":"9"}'), 'the gateway answered 400 with an order id'],
    [answer(409, ''), 'the gateway answered 409'],
    [answer(500, ''), 'the gateway answered 500'],
    [answer(503, '<html>', 'until-close'), 'the gateway answered 503'],
    [answer(499, ''), 'the gateway answered 499'],
    [answer(400, '{"message":"This payout was already paid"}'), 'This payout was already paid'],
  ])('%j', (evidence, message) => {
    // Whatever ids there are are kept beside it.
    expect(after(evidence)).toMatchObject(unclear(evidence.kind === 'answer' ? evidence.httpStatus : 0, message));
  });

  it('and the code of the gateway', () => {
    const busy = answer(200, '{"type":"error","error-code":1001,"error-message":"Internal error"}');
    expect(after(busy)).toEqual(unclear(200, 'Internal error', '1001'));
  });

  it('or what the socket saw', () => {
    expect(after({ kind: 'no-answer', reason: 'the answer was cut off', httpStatus: 200 })).toEqual({
      kind: 'in-doubt',
      failure: { code: 'NO_ANSWER', message: 'the answer was cut off', httpStatus: 200 },
    });
    expect(after({ kind: 'no-answer', reason: 'reset' })).toEqual({
      kind: 'in-doubt',
      failure: { code: 'NO_ANSWER', message: 'reset' },
    });
  });
});

describe('what is proven says by what', () => {
  it.each<[Evidence, object]>([
    [
      { kind: 'not-sent', reason: 'no connection (ECONNREFUSED)' },
      {
        kind: 'not-processed',
        reason: 'not-sent',
        failure: { code: 'NOT_SENT', message: 'no connection (ECONNREFUSED)' },
      },
    ],
    [
      answer(401, ''),
      {
        kind: 'not-processed',
        reason: 'credentials-refused',
        failure: {
          code: 'AUTHENTICATION',
          message: 'the gateway answered 401: signature or login refused',
          httpStatus: 401,
        },
      },
    ],
    [
      answer(429, ''),
      {
        kind: 'not-processed',
        reason: 'rate-limited',
        failure: { code: 'RATE_LIMITED', message: 'the gateway answered 429', httpStatus: 429 },
      },
    ],
    [
      answer(404, '{"note":"no such endpoint"}'),
      {
        kind: 'not-processed',
        reason: 'address',
        failure: { code: 'HTTP_404', message: 'the gateway answered 404', httpStatus: 404 },
      },
    ],
    [
      answer(200, '{"type":"validation-error"}'),
      {
        kind: 'declined',
        failure: { code: 'GATEWAY_REFUSED', message: 'the gateway answered 200 without a reason', httpStatus: 200 },
      },
    ],
    [
      answer(422, '{"type":"validation-error","error":"Bad card"}'),
      { kind: 'declined', failure: { code: 'GATEWAY_REFUSED', message: 'Bad card', httpStatus: 422 } },
    ],
    [answer(200, '{"payout-id":"9"}'), { kind: 'accepted', gatewayOrderId: '9', gatewayAlias: '9' }],
  ])('%j', (evidence, outcome) => {
    expect(after(evidence)).toEqual(outcome);
  });

  it('and a success without an id bears none', () => {
    expect(after(answer(200, '{"type":"async-response"}'), transfer)).toEqual({ kind: 'accepted' });
  });
});

describe('an answer that only its end marks', () => {
  it.each([
    ['is of our type, but not of our order', 'type=async-response\n&payout-id=9\n'],
    ['is of our order, but not of our type', 'merchant-order-id=X-1\n&payout-id=9\n'],
  ])('%s', (_, body) => {
    expect(after(answer(200, body, 'until-close')).kind).toBe('in-doubt');
  });

  it('may begin with blanks before its JSON', () => {
    expect(after(answer(200, ' \n{"type":"error","error-code":8}', 'until-close')).kind).toBe('declined');
  });
});

describe('an echo is no order id', () => {
  const account = (account_number: string) => jobOf(aPayoutJob({ orderId: 'X-1', params: { account_number } }));

  it.each([
    ['a CVV', '737', transfer, 'in-doubt'],
    ['the year in which the card ends', '2030', transfer, 'accepted'],
    ['an id with the same three digits in it', 'T-7371', transfer, 'accepted'],
    ['an account number of eleven digits in a longer id', 'A12345678901', account('12345678901'), 'accepted'],
    ['an account number of twelve digits in a longer id', 'A123456789012', account('123456789012'), 'in-doubt'],
  ])('%s', (_, id, job, kind) => {
    expect(after(answer(200, JSON.stringify({ 'paynet-order-id': id })), job).kind).toBe(kind);
  });
});
