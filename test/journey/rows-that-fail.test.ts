// A row that nobody can open, or on which each worker dies, must not keep those behind it from their lane.
import { expect, it } from 'vitest';
import { runLines } from '../../lib/payout/waiting/run-lines.ts';
import { writeLineTask } from '../../lib/payout/waiting/lines-queue.ts';
import { sweep } from '../../lib/payout/inquire/sweep.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { createQueuePlayer } from '../support/queue-player.ts';
import { aRecord } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';

const saying = { by: 'ops', reason: 'odd amounts', atMs: startMs };
const row = (n: number) => aRecord(aPayoutJob({ orderId: `ROW-${n}`, batchId: 'salaries' }), { messageId: `m-${n}` });

it('a row that nobody can open does not take the probe of its closed lane for ever', async () => {
  // given a lane that closes, with a line whose first row lies under a key that KMS does not open any more
  const world = aWorld();
  const player = createQueuePlayer(world);
  world.gateway.stays('refuses the connection');
  for (let n = 0; n < 12; n += 1) player.send(row(n));
  await player.pass(1_000);
  const [first] = [...world.waitingRows.values()].toSorted((a, b) => a.goAtMs - b.goAtMs || (a.key < b.key ? -1 : 1));
  if (!first) throw new Error('nothing waits');
  world.waitingRows.set(`${first.key}#${first.slot}`, { ...first, sealed: { ...first.sealed, wrappedKey: 'key-0' } });
  await player.pass(30_000);
  // when the gateway is there again
  world.gateway.stays('accepts');
  await player.pass(20 * 60_000, () => sweep(world.clock.nowMs() + 60_000, world.ports));
  // then all but that one go, and it stays where a person sees it
  expect(world.gateway.posts).toHaveLength(11);
  expect(world.waits()).toMatchObject([{ where: 'table', because: 'unopened' }]);
});

it('a row on which each worker dies is laid aside', async () => {
  // given three rows, one of which ends the process before it is claimed
  const world = aWorld();
  await world.controls.pause('acme-eu', true, saying);
  await world.deliver([row(0), row(1), row(2)]);
  await world.controls.pause('acme-eu', false, saying);
  world.clock.advance(31_000);
  const { orders } = world.ports;
  const put: typeof orders.put = (order) => (order.key.endsWith('ROW-0') ? new Promise(() => {}) : orders.put(order));
  Object.assign(world.ports, { orders: { ...orders, put } });
  // when SQS delivers the messages of its line, and those of lost workers again after their visibility time-out
  const messages = world.linesQueue.taken.splice(0).map((it) => ({ ...it, receives: 0 }));
  const untilMs = world.clock.nowMs() + 3 * 3_600_000;
  while (world.clock.nowMs() < untilMs && world.waitingRows.size > 0) {
    const due = messages.toSorted((a, b) => a.dueAtMs - b.dueAtMs)[0];
    if (!due) break;
    world.clock.advanceTo(Math.max(due.dueAtMs, world.clock.nowMs()));
    due.receives += 1;
    const record = aRecord(writeLineTask(due.message));
    const attributes = { ...record.attributes, ApproximateReceiveCount: String(due.receives) };
    const run = runLines([{ ...record, attributes }], world.clock.nowMs() + 120_000, world.ports).then(() => 'ended');
    const lost = new Promise<string>((resolve) => setTimeout(resolve, 50, 'lost'));
    if ((await Promise.race([run, lost])) === 'ended') messages.splice(messages.indexOf(due), 1);
    else due.dueAtMs = world.clock.nowMs() + 730_000;
    messages.push(...world.linesQueue.taken.splice(0).map((it) => ({ ...it, receives: 0 })));
  }
  // then the others were paid once, and that one is a dead letter
  expect(world.gateway.posts.map(({ orderId }) => orderId).toSorted()).toEqual(['ROW-1', 'ROW-2']);
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([
    { reason: { code: 'WORKER_CRASHED' }, originMessageId: 'm-0' },
  ]);
  expect(world.waits()).toEqual([]);
});

it('while the secret of a merchant can not be had nothing of its line is touched, and it goes on within a minute', async () => {
  const world = aWorld();
  const player = createQueuePlayer(world);
  const sweeping = () => sweep(world.clock.nowMs() + 60_000, world.ports);
  world.credentials.outage('down');
  for (let n = 0; n < 20; n += 1) player.send(row(n));
  await player.pass(60_000, sweeping);
  const looks = () => world.log.filter(({ event }) => event === 'job').length;
  const before = looks();
  await player.pass(3_600_000, sweeping);
  expect(looks() - before).toBe(0);
  world.credentials.outage('up');
  await player.pass(60_000, sweeping);
  expect(world.gateway.posts).toHaveLength(20);
});

it('rows that are over take the probes of their closed lane one right after the other', async () => {
  // given a lane that closes, with a line whose first forty rows expire before the gateway is there again
  const world = aWorld();
  const player = createQueuePlayer(world);
  world.gateway.stays('refuses the connection');
  const expiresAt = new Date(startMs + 120_000).toISOString();
  for (let n = 0; n < 50; n += 1)
    player.send(aRecord(aPayoutJob({ orderId: `ROW-${n}`, batchId: 'salaries', expiresAt }), { messageId: `m-${n}` }));
  await player.pass(5_000);
  player.send(row(99));
  await player.pass(175_000);
  // when it is, and no sweeper comes
  world.gateway.stays('accepts');
  await player.pass(240_000);
  // then the row behind them goes
  expect(world.gateway.posts.map(({ orderId }) => orderId)).toEqual(['ROW-99']);
  expect(world.waits()).toEqual([]);
});

it('while the key of what waits can not be had nothing of its line is touched but one slice, and it goes on within a minute', async () => {
  // given an open lane with a long line, whose key is disabled in KMS
  const world = aWorld();
  const player = createQueuePlayer(world);
  await world.controls.pause('acme-eu', true, saying);
  for (let n = 0; n < 300; n += 1) player.send(row(n));
  await player.pass(1_000);
  const { dataKeys } = world.ports.waiting;
  let state: 'disabled' | 'enabled' = 'disabled';
  let hasFailed = false;
  const unwrap: typeof dataKeys.unwrap = async (wrapped) => {
    hasFailed ||= state === 'disabled';
    if (state === 'disabled') throw new Error('the key is disabled');
    return dataKeys.unwrap(wrapped);
  };
  const stub: typeof dataKeys = { ...dataKeys, unwrap, answers: async () => !hasFailed || state === 'enabled' };
  Object.assign(world.ports.waiting, { dataKeys: stub });
  await world.controls.pause('acme-eu', false, saying);
  // when it stays so for an hour
  const sweeping = () => sweep(world.clock.nowMs() + 60_000, world.ports);
  await player.pass(3_600_000, sweeping);
  // then one slice was looked at
  expect(world.log.filter(({ event }) => event === 'waiting-failed')).toHaveLength(41);
  state = 'enabled';
  await player.pass(90_000, sweeping);
  expect(world.gateway.posts).toHaveLength(300);
});
