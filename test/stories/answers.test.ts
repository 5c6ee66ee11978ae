// One job, one POST, one result: what leaves, what each answer of the gateway is told as, and what comes again afterwards.
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../lib/gateway/profile.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { anEligibilityJob, aPayoutJob, aTransferByRefJob, aTransferJob } from '../support/jobs.ts';
import { type Answer, http, type Next } from './gateway.ts';
import { days, hours, minutes, seconds, storyWorld } from './harness.ts';

const again = (answers: Answer): Next[] => Array.from({ length: 9 }, () => ({ as: 'taken', answers }));

it('an accepted payout is signed and sent once, told once, and leaves nothing behind', async () => {
  const world = storyWorld();
  const message = world.send(aPayoutJob({ context: { invoice: '123' } }));
  await world.pass(1 * seconds);
  expect(world.gateway.sent('INV-1')).toMatchObject([
    {
      url: 'https://gateway.test/paynet/api/v4/payout/39915',
      fields: [
        ['client-order-id', 'INV-1'],
        ['amount', '10.42'],
        ['currency', 'EUR'],
        ['order_desc', 'Invoice 123'],
        ['account_number', 'DE89370400440532013000'],
        ['bank_name', 'Deutsche Bank'],
      ],
      oauth: { oauth_consumer_key: 'acme-login', oauth_signature_method: 'RSA-SHA256', oauth_version: '1.0' },
    },
  ]);
  expect(world.results('INV-1')).toEqual([
    {
      version: 1,
      resultId: 'acme-eu/INV-1/1',
      operation: 'payout',
      merchant: 'acme-eu',
      endpointId: '39915',
      orderId: 'INV-1',
      status: 'accepted',
      final: true,
      payoutId: '9000001',
      gatewayOrderId: '9000001',
      amount: '10.42',
      currency: 'EUR',
      attempts: 1,
      revision: 1,
      occurredAt: '2026-11-21T10:00:01.000Z',
      context: { invoice: '123' },
    },
  ]);
  expect([world.whereIs(message), world.deadLetters()]).toEqual(['gone', []]);
});

it.each([
  ['a transfer', aTransferJob(), 'v4/transfer', 'client_orderid', 'RSA-SHA256', { transactionId: '9000001' }],
  [
    'a transfer by reference',
    aTransferByRefJob(),
    'v4/transfer-by-ref',
    'client-order-id',
    'RSA-SHA256',
    { currency: 'JPY' },
  ],
  [
    'a check',
    anEligibilityJob(),
    'v2/pan-eligibility/send',
    'client-order-id',
    'HMAC-SHA1',
    { transactionId: '9000001' },
  ],
] as const)('%s goes its own way, under its own spelling and signature', async (_, job, path, name, method, told) => {
  const world = storyWorld();
  world.send('credit_card_number' in job.params || job.operation !== 'pan-eligibility' ? await world.seals(job) : job);
  await world.pass(1 * seconds);
  const [sent] = world.gateway.sent(job.orderId);
  expect(sent).toMatchObject({
    url: `https://gateway.test/paynet/api/${path}/39915`,
    oauth: { oauth_signature_method: method },
  });
  expect(sent?.fields).toContainEqual([name, job.orderId]);
  expect(world.last(job.orderId)).toMatchObject({ status: 'accepted', operation: job.operation, ...told });
});

it('the profile chooses spelling, signature, path, realm and fields, and each attempt has its own nonce and time', async () => {
  const profile: Partial<Profile> = {
    orderIdField: { payout: 'client_orderid' },
    signatureMethod: { payout: 'HMAC-SHA1' },
    apiPath: '/checkout/api',
    realm: 'payments',
    extraFields: { payout: ['bank_city'] },
  };
  const world = storyWorld({ profile });
  const inForm: Answer = (orderId, id) =>
    http(200, `type=async-response\n&merchant-order-id=${orderId}\n&paynet-order-id=${id}\n`);
  world.gateway.answers('INV-1', '429', { as: 'taken', answers: inForm });
  world.send(aPayoutJob({ params: { bank_city: 'Berlin' } }));
  await world.pass(1 * hours);
  const [first, second] = world.gateway.sent('INV-1');
  expect(first).toMatchObject({
    url: 'https://gateway.test/checkout/api/v4/payout/39915',
    oauth: { realm: 'payments' },
  });
  expect(first?.fields).toEqual(
    expect.arrayContaining([
      ['client_orderid', 'INV-1'],
      ['bank_city', 'Berlin'],
    ]),
  );
  const content = (it = first) => it?.fields.filter(([name]) => !name.startsWith('oauth_'));
  expect(content(second)).toEqual(content());
  expect(second?.oauth['oauth_nonce']).not.toBe(first?.oauth['oauth_nonce']);
  expect(Number(second?.oauth['oauth_timestamp'])).toBeGreaterThanOrEqual(Number(first?.oauth['oauth_timestamp']) + 40);
  expect(world.last('INV-1')).toMatchObject({ status: 'accepted', payoutId: '9000002', attempts: 2 });
});

