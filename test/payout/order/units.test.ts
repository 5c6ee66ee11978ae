// What an order costs the table: each write of its life, in write units of the table and of the index of open work.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { askingUnits, looksUntil, ours } from '../../bench/price-model.ts';
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

/** The world, and what each write of the order has cost so far: `[table, index]`. */
function metered(choices: WorldChoices = {}): {
  readonly world: World;
  readonly costs: [table: number, index: number][];
} {
  const world = aWorld(choices);
  const { orders } = world.ports;
  const costs: [number, number][] = [];
  const counted =
    <Args extends readonly unknown[], Out>(verb: (...args: Args) => Promise<Out>) =>
    async (...args: Args): Promise<Out> => {
      const before = world.items.get(key);
      const out = await verb(...args);
      const after = world.items.get(key);
      if (after && after !== before) costs.push([unitsOf(before, after), indexUnits(before, after)]);
      return out;
    };
  const { put, write, markPublished } = orders;
  Object.assign(world.ports, {
    orders: { ...orders, put: counted(put), write: counted(write), markPublished: counted(markPublished) },
  });
  Object.assign(world.orders, { move: counted(world.orders.move) });
  return { world, costs };
}

/** Without anything of note, one unit of the table and one of the index. */
const one = [1, 1];
/** It stays where it is in the index. */
const unmoved = [1, 0];
/** Of the index one to take it from its place and one to put it into the next. */
const moved = [1, 2];

describe('what an order costs, write by write', () => {
  it.each([
    ['accepts', 'accepted'],
    ['refuses the order', 'declined'],
  ] as const)(
    'is three writes on the usual way, its claim, its answer and published; it comes into the index and goes out of it once: where the gateway %s',
    async (mood, state) => {
      const { world, costs } = metered();
      world.gateway.moods(mood);
      await world.deliver(aRecord(aPayoutJob()));
      expect(world.entries.get(key)?.result).toBe(state);
      expect(costs).toEqual([one, unmoved, one]);
    },
  );

  it('is three for a callback that ends it: its facts, the lease of its check, and published', async () => {
    const { world, costs } = metered();
    await world.deliver(aRecord(aPayoutJob()));
    costs.splice(0);
    const orderid = world.entries.get(key)?.gatewayOrderId ?? '';
    const word = { status: 'approved', orderid, client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
    expect(await world.callBack(word)).toBe('stored');
    expect(world.entries.get(key)?.standing).toBe('paid');
    expect(costs).toEqual([one, moved, one]);
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
    await world.deliver(aRecord(aPayoutJob()));
    await world.pass((endSeconds - 2) * 1000);
    world.gateway.statusStays('approved');
    await world.pass(endSeconds * 1000);
    expect(world.entries.get(key)?.standing).toBe('paid');
    const counted = costs.reduce((sum, [table, index]) => sum + table + index, 0);
    expect(ours.writeUnits + askingUnits(looksUntil(endSeconds, usual))).toBe(counted);
  });
});
