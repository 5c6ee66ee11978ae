// A message that is not a job: nothing is sent, its sender is told what to mend, and the message is kept for a person.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('a bad job goes to the dead-letter queue on its first receive, and its sender is told every fault', async () => {
  // given a payout with a comma in the amount, a misspelt field and a number for an account
  const world = aWorld();
  const params = { amount: '10,42', 'order-desc': 'Invoice', account_number: 89_370_400 };
  const record = aRecord(aPayoutJob({ params, context: { invoice: '123' } }), { messageId: 'bad-1' });

  // when
  const returned = await world.deliver(record);

  // then
  expect(world.gateway.posts).toEqual([]);
  expect(world.entries.size).toBe(0);
  expect(world.results.taken).toMatchObject([
    {
      resultId: 'rejected/bad-1',
      operation: 'payout',
      merchant: 'acme-eu',
      orderId: 'INV-1',
      status: 'rejected',
      final: true,
      attempts: 0,
      context: { invoice: '123' },
      failure: { code: 'INVALID_MESSAGE' },
    },
  ]);
  const message = world.results.taken[0]?.failure?.message;
  expect(message).toContain('params.account_number is not text');
  expect(message).toContain('params.order-desc is not a field of payout; did you mean "order_desc"?');
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([
    { body: record.body, originMessageId: 'bad-1', reason: { code: 'INVALID_MESSAGE', message } },
  ]);
  expect(returned).toEqual([]);
});

it('text that is no JSON is refused without repeating it', async () => {
  const world = aWorld();
  await world.deliver(aRecord('4111111111111111', { messageId: 'bad-2' }));
  expect(world.results.taken).toEqual([
    {
      version: 1,
      resultId: 'rejected/bad-2',
      status: 'rejected',
      final: true,
      attempts: 0,
      revision: 0,
      failure: { code: 'INVALID_MESSAGE', message: 'message is not an object' },
      occurredAt: '2026-11-21T10:00:00.000Z',
    },
  ]);
});

it('more faults than anyone reads are counted', async () => {
  const world = aWorld();
  const params = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`odd-${index}`, 'x']));
  await world.deliver(aRecord(aPayoutJob({ params })));
  expect(world.results.taken[0]?.failure?.message).toMatch(/; and 5 more$/);
});

it('refused at two deliveries for two reasons: each word has an id of its own, and both are of one message', async () => {
  // given a job with a field that the contract does not know; its dead letter can't be laid down, so it comes again
  const world = aWorld();
  const body = aPayoutJob({ params: { bank_city: 'Berlin' }, expiresAt: '2026-11-21T10:00:10Z' });
  const record = aRecord(body, { messageId: 'm-1' });
  world.jobsQueue.deadLetters.stays('down');
  await world.deliver(record);

  // when its time is over by then
  world.clock.advance(15_000);
  await world.deliver(redelivered(record));
  await world.deliver(redelivered(redelivered(record)));

  // then
  const told = world.results.taken.map(({ resultId, failure }) => [resultId, failure?.code]);
  expect(told).toEqual([
    ['rejected/m-1', 'FIELD_NOT_IN_CONTRACT'],
    [expect.stringMatching(/^rejected\/m-1\/[0-9a-f]{8}$/), 'EXPIRED'],
    [told[1]?.[0], 'EXPIRED'],
  ]);
});

it('its id is the one that SQS gave the message, whatever its sender writes beside it: two messages never share one', async () => {
  const world = aWorld();
  const attributes = {
    originMessageId: 'acme-eu',
    originalMessageId: 'acme-eu',
    redrives: '1',
    reasonCode: 'NOT_SENT',
  };
  const bad = (orderId: string) => aPayoutJob({ orderId, params: { amount: '0' } });
  await world.deliver(['m-1', 'm-2'].map((messageId) => aRecord(bad(messageId), { messageId, attributes })));
  expect(world.results.taken.map(({ resultId }) => resultId)).toEqual(['rejected/m-1', 'rejected/m-2']);
});