it('a refused order is declined with the code and words of the gateway, which may echo a whole card', async () => {
  const world = storyWorld();
  const echoes: Answer = () =>
    http(200, { type: 'validation-error', 'error-code': 8, 'error-message': 'bad: 4111111111111111 737' });
  world.gateway.answers('INV-1', 'refuses the order');
  world.gateway.answers('TRF-1', { as: 'refuses the order', answers: echoes });
  world.send(aPayoutJob());
  world.send(await world.seals(aTransferJob()));
  await world.pass(1 * days);
  const failure = { code: 'GATEWAY_REFUSED', message: 'Card number is invalid', gatewayCode: '8', httpStatus: 200 };
  expect(world.results('INV-1')).toMatchObject([{ status: 'declined', final: true, attempts: 1, failure }]);
  expect(world.last('TRF-1')).toMatchObject({ status: 'declined', failure: { code: 'GATEWAY_REFUSED' } });
  expect(world.outlets()).not.toMatch(/4111111111111111|737/);
});

const unclear: readonly (readonly [what: string, answer: Answer, code: string])[] = [
  ['nothing', () => ({ kind: 'no-answer', reason: 'the connection was reset' }), 'NO_ANSWER'],
  ['half of its body', () => ({ kind: 'no-answer', reason: 'the body stopped', httpStatus: 200 }), 'NO_ANSWER'],
  ['500', () => http(500, '<html>oops</html>'), 'UNCLEAR_ANSWER'],
  [
    'that the order exists',
    () => http(200, { type: 'error', 'error-code': 503, 'error-message': 'Order already completed' }),
    'UNCLEAR_ANSWER',
  ],
  [
    'for another order',
    (_, id) => http(200, { type: 'async-response', 'merchant-order-id': 'ELSE', 'payout-id': id }),
    'UNCLEAR_ANSWER',
  ],
  ['nothing readable', () => http(200, '<html>It works!</html>'), 'UNCLEAR_ANSWER'],
];

describe.each(unclear)('a gateway that answers %s', (_, answer, code) => {
  it.each([
    [{}, 'held', 'HELD_UNPROVEN'],
    [{ statusInquiry: true }, 'in-doubt', code],
  ])('leaves doubt (%j): told as %s, and sent by no copy', async (profile, status, told) => {
    const world = storyWorld({ profile });
    world.gateway.answers('INV-1', ...again(answer));
    world.gateway.desk('INV-1', 'silent');
    const message = world.send(aPayoutJob());
    await world.pass(10 * seconds);
    expect(world.results('INV-1')).toMatchObject([{ status, final: false, failure: { code: told } }]);
    world.redeliver(message);
    world.send(aPayoutJob());
    await world.pass(1 * hours);
    expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([1, status]);
  });
});

// M3: the gateway takes the order, and its answer looks like a refusal: it cannot be read, or its status is on no list.
const refusal = (orderId: string, id: string) =>
  JSON.stringify({ type: 'error', 'error-code': '2', 'merchant-order-id': orderId, 'paynet-order-id': id });
const refusalInForm = (orderId: string, id: string) =>
  `type=error\n&error-code=2\n&merchant-order-id=${orderId}\n&paynet-order-id=${id}\n`;
const unreadable: readonly (readonly [what: string, body: (orderId: string, id: string) => string])[] = [
  ['cut by a byte', (...order) => refusal(...order).slice(0, -1)],
  ['cut within the name of the id', (orderId, id) => refusal(orderId, id).replace(/aynet-order-id.*/, '')],
  ['form text, cut within the name of the id', (...order) => refusalInForm(...order).replace(/r-id=\d+\n$/, '')],
  ['an array', (...order) => `[${refusal(...order)}]`],
  ['with a field twice', (...order) => refusal(...order).replace('{', '{"type":"validation-error",')],
  ['with the id in a text', (_, id) => `{"type":"error","error-message":"order ${id} already processed"}`],
  ['with an answer in a text', (...order) => JSON.stringify({ error: refusal(...order) })],
  ['with the code of an order that exists in a list', () => '{"type":"error","errors":[{"code":"503"}]}'],
];
const lookLikeRefusals: readonly (readonly [what: string, answer: Answer])[] = [
  ...[401, 403, 429].flatMap((status) =>
    unreadable.map(
      ([what, body]) => [`${status}, ${what}`, (...order: Parameters<Answer>) => http(status, body(...order))] as const,
    ),
  ),
  ...[444, 460, 499].map((status) => [`${status}, which is on no list`, () => http(status, '')] as const),
];

