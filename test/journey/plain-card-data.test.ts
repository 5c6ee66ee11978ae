// A card number or CVV that somebody puts on the queue in the clear: refused, cut out, counted, and nothing is sent.
import { expect, it } from 'vitest';
import { aPayoutJob, aTransferByRefJob, aTransferJob, anEligibilityJob } from '../support/jobs.ts';
import { aRecord, longAgoMs, redelivered } from '../support/records.ts';
import { aWorld } from '../support/world.ts';
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
      status: 'failed',
      final: true,
      attempts: 0,
      failure: {
        code: 'PLAIN_CARD_DATA',
        message:
          'params credit_card_number, cvv2, destination-card-no stand in the clear; put them into sealedParams, or send references',
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
      status: 'failed',
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

it('a merchant whose profile accepts plain card data is served', async () => {
  const world = aWorld({ profile: { plainCardData: 'accepted' } });
  await world.deliver(aRecord(aTransferJob()));
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
  expect(world.figures[0]?.values).not.toHaveProperty('plainCardDataRefused');
});

it('even then nothing that failed lies in the dead-letter queue with card data', async () => {
  const world = aWorld({ profile: { plainCardData: 'accepted' } });
  world.gateway.moods('refuses the connection');
  await world.deliver(aRecord(aTransferJob(), { sentAtMs: longAgoMs }));
  expect(world.results.taken).toMatchObject([{ status: 'failed', failure: { code: 'WAITED_TOO_LONG' } }]);
  expect(world.jobsQueue.deadLetters.taken).toHaveLength(1);
  expect(JSON.stringify(world.jobsQueue.deadLetters.taken)).not.toMatch(/4111|4444|"737|JANE/);
  expect(world.figures[0]?.values).not.toHaveProperty('plainCardDataRefused');
});

it('a message that is no job loses its card data too, and is counted', async () => {
  const world = aWorld();
  const { operation: _, ...nothing } = aTransferJob();
  await world.deliver(aRecord(JSON.stringify(nothing)));
  expect(world.results.taken).toMatchObject([{ failure: { code: 'INVALID_MESSAGE' } }]);
  expect(JSON.stringify(world.jobsQueue.deadLetters.taken)).not.toMatch(/4111|4444|"737|JANE/);
  expect(world.figures).toMatchObject([{ values: { plainCardDataRefused: 1 } }]);
});

it('while the profile can not be read, the job comes back; on its last receive it is told and cut', async () => {
  // given
  const world = aWorld({ profile: { plainCardData: 'accepted' }, limits: { maxReceiveCount: 2 } });
  world.credentials.outage('down');
  const record = aRecord(aTransferJob(), { messageId: 'm-1' });

  // when
  const first = await world.deliver(record);
  const second = await world.deliver(redelivered(record));

  // then
  expect(first).toEqual(['m-1']);
  expect(second).toEqual([]);
  expect(world.entries.size).toBe(0);
  expect(world.results.taken).toMatchObject([{ failure: { code: 'CREDENTIALS_UNAVAILABLE' } }]);
  expect(JSON.stringify(world.jobsQueue.deadLetters.taken)).not.toMatch(/4111/);
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
])(
  'nor does it keep any in the table of what waits, in %s that stand twice in the message and are read once',
  async (_, hidden) => {
    // given a message of whose two values no reader of JSON sees the first
    const body = `{${hidden},${JSON.stringify(aPayoutJob({ context: { a: 1 } })).slice(1)}`;
    const world = aWorld({ merchants: { 'acme-eu': someCredentials() } });
    await world.controls.pause('acme-eu', true, { by: 'test', reason: 'test', atMs: world.clock.nowMs() });
    await world.deliver([aRecord(body), aRecord(aPayoutJob({ orderId: 'INV-2' }))]);
    // then the message waits where it is, as any with card data, and an honest one in the table
    expect([...world.waitingRows.values()].map(({ key }) => key)).toEqual(['acme-eu/INV-2']);
    expect(world.gateway.posts).toEqual([]);
  },
);
