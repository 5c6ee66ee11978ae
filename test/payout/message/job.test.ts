import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextLimitBytes, jobBodyLimitBytes } from '../../../lib/payout/message/job-fields.ts';
import { couldBear, parseJob } from '../../../lib/payout/message/job.ts';
import { withMember } from '../../../lib/payout/message/json-text.ts';
import { cutBody, readJob } from '../../../lib/payout/message/read-job.ts';
import {
  aPayoutJob,
  aTransferByRefJob,
  aTransferJob,
  anEligibilityJob,
  type JobBody,
  jobOf,
} from '../../support/jobs.ts';
import { anyText } from '../../support/any-text.ts';

const faultsOf = (body: unknown) => {
  const parsed = parseJob(typeof body === 'string' ? body : JSON.stringify(body));
  return parsed.kind === 'rejected' ? parsed.faults : [];
};
const without = (body: object, name: string) =>
  Object.fromEntries(Object.entries(body).filter(([field]) => field !== name));

describe('a job message becomes a job', () => {
  it('with all that it may bear', () => {
    const body = aPayoutJob({
      expiresAt: '2026-11-30T00:00:00Z',
      batchId: '2026-11-payroll',
      context: { invoice: '123', nested: { list: [1, null] } },
    });
    expect(jobOf(body)).toEqual({
      operation: 'payout',
      merchant: 'acme-eu',
      endpointId: '39915',
      orderId: 'INV-1',
      params: body.params,
      money: { currency: 'EUR', minorUnits: 1042n },
      expiresAtMs: 1_795_996_800_000,
      batchId: '2026-11-payroll',
      context: '{"invoice":"123","nested":{"list":[1,null]}}',
    });
  });

  it('trimmed, as the gateway trims too and both must sign the same text', () => {
    const job = jobOf(aPayoutJob({ orderId: ' INV-1 ', params: { amount: ' 10.42 ', order_desc: '  two  words ' } }));
    expect(job.orderId).toBe('INV-1');
    expect(job.params).toMatchObject({ amount: '10.42', order_desc: 'two  words' });
  });

  it.each([
    ['digits that no double holds', '{"id":9007199254740993,"ratio":1.0}'],
    ['names that look like numbers', '{"10":1,"2":2}'],
    ['blanks and escapes', '{ "a" :\n\t"\\u00e4\\/" }'],
    ['a name that is there twice', '{"a":1,"a":2}'],
  ])("with the sender's context byte for byte: %s", (_what, context) => {
    const body = JSON.stringify(aPayoutJob()).replace(/}$/, `,"context": ${context} }`);
    const parsed = parseJob(body);
    expect(parsed.kind === 'job' && parsed.job.context).toBe(context);
    const refused = parseJob(body.replace('"amount":"10.42"', '"amount":10.42'));
    expect(refused.kind === 'rejected' && refused.identity.context).toBe(context);
  });

  it.each(['2026-11-30T00:00:00.5Z', '2026-11-30T00:00:00+02:00', '2028-02-29T00:00:00Z'])(
    'with the time %s',
    (time) => {
      expect(jobOf(aPayoutJob({ expiresAt: time })).expiresAtMs).toBe(Date.parse(time));
    },
  );
});

