// A line ends where nobody waits in it, and nowhere else: what ends it too early is found by the walk over all that waits, which may come
// twelve hours later. The index of what waits shows each change a little later than the table does (DynamoDB: GSIs are eventually
// consistent); rights are written by two at once, and their answers are lost.
import { expect, it } from 'vitest';
import type { WaitingRow } from '../../lib/payout/waiting/waiting-row.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { createQueuePlayer } from '../support/queue-player.ts';
import { aRecord } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld, type World } from '../support/world.ts';
import { sweep } from '../../lib/payout/inquire/sweep.ts';

const saying = { by: 'ops', reason: 'odd amounts', atMs: startMs };
const row = (n: number) => aRecord(aPayoutJob({ orderId: `ROW-${n}`, batchId: 'salaries' }), { messageId: `m-${n}` });

/** From now on the index shows each put and each move so much later. */
function indexIsLate(world: World, lateMs: number): void {
  const { waiting, clock } = world.ports;
  const { rows } = waiting;
  const changedAtMs = new Map<string, number>();
  const nameOf = ({ key, slot, goAtMs }: Pick<WaitingRow, 'key' | 'slot' | 'goAtMs'>) => `${key}#${slot}/${goAtMs}`;
  const changing =
    <Args extends unknown[], Answer>(change: (...args: Args) => Promise<Answer>) =>
    async (...args: Args) => {
      const before = new Set([...world.waitingRows.values()].map(nameOf));
      const answer = await change(...args);
      for (const it of world.waitingRows.values())
        if (!before.has(nameOf(it))) changedAtMs.set(nameOf(it), clock.nowMs());
      return answer;
    };
  const heads: typeof rows.heads = async (shard, after, atMost) => {
    const all = await rows.heads(shard, after, Infinity);
    return all.filter((it) => clock.nowMs() >= (changedAtMs.get(nameOf(it)) ?? 0) + lateMs).slice(0, atMost);
  };
  const late = { ...rows, put: changing(rows.put), move: changing(rows.move), heads };
  Object.assign(world.ports, { waiting: { ...waiting, rows: late } });
}

it('a line is not over because the index does not show its first row yet', async () => {
  // given an index that is three seconds late, and a gateway that takes one a second
  const world = aWorld({ profile: { ratePerSecond: 1 } });
  const player = createQueuePlayer(world);
  indexIsLate(world, 3_000);
  // when a file comes, of which all but the first rows wait for their line, and no sweeper comes
  for (let n = 0; n < 6; n += 1) player.send(row(n));
  await player.pass(120_000);
  // then each has gone
  expect(world.gateway.posts.map(({ orderId }) => orderId).toSorted()).toEqual([
    'ROW-0',
    'ROW-1',
    'ROW-2',
    'ROW-3',
    'ROW-4',
    'ROW-5',
  ]);
  expect(world.waits()).toEqual([]);
});

it('a row that comes while its line is looked at for the last time is not left to the walk over all that waits', async () => {
  // given a line at its end, which is about to be looked at once more from its head
  const world = aWorld({ profile: { ratePerSecond: 1 } });
  const player = createQueuePlayer(world);
  for (let n = 0; n < 3; n += 1) player.send(row(n));
  await player.pass(30_000);
  expect(world.gateway.posts).toHaveLength(3);
  // when a job comes to wait after the last look has read the index, and before it is written that the line has ended
  const { waiting } = world.ports;
  const { write } = waiting.rights;
  const rights: typeof waiting.rights = {
    ...waiting.rights,
    async write(lane, next) {
      if (next.isOver && !world.gateway.posts.some(({ orderId }) => orderId === 'ROW-9')) {
        Object.assign(world.ports, { waiting });
        await world.controls.pause('acme-eu', true, saying);
        await world.deliver(row(9));
        await world.controls.pause('acme-eu', false, saying);
      }
      return write(lane, next);
    },
  };
  Object.assign(world.ports, { waiting: { ...waiting, rights } });
  await player.pass(180_000);
  // then it goes all the same
  expect(world.gateway.posts.map(({ orderId }) => orderId)).toContain('ROW-9');
});

/** Rows that wait for the pace of their lane, of which no look has been taken yet. */
async function aLine(rows: number) {
  const world = aWorld({ profile: { ratePerSecond: 1 } });
  const player = createQueuePlayer(world);
  for (let n = 0; n < rows; n += 1) player.send(row(n));
  return { world, player };
}

it('a right that could not be written once is written by the same message', async () => {
  const { world, player } = await aLine(6);
  const { waiting } = world.ports;
  let calls = 0;
  const write: typeof waiting.rights.write = async (lane, next) => {
    calls += 1;
    if (calls === 1) throw new Error('throttled');
    return waiting.rights.write(lane, next);
  };
  Object.assign(world.ports, { waiting: { ...waiting, rights: { ...waiting.rights, write } } });
  await player.pass(30_000);
  expect(world.gateway.posts).toHaveLength(6);
});

it('a right whose writing got no answer is found to be written, and its message is passed on', async () => {
  const { world, player } = await aLine(6);
  const { waiting } = world.ports;
  const write: typeof waiting.rights.write = async (lane, next) => {
    await waiting.rights.write(lane, next);
    throw new Error('the answer got lost');
  };
  Object.assign(world.ports, { waiting: { ...waiting, rights: { ...waiting.rights, write } } });
  await player.pass(30_000);
  expect(world.gateway.posts).toHaveLength(6);
});

it('a line whose rows nobody looks at is begun by the sweeper within minutes, however much else waits', async () => {
  // given a line that is over, whose next message gets lost
  const world = aWorld();
  const player = createQueuePlayer(world);
  await world.controls.pause('acme-eu', true, saying);
  player.send(row(1));
  await player.pass(1_000);
  await world.controls.pause('acme-eu', false, saying);
  await player.pass(180_000);
  expect(world.gateway.posts).toHaveLength(1);
  await world.controls.pause('acme-eu', true, saying);
  world.linesQueue.stays('down');
  player.send(row(2));
  await player.pass(1_000);
  world.linesQueue.stays('up');
  await world.controls.pause('acme-eu', false, saying);
  // when so many wait elsewhere that going over them all is of tomorrow
  const { rows } = world.ports.waiting;
  Object.assign(rows, { all: async function* () {} });
  await player.pass(400_000, () => sweep(world.clock.nowMs() + 60_000, world.ports));
  // then
  expect(world.gateway.posts).toHaveLength(2);
});

it('the first job ever that waits for a lane goes within minutes, though the message of its line was lost', async () => {
  // given so many rows elsewhere that going over them all is of tomorrow
  const world = aWorld();
  const player = createQueuePlayer(world);
  Object.assign(world.ports.waiting.rows, { all: async function* () {} });
  // when the worker that kept it is killed before it has told its line
  await world.controls.pause('acme-eu', true, saying);
  world.linesQueue.stays('down');
  player.send(row(1));
  await player.pass(1_000);
  world.linesQueue.stays('up');
  await world.controls.pause('acme-eu', false, saying);
  await player.pass(400_000, () => sweep(world.clock.nowMs() + 60_000, world.ports));
  // then
  expect(world.gateway.posts.map(({ orderId }) => orderId)).toEqual(['ROW-1']);
});
