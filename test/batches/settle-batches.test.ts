// Batches come to their end: when every row has ended and the sums are those of the file, and then with exactly one
// result, whatever fails on the way.
import { describe, expect, it } from 'vitest';
import { batchesRound, settleBatches } from '../../lib/batches/settle-batches.ts';
import { type BatchRow, newBatch } from '../../lib/batches/batch.ts';
import { batchResultOf } from '../../lib/batches/batch-result.ts';
import { mayHaveMoved } from '../../lib/batches/row-marks.ts';
import { aRecord } from '../support/records.ts';
import { longIt } from '../support/long-proof.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aJobOf, batchId, upload } from '../support/uploaded-batch.ts';
import { aWorld, type World } from '../support/world.ts';

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

  it('not while a part is missing', async () => {
    const world = aWorld();
    await upload(world, [aJobOf('A')], { rows: 501, parts: 2 });
    await deliverAll(world, aJobOf('A'));
    expect(await round(world)).toEqual(nothing);
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

  it('asks for no more rows of a part than it takes to find an open one', async () => {
    const world = aWorld();
    const bodies = Array.from({ length: 500 }, (_, n) => aJobOf(`R-${n}`));
    await upload(world, bodies);
    const { looked, ports } = reads(world);
    world.clock.advance(1);
    await settleBatches(ever, ports);
    expect(looked).toHaveLength(1);
  });

  it('ends with the time of the round, and the next round begins with the others', async () => {
    const world = aWorld();
    await upload(world, [aJobOf('A')]);
    await deliverAll(world, aJobOf('A'));
    expect(await round(world, world.clock.nowMs())).toEqual(nothing);
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

  it('is not hindered by another batch that can’t be settled', async () => {
    const world = aWorld();
    await upload(world, [aJobOf('A')]);
    await upload(world, [aJobOf('B', { batchId: 'other' })], { batchId: 'other' });
    await deliverAll(world, aJobOf('A'), aJobOf('B', { batchId: 'other' }));
    const batchRows = {
      read: async (id: string, rows: readonly BatchRow[]) => {
        if (id === batchId) throw new Error('unreadable');
        return world.rows.read(id, rows);
      },
    };
    world.clock.advance(1);
    expect(await settleBatches(ever, { ...world.ports, batchRows })).toEqual(one);
    expect(world.batchResults).toMatchObject([{ batchId: 'other' }]);
    expect(world.log).toContainEqual({
      level: 'error',
      event: 'batch-not-settled',
      fields: { batchId, errorName: 'Error' },
    });
  });
});

it('the sweeper closes batches and counts them, after it has measured doubt', async () => {
  const world = aWorld();
  await upload(world, [aJobOf('A')]);
  await deliverAll(world, aJobOf('A'));
  world.clock.advance(minute);
  await world.sweep();
  expect(world.batchResults).toHaveLength(1);
  expect(world.figures.at(-2)?.values).toEqual({ batchesClosed: 1, batchesUnbalanced: 0 });
});

it('the sweeper counts a batch that does not add up beside one that does', async () => {
  const world = aWorld();
  await upload(world, [aJobOf('A')]);
  await upload(world, [aJobOf('B', { batchId: 'odd' })], { batchId: 'odd', rows: 2 });
  await deliverAll(world, aJobOf('A'), aJobOf('B', { batchId: 'odd' }));
  world.clock.advance(minute);
  await world.sweep();
  expect(world.figures.at(-2)?.values).toEqual({ batchesClosed: 1, batchesUnbalanced: 1 });
});

describe('a batch that is half sent', () => {
  const content = { batchId: 'half', fileHash: 'ab', contentHash: 'cd', rows: 2, totals: {} };
  const alarms = ({ log }: World) => log.filter(({ event }) => event === 'batch-left-uploading');

  async function halfSent(): Promise<World> {
    const world = aWorld();
    await world.batches.register(newBatch({ ...content, by: 'ada', nowMs: startMs }));
    return world;
  }

  /** What the sweeper counts, minute by minute. */
  async function leftIn(world: World, minutes: number): Promise<number> {
    let left = 0;
    for (let n = 0; n < minutes; n += 1) {
      world.clock.advance(minute);
      left += (await settleBatches(ever, world.ports)).left;
    }
    return left;
  }

  it('is told by name an hour after it was left, and each quarter of an hour from then on', async () => {
    const world = await halfSent();
    expect(await leftIn(world, 60)).toBe(0);
    expect(await leftIn(world, 1)).toBe(1);
    expect(world.log).toContainEqual({ level: 'error', event: 'batch-left-uploading', fields: { batchId: 'half' } });
    expect(await leftIn(world, 60)).toBe(4);
    expect(await batchesRound(world.ports).run(ever)).toEqual({});
    world.clock.advance(15 * minute);
    expect(await batchesRound(world.ports).run(ever)).toEqual({ batchesLeft: 1 });
  });

  it('is not left while its upload comes further', async () => {
    const world = await halfSent();
    for (let hours = 0; hours < 5; hours += 1) {
      expect(await leftIn(world, 50)).toBe(0);
      await world.batches.uploadMoved('half', world.clock.nowMs());
    }
    expect(await leftIn(world, 60)).toBe(0);
    expect(await leftIn(world, 2)).toBe(1);
  });

  it('is quiet once somebody has gone on with it', async () => {
    const world = await halfSent();
    expect(await leftIn(world, 61)).toBe(1);
    await world.batches.uploadMoved('half', world.clock.nowMs());
    expect(await leftIn(world, 30)).toBe(0);
    await world.batches.finishUpload('half', world.clock.nowMs());
    await leftIn(world, 120);
    expect(alarms(world)).toHaveLength(1);
  });

  it('is quiet for good once it is called off', async () => {
    const world = await halfSent();
    expect(await leftIn(world, 61)).toBe(1);
    await world.controls.cancelBatch('half', { by: 'ops', reason: 'its file is lost', atMs: startMs });
    await leftIn(world, 24 * 60);
    expect(alarms(world)).toHaveLength(1);
  });

  it('hinders no other batch where it can not be looked at', async () => {
    const world = await halfSent();
    await upload(world, [aJobOf('A')]);
    await deliverAll(world, aJobOf('A'));
    world.clock.advance(90 * minute);
    const controlsAdmin = { isCalledOff: async () => Promise.reject(new Error('away')) };
    expect(await settleBatches(ever, { ...world.ports, controlsAdmin })).toEqual(one);
    expect(world.log).toContainEqual({
      level: 'error',
      event: 'batch-not-settled',
      fields: { batchId: 'half', errorName: 'Error' },
    });
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
