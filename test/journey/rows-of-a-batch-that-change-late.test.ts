// A batch was told, and then one of its rows moves: redriven and paid days later, released by a person, taken back by the
// gateway. The next revision of the batch result says so, however late it comes and whoever dies on the way.
import { describe, expect, it } from 'vitest';
import { rowsPerPart } from '../../lib/batches/batch.ts';
import { settleBatches } from '../../lib/batches/settle-batches.ts';
import { releaseOrder } from '../../lib/payout/operate/decide.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aRecord, longAgoMs } from '../support/records.ts';
import { aJobOf, batchId, upload } from '../support/uploaded-batch.ts';
import { aWorld, type World } from '../support/world.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const ever = Number.MAX_SAFE_INTEGER;

/** A sweep a minute later. */
function round(world: World) {
  world.clock.advance(minute);
  return settleBatches(ever, world.ports);
}

/** What was told last, in short. */
function told({ batchResults }: World) {
  const { revision, status, final, outcomes = [] } = batchResults.at(-1) ?? {};
  return { revision, status, final, rows: Object.fromEntries(outcomes.map((it) => [it.status, it.count])) };
}

/** One row whose connection was refused until nobody tried again: it has failed, its message is a dead letter. */
async function aFailedRow(): Promise<World> {
  const world = aWorld();
  await upload(world, [aJobOf('A'), aJobOf('B')]);
  world.gateway.moods('accepts', 'refuses the connection');
  await world.deliver(aRecord(aJobOf('A')));
  await world.deliver(aRecord(aJobOf('B'), { sentAtMs: longAgoMs }));
  await round(world);
  expect(told(world)).toEqual({ revision: 1, status: 'closed', final: true, rows: { accepted: 1, failed: 1 } });
  return world;
}

/** The dead letter of the row, as whoever redrives it sends it: it names the end that was seen. */
const deadLetter = ({ jobsQueue, entries }: World, key = 'acme-eu/B') => {
  const [letter] = jobsQueue.deadLetters.taken;
  if (!letter) throw new Error('the message is a dead letter');
  return aRecord(JSON.stringify({ ...JSON.parse(letter.body), resends: entries.get(key)?.endId }));
};

describe('a row that had failed', () => {
  it('and is redriven and paid ten days after the batch was told, is told as paid', async () => {
    const world = await aFailedRow();
    world.clock.advance(10 * day);
    await world.deliver(deadLetter(world));
    await round(world);
    expect(told(world)).toEqual({ revision: 2, status: 'closed', final: true, rows: { accepted: 2 } });
    await round(world);
    expect(world.batchResults.map(({ resultId }) => resultId)).toEqual([`~batch/${batchId}/1`, `~batch/${batchId}/2`]);
  });

  it('and is redriven before the last row has ended, is not told as failed', async () => {
    const world = aWorld();
    const bodies = Array.from({ length: rowsPerPart + 1 }, (_, n) => aJobOf(`R${n}`));
    await upload(world, bodies);
    const [first = aJobOf('R0'), last = aJobOf('R0')] = [bodies[0], bodies.at(-1)];
    world.gateway.moods('refuses the connection');
    await world.deliver(aRecord(first, { sentAtMs: longAgoMs }));
    for (const body of bodies.slice(1, -1)) await world.deliver(aRecord(body));
    await round(world);
    await world.deliver(deadLetter(world, 'acme-eu/R0'));
    world.clock.advance(60 * minute);
    await world.deliver(aRecord(last));
    world.clock.advance(60 * minute);
    await round(world);
    expect(told(world)).toEqual({ revision: 1, status: 'closed', final: true, rows: { accepted: rowsPerPart + 1 } });
  });

  it('and of whose second attempt no answer came, is told as in doubt, and as paid once that is known', async () => {
    const world = await aFailedRow();
    world.gateway.moods('stalls');
    await world.deliver(deadLetter(world));
    await round(world);
    expect(told(world)).toEqual({ revision: 2, status: 'in-doubt', final: false, rows: { accepted: 1, held: 1 } });
    world.clock.advance(30 * day);
    const release = { as: 'paid', by: 'jane', reason: 'seen in the back office' } as const;
    expect(await releaseOrder('acme-eu/B', release, world.ports)).toMatchObject({ kind: 'done' });
    await round(world);
    expect(told(world)).toEqual({ revision: 3, status: 'closed', final: true, rows: { accepted: 1, approved: 1 } });
  });
});

