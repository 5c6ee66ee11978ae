// A card number or CVV that somebody puts on the queue in the clear: refused, cut out, counted, and nothing is sent.
import { expect, it } from 'vitest';
import { aPayoutJob, aTransferByRefJob, aTransferJob, anEligibilityJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';
import { someCredentials } from '../support/fake-credentials.ts';

it('a plain transfer is refused; what lies in the dead-letter queue bears no card data', async () => {
  // given a merchant whose profile says nothing of card data
  const world = aWorld();

  // when
  const returned = await world.deliver(aRecord(aTransferJob(), { messageId: 'plain-1' }));

  // then nothing was claimed or sent, and the sender is told what to do
  expect(returned).toEqual([]);
  expect(world.gateway.posts).toEqual([]);
  expect(world.entries.size).toBe(0);
  expect(world.results.taken).toMatchObject([
    {
      resultId: 'rejected/plain-1',
      orderId: 'TRF-1',
      status: 'rejected',
      final: true,
      attempts: 0,
      failure: {
        code: 'PLAIN_CARD_DATA',
        message:
          'params credit_card_number, card_printed_name, cvv2, expire_month, expire_year, destination-card-no: card data in the clear; seal it into sealedParams, or send references',
      },
    },
  ]);

  // and the message is kept without its card fields, and counted
  const [letter] = world.jobsQueue.deadLetters.taken;
  expect(letter).toMatchObject({ originMessageId: 'plain-1', reason: { code: 'PLAIN_CARD_DATA' } });
  expect(JSON.parse(letter?.body ?? '')).toMatchObject({
    orderId: 'TRF-1',
    params: { amount: '25.00', credit_card_number: '[card data cut out]', cvv2: '[card data cut out]' },
  });
  expect(JSON.stringify([letter, world.results.taken, world.log])).not.toMatch(/4111|4444|"737|JANE/);
  expect(world.figures).toMatchObject([{ values: { plainCardDataRefused: 1 } }]);
});

it('a card number under any name is refused, a reference is not', async () => {
  const world = aWorld({ profile: { extraFields: { 'pan-eligibility': ['sending-card-number'] } } });
  const check = anEligibilityJob({ params: { 'sending-card-number': '4111111111111111' } });
  await world.deliver([aRecord(aTransferByRefJob()), aRecord(check), aRecord(anEligibilityJob({ orderId: 'CHK-2' }))]);
  expect(world.results.taken.map(({ orderId, failure }) => [orderId, failure?.code])).toEqual([
    ['REF-1', 'PLAIN_CARD_DATA'],
    ['CHK-1', 'PLAIN_CARD_DATA'],
    ['CHK-2', undefined],
  ]);
});

it.each([
  ['a free text', aPayoutJob({ params: { order_desc: 'to 4111 1111-1111 1111' } }), 'order_desc'],
  ['the context', aPayoutJob({ context: { invoice: '7', paidFrom: { card: '4111111111111111' } } }), 'context'],
  ['a number of the context', aPayoutJob({ context: { card: 4_111_111_111_111_111 } }), 'context'],
])('a card number in %s is refused, and does not come back by the result', async (_, job, where) => {
  const world = aWorld();
  expect(await world.deliver(aRecord(job))).toEqual([]);
  expect(world.gateway.posts).toEqual([]);
  expect(world.results.taken).toMatchObject([
    {
      status: 'rejected',
      failure: { code: 'PLAIN_CARD_DATA', message: `${where}: digits that pass for a card number; leave them out` },
    },
  ]);
  expect(JSON.stringify([world.results.taken, world.jobsQueue.deadLetters.taken, world.log])).not.toMatch(/4111/);
});

it('a time or a reference in the context is no card number', async () => {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob({ context: { atMs: 1_795_255_200_000, reference: '4111111111111112' } })));
  expect(world.results.taken).toMatchObject([{ status: 'accepted', context: { reference: '4111111111111112' } }]);
});

it('a message that is no job loses its card data too, and is counted', async () => {
  const world = aWorld();
  const { operation: _, ...nothing } = aTransferJob();
  await world.deliver(aRecord(JSON.stringify(nothing)));
  expect(world.results.taken).toMatchObject([{ failure: { code: 'INVALID_MESSAGE' } }]);
  expect(JSON.stringify(world.jobsQueue.deadLetters.taken)).not.toMatch(/4111|4444|"737|JANE/);
  expect(world.figures).toMatchObject([{ values: { plainCardDataRefused: 1 } }]);
});

it('a merchant that is paused keeps no plain card data waiting on the queue', async () => {
  const world = aWorld({ merchants: { 'acme-eu': someCredentials() } });
  await world.controls.pause('acme-eu', true, { by: 'test', reason: 'test', atMs: world.clock.nowMs() });
  await world.deliver([aRecord(aTransferJob()), aRecord(aPayoutJob())]);
  expect(world.results.taken).toMatchObject([{ orderId: 'TRF-1', failure: { code: 'PLAIN_CARD_DATA' } }]);
  expect(world.waits()).toHaveLength(1);
});

it.each<[where: string, hidden: string]>([
  ['fields', '"params":{"credit_card_number":"4111111111111111","cvv2":"123"}'],
  ['context', '"context":{"card":"4111 1111 1111 1111"}'],
  ['names in escapes', String.raw`"params":{"cv\u00762":"123"}`],
  ['escapes', String.raw`"context":{"card":"4111\u200b1111\u200b1111\u200b1111"}`],
])('in %s that stand twice in the message and are read once, it is refused too', async (_, hidden) => {
  // given a message of whose two values no reader of JSON sees the first
  const body = `{${hidden},${JSON.stringify(aPayoutJob({ context: { a: 1 } })).slice(1)}`;
  const world = aWorld();
  await world.deliver([aRecord(body), aRecord(aPayoutJob({ orderId: 'INV-2' }))]);
  // then it is refused, and an honest one is paid
  expect(world.results.taken.map(({ orderId, failure }) => [orderId, failure?.code])).toEqual([
    ['INV-1', 'PLAIN_CARD_DATA'],
    ['INV-2', undefined],
  ]);
  expect(JSON.stringify(world.jobsQueue.deadLetters.taken)).not.toMatch(/4111|:"123"/);
});

it.each<[what: string, world: () => World]>([
  ['of a merchant for tests', () => aWorld({ merchants: { 'acme-eu': { ...someCredentials(), mode: 'test' } } })],
  ['of a merchant that nobody knows', () => aWorld({ merchants: {} })],
  ['while no secret can be read', () => withOutage(aWorld())],
  ['while the ledger can not be read', () => withoutLedger(aWorld())],
])('%s, it is refused on the first receive all the same', async (_, make) => {
  const world = make();
  expect(await world.deliver(aRecord(aTransferJob()))).toEqual([]);
  expect(world.results.taken).toMatchObject([{ failure: { code: 'PLAIN_CARD_DATA' } }]);
  expect(world.waits()).toEqual([]);
  expect(JSON.stringify([world.jobsQueue.deadLetters.taken, world.log])).not.toMatch(/4111|4444|"737|JANE/);
});

function withOutage(world: World): World {
  world.credentials.outage('down');
  return world;
}

function withoutLedger(world: World): World {
  world.orders.stays('down', 'read', 'put', 'write');
  return world;
}
