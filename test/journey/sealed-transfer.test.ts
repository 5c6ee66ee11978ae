// Card data that no queue holds in the clear: sealed by the sender for one order, opened by the worker for its one POST.
import { plainDigest } from '../../lib/payout/message/plain-digest.ts';
import { describe, expect, it } from 'vitest';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { cardJwks, rsaCardJwks } from '../support/card-keys.ts';
import { aTransferByRefJob, aTransferJob, jobOf, testCards, withoutParams } from '../support/jobs.ts';
import { aSeal } from '../support/odd-seals.ts';
import { aRecord, longAgoMs } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

/** A transfer by card number, without a CVV. */
const aTransfer = (changes: Parameters<typeof aTransferJob>[0] = {}) => withoutParams(aTransferJob(changes), 'cvv2');
const cardData = /4111111111111111|5555555555554444|JANE DOE|2030/;

it.each([
  ['an elliptic curve key', cardJwks],
  ['an RSA key', rsaCardJwks],
])('a transfer sealed under %s is sent with its card data, which is seen nowhere else', async (_, jwks) => {
  // given a message as it lies on the queue
  const world = aWorld();
  const record = aRecord(await sealJob(aTransfer(), { jwks }));
  expect(record.body).not.toMatch(cardData);

  // when
  const returned = await world.deliver(record);

  // then the gateway is sent the whole card
  expect(returned).toEqual([]);
  expect(world.gateway.posts[0]?.fields).toEqual([
    ['client_orderid', 'TRF-1'],
    ['amount', '25.00'],
    ['currency', 'USD'],
    ['order_desc', 'Rent'],
    ['credit_card_number', '4111111111111111'],
    ['card_printed_name', 'JANE DOE'],
    ['expire_month', '12'],
    ['expire_year', '2030'],
    ['destination-card-no', '5555555555554444'],
  ]);
  expect(world.results.taken).toMatchObject([{ status: 'accepted', orderId: 'TRF-1' }]);

  // and nobody else sees it
  const entries = [...world.entries.values()].map((entry) => ({ ...entry, money: undefined }));
  expect(JSON.stringify([world.results.taken, world.log, entries])).not.toMatch(cardData);
});

it('the same content is the same order, sealed or sealed again; other content is not', async () => {
  // given an order that was sent once
  const world = aWorld();
  await world.deliver(aRecord(await sealJob(aTransfer(), { jwks: cardJwks })));

  // when it comes again in every form, and once with another card
  const other = aTransfer({ params: { credit_card_number: testCards.receiver } });
  for (const job of [
    await sealJob(aTransfer(), { jwks: cardJwks }),
    await sealJob(aTransfer(), { jwks: rsaCardJwks }),
    await sealJob(other, { jwks: cardJwks }),
  ]) {
    await world.deliver(aRecord(job));
  }

  // then it was sent once, and each copy was told so
  expect(world.gateway.postsOf('TRF-1')).toBe(1);
  const [first, ...later] = world.results.taken;
  expect(later.slice(0, 2)).toEqual([first, first]);
  expect(later[2]).toMatchObject({ status: 'rejected', failure: { code: 'ORDER_ID_REUSED' } });
});

it('a message that failed before it was sent can be redriven as it is, with the name of its end', async () => {
  const world = aWorld();
  world.gateway.moods('refuses the connection');
  const sealed = await sealJob(aTransfer(), { jwks: cardJwks });
  await world.deliver(aRecord(sealed, { sentAtMs: longAgoMs }));
  const [letter] = world.jobsQueue.deadLetters.taken;
  expect(JSON.parse(letter?.body ?? '')).toEqual(sealed);

  const { endId } = world.results.taken[0] ?? {};
  await world.deliver(aRecord(JSON.stringify({ ...sealed, resends: endId })));
  expect(world.results.taken).toMatchObject([{ failure: { code: 'WAITED_TOO_LONG' } }, { status: 'accepted' }]);
});

