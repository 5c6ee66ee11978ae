// What an order costs the table: each write of its life, in write units of the table and of the index of open work.
import { describe, expect, it } from 'vitest';
import type { Order } from '../../../lib/payout/order/order.ts';
import { bytesOf, itemOf } from '../../support/item-size.ts';
import { aPayoutJob } from '../../support/jobs.ts';
import { aRecord } from '../../support/records.ts';
import { aWorld, type World, type WorldChoices } from '../../support/world.ts';

const key = 'acme-eu/INV-1';
/** A write takes a unit for each kilobyte of the larger of what stood there and what stands there then. */
const unitsOf = (...items: readonly (Order | undefined)[]) =>
  Math.max(...items.map((it) => (it ? Math.ceil(bytesOf(itemOf(it)) / 1024) : 0)));

/** The index holds what has a place in it, whole: another place is a write that takes away and one that puts. */
function indexUnits(before: Order | undefined, after: Order): number {
  const [was, is] = [before, after].map((it) => (it && itemOf(it)['wk'] ? itemOf(it) : undefined));
  if (!was || !is) return was ? unitsOf(before) : is ? unitsOf(after) : 0;
  const isMoved = was['wk']?.S !== is['wk']?.S || was['wa']?.N !== is['wa']?.N;
  return isMoved ? unitsOf(before) + unitsOf(after) : unitsOf(before, after);
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
  const { read, put, write, mark, note } = orders;
  Object.assign(world.ports, {
    orders: { read, put: counted(put), write: counted(write), mark: counted(mark), note: counted(note) },
  });
  return { world, costs };
}

/** Without anything of note, one unit of the table and one of the index. */
const one = [1, 1];
/** Of the index one to take it from its place and one to put it into the next. */
const moved = [1, 2];

describe('what an order costs, write by write', () => {
  it.each([
    ['accepts', 'accepted'],
    ['refuses the order', 'declined'],
  ] as const)(
    'is two writes on the usual way, its claim and its answer, a unit each: where the gateway %s',
    async (mood, state) => {
      const { world, costs } = metered();
      world.gateway.moods(mood);
      await world.deliver(aRecord(aPayoutJob()));
      expect(world.entries.get(key)?.state).toBe(state);
      expect(costs).toEqual([one, one]);
    },
  );

  it('is two for each time that it has to wait and is sent again', async () => {
    const { world, costs } = metered({ lanes: 'open' });
    world.gateway.moods('asks to slow down', 'accepts');
    await world.deliver(aRecord(aPayoutJob()));
    expect(world.entries.get(key)?.state).toBe('retryable');
    world.clock.advance(600_000);
    await world.deliver(aRecord(aPayoutJob()));
    expect(world.entries.get(key)?.state).toBe('accepted');
    expect(costs).toEqual([one, one, one, one]);
  });

  it('where it is asked about: its claim, an answer that says when, a unit for most looks, and one that ends it', async () => {
    const { world, costs } = metered({ profile: { statusInquiry: true } });
    await world.deliver(aRecord(aPayoutJob()));
    expect(costs.splice(0)).toEqual([one, moved]);
    world.gateway.statusStays('processing');
    await world.pass(600_000);
    const looks = world.entries.get(key)?.looks ?? 0;
    expect(looks).toBeGreaterThan(5);
    // Its time is a coarse one: a look keeps its place, but for the first of all and of each five minutes.
    expect(costs.filter(([, index]) => index > 1).length).toBeLessThanOrEqual(2 + 600 / 300);
    expect(costs.every(([table]) => table === 1)).toBe(true);
    world.gateway.statusStays('approved');
    await world.pass(3_600_000);
    expect(world.entries.get(key)?.state).toBe('approved');
    expect(costs.at(-1)).toEqual(one);
  });

  it('is three for a callback that ends it: into the inbox, out of it, and published', async () => {
    const { world, costs } = metered();
    await world.deliver(aRecord(aPayoutJob()));
    costs.splice(0);
    const orderid = world.entries.get(key)?.gatewayOrderId ?? '';
    const word = { status: 'approved', orderid, client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
    expect(await world.callBack(word)).toBe(200);
    expect(world.entries.get(key)?.state).toBe('approved');
    expect(costs).toEqual([one, moved, one]);
  });
});
