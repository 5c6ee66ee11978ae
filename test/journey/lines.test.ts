// A line is pulled: what waits longer than a few seconds lies in the table, and one message per lane brings it to the gateway at the
// lane's pace. Nothing of it is lost or doubled by what comes twice, late, or not at all.
import { expect, it } from 'vitest';
import { createJoining } from '../../lib/payout/waiting/begin-line.ts';
import { keepWaiting } from '../../lib/payout/waiting/keep-waiting.ts';
import { writeLineTask } from '../../lib/payout/waiting/lines-queue.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { createQueuePlayer } from '../support/queue-player.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';
import { sweep } from '../../lib/payout/inquire/sweep.ts';
import { readJob } from '../../lib/payout/message/read-job.ts';

const saying = { by: 'ops', reason: 'odd amounts', atMs: startMs };
const row = (n: number) => aRecord(aPayoutJob({ orderId: `ROW-${n}`, batchId: 'salaries' }), { messageId: `m-${n}` });

it('a file of 300 rows at five a second is delivered once by SQS and goes at that pace, urgent jobs first', async () => {
  const world = aWorld({ profile: { ratePerSecond: 5 } });
  const player = createQueuePlayer(world);
  for (let n = 0; n < 300; n += 1) player.send(row(n));
  await player.pass(10_000);
  const urgentAtMs = world.clock.nowMs();
  player.send(aRecord(aPayoutJob({ orderId: 'URGENT' }), { messageId: 'urgent' }));
  await player.pass(10_000);
  const urgent = world.gateway.posts.findIndex(({ orderId }) => orderId === 'URGENT');
  expect(urgent).toBeGreaterThan(0);
  expect(world.results.taken.find(({ orderId }) => orderId === 'URGENT')).toBeDefined();
  expect(world.clock.nowMs() - urgentAtMs).toBeLessThanOrEqual(15_000);
  await player.pass(50_000);
  expect(world.gateway.posts).toHaveLength(301);
  expect(new Set(world.gateway.posts.map(({ orderId }) => orderId)).size).toBe(301);
  expect(world.waits()).toEqual([]);
  const deliveries = [...player.costs()].filter(([key]) => key.startsWith('m-'));
  expect(Math.max(...deliveries.map(([, cost]) => cost.deliveries))).toBe(1);
});

it('when a closed lane opens, its first waiting job leaves within seconds', async () => {
  const world = aWorld();
  const player = createQueuePlayer(world);
  world.gateway.stays('refuses the connection');
  for (let n = 0; n < 60; n += 1) player.send(aRecord(aPayoutJob({ orderId: `INV-${n}` }), { messageId: `m-${n}` }));
  await player.pass(60_000, () => sweep(world.clock.nowMs() + 60_000, world.ports));
  expect(world.gateway.posts).toEqual([]);
  const openedAtMs = world.clock.nowMs();
  world.gateway.stays('accepts');
  // The next probe is two minutes off at most.
  while (world.gateway.posts.length === 0 && world.clock.nowMs() < openedAtMs + 180_000) await player.pass(1_000);
  const probedAtMs = world.clock.nowMs();
  expect(probedAtMs - openedAtMs).toBeLessThanOrEqual(121_000);
  await player.pass(10_000);
  expect(world.gateway.posts.length).toBeGreaterThan(20);
  await player.pass(60_000);
  expect(world.gateway.posts).toHaveLength(60);
  expect(world.waits()).toEqual([]);
});

it('while a merchant is paused nothing of its line is touched, and it goes on within a minute', async () => {
  const world = aWorld();
  const player = createQueuePlayer(world);
  const sweeping = () => sweep(world.clock.nowMs() + 60_000, world.ports);
  await world.controls.pause('acme-eu', true, saying);
  for (let n = 0; n < 20; n += 1) player.send(row(n));
  await player.pass(60_000, sweeping);
  const [lines, messages] = [world.log.length, world.linesQueue.taken.length];
  await player.pass(3_600_000, sweeping);
  expect(world.log.slice(lines).filter(({ event }) => event === 'job')).toEqual([]);
  expect(world.linesQueue.taken.length - messages).toBe(0);
  await world.controls.pause('acme-eu', false, saying);
  await player.pass(62_000, sweeping);
  expect(world.gateway.posts).toHaveLength(20);
});

