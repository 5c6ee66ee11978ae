// Somebody deletes the table of orders, and it is made anew: it knows of no order that was paid. Or DynamoDB does not say which table it is.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { someControlKey } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld, functionsOver, type World } from '../support/world.ts';

const message = aRecord(aPayoutJob());

/** A world in which the order was paid, and then its ledger is another table, without an item. */
async function aWorldAfterDeletion(): Promise<World> {
  const world = aWorld({ profile: { statusInquiry: true } });
  await world.deliver(message);
  world.items.clear();
  world.tables.remake();
  world.clock.advance(10_000);
  return world;
}

it('an order that was paid before is not paid again by the table that knows nothing', async () => {
  const world = await aWorldAfterDeletion();
  await world.deliver(redelivered(message));
  await world.begin();
  await world.pass(3_600_000);
  expect(world.gateway.posts).toHaveLength(1);
  expect(world.items.size).toBe(0);
});

/** The status by which a genuine callback about the order is answered. */
async function calledBack(world: World): Promise<number> {
  const fields = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', type: 'payout' };
  const proof = `${fields.status}${fields.orderid}${fields.client_orderid}${someControlKey}`;
  const control = createHash('sha1').update(proof).digest('hex');
  const rawQueryString = String(new URLSearchParams({ ...fields, control }));
  const { door } = functionsOver(world.ports);
  return (await door({ rawPath: '/acme-eu', rawQueryString, isBase64Encoded: false })).statusCode;
}

it('a callback is answered 503 meanwhile, and makes no order', async () => {
  const healthy = aWorld();
  await healthy.deliver(message);
  expect(await calledBack(healthy)).toBe(200);
  const world = await aWorldAfterDeletion();
  expect(await calledBack(world)).toBe(503);
  expect(world.items.size).toBe(0);
});

it('no question is asked about an order that the gateway took, until the ledger is the known one again', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  await world.deliver(message);
  world.tables.remake('waiting');
  world.clock.advance(10_000);
  const before = world.gateway.inquiries.length;
  await world.pass(3_600_000);
  expect(world.gateway.inquiries).toHaveLength(before);
  await world.tables.begin();
  await world.pass(3_600_000);
  expect(world.gateway.inquiries.length).toBeGreaterThan(before);
});

it('what is missing pauses all, be it the orders or any other table of the worker', async () => {
  for (const kind of ['ledger', 'batches', 'controls', 'waiting', 'card-keys']) {
    const world = aWorld();
    world.tables.remove(kind);
    await world.deliver(message);
    expect(world.gateway.posts).toHaveLength(0);
  }
});

it('while DynamoDB describes no table, orders go on for ten minutes, and wait within the hour', async () => {
  const world = aWorld();
  await world.deliver(message);
  world.tables.answers(false);
  world.clock.advance(10 * 60_000);
  await world.deliver(aRecord(aPayoutJob({ orderId: 'INV-2' })));
  expect(world.gateway.posts).toHaveLength(2);
  world.clock.advance(50 * 60_000);
  await world.deliver(aRecord(aPayoutJob({ orderId: 'INV-3' })));
  expect(world.gateway.posts).toHaveLength(2);
  world.tables.answers(true);
  world.clock.advance(10_000);
  await world.again();
  expect(world.gateway.posts).toHaveLength(3);
});
