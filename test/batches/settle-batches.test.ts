// Batches come to their end: when every row has ended and the sums are those of the file, and then with exactly one
// result, whatever fails on the way.
import { describe, expect, it } from 'vitest';
import { batchesRound, settleBatches, type SettleBatchesPorts } from '../../lib/batches/settle-batches.ts';
import { newBatch } from '../../lib/batches/batch.ts';
import type { BatchIndex } from '../../lib/batches/batch-payouts.ts';
import type { KnownOrders } from '../../lib/batches/known-orders.ts';
import { anOrderThatStands } from '../support/order-that-stands.ts';
import { batchResultOf } from '../../lib/batches/batch-result.ts';
import { noFacts, ofAttempt } from '../../lib/payout/order/facts.ts';
import { newOrder } from '../../lib/payout/order/order.ts';
import { recorded } from '../../lib/payout/order/record.ts';
import { anAttempt, begun } from '../support/orders.ts';

import { aRecord } from '../support/records.ts';
import { longIt } from '../support/long-proof.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aJobOf, batchId, upload } from '../support/uploaded-batch.ts';
import { aWorld, type World } from '../support/world.ts';
import { lookAndRelease } from '../support/look-and-release.ts';

const minute = 60_000;
const ever = Number.MAX_SAFE_INTEGER;

async function deliverAll(world: World, ...bodies: object[]): Promise<void> {
  for (const body of bodies) await world.deliver(aRecord(JSON.stringify(body)));
}

/** One round a millisecond later: its counts, and the batches that it told. */
async function round(world: World, deadlineMs = ever, ports: SettleBatchesPorts = world.ports) {
  world.clock.advance(1);
  const before = world.batchResults.length;
  const counts = await settleBatches(deadlineMs, ports);
  return { ...counts, told: world.batchResults.length - before };
}

const nothing = { told: 0, batchesUnbalanced: 0, onePersonTwoRoles: 0, batchesLeft: 0 };
const one = { ...nothing, told: 1 };