it('an urgent job that a slow clock has put behind what its line has taken leaves within seconds', async () => {
  // given a line whose urgent jobs have gone, and that is busy with a file for a minute
  const world = aWorld({ profile: { ratePerSecond: 5 } });
  const player = createQueuePlayer(world);
  await world.controls.pause('acme-eu', true, saying);
  for (let n = 0; n < 20; n += 1) player.send(aRecord(aPayoutJob({ orderId: `INV-${n}` }), { messageId: `u-${n}` }));
  for (let n = 0; n < 600; n += 1) player.send(row(n));
  await player.pass(1_000);
  await world.controls.pause('acme-eu', false, saying);
  await player.pass(75_000, () => sweep(world.clock.nowMs() + 60_000, world.ports));
  expect(world.gateway.posts.length).toBeGreaterThan(25);
  // when a worker whose clock is two minutes slow keeps an urgent one
  const body = JSON.stringify(aPayoutJob({ orderId: 'LATE' }));
  const read = readJob(body);
  if (read.kind !== 'job') throw new Error('no job');
  const message = { messageId: 'late', body, read, waits: 0 };
  const goAtMs = world.clock.nowMs() - 120_000;
  const kept = await keepWaiting({ job: read.job, message, goAtMs, because: 'pace' }, world.ports);
  const joining = createJoining(world.ports);
  if (kept.kind === 'put') joining.joined(kept.row);
  await joining.sent();
  // then it goes before the file does
  await player.pass(6_000);
  expect(world.gateway.posts.map(({ orderId }) => orderId)).toContain('LATE');
  expect(world.waits().length).toBeGreaterThan(100);
});

it('a drain whose message is lost is begun anew by the sweeper', async () => {
  const world = aWorld({ profile: { ratePerSecond: 5 } });
  const player = createQueuePlayer(world);
  for (let n = 0; n < 200; n += 1) player.send(row(n));
  await player.pass(1_000);
  world.linesQueue.stays('down');
  await player.pass(5_000);
  world.linesQueue.stays('up');
  const sent = world.gateway.posts.length;
  expect(sent).toBeLessThan(200);
  await player.pass(240_000, () => sweep(world.clock.nowMs() + 60_000, world.ports));
  expect(world.gateway.posts).toHaveLength(200);
});

it('a message that comes again while its row waits makes no second row, and is paid once', async () => {
  const world = aWorld();
  await world.controls.pause('acme-eu', true, saying);
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  await world.deliver(record);
  await world.deliver(redelivered(record));
  expect(world.waits()).toHaveLength(1);
  await world.controls.pause('acme-eu', false, saying);
  await world.again();
  expect(world.gateway.posts).toHaveLength(1);
  expect(world.waits()).toEqual([]);
});

it('a removal that lands late takes no row that was put meanwhile', async () => {
  // given a row that is worked on, and whose message comes again before it is removed
  const world = aWorld();
  await world.controls.pause('acme-eu', true, saying);
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  await world.deliver(record);
  const { waiting } = world.ports;
  const remove: typeof waiting.rows.remove = async (it) => {
    await world.controls.pause('acme-eu', true, saying);
    await world.deliver(aRecord(aPayoutJob({ params: { ...aPayoutJob().params } }), { messageId: 'm-2' }));
    return waiting.rows.remove(it);
  };
  Object.assign(world.ports, { waiting: { ...waiting, rows: { ...waiting.rows, remove } } });
  await world.controls.pause('acme-eu', false, saying);
  await world.again();
  // then the one that came meanwhile was told at once, as its order had ended; and nothing of another put is gone
  expect(world.gateway.posts).toHaveLength(1);
  expect(world.results.taken.length).toBeGreaterThanOrEqual(1);
});

it('two who have the same message of a line take the right once', async () => {
  const world = aWorld();
  await world.controls.pause('acme-eu', true, saying);
  await world.deliver([row(1), row(2)]);
  await world.controls.pause('acme-eu', false, saying);
  world.clock.advance(30_000);
  const word = writeLineTask({ kind: 'line', lane: { merchant: 'acme-eu', endpointId: '39915' }, number: 0 });
  await Promise.all([world.deliverLine(word), world.deliverLine(word)]);
  expect(world.gateway.posts).toHaveLength(2);
  expect(new Set(world.gateway.posts.map(({ orderId }) => orderId)).size).toBe(2);
});

