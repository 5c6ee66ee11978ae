// What a payout of a batch costs the table: each write of its order's life, in write units of the table and of its two indexes.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { askingUnits, looksUntil, ours } from '../../bench/price-model.ts';
import { fold } from '../../../lib/payout/order/fold.ts';
import type { Order } from '../../../lib/payout/order/order.ts';
import { bytesOf, entryOf, itemOf } from '../../support/item-size.ts';
import { aPayoutJob } from '../../support/jobs.ts';
import { aRecord } from '../../support/records.ts';
import { aWorld, type World, type WorldChoices } from '../../support/world.ts';

const key = 'acme-eu/INV-1';
/** A write takes a unit for each kilobyte of the larger of what stood there and what is there then. */
const unitsOf = (...items: readonly (Order | undefined)[]) =>
  Math.max(...items.map((it) => (it ? Math.ceil(bytesOf(itemOf(it)) / 1024) : 0)));

/** Another place is a write that takes away and one that puts; one that changes nothing of the entry costs nothing. */
function indexUnits(before: Order | undefined, after: Order): number {
  const [was, is] = [entryOf(before), entryOf(after)];
  if (!was || !is) return was || is ? 1 : 0;
  const isMoved = was['openWork']?.S !== is['openWork']?.S || was['openWorkAt']?.N !== is['openWorkAt']?.N;
  return isMoved ? 2 : isDeepStrictEqual(was, is) ? 0 : 1;
}

/** The order stays in the partition of its batch: a write that changes what is shown of it is one unit. */
function batchUnits(before: Order | undefined, after: Order): number {
  const shown = (order: Order | undefined) => order && itemOf(order)['batchEntry']?.S;
  return isClaim(after) || shown(after) === (isClaim(before) ? undefined : shown(before)) ? 0 : 1;
}

/** The claim leaves the index alone (test/contract/batch-index-contract.ts). */
const isClaim = (order: Order | undefined): boolean => order !== undefined && fold(order.facts).kind === 'sending';

/** The world, and what each write of the order has cost so far: `[table, index of open work, index of batches]`. */
function metered(choices: WorldChoices = {}): {
  readonly world: World;
  readonly costs: [table: number, work: number, batch: number][];
} {
  const world = aWorld(choices);
  const { orders } = world.ports;
  const costs: [number, number, number][] = [];
  const counted =
    <Args extends readonly unknown[], Out>(verb: (...args: Args) => Promise<Out>) =>
    async (...args: Args): Promise<Out> => {
      const before = world.items.get(key);
      const out = await verb(...args);
      const after = world.items.get(key);
      if (after && after !== before)
        costs.push([unitsOf(before, after), indexUnits(before, after), batchUnits(before, after)]);
      return out;
    };
  const { write, markPublished } = orders;
  Object.assign(world.ports, {
    orders: { ...orders, write: counted(write), markPublished: counted(markPublished) },
  });
  Object.assign(world.orders, { move: counted(world.orders.move) });
  return { world, costs };
}

/** It comes into the index of open work, or goes out of it. */
const one = [1, 1, 0];
/** It stays there, and its batch is shown the answer. */
const answered = [1, 0, 1];
/** It comes into the index of open work, and its batch is shown the end. */
const ended = [1, 1, 1];
/** One to take it from its place and one to put it into the next. */
const moved = [1, 2, 0];

describe('what an order costs, write by write', () => {
  it.each([
    ['accepts', 'accepted'],
    ['refuses the order', 'declined'],
  ] as const)(
    'is three writes on the usual way, its claim, its answer and published; it comes into either index once: where the gateway %s',
    async (mood, state) => {
      const { world, costs } = metered();
      world.gateway.moods(mood);
      await world.deliver(aRecord(aPayoutJob({ batchId: 'payroll' })));
      expect(world.entries.get(key)?.result).toBe(state);
      expect(costs).toEqual([one, answered, one]);
    },
  );

  it('is three for a callback that ends it: its facts, the lease of its check, and published', async () => {
    const { world, costs } = metered();
    await world.deliver(aRecord(aPayoutJob({ batchId: 'payroll' })));
    costs.splice(0);
    const orderid = world.entries.get(key)?.gatewayOrderId ?? '';
    const word = { status: 'approved', orderid, client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
    expect(await world.callBack(word)).toBe('stored');
    expect(world.entries.get(key)?.standing).toBe('paid');
    expect(costs).toEqual([ended, moved, one]);
  });
});

describe('the model of prices', () => {
  it.each([
    [30, undefined],
    [700, undefined],
    [600, 600],
    [21_600, undefined],
    [21_600, 21_600],
  ])('counts the units of an order that ends after %i s, where the profile says %s', async (endSeconds, usual) => {
    const { world, costs } = metered({
      profile: { statusInquiry: true, ...(usual !== undefined && { usualEndSeconds: usual }) },
    });
    world.gateway.statusStays('processing');
    await world.deliver(aRecord(aPayoutJob({ batchId: 'payroll' })));
    await world.pass((endSeconds - 2) * 1000);
    world.gateway.statusStays('approved');
    await world.pass(endSeconds * 1000);
    expect(world.entries.get(key)?.standing).toBe('paid');
    const counted = costs.flat().reduce((sum, units) => sum + units, 0);
    expect(ours.writeUnits + askingUnits(looksUntil(endSeconds, usual))).toBe(counted);
  });
});
