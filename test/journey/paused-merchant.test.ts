// A merchant is paused: its jobs wait without losing a receive, and go on when it is resumed. Others don't notice.
import { expect, it } from 'vitest';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';

const saying = { by: 'ops', reason: 'odd amounts', atMs: startMs };

it('jobs wait in the table, however long, and are paid once after it is resumed', async () => {
  const world = aWorld();
  await world.controls.pause('acme-eu', true, saying);
  expect(await world.deliver([1, 2, 3].map((n) => aRecord(aPayoutJob({ orderId: `INV-${n}` }))))).toEqual([]);
  const waits: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const delays = new Set(world.waits().map(({ inSeconds = 0 }) => inSeconds));
    expect(delays.size).toBe(1);
    waits.push(...delays);
    await world.waitIsOver();
  }
  expect(waits.slice(0, 8)).toEqual([30, 30, 60, 120, 240, 480, 900, 900]);
  expect(waits.at(-1)).toBe(900);
  expect(world.gateway.posts).toEqual([]);
  expect(world.entries.size).toBe(0);
  expect(world.jobsQueue.deadLetters.taken).toEqual([]);

  await world.controls.pause('acme-eu', false, saying);
  world.clock.advance(900_000);
  await world.again();
  expect(world.waits()).toEqual([]);
  expect(world.results.taken.map(({ orderId, status }) => `${orderId} ${status}`)).toEqual([
    'INV-1 accepted',
    'INV-2 accepted',
    'INV-3 accepted',
  ]);
  expect(world.gateway.posts).toHaveLength(3);
});

it('after fourteen days a job is waited for no more: it is a dead letter, told and redrivable', async () => {
  const world = aWorld();
  await world.controls.pause('acme-eu', true, saying);
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  world.clock.advance(14 * 86_400_000);
  await world.again();
  expect(world.waits()).toEqual([]);
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([
    { reason: { code: 'WAITED_TOO_LONG' }, originMessageId: 'm-1' },
  ]);
  expect(world.results.taken).toMatchObject([{ status: 'failed', failure: { code: 'WAITED_TOO_LONG' } }]);
  // And its order has ended, so that no copy of the message pays it after this was told.
  await world.controls.pause('acme-eu', false, saying);
  await world.deliver(aRecord(aPayoutJob()));
  expect(world.gateway.posts).toEqual([]);
  expect(world.results.taken[1]).toEqual(world.results.taken[0]);
});

it('a put whose answer was lost leaves its message where it is, and makes no second row of it', async () => {
  const world = aWorld();
  await world.controls.pause('acme-eu', true, saying);
  const { waiting } = world.ports;
  const put: typeof waiting.rows.put = async (row) => {
    await waiting.rows.put(row);
    throw new Error('no answer');
  };
  Object.assign(world.ports, { waiting: { ...waiting, rows: { ...waiting.rows, put } } });
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  expect(await world.deliver(record)).toEqual(['m-1']);
  Object.assign(world.ports, { waiting });
  expect(await world.deliver(redelivered(record))).toEqual([]);
  expect(world.waits()).toMatchObject([{ where: 'table', messageId: 'm-1' }]);
});

it('others go on; paused altogether, nobody does', async () => {
  const world = aWorld({ merchants: { 'acme-eu': someCredentials(), 'acme-us': someCredentials() } });
  await world.controls.pause('acme-eu', true, saying);
  await world.deliver(aRecord(aPayoutJob({ merchant: 'acme-us' })));
  expect(world.results.taken).toMatchObject([{ merchant: 'acme-us', status: 'accepted' }]);

  await world.controls.pause(undefined, true, saying);
  await world.deliver(aRecord(aPayoutJob({ merchant: 'acme-us', orderId: 'INV-2' })));
  expect(world.waits()).toHaveLength(1);

  // Resuming all does not resume who was paused by name.
  await world.controls.pause(undefined, false, saying);
  await world.deliver([aRecord(aPayoutJob()), aRecord(aPayoutJob({ merchant: 'acme-us', orderId: 'INV-3' }))]);
  expect(world.gateway.posts.map(({ orderId }) => orderId)).toEqual(['INV-1', 'INV-3']);
});

it('what was sent already goes on being asked about', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  world.gateway.moods('stalls');
  await world.deliver(aRecord(aPayoutJob()));
  await world.controls.pause('acme-eu', true, saying);
  world.gateway.statuses('processing', 'approved');
  await world.pass(5 * 60_000);
  expect(world.results.taken.map(({ status }) => status)).toEqual(['in-doubt', 'accepted', 'approved']);
});

it('an answer that the ledger could not take is written although the merchant is paused by now', async () => {
  const world = aWorld();
  world.orders.stays('down', 'write');
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  await world.deliver(record);
  await world.controls.pause('acme-eu', true, saying);
  world.orders.stays('up', 'write');
  await world.inquire();
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it('a message of an order that has ended is told its result at once: there is nothing left to pause', async () => {
  const world = aWorld();
  const record = aRecord(aPayoutJob());
  await world.deliver(record);
  await world.controls.pause('acme-eu', true, saying);
  await world.deliver(redelivered(record));
  expect(world.waits()).toEqual([]);
  expect(world.results.taken).toHaveLength(2);
  expect(world.results.taken[1]).toEqual(world.results.taken[0]);
});

it('a job that expires while it waits is told so and never sent', async () => {
  const world = aWorld();
  await world.controls.pause('acme-eu', true, saying);
  await world.deliver(aRecord(aPayoutJob({ expiresAt: new Date(startMs + 60_000).toISOString() })));
  world.clock.advance(61_000);
  await world.controls.pause('acme-eu', false, saying);
  await world.again();
  expect(world.results.taken).toMatchObject([{ status: 'rejected', failure: { code: 'EXPIRED' } }]);
  expect(world.gateway.posts).toEqual([]);
});
