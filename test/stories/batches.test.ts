// The payouts of a file: called off, told by its own rows, and told anew when a row moves later.
import { describe, expect, it } from 'vitest';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob, type JobBody } from '../support/jobs.ts';
import { days, hours, minutes, seconds, storyWorld, type StoryWorld } from './harness.ts';

const row = (orderId: string, changes: Parameters<typeof aPayoutJob>[0] = {}) =>
  aPayoutJob({ orderId, context: { row: orderId }, ...changes });
/** What was told of the batch last, in short. */
function told(world: StoryWorld, batchId = 'first') {
  const { revision, status, final, outcomes = [] } = world.batchResults(batchId).at(-1) ?? {};
  return { revision, status, final, rows: Object.fromEntries(outcomes.map((it) => [it.standing, it.count])) };
}
const closed = (revision: number, rows: object) => ({ revision, status: 'closed', final: true, rows });

describe('a batch is called off', () => {
  it('in the middle: what was sent keeps its end, the rest is cancelled, each job with one result', async () => {
    const world = storyWorld();
    const rows = ['INV-1', 'INV-2', 'INV-3'].map((orderId) => row(orderId));
    world.gateway.answers('INV-3', 'cannot be reached');
    const messages = await world.uploads('first', rows);
    world.gateway.answers('INV-1', { as: 'taken', meanwhile: () => world.person.callsOffBatch('first') });
    world.send(row('INV-4'));
    await world.pass(2 * hours);
    for (const message of messages) world.redeliver(message);
    await world.pass(2 * hours);
    expect(['INV-1', 'INV-2', 'INV-3', 'INV-4'].map((orderId) => world.gateway.posts(orderId))).toEqual([1, 0, 0, 1]);
    expect(['INV-2', 'INV-3'].map((orderId) => world.last(orderId))).toMatchObject([
      { status: 'cancelled', amount: '10.42', batchId: 'first', context: { row: 'INV-2' }, attempts: 0 },
      { status: 'cancelled' },
    ]);
    expect([world.last('INV-1')?.status, told(world)]).toEqual(['accepted', closed(1, { accepted: 1, cancelled: 2 })]);
    expect(world.retold()).toEqual([]);
  });

  it.each<[what: string, begins: (world: StoryWorld) => Promise<unknown> | void, status: string]>([
    ['waits to be sent again', ({ gateway }) => gateway.answers('INV-1', 'cannot be reached'), 'cancelled'],
    ['is in doubt', ({ gateway }) => gateway.answers('INV-1', 'silent'), 'held'],
  ])('while an order of it %s', async (_, begins, status) => {
    const world = storyWorld();
    await begins(world);
    await world.uploads('first', [row('INV-1')]);
    await world.pass(1 * seconds);
    await world.person.callsOffBatch('first');
    await world.pass(1 * hours);
    expect(world.last('INV-1')?.status).toBe(status);
  });

  it('for good: whatever is called back of an order that was never sent, no name opens its end', async () => {
    // given
    const world = storyWorld();
    await world.person.pauses();
    await world.uploads('first', [row('INV-1')]);
    await world.person.callsOffBatch('first');
    await world.pass(2 * hours);
    expect(world.last('INV-1')?.status).toBe('cancelled');
    // when somebody else's transaction under its id is called back, and a person has looked
    expect(await world.callback('INV-1', 'processing', { id: '777' })).toBe(200);
    await world.pass(1 * hours);
    expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
    await world.person.resumes();
    const { endId = '' } = world.last('INV-1') ?? {};
    world.send(aPayoutJob({ resends: endId }));
    await world.pass(1 * hours);
    // then
    expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([0, 'cancelled']);
  });

  it.each([
    [['first'], 1, 'accepted'],
    [['second'], 1, 'accepted'],
    [['first', 'second'], 0, 'cancelled'],
    [['second', 'first'], 0, 'cancelled'],
  ])('of two batches of one file whose order waits for both, %j: %i POSTs', async (batchIds, posts, status) => {
    for (const isTried of [true, false]) {
      const world = storyWorld();
      world.gateway.answers('INV-1', ...Array.from({ length: 30 }, () => 'cannot be reached' as const));
      await world.uploads('first', [row('INV-1')]);
      await world.pass(1 * seconds);
      if (!isTried) await world.person.pauses();
      await world.uploads('second', [row('INV-1')]);
      await world.pass(1 * seconds);
      const before = world.gateway.posts('INV-1');
      for (const batchId of batchIds) {
        await world.person.callsOffBatch(batchId);
        await world.pass(1 * minutes);
      }
      world.gateway.forgets('INV-1');
      await world.person.resumes();
      await world.pass(3 * hours);
      expect([world.gateway.posts('INV-1') - before, world.last('INV-1')?.status]).toEqual([posts, status]);
    }
  });
});

