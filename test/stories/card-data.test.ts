// Card data comes sealed or is refused: in the clear it is cut out and told nowhere; a seal is good for one job, to the last plain
// field; a CVV serves one attempt, whose worker alone takes its key.
import { describe, expect, it } from 'vitest';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { messageText } from '../../lib/payout/message/json-text.ts';
import { cardJwks, rsaCardJwks } from '../support/card-keys.ts';
import { aCardNumber, disguises, gluedForms, references } from '../support/disguised-cards.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import {
  anEligibilityJob,
  aPayoutJob,
  aTransferByRefJob,
  aTransferJob,
  type JobBody,
  testCards,
  withoutParams,
} from '../support/jobs.ts';
import { aSeal } from '../support/odd-seals.ts';
import { createSeededRandom } from '../support/time-and-chance.ts';
import { days, hours, minutes, seconds, storyWorld, type StoryWorld } from './harness.ts';

const { chance } = createSeededRandom(17);
const pan = testCards.sender;
/** Everything that anybody can read afterwards. */
const outlets = (world: StoryWorld) =>
  JSON.stringify([world.outlets(), world.deadLetters(), [...world.tableNow().items]], (_, it) =>
    typeof it === 'bigint' ? String(it) : (it as unknown),
  ).replaceAll(/message-\d+/g, '');
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** What becomes of a message at its first receive; `reads`: what was planted can be read afterwards. */
async function receivedOnce(world: StoryWorld, body: object | string, planted: RegExp | string) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const message = world.send(text);
  await world.pass(1 * seconds);
  const seen = outlets(world);
  const isRead = typeof planted === 'string' ? seen.includes(inJson(planted)) : planted.test(seen);
  const told = world.told(message).map(({ status }) => status);
  return {
    told,
    where: world.whereIs(message),
    code: world.told(message)[0]?.failure?.code,
    posts: world.gateway.sent('INV-1').length,
    reads: isRead ? text : 'nothing',
  };
}
const refused = { told: ['rejected'], where: 'gone', posts: 0, reads: 'nothing' };

describe.each(Object.entries(disguises))('a card number %s', (_, disguise) => {
  it.each<[where: string, job: (text: string) => object]>([
    ['the description', (order_desc) => aPayoutJob({ params: { order_desc } })],
    ['the name of the bank', (bank_name) => aPayoutJob({ params: { bank_name } })],
    ['the context', (note) => aPayoutJob({ context: { note } })],
    ['a message that is no job', (note) => ({ note })],
  ])('in %s is refused and told nowhere', async (_where, job) => {
    const world = storyWorld();
    for (let n = 0; n < 4; n += 1) {
      const text = disguise(aCardNumber(chance), chance);
      expect(await receivedOnce(world, job(text), text)).toMatchObject(refused);
    }
  });
});