it('a worker that dies after it has passed the message on loses nothing: its rows stand there', async () => {
  const world = aWorld({ profile: { ratePerSecond: 5 } });
  const player = createQueuePlayer(world);
  await world.controls.pause('acme-eu', true, saying);
  for (let n = 0; n < 5; n += 1) player.send(row(n));
  await player.pass(1_000);
  await world.controls.pause('acme-eu', false, saying);
  // given a table that answers nobody who reads a row, as if each who passes the message on died then
  const { waiting } = world.ports;
  const read: typeof waiting.rows.read = async () => {
    throw new Error('the worker is gone');
  };
  Object.assign(world.ports, { waiting: { ...waiting, rows: { ...waiting.rows, read } } });
  await player.pass(70_000);
  expect(world.gateway.posts).toEqual([]);
  Object.assign(world.ports, { waiting });
  await player.pass(120_000, () => sweep(world.clock.nowMs() + 60_000, world.ports));
  expect(world.gateway.posts).toHaveLength(5);
});

it('a row whose answer could not be written stays until it is', async () => {
  const world = aWorld();
  await world.controls.pause('acme-eu', true, saying);
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  await world.controls.pause('acme-eu', false, saying);
  world.orders.stays('down', 'write');
  await world.again();
  expect(world.gateway.posts).toHaveLength(1);
  expect(world.waits()).toMatchObject([{ where: 'table', because: 'answer' }]);
  world.orders.stays('up', 'write');
  await world.inquire();
  await world.waitIsOver();
  expect(world.gateway.posts).toHaveLength(1);
  // The row comes once more, and is told the same.
  expect(new Set(world.results.taken.map(({ resultId, status }) => `${resultId} ${status}`))).toEqual(
    new Set(['acme-eu/INV-1/1 accepted']),
  );
  expect(world.waits()).toEqual([]);
});

it('rows that expired, or whose batch was called off, are ended by the hourly walk though their merchant is paused', async () => {
  const world = aWorld();
  const player = createQueuePlayer(world);
  await world.controls.pause('acme-eu', true, saying);
  player.send(row(1));
  player.send(aRecord(aPayoutJob({ orderId: 'LATE', expiresAt: new Date(startMs + 600_000).toISOString() })));
  await player.pass(60_000);
  expect(world.waits()).toHaveLength(2);
  await world.controls.cancelBatch('salaries', saying);
  const sweeping = () => sweep(world.clock.nowMs() + 60_000, world.ports);
  await player.pass(2 * 3_600_000, sweeping);
  expect(world.waits()).toEqual([]);
  expect(world.results.taken).toMatchObject([{ orderId: 'ROW-1' }, { failure: { code: 'EXPIRED' } }]);
  expect(world.gateway.posts).toEqual([]);
});

it('a message that SQS brings fifteen days after it was sent has not waited for two weeks', async () => {
  const world = aWorld();
  await world.controls.pause('acme-eu', true, saying);
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1', sentAtMs: startMs - 15 * 86_400_000 }));
  expect(world.results.taken).toEqual([]);
  expect(world.waits()).toMatchObject([{ where: 'table', because: 'paused' }]);
});

it('a table that takes nothing leaves each message where it is', async () => {
  const world = aWorld();
  await world.controls.pause('acme-eu', true, saying);
  const { waiting } = world.ports;
  const put: typeof waiting.rows.put = async () => {
    throw new Error('throttled');
  };
  Object.assign(world.ports, { waiting: { ...waiting, rows: { ...waiting.rows, put } } });
  expect(await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }))).toEqual(['m-1']);
  expect(world.waits()).toMatchObject([{ where: 'queue', inSeconds: 30 }]);
});

it('a fifth message of an order waits on its queue', async () => {
  const world = aWorld();
  await world.controls.pause('acme-eu', true, saying);
  const twin = (n: number) => aRecord(aPayoutJob({ context: { n } }), { messageId: `m-${n}` });
  for (let n = 1; n <= 4; n += 1) expect(await world.deliver(twin(n))).toEqual([]);
  expect(await world.deliver(twin(5))).toEqual(['m-5']);
});