it('a row that was refused after ten days of a pause, and whose letter is redriven ten days later, is told as paid', async () => {
  // given a row with a field that the profile does not name: nobody sees that before the merchant goes on
  const world = aWorld();
  await upload(world, [aJobOf('A', { params: { bank_city: 'Berlin' } })]);
  const saying = { by: 'ops', reason: 'audit', atMs: 0 };
  await world.controls.pause('acme-eu', true, saying);
  await world.deliver(aRecord(aJobOf('A', { params: { bank_city: 'Berlin' } })));
  world.clock.advance(10 * day);
  await world.controls.pause('acme-eu', false, saying);
  await world.again();
  await round(world);
  expect(told(world)).toEqual({ revision: 1, status: 'closed', final: true, rows: { failed: 1 } });
  // when the profile is mended, and the letter goes again before the dead-letter queue drops it
  for (let days = 0; days < 10; days += 1) {
    world.clock.advance(day);
    await round(world);
  }
  const fresh = someCredentials({ version: 'v2', profile: { extraFields: { payout: ['bank_city'] } } });
  world.credentials.rotate('acme-eu', fresh);
  await world.credentials.refresh('acme-eu', fresh);
  const [letter] = world.jobsQueue.deadLetters.taken;
  await world.deliver(aRecord(letter?.body ?? ''));
  expect(world.entries.get('acme-eu/A')).toMatchObject({ state: 'accepted' });
  // then
  for (let days = 0; days < 2; days += 1) {
    world.clock.advance(day);
    await round(world);
  }
  expect(told(world)).toEqual({ revision: 2, status: 'closed', final: true, rows: { accepted: 1 } });
});

describe('a row that was refused, redriven after thirteen days and refused again, and redriven once more when its profile was mended', () => {
  async function round(world: World, days: number) {
    for (let n = 0; n < days; n += 1) {
      world.clock.advance(day);
      await settleBatches(ever, world.ports);
    }
  }

  /** The letter of the second refusal; nobody looks at the batch any more. */
  async function afterSecondRefusal() {
    const world = aWorld();
    const row = aJobOf('A', { params: { bank_city: 'Berlin' } });
    await upload(world, [row]);
    await world.deliver(aRecord(row));
    await round(world, 13);
    const letters = world.jobsQueue.deadLetters.taken;
    if (!letters[0]) throw new Error('it was refused');
    await world.deliver(aRecord(letters[0].body, { attributes: { redrives: '1' } }));
    await round(world, 7);
    const fresh = someCredentials({ version: 'v2', profile: { extraFields: { payout: ['bank_city'] } } });
    world.credentials.rotate('acme-eu', fresh);
    await world.credentials.refresh('acme-eu', fresh);
    if (!letters[1]) throw new Error('it was refused again');
    return { world, letter: aRecord(letters[1].body, { attributes: { redrives: '2' } }) };
  }

  it('is told as paid', async () => {
    const { world, letter } = await afterSecondRefusal();
    await world.deliver(letter);
    expect(world.entries.get('acme-eu/A')).toMatchObject({ state: 'accepted' });
    await round(world, 2);
    expect(world.batchResults.at(-1)).toMatchObject({ outcomes: [{ status: 'accepted', count: 1 }] });
  });

  it('is told as in doubt where the answer is lost, although its message waits for what becomes of it', async () => {
    const { world, letter } = await afterSecondRefusal();
    world.gateway.moods('stalls');
    await world.deliver(letter);
    expect(world.waits()).toMatchObject([{ because: 'kept' }]);
    await round(world, 2);
    expect(world.batchResults.at(-1)).toMatchObject({ status: 'in-doubt', outcomes: [{ inDoubt: 1 }] });
  });

  it('is sent only once that is announced', async () => {
    const { world, letter } = await afterSecondRefusal();
    world.rows.stays('down');
    await world.deliver(letter);
    expect(world.gateway.posts).toEqual([]);
    world.rows.stays('up');
    await world.waitIsOver();
    await round(world, 2);
    expect(world.batchResults.at(-1)).toMatchObject({ outcomes: [{ status: 'accepted', count: 1 }] });
  });
});

it('a row that is being sent again while the sweeper looks stays as it was told until its new result is there', async () => {
  const world = await aFailedRow();
  world.gateway.meanwhile(async () => {
    world.gateway.meanwhile(() => {});
    for (let n = 0; n < 3; n += 1) await round(world);
    expect(told(world)).toMatchObject({ revision: 1, rows: { accepted: 1, failed: 1 } });
  });
  await world.deliver(deadLetter(world));
  for (let n = 0; n < 5; n += 1) await round(world);
  expect(told(world)).toEqual({ revision: 2, status: 'closed', final: true, rows: { accepted: 2 } });
});

