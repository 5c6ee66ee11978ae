// Batches come to their end: when every row has ended and the sums are those of the file, and then with exactly one
// result, whatever fails on the way.
import { describe, expect, it } from 'vitest';
import { batchesRound, settleBatches } from '../../lib/batches/settle-batches.ts';
import { type BatchRow, newBatch } from '../../lib/batches/batch.ts';
import { batchResultOf } from '../../lib/batches/batch-result.ts';

import { totalsOf } from '../../lib/batches/tally.ts';
import { mayHaveMoved } from '../../lib/batches/row-marks.ts';
import { aRecord } from '../support/records.ts';
import { longIt } from '../support/long-proof.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aJobOf, batchId, rowOf, upload } from '../support/uploaded-batch.ts';
import { aWorld, type World } from '../support/world.ts';
import { lookAndRelease } from '../support/look-and-release.ts';

const minute = 60_000;
const ever = Number.MAX_SAFE_INTEGER;

async function deliverAll(world: World, ...bodies: object[]): Promise<void> {
  for (const body of bodies) await world.deliver(aRecord(JSON.stringify(body)));
}

/** One round a millisecond later. */
function round(world: World, deadlineMs = ever) {
  world.clock.advance(1);
  return settleBatches(deadlineMs, world.ports);
}

const nothing = { closed: 0, unbalanced: 0, onePerson: 0, left: 0 };
const one = { closed: 1, unbalanced: 0, onePerson: 0, left: 0 };

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
      closure: {
        revision: 1,
        atMs: world.clock.nowMs(),
        firstAtMs: world.clock.nowMs(),
        tally: [
          { end: 'accepted', currency: 'EUR', count: 1, minorUnits: 1042n, notFinal: 0, elsewhere: 0, inDoubt: 0 },
          { end: 'declined', currency: 'EUR', count: 1, minorUnits: 1042n, notFinal: 0, elsewhere: 0, inDoubt: 0 },
          { end: 'held', currency: 'EUR', count: 1, minorUnits: 1042n, notFinal: 1, elsewhere: 0, inDoubt: 1 },
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
      { final: true, outcomes: [{ status: 'approved', currency: 'EUR', amount: '20.84', count: 2, notFinal: 0 }] },
    ]);
  });

  it('with a held row, and tells its release in the next revision', async () => {
    const world = aWorld();
    await upload(world, [aJobOf('A')]);
    world.gateway.moods('stalls');
    await deliverAll(world, aJobOf('A'));
    expect(await round(world)).toEqual(one);
    await lookAndRelease('acme-eu/A', { as: 'paid', by: 'ops', reason: 'seen' }, world.ports);
    world.clock.advance(15 * minute);
    await round(world);
    expect(world.batchResults.map(({ revision, outcomes }) => [revision, outcomes[0]?.status])).toEqual([
      [1, 'held'],
      [2, 'approved'],
    ]);
  });

  it('with rows that never became an order of it', async () => {
    const world = aWorld();
    const bodies = [aJobOf('A'), aJobOf('B'), aJobOf('C', { params: { purpose: 'x' } })];
    await deliverAll(world, aJobOf('A', { batchId: 'earlier' }), aJobOf('B', { batchId: 'x', endpointId: '1' }));
    await upload(world, bodies);
    await deliverAll(world, aJobOf('A'), aJobOf('B'), aJobOf('C', { params: { purpose: 'x' } }));
    expect(await round(world)).toEqual(one);
    expect(world.batchResults).toMatchObject([
      {
        outcomes: [
          { status: 'accepted', count: 1, elsewhere: 1 },
          { status: 'failed', count: 2, elsewhere: 0 },
        ],
      },
    ]);
  });

  longIt('of many parts, some of which were noted before', async () => {
    const world = aWorld();
    const bodies = Array.from({ length: 1_201 }, (_, n) => aJobOf(`R-${n}`));
    await upload(world, bodies);
    await deliverAll(world, ...bodies.slice(0, 700));
    expect(await round(world)).toEqual(nothing);
    expect(await rowsEnded(world)).toEqual([500, 200, 0]);
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
      expect(await round(world)).toEqual({ closed: 0, unbalanced: 1, onePerson: 0, left: 0 });
      world.clock.advance(24 * 60 * minute);
    }
    expect(world.batchResults).toEqual([]);
    expect(world.log).toContainEqual({ level: 'error', event: 'batch-unbalanced', fields: { batchId } });
    expect(await world.batches.find(batchId)).toMatchObject({ state: 'uploaded' });
  });
});

/** Rows by part that need not be read again. */
async function rowsEnded({ batches }: World): Promise<number[]> {
  const ended: number[] = [];
  for await (const { marks } of batches.ends({ batchId, parts: 9 }))
    ended.push([...marks].filter((mark) => !mayHaveMoved(mark)).length);
  return ended;
}