describe('a batch closes', () => {
  it('when its last row has ended, and tells it once', async () => {
    const world = aWorld();
    const bodies = [aJobOf('A'), aJobOf('B'), aJobOf('C')];
    const uploaded = await upload(world, bodies);
    expect(await round(world)).toEqual(nothing);
    world.gateway.moods('accepts', 'refuses the order', 'stalls');
    await deliverAll(world, ...bodies);
    world.clock.advance(minute);
    expect(await round(world)).toEqual(one);
    const batch = await world.batches.find(batchId);
    expect(batch).toStrictEqual({
      ...uploaded,
      state: 'closed',
      looked: expect.anything(),
      closure: {
        revision: 1,
        atMs: world.clock.nowMs(),
        firstAtMs: world.clock.nowMs(),
        tally: [
          { standing: 'held', currency: 'EUR', count: 1, minorUnits: 1042n, elsewhere: 0 },
          { standing: 'accepted', currency: 'EUR', count: 1, minorUnits: 1042n, elsewhere: 0 },
          { standing: 'declined', currency: 'EUR', count: 1, minorUnits: 1042n, elsewhere: 0 },
        ],
      },
    });
    expect(world.batchResults).toEqual([batch?.closure && batchResultOf(batch, batch.closure)]);
    world.clock.advance(24 * 60 * minute);
    expect(await round(world)).toEqual(nothing);
    expect(world.batchResults).toHaveLength(1);
  });

  it('not while one order is in doubt', async () => {
    const world = aWorld({ profile: { statusInquiry: true } });
    await upload(world, [aJobOf('A'), aJobOf('B')]);
    world.gateway.moods('accepts', 'stalls');
    await deliverAll(world, aJobOf('A'), aJobOf('B'));
    expect(await round(world)).toEqual(nothing);
    world.gateway.statusStays('approved');
    await world.pass(60 * minute);
    expect(world.batchResults).toMatchObject([
      { final: true, outcomes: [{ standing: 'paid', currency: 'EUR', amount: '20.84', count: 2 }] },
    ]);
  });

  it('with an order that a callback alone has named, and tells what becomes of it', async () => {
    // given a batch that closed, and was laid to rest, before the job came
    const world = aWorld();
    await upload(world, [aJobOf('A')]);
    const unknown = { '9': { id: '9', since: 1, reports: ['seen'], amounts: [] } } as const;
    const at = { nowMs: world.clock.nowMs(), endId: 'end-1' };
    await begun(world.ports.orders, recorded(newOrder('acme-eu/A', at.nowMs), { ...noFacts, unknown }, at));
    expect(await round(world)).toEqual(one);
    await world.pass(60 * minute);
    // when a person decides, before the job comes
    await lookAndRelease('acme-eu/A', { as: 'not-paid', by: 'ops', reason: 'seen' }, world.ports);
    await deliverAll(world, aJobOf('A'));
    await world.pass(70 * minute);
    // then
    expect(world.batchResults.map(({ revision, outcomes }) => [revision, outcomes[0]?.standing])).toEqual([
      [1, 'held'],
      [2, 'failed'],
    ]);
  });

  it('with payouts whose order is another batch’s, or was refused by the contract', async () => {
    const world = aWorld();
    const bodies = [aJobOf('A'), aJobOf('B'), aJobOf('C', { params: { purpose: 'x' } })];
    await deliverAll(world, aJobOf('A', { batchId: 'earlier' }), aJobOf('B', { batchId: 'x', endpointId: '1' }));
    await upload(world, bodies);
    await deliverAll(world, aJobOf('A'), aJobOf('B'), aJobOf('C', { params: { purpose: 'x' } }));
    expect(await round(world)).toEqual(one);
    expect(world.batchResults).toMatchObject([
      {
        outcomes: [
          { standing: 'accepted', count: 1, elsewhere: 1 },
          { standing: 'failed', count: 1, elsewhere: 0 },
          { standing: 'id-taken', count: 1, elsewhere: 0 },
        ],
      },
    ]);
  });

  it('with a payout whose order is held in another batch, and tells what becomes of it', async () => {
    const world = aWorld();
    world.gateway.moods('stalls');
    await deliverAll(world, aJobOf('A', { batchId: 'earlier' }));
    await upload(world, [aJobOf('A')]);
    await deliverAll(world, aJobOf('A'));
    expect(await round(world)).toEqual(one);
    await world.pass(60 * minute);
    await lookAndRelease('acme-eu/A', { as: 'paid', by: 'ops', reason: 'seen' }, world.ports);
    await world.pass(70 * minute);
    expect(world.batchResults.map(({ revision, outcomes }) => [revision, outcomes[0]?.standing])).toEqual([
      [1, 'held'],
      [2, 'paid'],
    ]);
  });

  longIt('of many parts', async () => {
    const world = aWorld();
    const bodies = Array.from({ length: 1_201 }, (_, n) => aJobOf(`R-${n}`));
    await upload(world, bodies);
    await deliverAll(world, ...bodies.slice(0, 700));
    expect(await round(world)).toEqual(nothing);
    await deliverAll(world, ...bodies.slice(700));
    world.clock.advance(15 * minute);
    expect(await round(world)).toEqual(one);
    expect(world.batchResults).toMatchObject([{ rows: 1_201, outcomes: [{ count: 1_201, amount: '12514.42' }] }]);
  });

  it.each([
    ['too many rows in the header', { rows: 2 }],
    ['too much money in the header', { totals: { EUR: { count: 1, minorUnits: 1043n } } }],
    ['another currency in the header', { totals: { USD: { count: 1, minorUnits: 1042n } } }],
  ])('never with %s: a person must look', async (_, changes) => {
    const world = aWorld();
    await upload(world, [aJobOf('A')], changes);
    await deliverAll(world, aJobOf('A'));
    for (let day = 0; day < 3; day += 1) {
      expect(await round(world)).toEqual({ ...nothing, batchesUnbalanced: 1 });
      world.clock.advance(24 * 60 * minute);
    }
    expect(world.batchResults).toEqual([]);
    expect(world.log).toContainEqual({ level: 'error', event: 'batch-unbalanced', fields: { batchId } });
    expect(await world.batches.find(batchId)).toMatchObject({ state: 'uploaded' });
  });
});

describe('a batch with an index that is late', () => {
  it.each([3_000, 300_000])(
    'by %s ms closes, and is right, with a payout refused by the contract, one that never arrived, one paid earlier, and one corrected later',
    async (indexLagMs) => {
      // given
      const world = aWorld({ indexLagMs, profile: { statusInquiry: true } });
      const refused = aJobOf('REFUSED', { params: { purpose: 'x' } });
      const bodies = [aJobOf('PAID'), aJobOf('EARLIER'), refused, aJobOf('LATE')];
      await deliverAll(world, aJobOf('EARLIER', { batchId: 'earlier' }));
      world.gateway.statusStays('approved');
      await world.pass(10 * minute);
      await upload(world, bodies);
      await deliverAll(world, ...bodies.slice(0, 3));
      await world.pass(10 * minute);
      // when its last message comes at last
      expect(world.batchResults).toEqual([]);
      world.gateway.moods('refuses the order');
      await deliverAll(world, aJobOf('LATE'));
      await world.pass(70 * minute);
      // then
      const outcomes = [
        { standing: 'paid', count: 2, elsewhere: 1 },
        { standing: 'declined', count: 1 },
        { standing: 'failed', count: 1 },
      ];
      expect(world.batchResults).toMatchObject([{ revision: 1, status: 'closed', final: true, outcomes }]);
      // and when the gateway reports later that it has paid that one all the same
      const declined = world.items.get('acme-eu/LATE');
      if (!declined) throw new Error('there is no order');
      const [attempt] = Object.values(declined.facts.attempts);
      const late = ofAttempt({ ...anAttempt(), ...attempt, reports: ['approved'] });
      const now = recorded(declined, late, { nowMs: world.clock.nowMs(), endId: 'end-2' });
      expect(now.version).toBeGreaterThan(declined.version);
      await world.ports.orders.write(declined, now);
      await world.pass(10 * minute);
      expect(world.batchResults.at(-1)).toMatchObject({
        revision: 2,
        outcomes: [
          { standing: 'paid', count: 3 },
          { standing: 'failed', count: 1 },
        ],
      });
      expect(await world.batches.find(batchId)).toMatchObject({ state: 'closed' });
    },
  );
});