describe('a message is refused with the field and the remedy', () => {
  const job = aPayoutJob();
  it.each([
    [
      'SNS',
      { Type: 'Notification', MessageId: 'm', TopicArn: 'arn:aws:sns:x', Message: JSON.stringify(job), Signature: 's' },
      'is an envelope of SNS; set RawMessageDelivery to true at the subscription of this queue',
    ],
    [
      'EventBridge',
      { version: '0', id: 'e', 'detail-type': 'payout', source: 'shop', account: '1', region: 'x', detail: job },
      'is an envelope of EventBridge; set InputPath to "$.detail" at the target, or write the job by an InputTransformer',
    ],
  ])('an envelope of %s, by the setting that avoids it alone', (_of, body, fault) => {
    expect(readJob(JSON.stringify(body))).toEqual({
      kind: 'refused',
      failure: { code: 'INVALID_MESSAGE', message: `message ${fault}` },
      identity: {},
    });
  });

  it.each([
    ['version', aPayoutJob({ version: 2 }), 'is not 1, the only version of this contract'],
    ['version', without(aPayoutJob(), 'version'), 'is missing'],
    [
      'operation',
      aPayoutJob({ operation: 'constructor' }),
      'is not one of transfer, transfer-by-ref, payout, pan-eligibility',
    ],
    ['merchant', aPayoutJob({ merchant: '' }), 'is not a merchant name: 1 to 64 letters, digits, ".", "_" or "-"'],
    [
      'merchant',
      aPayoutJob({ merchant: '../_worker' }),
      'is not a merchant name: 1 to 64 letters, digits, ".", "_" or "-"',
    ],
    [
      'endpointId',
      aPayoutJob({ endpointId: '39915/../1' }),
      'is not an endpoint id: 1 to 16 letters or digits, or "group/" and one',
    ],
    ['orderId', aPayoutJob({ orderId: 'Ж' }), 'is not an order id: 1 to 128 printable ASCII characters'],
    ['orderId', aPayoutJob({ orderId: 'x'.repeat(129) }), 'is not an order id: 1 to 128 printable ASCII characters'],
    ['orderId', without(aPayoutJob(), 'orderId'), 'is missing'],
    ['params', { ...aPayoutJob(), params: 'amount=1' }, 'is not an object'],
    ['params', { ...aPayoutJob(), params: ['10.42'] }, 'is not an object'],
    ['params', without(aPayoutJob(), 'params'), 'is missing'],
    ['expiresAt', aPayoutJob({ expiresAt: 'tomorrow' }), 'is not a time such as "2026-11-30T00:00:00Z"'],
    ['expiresAt', aPayoutJob({ expiresAt: '2026-11-30' }), 'is not a time such as "2026-11-30T00:00:00Z"'],
    ['expiresAt', aPayoutJob({ expiresAt: '2026-02-30T00:00:00Z' }), 'is not a time such as "2026-11-30T00:00:00Z"'],
    // Date can't read this one, and a job with it would never expire.
    ['expiresAt', aPayoutJob({ expiresAt: '2026-11-30T00:00:00+02' }), 'is not a time such as "2026-11-30T00:00:00Z"'],
    ['notBefore', aPayoutJob({ notBefore: 'at nine' }), 'is not a time such as "2026-11-30T00:00:00Z"'],
    [
      'notBefore',
      aPayoutJob({ notBefore: '2026-11-30T00:00:00Z', expiresAt: '2026-11-30T01:00:00+01:00' }),
      'is not before expiresAt, so the job would never be sent; name an earlier moment, or a later expiresAt',
    ],
    ['batchId', aPayoutJob({ batchId: 'a b' }), 'is not a batch id: 1 to 48 letters, digits, ".", "_" or "-"'],
    ['context', { ...aPayoutJob(), context: ['x'] }, 'is not an object'],
    [
      'context',
      aPayoutJob({ context: { x: 'c'.repeat(contextLimitBytes) } }),
      `is longer than ${contextLimitBytes} bytes as JSON`,
    ],
    ['prority', { ...aPayoutJob(), prority: 1 }, 'is not a field of this contract; remove it'],
    [
      'params.currency',
      aPayoutJob({ params: { currency: 'Eur' } }),
      'is not a three-letter ISO 4217 code in capitals, such as "EUR"',
    ],
    [
      'params.amount',
      aPayoutJob({ params: { amount: 10.42 } }),
      'is not text; write every value as a string, amounts too',
    ],
    [
      'params.amount',
      aPayoutJob({ params: { amount: null } }),
      'is not text; write every value as a string, amounts too',
    ],
    ['params.amount', aPayoutJob({ params: { amount: '10,42' } }), 'has a decimal comma; write a dot, as in "10.42"'],
    [
      'params.amount',
      aPayoutJob({ params: { amount: '10.42', currency: 'JPY' } }),
      'has 2 decimals; JPY takes at most 0',
    ],
    ['params.order_desc', aPayoutJob({ params: { order_desc: '  ' } }), 'is empty; leave the field out instead'],
    [
      'params.client_orderid',
      aPayoutJob({ params: { client_orderid: 'X' } }),
      'is not a field of payout; the order identifier is the message\'s "orderId"',
    ],
    [
      'params.accountNumber',
      aPayoutJob({ params: { accountNumber: 'X' } }),
      'is not a field of payout; did you mean "account_number"?',
    ],
    [
      'params.tip',
      { ...anEligibilityJob({ params: { tip: '1' } }) },
      'is not a field of pan-eligibility; it takes sending-card-ref-id, sending-card-number, card-printed-name, expire_month, expire_year, server_callback_url, notify_url',
    ],
  ])('%s', (field, body, fault) => {
    expect(faultsOf(body)).toEqual([{ field, fault }]);
  });

  it.each([
    ['', 'is not JSON'],
    ['{', 'is not JSON'],
    ['\ufeff{}', 'is not JSON'],
    ['null', 'is not an object'],
    ['[]', 'is not an object'],
    ['"x"', 'is not an object'],
    [`{"x":"${'x'.repeat(jobBodyLimitBytes)}"}`, `is longer than ${jobBodyLimitBytes} bytes`],
    [`{"x":"${'Ж'.repeat(jobBodyLimitBytes / 2)}"}`, `is longer than ${jobBodyLimitBytes} bytes`],
  ])('as a whole: %.10s', (body, fault) => {
    expect(parseJob(body)).toEqual({ kind: 'rejected', faults: [{ field: 'message', fault }], identity: {} });
  });

  it('with every fault at once, envelope and params together', () => {
    const body = { ...aPayoutJob({ merchant: '!', params: { amount: 1, iban: 'x', bank_name: '' } }), a: 1, b: 2 };
    expect(faultsOf(without(body, 'endpointId')).map(({ field }) => field)).toEqual([
      'merchant',
      'endpointId',
      'a',
      'b',
      'params.amount',
      'params.bank_name',
      'params.iban',
    ]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype'])(
    'when it bears the key %s, above or below',
    (key) => {
      const text = JSON.stringify(aPayoutJob());
      expect(faultsOf(text.replace('{', `{"${key}":"1",`))).toMatchObject([{ field: key }]);
      expect(faultsOf(text.replace('"params":{', `"params":{"${key}":"1",`))).toMatchObject([
        { field: `params.${key}` },
      ]);
    },
  );

  it('when it is nested so deep that it could not be written again', () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const text = JSON.stringify(aPayoutJob());
    expect(faultsOf(text.replace(/}$/, `,"context":{"a":${deep}}}`))).toMatchObject([{ field: 'context' }]);
    expect(faultsOf(text.replace('"params":{', `"params":{"bank_city":${deep},`))).toMatchObject([
      { field: 'params.bank_city' },
    ]);
    expect(faultsOf(text.replace('"params":{', '"params":{"bank_city":{"toString":1},'))).toMatchObject([
      { field: 'params.bank_city' },
    ]);
  });

  it.each(['4111111111111111', 'card4111111111111111', '_4111-1111-1111-1111', 'NL91ABNA0417164300', 'a b'])(
    'without repeating a number that was pasted as a name: %s',
    (name) => {
      const [fault, ...more] = faultsOf(aPayoutJob({ params: { [name]: 'x' } }));
      expect(fault?.field).toBe('params.(unprintable name)');
      expect(JSON.stringify([fault, more])).not.toContain(name);
    },
  );

  it('with as much of its identity as is right by itself', () => {
    const parsed = parseJob(JSON.stringify(aPayoutJob({ version: 9, endpointId: '?', batchId: 'b-1' })));
    expect(parsed).toMatchObject({ kind: 'rejected' });
    expect(parsed.kind === 'rejected' && parsed.identity).toEqual({
      operation: 'payout',
      merchant: 'acme-eu',
      orderId: 'INV-1',
      batchId: 'b-1',
    });
  });
});

