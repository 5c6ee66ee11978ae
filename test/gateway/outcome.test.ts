// The table of infra/docs/gateway.md as wire texts: what came back, and what may be said of the money.
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../lib/gateway/ports.ts';
import { judge } from '../../lib/gateway/outcome.ts';
import { defaultProfile, type Profile } from '../../lib/gateway/profile.ts';
import { aPayoutJob, aTransferByRefJob, aTransferJob, anEligibilityJob, type JobBody, jobOf } from '../support/jobs.ts';
import { answer } from './evidence.ts';

const bodies: Readonly<Record<string, (changes?: Partial<JobBody>) => JobBody>> = {
  transfer: aTransferJob,
  'transfer-by-ref': aTransferByRefJob,
  payout: aPayoutJob,
  'pan-eligibility': anEligibilityJob,
};
const outcomeOf = (operation: string, evidence: Evidence, profile: Partial<Profile> = {}) => {
  const body = bodies[operation]?.({ orderId: 'X-1' });
  if (!body) throw new Error(`no builder for ${operation}`);
  return judge(evidence, jobOf(body), { ...defaultProfile, ...profile });
};
/** An outcome in a few words: kind, and the id or the failure code. */
const told = (operation: string, evidence: Evidence, profile: Partial<Profile> = {}) => {
  const outcome = outcomeOf(operation, evidence, profile);
  const id = 'gatewayOrderId' in outcome ? outcome.gatewayOrderId : undefined;
  const code = 'failure' in outcome ? outcome.failure.code : undefined;
  return [outcome.kind, id, code].filter((it) => it !== undefined).join(' ');
};
const doubt = 'in-doubt UNCLEAR_ANSWER';