describe('how often a batch is looked at', () => {
  function looks(world: World) {
    const looked: number[] = [];
    const batchIndex: BatchIndex = {
      entries(id) {
        looked.push(world.clock.nowMs());
        return world.ports.batchIndex.entries(id);
      },
    };
    return { looked, ports: { ...world.ports, batchIndex } };
  }

  it('is each minute while it changes, and every hour at last where nothing does', async () => {
    const world = aWorld();
    await upload(world, [aJobOf('A'), aJobOf('B')]);
    const { looked, ports } = looks(world);
    const startMs = world.clock.nowMs();
    for (let passed = 0; passed < 48 * 60; passed += 1) {
      world.clock.advance(minute);
      if (passed === 5) await deliverAll(world, aJobOf('A'));
      await settleBatches(ever, ports);
    }
    const minutes = looked.map((atMs) => Math.round((atMs - startMs) / minute));
    expect(minutes.slice(0, 12)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(minutes.slice(-2)).toEqual([2761, 2821]);
    expect(looked.length).toBeLessThan(100);
  });

  it('ends once it is closed and nothing has moved since', async () => {
    const world = aWorld();
    await upload(world, [aJobOf('A')]);
    await deliverAll(world, aJobOf('A'));
    const { looked, ports } = looks(world);
    for (let passed = 0; passed < 60; passed += 1) {
      world.clock.advance(minute);
      await settleBatches(ever, ports);
    }
    expect(looked).toHaveLength(2);
  });

  it('ends with the time of the round, and the next round begins with the others', async () => {
    const world = aWorld();
    await upload(world, [aJobOf('A')]);
    await deliverAll(world, aJobOf('A'));
    expect(await round(world, world.clock.nowMs())).toEqual(nothing);
    expect(await round(world)).toEqual(one);
  });

  it('goes on in the next round where a round was too short for a batch of held payouts', async () => {
    // given 501 held payouts, of which a read of fifty takes four seconds
    const world = aWorld();
    const bodies = Array.from({ length: 501 }, (_, n) => aJobOf(`R-${n}`));
    await upload(world, bodies);
    for (const { orderId } of bodies) {
      const order = anOrderThatStands({ batchId, orderId, standing: 'held' });
      world.items.set(order.key, order);
    }
    const reads: number[] = [];
    const knownOrders: KnownOrders = {
      read(keys, how) {
        reads.push(keys.length);
        world.clock.advance(4_000);
        return world.ports.knownOrders.read(keys, how);
      },
    };
    // when
    const rounds: number[] = [];
    while (world.batchResults.length === 0 && rounds.length < 20) {
      reads.length = 0;
      await round(world, ever, { ...world.ports, knownOrders });
      rounds.push(reads.length);
      world.clock.advance(minute);
    }
    // then
    expect(rounds.length).toBeGreaterThan(1);
    expect(Math.max(...rounds)).toBeLessThan(10);
    expect(rounds.reduce((sum, reads) => sum + reads, 0)).toBeLessThan(20);
    expect(world.batchResults).toMatchObject([{ outcomes: [{ standing: 'held', count: 501, amount: '5220.42' }] }]);
  });

  it('goes on at once with a batch for which a round was too short', async () => {
    const world = aWorld();
    await upload(world, [aJobOf('A')]);
    await deliverAll(world, aJobOf('A'));
    const slow: BatchIndex = {
      entries(id) {
        world.clock.advance(40_000);
        return world.ports.batchIndex.entries(id);
      },
    };
    expect(await round(world, ever, { ...world.ports, batchIndex: slow })).toEqual(nothing);
    expect(await round(world)).toEqual(one);
  });
});

it('tells once of a registrar who tried to approve, and of nothing else of that batch', async () => {
  const world = aWorld();
  const content = { batchId: 'held', fileHash: 'ab', contentHash: 'cd', rows: 1, totals: {} };
  await world.batches.register(newBatch({ ...content, by: 'ada', nowMs: startMs, heldUntilMs: startMs + 60_000 }));
  await world.batches.noteOnePerson('held', startMs);
  world.clock.advance(1);
  expect(await batchesRound(world.ports)(ever)).toMatchObject({ onePersonTwoRoles: 1 });
  expect(world.log).toContainEqual({ level: 'error', event: 'one-person-two-roles', fields: { batchId: 'held' } });
  expect(await batchesRound(world.ports)(ever)).toMatchObject({ onePersonTwoRoles: 0 });
});