it.each<[where: string, job: object | string, planted: RegExp]>([
  ['in its fields', aTransferJob(), /4111|4444|"737|JANE/],
  ['in an account number', aPayoutJob({ params: { account_number: '4111 1111 1111 1111' } }), /4111/],
  ['in a URL', aPayoutJob({ params: { redirect_url: `https://a.example/?c=${pan}` } }), /4111/],
  ['in a number of its context', aPayoutJob({ context: { card: 4_111_111_111_111_111 } }), /4111/],
  ['in an order id and a batch id', aPayoutJob({ orderId: pan, batchId: pan }), /4111/],
  ['in an endpoint and a merchant', aPayoutJob({ endpointId: pan, merchant: pan }), /4111/],
  ['in a name that no job has', { ...aPayoutJob(), [pan]: 1 }, /4111/],
  [
    'in a reference',
    withoutParams(aTransferByRefJob({ params: { 'source-card-ref-id': pan } }), 'destination-card-no'),
    /4111/,
  ],
  ['under the name of a check', anEligibilityJob({ params: { 'sending-card-number': pan } }), /4111/],
  ['in a text that is no job', JSON.stringify({ ...aTransferJob(), operation: undefined }), /4111|4444|"737|JANE/],
  [
    'in digits that JSON cannot hold',
    JSON.stringify(aPayoutJob()).replace('{', '{"context":{"a":4000000000000000006},'),
    /4000000000000000006/,
  ],
  [
    'in the first of two values',
    JSON.stringify(aPayoutJob({ context: { a: 1 } })).replace(
      '{',
      String.raw`{"params":{"cv\u00762":"123"},"context":{"card":"4111\u200b1111\u200b1111\u200b1111"},`,
    ),
    /4111|:"123"/,
  ],
  ['as long as SQS takes it', JSON.stringify({ ...aPayoutJob(), note: '4111 1111 1111 1111 '.repeat(50_000) }), /4111/],
  ['as a code that is named', aPayoutJob({ params: { order_desc: 'Prüfziffer 737' }, context: { Cvv: '737' } }), /737/],
  ['as a code in other digits', aPayoutJob({ params: { order_desc: 'ＣＶＣ：７３７' } }), /７３７/],
])('card data in the clear, %s', async (_, job, planted) => {
  const world = storyWorld({
    profile: {
      extraFields: {
        payout: ['redirect_url'],
        'transfer-by-ref': ['source-card-ref-id'],
        'pan-eligibility': ['sending-card-number'],
      },
    },
  });
  expect(await receivedOnce(world, job, planted)).toMatchObject(refused);
});

it.each<[when: string, happens: (world: StoryWorld) => Promise<unknown> | void]>([
  ['its merchant is paused', ({ person }) => person.pauses()],
  ['no secret can be read', ({ secretsAwayFor }) => secretsAwayFor(1 * hours)],
  ['the ledger can not be read', ({ ledgerAwayFor }) => ledgerAwayFor(1 * hours)],
])('card data in the clear is refused at once, even while %s', async (_, happens) => {
  const world = storyWorld();
  await happens(world);
  expect(await receivedOnce(world, aTransferJob(), /4111|4444|"737|JANE/)).toMatchObject({
    ...refused,
    code: 'PLAIN_CARD_DATA',
  });
});

it('while its dead letter cannot be laid down, what is left without card data waits, and nothing else', async () => {
  const world = storyWorld();
  world.queuesAwayFor(5 * minutes);
  const message = world.send(aPayoutJob({ params: { order_desc: pan } }), { attributes: { redrives: pan } });
  await world.pass(1 * minutes);
  expect([world.whereIs(message), outlets(world).includes('4111')]).toEqual(['queue', false]);
  await world.pass(1 * hours);
  expect(world.deadLetters()).toMatchObject([{ code: 'PLAIN_CARD_DATA' }]);
  expect(outlets(world)).not.toMatch(/4111/);
  // and what was cut is told as before when a person discards it, and its order id is free
  expect(await world.person.discards('INV-1')).toBe(1);
  world.send(aPayoutJob());
  await world.pass(1 * minutes);
  expect(world.last('INV-1')?.status).toBe('accepted');
});

it('what only looks like card data passes, and comes back as it was', async () => {
  const world = storyWorld();
  const texts = Object.values(references).map((reference) => reference(chance));
  const accounts = Object.values(gluedForms).map((glued) => `9999${glued(pan, chance)}`);
  for (const [n, text] of texts.entries())
    world.send(aPayoutJob({ orderId: `REF-${n}`, params: { order_desc: text }, context: { ref: text } }));
  for (const [n, account_number] of accounts.entries())
    world.send(aPayoutJob({ orderId: `ACC-${n}`, params: { account_number } }));
  await world.pass(5 * minutes);
  expect(texts.filter((ref, n) => JSON.stringify(world.last(`REF-${n}`)?.context) !== JSON.stringify({ ref }))).toEqual(
    [],
  );
  expect(accounts.filter((_, n) => world.last(`ACC-${n}`)?.status !== 'accepted')).toEqual([]);
});

describe('a sealed job', () => {
  const whole = {
    expiresAt: '2026-12-01T00:00:00Z',
    batchId: 'nov',
    context: { invoice: '7', total: 1.5, straße: ['a b', null] },
    params: { destination_card_recurring_payment_id: '111' },
  };
  const aTransfer = () => withoutParams(aTransferJob(whole), 'destination-card-no', 'cvv2');
  const sealed = (job = aTransfer(), jwks = cardJwks): Promise<JobBody> => sealJob(job, { jwks });
  const cardData = /4111111111111111|5555555555554444|JANE DOE/;

  it.each([
    ['an elliptic curve key', cardJwks],
    ['an RSA key', rsaCardJwks],
  ])('under %s is sent with its card data, which is seen nowhere else', async (_, jwks) => {
    const world = storyWorld();
    const message = world.send(await sealed(withoutParams(aTransferJob(), 'cvv2'), jwks));
    await world.pass(1 * minutes);
    expect(Object.fromEntries(world.gateway.sent('TRF-1')[0]?.fields ?? [])).toMatchObject({
      credit_card_number: pan,
      card_printed_name: 'JANE DOE',
      'destination-card-no': testCards.receiver,
    });
    expect(world.last('TRF-1')).toMatchObject({ status: 'accepted' });
    expect([message.body, outlets(world)].join('')).not.toMatch(cardData);
  });

  it('is the same order however it is sealed; with another card it is another', async () => {
    const world = storyWorld();
    for (const job of [await sealed(), await sealed(), await sealed(aTransfer(), rsaCardJwks)]) world.send(job);
    await world.pass(1 * minutes);
    const other = world.send(
      await sealed({ ...aTransfer(), params: { ...aTransfer().params, credit_card_number: testCards.receiver } }),
    );
    await world.pass(1 * minutes);
    expect([world.gateway.posts('TRF-1'), world.results('TRF-1').length]).toEqual([1, 3]);
    expect(world.told(other)).toMatchObject([{ failure: { code: 'ORDER_ID_REUSED' } }]);
  });

  it.each<[what: string, changed: (job: JobBody) => object]>([
    ['amount', (job) => ({ ...job, params: { ...job.params, amount: '9999.00' } })],
    ['receiver', (job) => ({ ...job, params: { ...job.params, destination_card_recurring_payment_id: '666' } })],
    ['description', (job) => ({ ...job, params: { ...job.params, order_desc: 'x' } })],
    ['set of fields', (job) => ({ ...job, params: { ...job.params, redirect_url: 'https://evil.example' } })],
    ['endpoint', (job) => ({ ...job, endpointId: '66666' })],
    ['time', (job) => ({ ...job, expiresAt: '2036-12-01T00:00:00Z' })],
    ['beginning', (job) => ({ ...job, notBefore: '2026-11-21T09:00:00Z' })],
    ['lack of an end', (job) => ({ ...job, expiresAt: undefined })],
    ['batch', (job) => ({ ...job, batchId: 'dec' })],
    ['context', (job) => ({ ...job, context: { ...whole.context, invoice: '8' } })],
  ])('with another %s is refused, and the honest one is then served', async (_, changed) => {
    const world = storyWorld();
    const honest = await sealed();
    const message = world.send(JSON.stringify(changed(honest)));
    await world.pass(1 * minutes);
    const failure = {
      code: 'SEALED_PARAMS_INVALID',
      message: 'sealedParams is sealed for other plain fields than the message has',
    };
    expect([world.gateway.posts('TRF-1'), world.told(message)]).toMatchObject([0, [{ status: 'rejected', failure }]]);
    world.send(honest);
    await world.pass(1 * minutes);
    expect(world.last('TRF-1')).toMatchObject({ status: 'accepted', amount: '25.00' });
  });

  it('is the same whatever a serialiser does otherwise, and whatever approval it bears', async () => {
    const job = await sealed();
    const turned = Object.fromEntries(
      Object.entries(job.params)
        .toReversed()
        .map(([name, it]) => [name, ` ${String(it)} `]),
    );
    for (const body of [
      JSON.stringify(job, undefined, 2),
      JSON.stringify({ ...job, params: turned }).replaceAll('ß', '\\u00df'),
      messageText({ ...job, approval: 'A'.repeat(43) }),
    ]) {
      const world = storyWorld();
      world.send(body);
      await world.pass(1 * minutes);
      expect(world.last('TRF-1')?.status).toBe('accepted');
    }
  });

  it.each<[what: string, seal: () => Promise<string>, says: string]>([
    [
      'of another order',
      () => aSeal({ credit_card_number: pan }, { orderId: 'TRF-2' }),
      'is sealed for another orderId',
    ],
    [
      'that binds no plain field',
      () => aSeal({ credit_card_number: pan }, { plain: undefined }),
      'has an invalid header: plain',
    ],
    [
      'under an unknown key',
      () => aSeal({ credit_card_number: pan }, { kid: 'ec-2' }),
      'is sealed under a key that the worker does not have (kid)',
    ],
    [
      'that was changed',
      async () => ((await sealed()).sealedParams ?? '').replace(/.{4}$/, 'AAAA'),
      'was changed on its way, or is sealed for another key of the same id',
    ],
  ])('%s is refused and kept, and nothing is claimed', async (_, seal, says) => {
    const world = storyWorld();
    const { sealedParams: _seal, ...honest } = await sealed();
    const message = world.send({ ...honest, sealedParams: await seal() });
    await world.pass(1 * minutes);
    expect(world.told(message)).toMatchObject([
      { failure: { code: 'SEALED_PARAMS_INVALID', message: `sealedParams ${says}` } },
    ]);
    expect([world.gateway.posts('TRF-1'), world.tableNow().items.size, world.deadLetters().length]).toEqual([0, 0, 1]);
  });

  it('waits unclaimed while no key of the worker can be read', async () => {
    const world = storyWorld();
    world.secretsAwayFor(2 * hours);
    world.send(await sealed());
    await world.pass(1 * hours);
    expect([world.results('TRF-1'), world.tableNow().items.size]).toEqual([[], 0]);
    await world.pass(2 * hours);
    expect(world.last('TRF-1')?.status).toBe('accepted');
  });
});

describe('a CVV', () => {
  const codes = ({ gateway }: StoryWorld) =>
    gateway.sent('TRF-1').map(({ fields }) => Object.fromEntries(fields)['cvv2']);
  const needsCard = { status: 'held', final: false, failure: { code: 'HELD_CARD_DATA' } };

  it('is sent once, when its key is nowhere any more, however often its message comes', async () => {
    const world = storyWorld();
    const keys: number[] = [];
    world.gateway.answers('TRF-1', { as: 'taken', meanwhile: () => void keys.push(world.cardKeysLeft()) });
    const [one, other] = [await world.seals(aTransferJob()), await world.seals(aTransferJob())];
    const message = world.send(one);
    world.send(other);
    await world.pass(1 * minutes);
    world.redeliver(message);
    await world.pass(1 * minutes);
    expect([codes(world), keys, world.cardKeysLeft()]).toEqual([['737'], [0], 0]);
    expect(world.results('TRF-1').map(({ status }) => status)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(outlets(world)).not.toMatch(/"737|4111/);
  });

  it.each([
    ['no connection was made', 'cannot be reached', 0, 'NOT_SENT'],
    ['the gateway was busy', '429', 1, 'RATE_LIMITED'],
    ['the signature was refused', '401', 1, 'AUTHENTICATION'],
  ] as const)(
    'that was not used, as %s, is spent: no copy sends it, newly sealed card data does, once',
    async (_, next, sent, code) => {
      const world = storyWorld({ lanes: 'open' });
      world.gateway.answers('TRF-1', next);
      const message = world.send(await world.seals(aTransferJob()));
      await world.pass(5 * minutes);
      expect(world.last('TRF-1')).toMatchObject(needsCard);
      expect(world.last('TRF-1')?.failure?.message).toBe(`${code}; seal the card data anew and send the order again`);
      world.redeliver(message);
      world.send(message.body);
      const other = world.send(await world.seals(aTransferJob({ params: { amount: '99.00' } })));
      await world.pass(2 * hours);
      expect([codes(world).length, world.told(other)]).toMatchObject([
        sent,
        [{ failure: { code: 'ORDER_ID_REUSED' } }],
      ]);
      const anew = await world.seals(aTransferJob());
      world.send(anew);
      world.send(anew);
      await world.pass(2 * hours);
      expect([codes(world).length, world.cardKeysLeft(), world.last('TRF-1')?.status]).toEqual([
        sent + 1,
        0,
        'accepted',
      ]);
    },
  );

  it('of an order whose money may have moved is not sent, and a key that is left for it later is destroyed', async () => {
    const world = storyWorld();
    world.gateway.answers('TRF-1', 'silent');
    const message = world.send(await world.seals(aTransferJob()));
    await world.pass(1 * minutes);
    world.send(await world.seals(aTransferJob()));
    await world.pass(2 * hours);
    expect([codes(world).length, world.cardKeysLeft(), world.last('TRF-1')?.failure?.code]).toEqual([
      1,
      0,
      'HELD_UNPROVEN',
    ]);
    // and once a person has said that it is not paid, the end opens with newly sealed card data alone
    expect(await world.person.decides('TRF-1', 'not-paid')).toBe('done');
    const resends = world.last('TRF-1')?.endId ?? '';
    world.send({ ...(JSON.parse(message.body) as JobBody), resends });
    await world.pass(1 * minutes);
    expect(world.last('TRF-1')).toMatchObject({ status: 'failed', endId: resends });
    world.send({ ...(await world.seals(aTransferJob())), resends });
    await world.pass(1 * minutes);
    expect([codes(world).length, world.last('TRF-1')?.status]).toEqual([2, 'accepted']);
  });

  it.each(['before the POST', 'after the POST'] as const)(
    'whose worker died %s is never sent again, and no key is left',
    async (when) => {
      const world = storyWorld();
      world.workerDies(when);
      world.send(await world.seals(aTransferJob()));
      await world.pass(1 * days);
      expect([codes(world).length, world.cardKeysLeft()]).toEqual([when === 'after the POST' ? 1 : 0, 0]);
      expect(world.last('TRF-1')).toMatchObject({ status: 'held', failure: { code: 'HELD_UNPROVEN' } });
    },
  );

  it('waits unspent while the secret of its merchant can not be read', async () => {
    const world = storyWorld();
    world.secretsAwayFor(20 * minutes);
    world.send(await world.seals(aTransferJob()));
    await world.pass(10 * minutes);
    expect([world.results('TRF-1'), world.cardKeysLeft()]).toEqual([[], 1]);
    await world.pass(1 * hours);
    expect(codes(world)).toEqual(['737']);
  });

  it('that comes anew after its batch was called off is not sent: the order is cancelled, and the key destroyed', async () => {
    const world = storyWorld();
    world.gateway.answers('TRF-1', 'cannot be reached');
    const row = aTransferJob({ batchId: 'b-1' });
    await world.uploads('b-1', [await world.seals(row)]);
    await world.pass(1 * minutes);
    expect(world.last('TRF-1')).toMatchObject(needsCard);
    await world.person.callsOffBatch('b-1');
    world.send(await world.seals(row));
    await world.pass(2 * hours);
    expect([world.last('TRF-1')?.status, world.cardKeysLeft(), world.gateway.posts('TRF-1')]).toEqual([
      'cancelled',
      0,
      0,
    ]);
  });

  it('that its contract does not know fails for good after the claim: its dead letter bears no seal', async () => {
    const world = storyWorld();
    world.send(await world.seals(aTransferByRefJob({ params: { cvv2: '737' } })));
    await world.pass(1 * minutes);
    expect(world.last('REF-1')).toMatchObject({ status: 'failed', failure: { code: 'FIELD_NOT_IN_CONTRACT' } });
    expect(world.deadLetters()).toMatchObject([
      { body: expect.stringContaining('"sealedParams":"[card data cut out]"') },
    ]);
  });
});

it('a merchant of tests is no reason to take card data in the clear', async () => {
  const world = storyWorld();
  await world.secretIs({ ...someCredentials(), mode: 'test' });
  expect(await receivedOnce(world, aTransferJob(), /4111|4444|"737|JANE/)).toMatchObject({
    ...refused,
    code: 'PLAIN_CARD_DATA',
  });
});