describe('a payout', () => {
  it.each<[string, Evidence, string]>([
    ['no connection', { kind: 'not-sent', reason: 'connect ECONNREFUSED' }, 'not-processed NOT_SENT'],
    ['a reset after sending', { kind: 'no-answer', reason: 'reset' }, 'in-doubt NO_ANSWER'],
    ['half an answer', { kind: 'no-answer', reason: 'the body stopped', httpStatus: 200 }, 'in-doubt NO_ANSWER'],
    // the account, not the order, in the vendor's own words for it
    [
      'no gate behind the endpoint',
      answer(400, '{"type":"error","error-code":"1005","error-message":"Processing gates list is empty"}'),
      'not-processed ACCOUNT_NOT_READY',
    ],
    // identity
    ['JSON with a payout id', answer(200, '{"payout-id":"9000123"}'), 'accepted 9000123'],
    ['a number for an id', answer(200, '{"payout-id":12345678901234567890}'), 'accepted 12345678901234567890'],
    ['the gateway order id alone', answer(200, '{"type":"async-response","paynet-order-id":7}'), 'accepted 7'],
    ['both ids: the identity', answer(200, '{"paynet-order-id":7,"payout-id":8}'), 'accepted 7'],
    ['form text', answer(200, 'type=async-response\n&merchant-order-id=X-1\n&paynet-order-id=9\n'), 'accepted 9'],
    [
      'a form answer with a redirect',
      answer(200, 'type=async-form-response\n&paynet-order-id=9\n&redirect-url=https%3A%2F%2Fa\n'),
      'accepted 9',
    ],
    ['form text cut off', answer(200, 'type=async-response\n&paynet-order-id=900', 'until-close'), doubt],
    ['an id of another operation', answer(200, '{"transaction-id":"9"}'), 'in-doubt 9 UNCLEAR_ANSWER'],
    ["somebody else's order", answer(200, '{"merchant-order-id":"X-2","payout-id":"9"}'), doubt],
    [
      "somebody else's refusal",
      answer(200, '{"type":"validation-error","client_orderid":"X-2","error-code":1}'),
      doubt,
    ],
    ['an id that can be none', answer(200, '{"payout-id":"<b>9</b>"}'), doubt],
    ['an empty id', answer(200, '{"payout-id":""}'), doubt],
    ['a success without an id', answer(200, '{"type":"async-response","merchant-order-id":"X-1"}'), doubt],
    ['an id in a state of refusal', answer(200, '{"payout-id":"9","status":"declined"}'), 'in-doubt 9 UNCLEAR_ANSWER'],
    [
      'an id in a state of refusal, in capitals',
      answer(200, '{"payout-id":"9","status":"DECLINED"}'),
      'in-doubt 9 UNCLEAR_ANSWER',
    ],
    ['an id under 201', answer(201, '{"payout-id":"9"}'), 'in-doubt 9 UNCLEAR_ANSWER'],
    ['an id under 400', answer(400, '{"payout-id":"9"}'), 'in-doubt 9 UNCLEAR_ANSWER'],
    ['an id under 500', answer(500, '{"payout-id":"9"}'), 'in-doubt 9 UNCLEAR_ANSWER'],
    // refusals
    [
      'a validation error',
      answer(200, 'type=validation-error\n&error-message=Bad+card\n&error-code=8\n'),
      'declined GATEWAY_REFUSED',
    ],
    ['a validation error without a code', answer(200, '{"type":"validation-error"}'), 'declined GATEWAY_REFUSED'],
    [
      'a refusal with an order id',
      answer(200, '{"type":"error","error-code":23,"paynet-order-id":7}'),
      'in-doubt 7 UNCLEAR_ANSWER',
    ],
    ['a refusal under 4xx', answer(422, '{"type":"error","error-code":"29"}'), 'declined GATEWAY_REFUSED'],
    [
      'a refusal in capitals',
      answer(200, '{"type":"ERROR","error-code":"29","payout-id":"9"}'),
      'in-doubt 9 UNCLEAR_ANSWER',
    ],
    ['a bare error', answer(200, '{"type":"error"}'), doubt],
    ['a refusal under 500', answer(500, '{"type":"validation-error","error-code":8}'), doubt],
    ['a refusal under 302', answer(302, '{"type":"validation-error","error-code":8}'), doubt],
    ...['102', '502', '503', '1001', '1002', '1003', '1004', '1013'].map((code): [string, Evidence, string] => [
      `code ${code}`,
      answer(200, `{"type":"error","error-code":${code},"error-message":"try later"}`),
      doubt,
    ]),
    [
      'words of an order that exists',
      answer(200, '{"type":"error","error-code":29,"error-message":"Order already exists"}'),
      doubt,
    ],
    [
      'words of a duplicate',
      answer(400, '{"type":"validation-error","error-message":"Duplicate client_orderid"}'),
      doubt,
    ],
    ['the same words without a type', answer(400, '{"message":"This payout was already paid"}'), doubt],
    ['the same words in plain text', answer(400, 'Duplicate order'), doubt],
    // statuses
    ['401', answer(401, ''), 'not-processed AUTHENTICATION'],
    ['403', answer(403, '<html>'), 'not-processed AUTHENTICATION'],
    ['401 with words of refusal', answer(401, '{"type":"error","error-code":2}'), 'not-processed AUTHENTICATION'],
    [
      '401 with words of a duplicate',
      answer(401, '{"type":"error","error-message":"duplicate order"}'),
      'not-processed AUTHENTICATION',
    ],
    ['429', answer(429, ''), 'not-processed RATE_LIMITED'],
    ['429 with words of refusal', answer(429, '{"type":"error","error-code":8}'), 'not-processed RATE_LIMITED'],
    ...[408, 409, 425, 500, 502, 503, 504, 599].map((status): [string, Evidence, string] => [
      `${status}`,
      answer(status, '{"type":"validation-error","error-code":8}'),
      doubt,
    ]),
    ['400 without a readable refusal', answer(400, '<html>Bad Request</html>'), 'declined HTTP_400'],
    ['404, which is about the address', answer(404, ''), 'not-processed HTTP_404'],
    ['413', answer(413, '{"message":"too large"}'), 'declined HTTP_413'],
    ...[405, 406, 411, 415, 417, 431].map((status): [string, Evidence, string] => [
      `${status}, about the address`,
      answer(status, '<html>'),
      `not-processed HTTP_${status}`,
    ]),
    ...[402, 407, 410, 418, 423, 444, 451, 460, 499].map((status): [string, Evidence, string] => [
      `${status}, which is on no list`,
      answer(status, '{"type":"validation-error","error-code":8}'),
      doubt,
    ]),
    // an id that is none
    ['an id of 0', answer(200, '{"type":"async-response","payout-id":0}'), doubt],
    [
      'a refusal with an id of 0',
      answer(200, '{"type":"error","error-code":8,"payout-id":"0"}'),
      'declined GATEWAY_REFUSED',
    ],
    ['403 that calls itself taken', answer(403, '{"Type":"async-response"}'), doubt],
    ['403 with a status of progress inside', answer(403, '{"response":{"status":"processing"}}'), doubt],
    ['401 with an id of 0', answer(401, '{"paynet-order-id":0}'), 'not-processed AUTHENTICATION'],
    ['401 with an id of 0 in a page', answer(401, '<p>paynet-order-id: 0</p>'), 'not-processed AUTHENTICATION'],
    ['401 with an id in a page', answer(401, '<p>Paynet-Order-Id: 07</p>'), doubt],
    ['401 with an empty id in XML', answer(401, '<paynet-order-id></paynet-order-id>'), 'not-processed AUTHENTICATION'],
    ['401 with an id in XML', answer(401, '<payout-id> 7 </payout-id>'), doubt],
    ...(
      [
        ['{"orderid":9000123}', doubt],
        ['{"orderId":"9000123"}', doubt],
        ['orderid=9000123&message=bad', doubt],
        ['{"gatewayOrderId":"9000123"}', doubt],
        ['{"order":{"id":9000123}}', doubt],
        ['{"payouts":[{"payout":{"id":"9000123"}}]}', doubt],
        ['{"payout":[{"id":9000123}]}', doubt],
        ['{"orders":[{"id":9000123}]}', doubt],
        ['{"orderIds":[9000123]}', doubt],
        ['{"limits":{"orders":1000}}', 'not-processed AUTHENTICATION'],
        ['{"order-id":"X-1"}', 'not-processed AUTHENTICATION'],
        ['{"orderid":0}', 'not-processed AUTHENTICATION'],
        ['{"order_desc":"order 9000123"}', 'not-processed AUTHENTICATION'],
        ['{"order":{"amount":"1000"},"request-id":"9000123"}', 'not-processed AUTHENTICATION'],
      ] as const
    ).map(([body, expected]): [string, Evidence, string] => [`401 with ${body}`, answer(401, body), expected]),
    ['200, empty', answer(200, ''), doubt],
    ['200, HTML', answer(200, '<html>It works!</html>'), doubt],
    ['200, an array', answer(200, '[{"payout-id":"9"}]'), doubt],
    ['204', answer(204, ''), doubt],
    ['301', answer(301, ''), doubt],
    ['100', answer(100, ''), doubt],
  ])('after %s', (_, evidence, expected) => {
    expect(told('payout', evidence)).toBe(expected);
  });
});