describe('whatever the text', () => {
  const cards = ['4111111111111111', '5555555555554444'];
  /** Read, and cut as for the dead-letter queue. */
  const read = (text: string) => {
    const read = readJob(text);
    return [read.kind, typeof cutBody(text, read).body];
  };
  const either = expect.stringMatching(/^(job|refused)$/);

  it('nothing is thrown', () => {
    const anyMessage = fc.oneof(
      anyText(),
      fc.json(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('utf8')),
    );
    fc.assert(
      fc.property(anyMessage, (text) => {
        expect(read(text)).toEqual([either, 'string']);
      }),
    );
  });

  // Names of what JavaScript calls by itself: an object that has one of them is not text, and has no length.
  const names = ['toString', 'valueOf', 'toJSON', '__proto__', 'constructor', 'hasOwnProperty', 'length', '0', 'x'];
  const ofEachType = [
    'null',
    'true',
    '1',
    '1e999',
    '"text"',
    '""',
    '[]',
    '{}',
    '{"toString":1}',
    '{"valueOf":{}}',
    '{"__proto__":null}',
  ];
  const jobs = [aPayoutJob(), aTransferJob(), aTransferByRefJob(), anEligibilityJob()].map((job) => ({
    notBefore: '2030-01-01T00:00:00Z',
    expiresAt: '2030-01-02T00:00:00Z',
    sealedParams: 'a.b.c.d.e',
    resends: 'end-1',
    batchId: 'b-1',
    context: {},
    approval: '1.AA',
    ...job,
  }));
  const fields = [...Object.keys(jobs[0] ?? {}), ...names];
  /** The last value of a name counts. */
  const spoilt = (job: JobBody, field: string, it: string) => [
    withMember(JSON.stringify(job), field, it),
    withMember(JSON.stringify(job), 'params', withMember(JSON.stringify(job.params), field, it)),
  ];

  it.each(ofEachType)('nothing is thrown where any field of a job, or of its params, is %s', (it) => {
    for (const job of jobs)
      for (const field of [...fields, ...Object.keys(job.params)])
        for (const text of spoilt(job, field, it)) expect(read(text)).toEqual([either, 'string']);
  });

  it('no fault repeats the value of a param', () => {
    const spoilt = fc.record({
      credit_card_number: fc.constantFrom(...cards, '4111 1111 1111 1111', '4111111111111111x'),
      cvv2: fc.constantFrom('73737', '9876x'),
      'destination-card-no': fc.constantFrom(...cards.map((card) => `${card}9999`)),
    });
    fc.assert(
      fc.property(spoilt, (params) => {
        const faults = JSON.stringify(
          faultsOf(aTransferJob({ params: { ...params, [params.credit_card_number]: '1' } })),
        );
        for (const value of Object.values(params)) expect(faults).not.toContain(value);
      }),
    );
  });
});

