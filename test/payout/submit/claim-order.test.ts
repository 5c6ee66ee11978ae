// Races for one claim: whatever the order of events, at most one claimant may send.
import { describe, expect, it } from 'vitest';
import { attemptsOf } from '../../../lib/payout/order/facts.ts';
import type { Orders } from '../../../lib/payout/order/orders.ts';
import { claimOrder } from '../../../lib/payout/submit/claim.ts';
import { someCredentials } from '../../support/fake-credentials.ts';
import { aPayoutJob, jobOf } from '../../support/jobs.ts';
import { aRecord } from '../../support/records.ts';
import { startMs } from '../../support/time-and-chance.ts';
import { aWorld, type World } from '../../support/world.ts';

const job = jobOf(aPayoutJob());
const key = 'acme-eu/INV-1';
const it1 = { source: 'message-1', credentials: someCredentials() };
const claim = (world: World, orders: Orders = world.orders, of = job) =>
  claimOrder(of, it1, { ...world.ports, orders });
const kinds = (claims: readonly { readonly kind: string }[]) => claims.map(({ kind }) => kind).toSorted();
const tenClaims = (world: World, of = job) =>
  Promise.all(Array.from({ length: 10 }, () => claim(world, world.orders, of)));

/** A world in which the order waits to be sent again. */
async function aWorldWithReadyOrder(): Promise<World> {
  const world = aWorld();
  world.gateway.moods('refuses the connection');
  await world.deliver(aRecord(aPayoutJob()));
  return world;
}

describe('of ten claims at once', () => {
  it('for a new order one is won', async () => {
    expect(kinds(await tenClaims(aWorld()))).toEqual([...Array(9).fill('busy'), 'claimed']);
  });

  it('for one whose lease is over none is won, and the doubt is written once', async () => {
    const world = aWorld();
    await claim(world);
    world.clock.advance(100_000 + 600_001);
    expect(kinds(await tenClaims(world))).toEqual(Array(10).fill('unchanged'));
    expect(world.entries.get(key)).toMatchObject({ standing: 'held', revision: 1, failure: { code: 'HELD_UNPROVEN' } });
    expect(world.items.get(key)?.version).toBe(2);
  });
});

describe('where the answer of the store is lost', () => {
  it('a claim that was written is found to be ours', async () => {
    const world = aWorld();
    world.orders.faults('write', 'answer lost');
    expect(await claim(world)).toMatchObject({ kind: 'claimed', attempt: { number: 1 } });
    expect(attemptsOf(world.items.get(key)?.facts ?? { attempts: {} })).toHaveLength(1);
  });

  it('each time, nothing may be sent; it has waited longer each time, three seconds in all', async () => {
    const world = aWorld();
    world.orders.stays('down', 'write', 'read');
    expect(await claim(world)).toEqual({ kind: 'unavailable' });
    expect(world.clock.nowMs() - startMs).toBe(50 + 100 + 200 + 400 + 800 + 1_600);
  });

  it('and its own attempt was called lost meanwhile, nothing may be sent under it', async () => {
    const world = aWorld();
    const write: Orders['write'] = async (before, order) => {
      const written = await world.orders.write(before, order);
      if (written.kind !== 'written') return written;
      const [attempt] = attemptsOf(order.facts);
      if (!attempt) return written;
      const lapsed = { ...attempt, lapsed: { code: 'WORKER_LOST', message: 'lost' } };
      const facts = { ...order.facts, attempts: { [attempt.id]: lapsed } };
      world.items.set(key, { ...order, version: order.version + 1, facts });
      throw new Error('the answer was lost');
    };
    expect(await claim(world, { ...world.orders, write })).toEqual({ kind: 'unavailable' });
  });
});

describe('a claim that loses', () => {
  /** Orders of which another writer is faster than the next so many writes. */
  function contested(world: World, times: number): Orders {
    let left = times;
    return {
      ...world.orders,
      async write(before, next) {
        left -= 1;
        if (left >= 0) await world.orders.write(before, { ...before, version: before.version + 1 });
        return world.orders.write(before, next);
      },
    };
  }

  it('more of them comes back, and claims nothing', async () => {
    const world = await aWorldWithReadyOrder();
    expect(await claim(world, contested(world, 10))).toEqual({ kind: 'unavailable' });
    expect(world.entries.get(key)).toMatchObject({ standing: 'waiting', attempts: 1 });
  });
});