describe.each([200, 400, 401, 403, 404, 429])('%i with a text that begins as fields and cannot be read', (status) => {
  it.each([
    ['JSON, cut by a byte', '{"type":"error","error-code":"2","payout-id":"9"'],
    ['JSON, cut before the id', '{"type":"error","error-code":"2",'],
    ['JSON with a name twice', '{"type":"error","error-code":"2","error-code":"8"}'],
    ['JSON with a name twice, in capitals', '{"type":"error","Type":"async-response","error-code":"2"}'],
    ['an array', '[{"type":"error","error-code":"2"}]'],
    ['an empty object', '{}'],
    ['form text, cut within a name', 'type=error\n&error-code=2\n&paynet-ord'],
    ['form text, cut after its &', 'type=error\n&'],
    ['form text with a name twice', 'type=error\n&error-code=2\n&error-code=8\n'],
    ['form text with a name twice, in capitals', 'type=error\n&error-code=2\n&Error-Code=8\n'],
    ['form text with a broken escape', 'type=error\n&error-code=%\n'],
    ['JSON with a nested name twice', '{"type":"error","a":{"error-code":2,"error-code":8}}'],
    ['JSON deeper than anyone writes', '{"a":'.repeat(300) + '1' + '}'.repeat(300)],
    ['JSON deeper than can be read', '{"a":'.repeat(9_000)],
    ['JSON with a name longer than any field has', `{"type":"error","error-code":"2","${'x'.repeat(129)}":"1"}`],
    ['two objects', '{"type":"error","error-code":"2"}{}'],
    ['what is no text', 'x\u0000y'],
  ])('%s: doubt', (_, body) => {
    expect(told('payout', answer(status, body))).toBe(doubt);
  });
});

