// A job that names a moment before which it must not be sent waits for it unharmed, and goes then.
import { expect, it } from 'vitest';
import { aJobOf, upload } from '../support/uploaded-batch.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { createQueuePlayer } from '../support/queue-player.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';

const inMinutes = (minutes: number) => new Date(startMs + minutes * 60_000).toISOString();

it('the job waits in the table, and is paid at its moment, not a second earlier', async () => {
  const world = aWorld();
  const queues = createQueuePlayer(world);
  queues.send(aRecord(aPayoutJob({ notBefore: inMinutes(120) }), { messageId: 'm-1' }));
  await queues.pass(120 * 60_000 - 1_000);
  expect(world.gateway.posts).toEqual([]);
  expect(world.results.taken).toEqual([]);
  expect(queues.deadLetters()).toEqual([]);
  expect(queues.costs().get('m-1')?.deliveries).toBe(1);
  await queues.pass(1_000);
  expect(world.results.taken).toMatchObject([{ orderId: 'INV-1', status: 'accepted' }]);
  expect(world.gateway.posts).toHaveLength(1);
});

it('a moment that is over keeps nobody waiting', async () => {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob({ notBefore: inMinutes(0) })));
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
});

it('a message that came before waits in the table too, and not past the moment', async () => {
  const world = aWorld();
  const record = aRecord(aPayoutJob({ notBefore: inMinutes(300) }));
  const third = redelivered(redelivered(record));
  expect(await world.deliver(third)).toEqual([]);
  expect(world.waits()).toMatchObject([{ where: 'table', inSeconds: 300 * 60 }]);
});

it('its wait is no reason to ring for a job that is about to expire', async () => {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob({ notBefore: inMinutes(10), expiresAt: inMinutes(20) })));
  expect(world.figures.flatMap(({ values }) => Object.keys(values))).not.toContain('timeToExpirySeconds');
});

it('what was sent already is told as it stands, whatever a second message says of the time', async () => {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob()));
  await world.deliver(aRecord(aPayoutJob({ notBefore: inMinutes(60) }), { messageId: 'm-2' }));
  expect(world.results.taken.map(({ status, revision }) => [status, revision])).toEqual([
    ['accepted', 1],
    ['accepted', 1],
  ]);
  expect(world.waits()).toEqual([]);
});

it('a batch that is called off meanwhile ends at the next look, not at the moment', async () => {
  const world = aWorld();
  const row = { ...aJobOf('ROW-1'), notBefore: inMinutes(600) };
  await upload(world, [row]);
  await world.deliver(aRecord(row));
  await world.controls.cancelBatch(String(row.batchId), { by: 'ops', reason: 'wrong file', atMs: startMs });
  await world.again();
  expect(world.results.taken).toMatchObject([{ orderId: 'ROW-1', status: 'cancelled' }]);
});

it('further ahead than seven days it is refused, with the remedy, and kept', async () => {
  const world = aWorld();
  const days = (count: number) => inMinutes(count * 1_440);
  await world.deliver(aRecord(aPayoutJob({ notBefore: days(7) }), { messageId: 'm-1' }));
  expect(world.waits()).toHaveLength(1);
  await world.deliver(aRecord(aPayoutJob({ orderId: 'INV-2', notBefore: days(7.01) }), { messageId: 'm-2' }));
  const failure = {
    code: 'INVALID_MESSAGE',
    message: 'notBefore is more than 7 days ahead; send the job nearer to its time',
  };
  expect(world.results.taken).toMatchObject([{ orderId: 'INV-2', status: 'rejected', failure }]);
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ originMessageId: 'm-2', reason: failure }]);
});

it('how long it has waited is counted from its moment on, and by the first sending of what is copied', async () => {
  const world = aWorld();
  await world.controls.pause('acme-eu', true, { by: 'ops', reason: 'audit', atMs: startMs });
  const row = aPayoutJob({ orderId: 'ROW-1', batchId: 'payday', notBefore: inMinutes(30) });
  await world.deliver([aRecord(aPayoutJob()), aRecord(row)]);
  world.clock.advance(40 * 60_000);
  await world.again();
  const seen = (name: 'jobWaitSeconds' | 'rowWaitSeconds') => world.figures.flatMap(({ values }) => values[name] ?? []);
  expect(seen('jobWaitSeconds')).toEqual([0, 2_400]);
  expect(seen('rowWaitSeconds')).toEqual([600]);
});