describe('a seal is refused, and nothing is claimed,', () => {
  const card = { credit_card_number: testCards.sender };
  const params = { amount: '25.00', currency: 'USD' };
  const plain = plainDigest(jobOf({ ...aTransfer(), params }));
  const seal: typeof aSeal = (content, header, key) => aSeal(content, { plain, ...header }, key);
  const tampered = async () => (await seal(card)).replace(/.{4}$/, 'AAAA');
  /** With what stands in its header changed, as if it had been sealed so. */
  const readdressed = async (sealed: Promise<string>, changes: object) => {
    const [header = '', ...rest] = (await sealed).split('.');
    const addressed = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), ...changes };
    return [Buffer.from(JSON.stringify(addressed)).toString('base64url'), ...rest].join('.');
  };

  it.each<[what: string, sealed: () => Promise<string>, message: string]>([
    ['of another merchant', () => seal(card, { merchant: 'globex-us' }), 'sealedParams is sealed for another merchant'],
    ['of another order', () => seal(card, { orderId: 'TRF-2' }), 'sealedParams is sealed for another orderId'],
    ['of another operation', () => seal(card, { operation: 'payout' }), 'sealedParams is sealed for another operation'],
    [
      'under an unknown key',
      () => seal(card, { kid: 'ec-2' }),
      'sealedParams is sealed under a key that the worker does not have (kid)',
    ],
    [
      'by an algorithm that its key is not for',
      async () =>
        (await sealJob(aTransfer(), { jwks: { keys: rsaCardJwks.keys.map((it) => ({ ...it, kid: 'ec-1' })) } }))
          .sealedParams ?? '',
      'sealedParams is sealed by RSA-OAEP-256, which its key is not for (ECDH-ES)',
    ],
    [
      'by another encryption',
      () => seal(card, { enc: 'A128CBC-HS256' }),
      'sealedParams has a header that is not as it must be: enc',
    ],
    [
      'by an algorithm for shared secrets',
      () => seal(card, { alg: 'dir' }, new Uint8Array(32)),
      'sealedParams has a header that is not as it must be: alg',
    ],
    [
      'that is compressed',
      () => readdressed(seal(card), { zip: 'DEF' }),
      'sealedParams has a header that is not as it must be: zip',
    ],
    ['that was changed', tampered, 'sealedParams was changed on its way, or is sealed for another key of the same id'],
    [
      'that was moved here from another order',
      () => readdressed(seal(card, { orderId: 'TRF-2' }), { orderId: 'TRF-1' }),
      'sealedParams was changed on its way, or is sealed for another key of the same id',
    ],
    ['without JSON in it', () => seal('4111111111111111'), 'sealedParams does not hold a JSON object of texts'],
    ['with a number in it', () => seal({ expire_month: 12 }), 'sealedParams does not hold a JSON object of texts'],
    ['with nothing in it', () => seal({}), 'sealedParams holds nothing'],
    [
      'with a field that is no card field',
      () => seal({ ...card, amount: '9999.00' }),
      'sealedParams.amount is not a card field of transfer; only those are sealed',
    ],
    [
      'with a field that the operation does not have',
      () => seal({ 'sending-card-number': testCards.sender }),
      'sealedParams.sending-card-number is not a card field of transfer; only those are sealed',
    ],
    [
      'with a card number that is none',
      () => seal({ credit_card_number: '4111 1111' }),
      'sealedParams.credit_card_number is not digits only',
    ],
    [
      'with a CVV that has no key of its own',
      () => seal({ ...card, cvv2: '737' }),
      'sealedParams.cvv2 must be sealed under a key of its own',
    ],
  ])('%s', async (_, sealed, message) => {
    const world = aWorld();
    const job = { ...aTransfer(), params, sealedParams: await sealed() };

    // when
    const returned = await world.deliver(aRecord(job, { messageId: 'm-1' }));

    // then
    expect(returned).toEqual([]);
    expect(world.results.taken).toMatchObject([
      { resultId: 'rejected/m-1', status: 'rejected', failure: { code: 'SEALED_PARAMS_INVALID', message } },
    ]);
    expect(world.entries.size).toBe(0);
    expect(world.gateway.posts).toEqual([]);
    const [letter] = world.jobsQueue.deadLetters.taken;
    expect(JSON.parse(letter?.body ?? '')).toMatchObject({ sealedParams: job.sealedParams });
    expect(JSON.stringify(world.results.taken)).not.toContain('4111');
  });

  it.each([
    ['that is none', 'x', 'sealedParams is not a compact JWE: five parts of base64url'],
    ['that is too long', `${'A'.repeat(4096)}....`, 'sealedParams is longer than 4096 characters'],
  ])('%s', async (_, sealedParams, message) => {
    const world = aWorld();
    await world.deliver(aRecord({ ...aTransferByRefJob(), params: { amount: '1', currency: 'JPY' }, sealedParams }));
    expect(world.results.taken).toMatchObject([{ failure: { code: 'INVALID_MESSAGE', message } }]);
    expect(world.entries.size).toBe(0);
  });
});

it('while the keys can not be read the job waits, and is sent once they can', async () => {
  const world = aWorld();
  world.cardKeys.outage('down');
  expect(await world.deliver(aRecord(await sealJob(aTransfer(), { jwks: cardJwks })))).toHaveLength(1);
  await world.again();
  await world.again();
  expect(world.waits()).toMatchObject([{ where: 'table', because: 'secret' }]);
  expect([world.entries.size, world.results.taken]).toEqual([0, []]);
  world.cardKeys.outage('up');
  await world.again();
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
});