describe.each([400, 401, 403, 404, 429])('%i with a sign that the gateway has the order', (status) => {
  it.each<[string, string, string?]>([
    ['its id in the text of a field', '{"type":"error","error-message":"see paynet-order-id=9000001"}'],
    ['its id in a text in a text', '{"error":"{\\"error-code\\":\\"2\\",\\"payout-id\\":\\"9000001\\"}"}'],
    ['its id in words', 'type=error\n&error-code=2\n&error-message=order+9000001+already+processed\n'],
    ['its id in words, with a number sign', '{"type":"error","error-message":"Payout No. #9000001 was created"}'],
    ['its id in another spelling', '{"paynetOrderId":"9000001"}', '9000001'],
    ['its id in a list', '{"type":"error","error-code":"2","paynet-order-id":["9000001"]}', '9000001'],
    ['its id in words of a page', 'order 9000001 already processed'],
    ['a list of codes', '{"type":"error","error-code":["2","8"]}'],
    ['a list of one code', '{"type":"error","error-code":["2"]}'],
    ['several codes in one text', '{"type":"error","error-code":"2, 503"}'],
    ['a code of an order that exists, in a list of errors', '{"errors":[{"code":"2"},{"code":"503"}]}'],
    ['a code of an order that exists, beneath its name', '{"type":"error","error-code":{"value":503}}'],
    ['a code of an order that exists, in a text', '{"error":"{\\"error-code\\":\\"503\\"}"}'],
    ['a code of an order that exists, in a page', '<error-code>503</error-code>'],
    ['a list of types', '{"type":["error","async-response"],"error-code":"2"}'],
    ['the name of another order, in a list', '{"type":"error","error-code":"2","merchant-order-id":["X-2"]}'],
  ])('%s: doubt', (_, body, id) => {
    expect(told('payout', answer(status, body))).toBe(id ? `in-doubt ${id} UNCLEAR_ANSWER` : doubt);
  });
});

// A second attempt is refused because the first exists, in words that are not understood: no proof that no money moved.
it.each<[string, number, string]>([
  [
    'in another language',
    400,
    '{"type":"error","error-code":"777","error-message":"Заказ с таким номером уже принят"}',
  ],
  ['by a code alone', 200, '{"type":"validation-error","error-code":"777"}'],
  ['by its status alone', 422, '{"note":"no"}'],
  ['by an address that is gone', 404, '{"note":"no"}'],
  ['by an account that is closed by now', 400, '{"type":"error","error-code":"7"}'],
])('a refusal %s ends nothing where an earlier attempt may live', (_, httpStatus, body) => {
  const order = jobOf(aPayoutJob({ orderId: 'X-1' }));
  expect(judge(answer(httpStatus, body), { ...order, earlierAttemptMayLive: true }, defaultProfile).kind).toBe(
    'in-doubt',
  );
  expect(judge(answer(httpStatus, body), order, defaultProfile).kind).not.toBe('in-doubt');
});