describe('a row is told by its own order, or by its own message', () => {
  const elsewhere = { params: { account_number: 'DE02120300000000202051' } };

  it.each<[what: string, before: JobBody | undefined, its: JobBody, rows: object, posts: number]>([
    ['whose order id was used for another account', row('INV-1', elsewhere), row('INV-1'), { 'id-taken': 1 }, 1],
    [
      'that another batch sent before, to the letter',
      row('INV-1', { batchId: 'earlier' }),
      row('INV-1'),
      { accepted: 1 },
      1,
    ],
    [
      'whose contract does not know a field of it',
      undefined,
      row('INV-1', { params: { purpose: 'wages' } }),
      { failed: 1 },
      0,
    ],
    ['that came too late', undefined, row('INV-1', { expiresAt: '2026-11-21T09:00:00Z' }), { failed: 1 }, 0],
  ])('%s', async (_, before, its, rows, posts) => {
    const world = storyWorld();
    if (before) world.send(before);
    await world.pass(1 * minutes);
    await world.uploads('first', [its]);
    await world.pass(2 * hours);
    expect([told(world), world.gateway.posts('INV-1')]).toEqual([closed(1, rows), posts]);
  });

  it('whose order id its own batch has used for other content', async () => {
    const world = storyWorld();
    world.send(row('INV-1', { ...elsewhere, batchId: 'first' }));
    await world.pass(1 * seconds);
    await world.uploads('first', [row('INV-1')]);
    await world.pass(2 * hours);
    expect(world.gateway.posts('INV-1')).toBe(1);
    expect(told(world)).toEqual(closed(1, { 'id-taken': 1 }));
  });
});

describe('a batch that opens the end of an order of an earlier one', () => {
  async function retried() {
    const world = storyWorld();
    world.gateway.answers('A', 'refuses the order');
    await world.uploads('first', [row('A')]);
    await world.pass(10 * minutes);
    expect(told(world)).toEqual(closed(1, { declined: 1 }));
    await world.person.pauses();
    await world.uploads('second', [row('A', { resends: world.last('A')?.endId ?? '' })]);
    await world.pass(3 * hours);
    expect(world.batchResults('second')).toEqual([]);
    return world;
  }

  it('is open until that job has run', async () => {
    const world = await retried();
    await world.person.resumes();
    await world.pass(2 * hours);
    expect(told(world, 'second')).toEqual(closed(1, { accepted: 1 }));
  });

  it('has ended where it is called off', async () => {
    const world = await retried();
    await world.person.callsOffBatch('second');
    await world.person.resumes();
    await world.pass(2 * hours);
    expect(told(world, 'second')).toEqual(closed(1, { declined: 1 }));
    expect(world.gateway.posts('A')).toBe(1);
  });
});