describe.each(lookLikeRefusals)('an order that was taken, answered by %s', (_, answer) => {
  it('is POSTed once, in doubt, and ends by the answer to an inquiry', async () => {
    // given: the status desk needs some minutes to know the order
    const world = storyWorld({ profile: { statusInquiry: true } });
    world.gateway.desk('INV-1', 'no such order');
    world.gateway.answers('INV-1', ...again(answer));
    world.after(20 * minutes, () => world.gateway.desk('INV-1', 'truth'));
    world.send(aPayoutJob());
    await world.pass(30 * seconds);
    expect(world.last('INV-1')?.status).toBe('in-doubt');
    await world.pass(20 * minutes);
    world.gateway.ends('INV-1', 'approved');
    await world.pass(3 * hours);
    expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([1, 'approved']);
  });

  it('is POSTed once, and waits for a person if the gateway cannot be asked', async () => {
    const world = storyWorld();
    world.gateway.answers('INV-1', ...again(answer));
    world.send(aPayoutJob());
    await world.pass(3 * hours);
    expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([1, 'held']);
  });
});

it.each([
  ['a refused connection', 'cannot be reached'],
  ['429 with an empty body', { as: '429', answers: () => http(429, '', 1) }],
  ['403 with a page', { as: '403', answers: () => http(403, '<html><body><h1>403 Forbidden</h1></body></html>') }],
  ['401', '401'],
] as const)('an order that was proven not taken, by %s, is sent again and paid', async (_, next) => {
  const world = storyWorld();
  world.gateway.answers('INV-1', next);
  world.send(aPayoutJob());
  await world.pass(3 * hours);
  expect(world.gateway.payments('INV-1')).toHaveLength(1);
  expect(world.results('INV-1')).toMatchObject([{ status: 'accepted', attempts: 2 }]);
  expect(world.last('INV-1')).not.toHaveProperty('failure');
});

it('a key that was rotated is found after its 401: one more send, with the fresh key, within half a minute', async () => {
  const world = storyWorld();
  await world.secretIs(someCredentials({ login: 'acme-new-login', version: 'v2' }), 'unseen');
  world.gateway.answers('INV-1', '401', 'silent');
  world.send(aPayoutJob());
  await world.pass(30 * seconds);
  expect(world.gateway.sent('INV-1').map(({ oauth }) => oauth['oauth_consumer_key'])).toEqual([
    'acme-login',
    'acme-new-login',
  ]);
  expect(world.last('INV-1')).toMatchObject({ status: 'held', attempts: 2, failure: { code: 'HELD_UNPROVEN' } });
});

describe('what comes again', () => {
  it.each([
    ['taken', 'accepted'],
    ['refuses the order', 'declined'],
  ] as const)('after its end tells the same result, word for word, and sends nothing: %s', async (next, status) => {
    const world = storyWorld();
    world.gateway.answers('INV-1', next);
    const message = world.send(aPayoutJob({ params: { amount: '10.4' } }));
    await world.pass(3 * days);
    world.redeliver(message);
    world.send(aPayoutJob({ params: { amount: '10.40' } }));
    await world.pass(1 * hours);
    expect(world.gateway.posts('INV-1')).toBe(1);
    expect(world.results('INV-1').map((it) => it.status)).toEqual([status, status, status]);
    expect(world.retold()).toEqual([]);
  });

  it('while its POST is under way is not sent a second time', async () => {
    const world = storyWorld();
    world.gateway.answers('INV-1', { as: 'taken', meanwhile: () => void world.send(aPayoutJob()) });
    world.redeliver(world.send(aPayoutJob()));
    await world.pass(1 * hours);
    expect(world.gateway.posts('INV-1')).toBe(1);
    expect(world.results('INV-1').map(({ status }) => status)).toEqual(['accepted', 'accepted', 'accepted']);
  });

  it.each([
    ['another amount', aPayoutJob({ params: { amount: '99.00' } })],
    ['another operation', aTransferJob({ orderId: 'INV-1' })],
  ])('under its order id with %s is refused, and the order stays as it is', async (_, other) => {
    const world = storyWorld();
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    const message = world.send(other.operation === 'payout' ? other : await world.seals(other));
    await world.pass(1 * hours);
    expect(world.gateway.posts('INV-1')).toBe(1);
    expect(world.told(message)).toMatchObject([
      { status: 'rejected', revision: 0, failure: { code: 'ORDER_ID_REUSED' } },
    ]);
    expect(world.results('INV-1')).toHaveLength(1);
  });
});