describe('a refusal beside numbers that are no order of the gateway', () => {
  it.each([
    ['our own order id', '{"type":"error","error-code":8,"error-message":"order 20260042 is refused"}'],
    ['a sum', '{"type":"error","error-code":8,"error-message":"payout 10000.00 EUR above the limit"}'],
    ['a sum without its decimals', '{"type":"error","error-code":8,"error-message":"transfer of 10000 EUR refused"}'],
    ['an id of 0 in a text', '{"type":"error","error-code":8,"error-message":"paynet-order-id=0"}'],
    ['one code in a list of errors', '{"type":"error","error-code":8,"errors":[{"code":"8"}]}'],
  ])('%s: declined', (_, body) => {
    const order = jobOf(aPayoutJob({ orderId: '20260042' }));
    expect(judge(answer(400, body), order, defaultProfile)).toMatchObject({
      kind: 'declined',
      failure: { code: 'GATEWAY_REFUSED' },
    });
  });
});

describe('an answer whose end nothing marks', () => {
  it.each<[string, Evidence, string]>([
    [
      'an id, of its type and for our order',
      answer(200, 'type=async-response\n&merchant-order-id=X-1\n&payout-id=9\n', 'until-close'),
      'accepted 9',
    ],
    ['an id and no word of whose it is', answer(200, 'payout-id=9\n', 'until-close'), 'in-doubt 9 UNCLEAR_ANSWER'],
    ['a refusal that may go on', answer(200, 'type=validation-error\n&error-code=8\n', 'until-close'), doubt],
    [
      'a refusal in JSON, which marks its own end',
      answer(200, '{"type":"error","error-code":8}', 'until-close'),
      'declined GATEWAY_REFUSED',
    ],
    ['an empty 404', answer(404, '', 'until-close'), doubt],
    [
      'a page under 401, which says all in its status',
      answer(401, '<html>', 'until-close'),
      'not-processed AUTHENTICATION',
    ],
    ['a page under 429', answer(429, 'slow down', 'until-close'), 'not-processed RATE_LIMITED'],
    ['an empty 401, whose fields may have been cut off', answer(401, '', 'until-close'), doubt],
    ['the beginning of a field under 429', answer(429, 'typ', 'until-close'), doubt],
    ['a field under 403', answer(403, 'type=error\n', 'until-close'), doubt],
  ])('%s', (_, evidence, expected) => {
    expect(told('payout', evidence)).toBe(expected);
  });
});

describe('a transfer by reference', () => {
  it.each<[string, Evidence, string]>([
    ['its transaction id', answer(200, '{"transaction-id":"T-9"}'), 'accepted T-9'],
    ['the gateway order id', answer(200, 'type=async-response\n&paynet-order-id=9\n'), 'accepted 9'],
    ['a payout id', answer(200, '{"payout-id":"9"}'), 'in-doubt 9 UNCLEAR_ANSWER'],
    ['a readable success without an id', answer(200, '{"type":"async-response"}'), doubt],
  ])('after %s', (_, evidence, expected) => {
    expect(told('transfer-by-ref', evidence)).toBe(expected);
  });
});

describe('a transfer, whose success body is not published', () => {
  it.each<[string, Evidence, string]>([
    ['an id', answer(200, '{"paynet-order-id":9}'), 'accepted 9'],
    ['a readable success without an id', answer(200, '{"type":"async-response"}'), 'accepted'],
    ['a success that names another order', answer(200, '{"merchant-order-id":"X-2"}'), doubt],
    ['an error code', answer(200, '{"error-code":"8"}'), doubt],
    ['an error message', answer(200, 'error-message=Card+is+invalid\n'), doubt],
    ['an error word', answer(200, '{"error":"oops"}'), doubt],
    ['a state of refusal', answer(200, '{"status":"filtered"}'), doubt],
    ['an id that can be none', answer(200, '{"transaction-id":"a b"}'), doubt],
    ['a bare error', answer(200, '{"type":"error"}'), doubt],
    ['a refusal', answer(200, '{"type":"error","error-code":24}'), 'declined GATEWAY_REFUSED'],
    ['an empty 200', answer(200, ''), doubt],
    ['an HTML 200', answer(200, '<html></html>'), doubt],
    ['a 201', answer(201, '{"type":"async-response"}'), doubt],
  ])('after %s', (_, evidence, expected) => {
    expect(told('transfer', evidence)).toBe(expected);
  });
});