describe('how often a batch is looked at', () => {
  const reads = (world: World) => {
    const looked: number[] = [];
    const batchRows = {
      read: async (id: string, rows: readonly BatchRow[]) => {
        looked.push(world.clock.nowMs());
        return world.rows.read(id, rows);
      },
    };
    return { looked, ports: { ...world.ports, batchRows } };
  };

  it('is each minute at first, and every quarter of an hour for one that takes days', async () => {
    const world = aWorld();
    await upload(world, [aJobOf('A')]);
    const { looked, ports } = reads(world);
    const startMs = world.clock.nowMs();
    for (let passed = 0; passed < 24 * 60; passed += 1) {
      world.clock.advance(minute);
      await settleBatches(ever, ports);
    }
    const minutes = looked.map((atMs) => Math.round((atMs - startMs) / minute));
    expect(minutes.slice(0, 15)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20]);
    expect(minutes.slice(-3)).toEqual([1398, 1413, 1428]);
    expect(looked.length).toBeLessThan(130);
  });

  it('ends with the time of the round, and the next round begins with the others', async () => {
    const world = aWorld();
    await upload(world, [aJobOf('A')]);
    await deliverAll(world, aJobOf('A'));
    expect(await round(world, world.clock.nowMs())).toEqual(nothing);
    expect(await round(world)).toEqual(one);
  });

  it('goes on at once with a batch for which a round was too short', async () => {
    // given a batch of ten parts that has ended, and ten seconds for each part
    const world = aWorld();
    const bodies = Array.from({ length: 10 }, (_, n) => aJobOf(`R-${n}`));
    const rows = bodies.map(rowOf);
    const content = {
      batchId,
      fileHash: 'ab'.repeat(32),
      contentHash: '12',
      rows: 10,
      totals: totalsOf(rows),
      by: 'ada',
    };
    await world.batches.register({ ...newBatch({ ...content, nowMs: world.clock.nowMs() }), parts: 10 });
    for (const [n, row] of rows.entries()) await world.batches.putPart(batchId, n, [row]);
    await world.batches.finishUpload(batchId, world.clock.nowMs());
    await deliverAll(world, ...bodies);
    const batchRows = {
      async read(...asked: Parameters<World['rows']['read']>) {
        world.clock.advance(10_000);
        return world.rows.read(...asked);
      },
    };
    world.clock.advance(1);
    // when the first round is over, then the next one ends it, and does not wait for its minute
    expect(await settleBatches(ever, { ...world.ports, batchRows })).toEqual(nothing);
    expect(await round(world)).toEqual(one);
  });

  it('leaves announced changes half of the round, however many a sender has announced', async () => {
    // given forty batches that were told, and a message that says it is a redriven row for each of them
    const world = aWorld();
    const others = Array.from({ length: 40 }, (_, n) => aJobOf(`O-${n}`, { batchId: `other-${n}` }));
    for (const [n, it] of others.entries()) await upload(world, [it], { batchId: `other-${n}` });
    await deliverAll(world, ...others);
    expect(await round(world)).toEqual({ ...nothing, closed: 40 });
    for (const n of others.keys())
      await world.rows.announceOrder({ batchId: `other-${n}`, orderKey: `acme-eu/O-${n}` });
    // when a batch has ended whose turn it is, and each count takes a second
    await upload(world, [aJobOf('A')]);
    await deliverAll(world, aJobOf('A'));
    const batchRows = {
      async read(...asked: Parameters<World['rows']['read']>) {
        world.clock.advance(1_000);
        return world.rows.read(...asked);
      },
    };
    world.clock.advance(1);
    // then
    expect(await settleBatches(ever, { ...world.ports, batchRows })).toEqual(one);
    expect(world.batchResults.at(-1)).toMatchObject({ batchId });
  });
});

it('tells once of a registrar who tried to approve, and of nothing else of that batch', async () => {
  const world = aWorld();
  const content = { batchId: 'held', fileHash: 'ab', contentHash: 'cd', rows: 1, totals: {} };
  await world.batches.register(newBatch({ ...content, by: 'ada', nowMs: startMs, heldUntilMs: startMs + 60_000 }));
  await world.batches.noteOnePerson('held', startMs);
  world.clock.advance(1);
  expect(await batchesRound(world.ports).run(ever)).toEqual({ onePersonTwoRoles: 1 });
  expect(world.log).toContainEqual({ level: 'error', event: 'one-person-two-roles', fields: { batchId: 'held' } });
  expect(await batchesRound(world.ports).run(ever)).toEqual({});
});