it('a row of which a callback says weeks later that it was paid after all is counted as paid', async () => {
  const world = aWorld();
  await upload(world, [aJobOf('A')]);
  world.gateway.moods('refuses the order');
  await world.deliver(aRecord(aJobOf('A')));
  await round(world);
  expect(told(world)).toEqual({ revision: 1, status: 'closed', final: true, rows: { declined: 1 } });
  world.clock.advance(40 * day);
  const paid = { status: 'approved', orderid: '9000001', client_orderid: 'A', amount: '10.42', currency: 'EUR' };
  expect(await world.callBack(paid)).toBe(200);
  await round(world);
  expect(told(world)).toEqual({ revision: 2, status: 'closed', final: true, rows: { approved: 1 } });
});

it('rows that the gateway pays by and by are told in few revisions, the last of them final', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  const bodies = Array.from({ length: 20 }, (_, n) => aJobOf(`R-${n}`));
  await upload(world, bodies);
  for (const body of bodies) await world.deliver(aRecord(body));
  await round(world);
  expect(told(world)).toEqual({ revision: 1, status: 'closed', final: false, rows: { accepted: 20 } });
  world.gateway.statusStays('approved');
  await world.pass(day);
  for (let n = 0; n < 30; n += 1) await round(world);
  expect(told(world)).toMatchObject({ status: 'closed', final: true, rows: { approved: 20 } });
  expect(world.batchResults.length).toBeLessThan(5);
});

it('a row whose order is another batch’s is told anew in both', async () => {
  const world = await aFailedRow();
  await upload(world, [aJobOf('B', { batchId: 'second' })], { batchId: 'second' });
  await world.deliver(aRecord(aJobOf('B', { batchId: 'second' })));
  await round(world);
  expect(world.batchResults.at(-1)).toMatchObject({
    batchId: 'second',
    outcomes: [{ status: 'failed', elsewhere: 1 }],
  });
  world.clock.advance(10 * day);
  await world.deliver(deadLetter(world));
  await round(world);
  expect(world.batchResults.slice(-2)).toMatchObject([
    { resultId: `~batch/${batchId}/2`, outcomes: [{ status: 'accepted', count: 2, elsewhere: 0 }] },
    { resultId: '~batch/second/2', outcomes: [{ status: 'accepted', count: 1, elsewhere: 1 }] },
  ]);
});

it('a row whose message was refused is told as paid once a mended one was taken', async () => {
  const world = aWorld();
  const row = aJobOf('A', { params: { purpose: 'wages' } });
  await upload(world, [row]);
  await world.deliver(aRecord(row));
  await round(world);
  expect(told(world)).toEqual({ revision: 1, status: 'closed', final: true, rows: { failed: 1 } });
  world.clock.advance(2 * day);
  await world.deliver(aRecord(aJobOf('A')));
  world.clock.advance(day);
  await round(world);
  expect(told(world)).toEqual({ revision: 2, status: 'closed', final: true, rows: { accepted: 1 } });
});

it('a row that was called off is told as cancelled, not as failed', async () => {
  const world = aWorld();
  await upload(world, [aJobOf('A'), aJobOf('B')]);
  await world.deliver(aRecord(aJobOf('A')));
  await world.controls.cancelBatch(batchId, { by: 'ops', reason: 'twice', atMs: 0 });
  await world.deliver(aRecord(aJobOf('B')));
  await round(world);
  expect(told(world)).toEqual({ revision: 1, status: 'closed', final: true, rows: { accepted: 1, cancelled: 1 } });
});

describe('whoever dies on the way', () => {
  /** What is told of the redriven row once all is up again. */
  const paid = { status: 'closed', final: true, rows: { accepted: 2 } };

  it('between the announcement and the order’s own write: nothing is told, and the next attempt is', async () => {
    const world = await aFailedRow();
    world.orders.stays('down', 'write');
    await world.deliver(deadLetter(world));
    world.orders.stays('up', 'write');
    for (let n = 0; n < 10; n += 1) await round(world);
    expect(told(world)).toMatchObject({ revision: 1, rows: { failed: 1 } });
    await world.deliver(deadLetter(world));
    await round(world);
    await round(world);
    expect(told(world)).toMatchObject(paid);
  });

  it('before the announcement: the order is not moved, and its message comes again', async () => {
    const world = await aFailedRow();
    const { announce } = world.ports.orderChanges;
    world.ports.orderChanges.announce = async () => {
      throw new Error('the table did not answer');
    };
    const staying = await world.deliver(deadLetter(world));
    expect([...staying, ...world.waits()]).toHaveLength(1);
    expect(world.entries.get('acme-eu/B')?.state).toBe('failed');
    world.ports.orderChanges.announce = announce;
    await world.deliver(deadLetter(world));
    await round(world);
    expect(told(world)).toMatchObject(paid);
  });
});