describe('a check is judged as a payment is', () => {
  it.each<[string, Evidence, string]>([
    ['a readable success', answer(200, '{"type":"async-response"}'), 'accepted'],
    ['an id', answer(200, '{"paynet-order-id":9}'), 'accepted 9'],
    ['a refusal', answer(200, '{"type":"error","error-code":24}'), 'declined GATEWAY_REFUSED'],
    ['a reset', { kind: 'no-answer', reason: 'reset' }, 'in-doubt NO_ANSWER'],
    ['500', answer(500, ''), 'in-doubt UNCLEAR_ANSWER'],
    ['an empty 200', answer(200, ''), 'in-doubt UNCLEAR_ANSWER'],
    ["somebody else's order", answer(200, '{"merchant-order-id":"X-2"}'), 'in-doubt UNCLEAR_ANSWER'],
  ])('after %s', (_, evidence, expected) => {
    expect(told('pan-eligibility', evidence)).toBe(expected);
  });
});

describe("a merchant's contract", () => {
  it.each<[string, Partial<Profile>, Evidence, string]>([
    [
      'a temporary code of its own',
      { temporaryErrorCodes: ['77'] },
      answer(200, '{"type":"error","error-code":77}'),
      doubt,
    ],
    [
      'a duplicate code of its own',
      { duplicateOrderCodes: ['78'] },
      answer(200, '{"type":"error","error-code":78}'),
      doubt,
    ],
    ...[401, 403, 429].map((status): [string, Partial<Profile>, Evidence, string] => [
      `a duplicate code of its own under ${status}`,
      { duplicateOrderCodes: ['78'] },
      answer(status, '{"type":"error","error-code":78}'),
      doubt,
    ]),
    ['a 4xx that proves nothing', { doubtfulHttpStatuses: [404] }, answer(404, ''), doubt],
    ['the same code elsewhere', {}, answer(200, '{"type":"error","error-code":77}'), 'declined GATEWAY_REFUSED'],
  ])('with %s', (_, profile, evidence, expected) => {
    expect(told('payout', evidence, profile)).toBe(expected);
  });
});

describe('a failure', () => {
  it('tells what the gateway said, its code and the status', () => {
    expect(
      outcomeOf('payout', answer(200, '{"type":"error","error-code":28,"error-message":"Insufficient funds"}')),
    ).toEqual({
      kind: 'declined',
      failure: { code: 'GATEWAY_REFUSED', message: 'Insufficient funds', gatewayCode: '28', httpStatus: 200 },
    });
  });

  it('is redacted: a card or account number that came back is not told', () => {
    const echo =
      '{"type":"error","error-code":"4111111111111111","error-message":"no card 4111 1111 1111 1111, DE89370400440532013000"}';
    const outcome = outcomeOf('payout', answer(200, echo));
    expect(JSON.stringify(outcome)).not.toMatch(/4111|DE89/);
  });

  it('never takes an echoed card or account number for an order id', () => {
    expect(told('transfer', answer(200, '{"transaction-id":"5555555555554444"}'))).toBe(doubt);
    expect(told('transfer', answer(200, '{"transaction-id":"id-4111111111111111"}'))).toBe(doubt);
    expect(told('payout', answer(200, '{"payout-id":"DE89370400440532013000"}'))).toBe(doubt);
  });
});
