// What a person has taken out of an order that has ended: words and context go, what keeps it from being paid twice stays.
import { describe, expect, it } from 'vitest';
import type { AllOrders } from '../../../lib/payout/inquire/due-work.ts';
import type { StoredOrder } from '../../../lib/payout/order/orders.ts';
import { eraseEnded, eraseOrder } from '../../../lib/payout/operate/erase.ts';
import { aPayoutJob } from '../../support/jobs.ts';
import { aRecord } from '../../support/records.ts';
import { startMs } from '../../support/time-and-chance.ts';
import { aWorld } from '../../support/world.ts';

const key = 'acme-eu/INV-1';
const job = aPayoutJob({ context: { payee: 'Ada Lovelace' } });

/** The payout of INV-1 was declined with words about its payee, and told so. */
async function aDeclinedWorld() {
  const world = aWorld();
  world.gateway.moods('refuses the order');
  await world.deliver(aRecord(job));
  expect(world.results.taken).toMatchObject([{ status: 'declined', context: { payee: 'Ada Lovelace' } }]);
  return world;
}

describe('an order that has ended', () => {
  it('holds no words and no context any more, and is paid no second time', async () => {
    const world = await aDeclinedWorld();
    const words = world.entries.get(key)?.failure?.message ?? '';
    expect(words).not.toBe('');
    world.results.taken.splice(0);
    expect(await eraseOrder(key, world.ports)).toMatchObject({ kind: 'erased' });
    // A result without these words is another revision, and is published.
    expect(world.results.taken).toMatchObject([{ resultId: `${key}/2`, status: 'declined' }]);
    expect(world.results.taken[0]).not.toHaveProperty('context');
    expect(world.items.get(key)).not.toHaveProperty('unpublished');
    const kept = JSON.stringify([...world.items.values()], (_, it: unknown) => (typeof it === 'bigint' ? `${it}` : it));
    expect(kept).not.toContain('Lovelace');
    expect(kept).not.toContain(words);
    expect(world.entries.get(key)).not.toHaveProperty('payee');
    expect(world.entries.get(key)).toMatchObject({
      standing: 'declined',
      money: { minorUnits: 1042n },
      failure: { message: 'erased' },
    });
    await world.deliver(aRecord(job));
    expect(world.gateway.postsOf('INV-1')).toBe(1);
    expect(world.results.taken.map(({ resultId }) => resultId)).toEqual([`${key}/2`, `${key}/2`]);
  });

  it('still opens by the name of its end', async () => {
    const world = await aDeclinedWorld();
    await eraseOrder(key, world.ports);
    const resends = world.entries.get(key)?.endId ?? '';
    await world.deliver(aRecord(aPayoutJob({ context: { payee: 'Ada Lovelace' }, resends })));
    expect(world.entries.get(key)).toMatchObject({ standing: 'accepted', attempts: 2 });
  });
});

it('an order whose result the queue does not take is erased all the same, and published by the leader', async () => {
  const world = await aDeclinedWorld();
  world.results.taken.splice(0);
  world.results.stays('down');
  expect(await eraseOrder(key, world.ports)).toMatchObject({ kind: 'erased', order: { unpublished: true } });
  world.results.stays('up');
  await world.pass(10 * 60_000);
  expect(world.results.taken).toMatchObject([{ resultId: `${key}/2`, failure: { message: 'erased' } }]);
});

it('an order that has not ended is left as it is', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  await world.deliver(aRecord(job));
  expect(await eraseOrder(key, world.ports)).toMatchObject({
    kind: 'refused',
    why: expect.stringContaining('confirming'),
  });
  expect(world.items.get(key)?.content?.context).toContain('Lovelace');
});

it('an order whose result is still to be told is left until it is told', async () => {
  const world = await aDeclinedWorld();
  const order = world.items.get(key);
  if (order) world.items.set(key, { ...order, unpublished: true });
  expect(await eraseOrder(key, world.ports)).toMatchObject({
    kind: 'refused',
    why: expect.stringContaining('published'),
  });
});

it('where all that ended before a day is erased, what waits of these orders is brought forward, so that its body goes', async () => {
  // given an order that was declined, another message of which waits while its merchant is paused, beside one that never ended
  const world = await aDeclinedWorld();
  await world.controls.pause('acme-eu', true, { by: 'ops', reason: 'audit', atMs: startMs });
  await world.deliver(aRecord(aPayoutJob({ context: { n: 2 }, resends: world.entries.get(key)?.endId ?? '' })));
  await world.deliver(aRecord(aPayoutJob({ orderId: 'OTHER' })));
  expect(world.waits()).toHaveLength(2);
  const allOrders: AllOrders = {
    async *scan() {
      yield (await Promise.all([...world.items.keys()].map(world.orders.read))) as StoredOrder[];
    },
  };
  // when
  const ports = { ...world.ports, allOrders, waiting: world.ports.waiting };
  expect(await eraseEnded(startMs, ports)).toEqual({ read: 1, erased: 0, refused: 0 });
  const becauseOf = () => world.waits().map(({ because }) => because);
  expect(becauseOf()).toEqual(['paused', 'paused']);
  expect(await eraseEnded(startMs + 60_000, ports)).toEqual({ read: 1, erased: 1, refused: 0 });
  // then
  expect(becauseOf()).toEqual(['again', 'paused']);
  // and where it was erased before
  expect(await eraseEnded(startMs + 60_000, ports)).toEqual({ read: 1, erased: 0, refused: 0 });
  expect(becauseOf()).toEqual(['again', 'paused']);
});

it('what was opened again and ended after that day, since the table was read, keeps its words', async () => {
  // given an order that was declined on the first of two days, as a reading of the whole table has met it
  const world = await aDeclinedWorld();
  const met = (await world.orders.read(key)) as StoredOrder;
  const secondDayMs = world.clock.nowMs() + 60_000;
  // and that its sender has sent again by the name of its end, and was declined again on the second
  world.clock.advance(120_000);
  world.gateway.moods('refuses the order');
  const resends = world.entries.get(key)?.endId ?? '';
  await world.deliver(aRecord(aPayoutJob({ context: { payee: 'Ada Lovelace' }, resends })));
  expect(world.entries.get(key)).toMatchObject({ standing: 'declined', attempts: 2 });
  // when the first day is erased
  const allOrders: AllOrders = {
    async *scan() {
      yield [met];
    },
  };
  const ports = { ...world.ports, allOrders, waiting: world.ports.waiting };
  // then
  expect(await eraseEnded(secondDayMs, ports)).toEqual({ read: 1, erased: 0, refused: 0 });
  expect(world.entries.get(key)?.context).toContain('Lovelace');
});
