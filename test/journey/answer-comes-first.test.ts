// A message that carries the gateway's answer: the answer is settled before anything about the message's text is judged, by
// a worker that can't read the text as well (an operation or a field of newer code, say), and by one that can't read the
// answer it is kept for one that can.
import { expect, it } from 'vitest';
import { aPayoutCheck, aPayoutJob, aPayoutPay, type JobBody } from '../support/jobs.ts';
import { aRecord, deliveryOf, redelivered, redriven } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const verbs = ['advance', 'read', 'markUnpublished'] as const;

/** An order that the gateway took while the ledger was down: its answer rides on a copy. */
async function carried(job: JobBody = aPayoutJob(), world: World = aWorld()) {
  world.gateway.meanwhile(() => world.orders.stays('down', ...verbs));
  await world.deliver(aRecord(job, { messageId: 'm-1' }));
  world.orders.stays('up', ...verbs);
  const copy = world.jobsQueue.copies.taken.at(-1);
  if (copy?.attributes.answer === undefined) throw new Error('a copy carries the answer');
  return { world, copy };
}

const unread = (text: string): readonly (readonly [string, string])[] => [
  ['of an operation that only newer code knows', JSON.stringify({ ...JSON.parse(text), operation: 'payout-later' })],
  ['with a field that only newer code knows', JSON.stringify({ ...JSON.parse(text), urgency: 'high' })],
  ['of a version that only newer code knows', JSON.stringify({ ...JSON.parse(text), version: 2 })],
];

it.each(unread(JSON.stringify(aPayoutJob())))(
  'an answer on a job %s is settled, and told as accepted',
  async (_, body) => {
    const { world, copy } = await carried();
    expect(await world.deliver(deliveryOf({ ...copy, body }))).toEqual([]);
    expect(world.results.taken).toMatchObject([{ status: 'accepted', gatewayOrderId: '9000001', revision: 2 }]);
    expect(world.jobsQueue.deadLetters.taken).toEqual([]);
  },
);

it('so is the answer of a payment of two steps', async () => {
  const profile = { twoStepPayouts: true, statusInquiry: true } as const;
  const world = aWorld({ profile });
  world.gateway.statusStays('check validated');
  await world.deliver(aRecord(aPayoutCheck(), { messageId: 'm-0' }));
  await world.pass(60_000);
  const told = world.results.taken.length;
  const { copy } = await carried(aPayoutPay(), world);
  const body = JSON.stringify({ ...JSON.parse(copy.body), operation: 'payout-later' });
  expect(await world.deliver(deliveryOf({ ...copy, body }))).toEqual([]);
  expect(world.results.taken.slice(told)).toMatchObject([{ operation: 'payout-pay', status: 'accepted' }]);
  expect(world.jobsQueue.deadLetters.taken).toEqual([]);
});

it.each([
  ['text that is no JSON', 'no json'],
  ['a job that names no order', JSON.stringify({ version: 1, operation: 'payout', merchant: 'acme-eu' })],
  ['a job of an order that the ledger has not', JSON.stringify({ ...aPayoutJob({ orderId: 'INV-2' }), version: 2 })],
])('an answer on %s is laid aside with it, and nothing is called failed', async (_, body) => {
  const { world, copy } = await carried();
  expect(await world.deliver(deliveryOf({ ...copy, body }))).toEqual([]);
  expect(world.results.taken).toEqual([]);
  const { reason, answer } = world.jobsQueue.deadLetters.taken[0] ?? {};
  expect(reason?.code).toBe('INVALID_MESSAGE');
  expect(answer).toContain('9000001');
});

it('laid aside so and brought back to a worker that can read it, it is settled', async () => {
  const { world, copy } = await carried();
  world.items.clear();
  await world.deliver(deliveryOf({ ...copy, body: JSON.stringify({ ...aPayoutJob(), version: 2 }) }));
  const [letter] = world.jobsQueue.deadLetters.taken;
  if (!letter) throw new Error('it was laid aside');
  await world.deliver(redriven({ ...letter, body: copy.body }));
  expect(world.results.taken).toMatchObject([{ status: 'accepted', gatewayOrderId: '9000001' }]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it('an answer of a kind that only newer code knows stays on its message until newer code takes it', async () => {
  const { world, copy } = await carried();
  const { answer = '' } = copy.attributes;
  const newer = JSON.stringify({
    ...JSON.parse(answer),
    outcome: { kind: 'accepted-later', gatewayOrderId: '9000001' },
  });
  const record = deliveryOf({ ...copy, attributes: { ...copy.attributes, answer: newer } });
  world.clock.advance(300_000);
  expect(await world.deliver(record)).toEqual([record.messageId]);
  expect(world.results.taken).toEqual([]);
  const known = deliveryOf(copy);
  await world.deliver({ ...redelivered(record), messageAttributes: known.messageAttributes });
  expect(world.results.taken).toMatchObject([{ status: 'accepted', gatewayOrderId: '9000001' }]);
});