describe('a row that moves after its batch was told', () => {
  /** A row that was accepted, and one that waited for fourteen days and failed. */
  async function withAFailedRow() {
    const world = storyWorld();
    world.gateway.answers('B', ...Array.from({ length: 3_000 }, () => 'cannot be reached' as const));
    await world.uploads('first', [row('A'), row('B', { expiresAt: '2026-11-21T10:10:00Z' })]);
    await world.pass(1 * hours);
    expect(told(world)).toEqual(closed(1, { accepted: 1, failed: 1 }));
    world.gateway.forgets('B');
    return world;
  }
  /** The row once more, by the name of its end and in its batch, with the time that it needs. */
  const again = (world: StoryWorld) =>
    world.send(row('B', { batchId: 'first', resends: world.last('B')?.endId ?? '' }));

  it('is told as paid in the next revision, ten days later, and then no more', async () => {
    const world = await withAFailedRow();
    await world.pass(10 * days);
    again(world);
    await world.pass(1 * days);
    expect(world.batchResults('first').map(({ resultId }) => resultId)).toEqual(['~batch/first/1', '~batch/first/2']);
    expect(told(world)).toEqual(closed(2, { accepted: 2 }));
  });

  it('is told as in doubt where no answer came, and as paid once a person knows', async () => {
    const world = await withAFailedRow();
    world.gateway.answers('B', 'silent');
    again(world);
    await world.pass(2 * hours);
    expect(told(world)).toMatchObject({ revision: 2, final: false, rows: { accepted: 1, held: 1 } });
    expect(await world.person.decides('B', 'paid')).toBe('done');
    await world.pass(2 * hours);
    expect(told(world)).toEqual(closed(3, { accepted: 1, paid: 1 }));
  });

  it('stays as it was told while it is being sent, and while the table is away', async () => {
    const world = await withAFailedRow();
    world.gateway.answers('B', { as: 'taken', meanwhile: () => world.ledgerAwayFor(1 * hours) });
    again(world);
    await world.pass(1 * hours);
    expect(told(world)).toEqual(closed(1, { accepted: 1, failed: 1 }));
    await world.pass(1 * days);
    expect(told(world)).toMatchObject({ status: 'closed', final: true, rows: { accepted: 2 } });
  });

  it('of which a callback says weeks later that it was paid after all is counted as paid', async () => {
    const world = storyWorld();
    world.gateway.answers('A', {
      as: 'silent though taken',
      answers: (orderId) => ({
        kind: 'answer',
        httpStatus: 200,
        framing: 'delimited',
        body: JSON.stringify({ type: 'validation-error', 'merchant-order-id': orderId, 'error-code': 8 }),
      }),
    });
    await world.uploads('first', [row('A')]);
    await world.pass(1 * hours);
    expect(told(world)).toEqual(closed(1, { declined: 1 }));
    await world.pass(20 * days);
    await world.callback('A', 'approved');
    await world.pass(1 * days);
    expect(told(world)).toEqual(closed(2, { paid: 1 }));
  });

  it('by and by, as the gateway pays, is told in few revisions, the last of them final', async () => {
    const world = storyWorld({ profile: { statusInquiry: true } });
    const names = Array.from({ length: 12 }, (_, n) => `R-${n}`);
    await world.uploads(
      'first',
      names.map((orderId) => row(orderId)),
    );
    await world.pass(10 * minutes);
    for (const orderId of names) world.gateway.ends(orderId, 'approved');
    await world.pass(1 * days);
    expect(told(world)).toMatchObject({ status: 'closed', final: true, rows: { paid: 12 } });
    expect(world.batchResults('first').length).toBeLessThan(5);
  });

  it('was refused, and redriven after its profile was mended: it is told as paid', async () => {
    const world = storyWorld();
    await world.uploads('first', [row('A', { params: { bank_city: 'Berlin' } })]);
    await world.pass(1 * hours);
    expect(told(world)).toEqual(closed(1, { failed: 1 }));
    await world.pass(10 * days);
    await world.secretIs(someCredentials({ version: 'v2', profile: { extraFields: { payout: ['bank_city'] } } }));
    expect(await world.person.redrives('A')).toBe(1);
    await world.pass(2 * days);
    expect([told(world), world.gateway.posts('A')]).toEqual([closed(2, { accepted: 1 }), 1]);
  });
});

// E2: the uploader of a file dies in the middle of it, and does not come back.

const halfSent = ['INV-1', 'INV-2', 'INV-3'].map((orderId) => aPayoutJob({ orderId }));

async function leftHalf(): Promise<StoryWorld> {
  const world = storyWorld();
  await world.uploads('half', halfSent, { stopsAfter: 1 });
  return world;
}

const statuses = (world: StoryWorld) => halfSent.map(({ orderId }) => world.last(orderId)?.status);

it('a batch that is left while uploading is noticed after an hour, by name', async () => {
  const world = await leftHalf();
  await world.pass(59 * minutes);
  expect(world.last('INV-1')?.status).toBe('accepted');
  expect(world.alarms('half')).toEqual([]);
  await world.pass(3 * minutes);
  expect(world.alarms('half')).toEqual(['batch-left-uploading']);
});

it('is gone on with: each row is paid once, its result is told, and no alarm rings any more', async () => {
  const world = await leftHalf();
  await world.pass(62 * minutes);
  await world.uploads('half', halfSent);
  await world.pass(1 * days);
  expect(halfSent.map(({ orderId }) => world.gateway.posts(orderId))).toEqual([1, 1, 1]);
  expect(statuses(world)).toEqual(['accepted', 'accepted', 'accepted']);
  expect(world.batchResults('half').at(-1)).toMatchObject({ status: 'closed', rows: 3 });
  expect(world.alarms('half')).toHaveLength(1);
});

it('is called off: what was sent keeps its end, nothing else is paid, and no alarm rings any more', async () => {
  const world = await leftHalf();
  await world.pass(62 * minutes);
  await world.person.callsOffBatch('half');
  await world.pass(1 * days);
  expect(statuses(world)).toEqual(['accepted', undefined, undefined]);
  expect(world.alarms('half')).toHaveLength(1);
});

it('is called off, and sent to its end: the rows that had not left are told cancelled, and so is the whole', async () => {
  const world = await leftHalf();
  await world.pass(62 * minutes);
  await world.person.callsOffBatch('half');
  await world.pass(2 * minutes);
  await world.uploads('half', halfSent);
  await world.pass(1 * days);
  expect(world.last('INV-1')?.status).toBe('accepted');
  expect(['INV-2', 'INV-3'].map((orderId) => world.last(orderId)?.status)).toEqual(['cancelled', 'cancelled']);
  expect(halfSent.map(({ orderId }) => world.gateway.posts(orderId))).toEqual([1, 0, 0]);
  expect(world.batchResults('half').at(-1)).toMatchObject({ status: 'closed', rows: 3 });
});