describe('names that an operator gives', () => {
  it.each([
    [{}, true],
    [{ merchant: 'acme-eu', orderId: 'INV-1', endpointId: '39915', batchId: 'november' }, true],
    [{ merchant: 'acme eu' }, false],
    [{ orderId: 'INV\u00e9' }, false],
    [{ endpointId: '39915/7' }, false],
    [{ batchId: 'november!' }, false],
    [{ merchant: 'acme eu', orderId: 'INV-1' }, false],
    [{ merchant: 'acme-eu', orderId: '' }, false],
  ])('%j could be those of a job: %s', (names, could) => {
    expect(couldBear(names)).toBe(could);
  });
});

describe('at its very limit', () => {
  it('a context is taken', () => {
    const context = { x: 'c'.repeat(contextLimitBytes - '{"x":""}'.length) };
    expect(jobOf(aPayoutJob({ context })).context).toBe(JSON.stringify(context));
  });

  it('a message is taken, and one byte more is not', () => {
    const body = JSON.stringify(aPayoutJob()).padEnd(jobBodyLimitBytes);
    expect(parseJob(body).kind).toBe('job');
    expect(parseJob(`${body} `).kind).toBe('rejected');
  });
});

const itsOrderId = /is not a field of payout; the order identifier is the message's "orderId"$/;
it.each([
  ['client-order-id', itsOrderId],
  ['CLIENT_ORDER_ID', itsOrderId],
  ['my_client_order_id', /it takes amount/],
  ['client_orderid_of_mine', /it takes amount/],
  ['client_orderXid', /it takes amount/],
  ['field123', /^params\.field123 /],
  ['field1234', /^params\.\(unprintable name\) /],
])('the field %s, which is not in the contract, is refused by name', (name, says) => {
  const [{ field, fault } = { field: '', fault: '' }] = faultsOf(aPayoutJob({ params: { [name]: 'x' } }));
  expect(`${field} ${fault}`).toMatch(says);
});
