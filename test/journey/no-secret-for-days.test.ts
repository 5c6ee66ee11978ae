// A secret that is not there, can't be read or can't be had, and entries that this worker can't read, for an hour or for
// days: nothing is sent, nothing fails, and the jobs go on by themselves. What still waits after 14 days is laid aside.
import { expect, it } from 'vitest';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, deliveryOf, redelivered } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const hourMs = 3_600_000;
type Carried = ReturnType<typeof aRecord>;

/** Brings the job each hour, as a copy where there is one, until its message leaves without one; hours that it took. */
async function livesThrough(world: World, first: Carried, hours: number): Promise<Carried | undefined> {
  let record = first;
  for (let hour = 0; hour < hours; hour += 1) {
    const copies = world.waits().length;
    const stays = await world.deliver(record);
    const copy = world.waits().at(-1);
    const isCopied = world.waits().length > copies;
    if (stays.length === 0 && !(isCopied && copy)) return undefined;
    record = isCopied && copy ? deliveryOf(copy) : redelivered(record);
    world.clock.advance(hourMs);
  }
  return record;
}

const badDays: readonly (readonly [string, (world: World) => () => void])[] = [
  [
    'Secrets Manager does not answer',
    ({ credentials }) => {
      credentials.outage('down');
      return () => credentials.outage('up');
    },
  ],
  [
    'the worker’s own keys can’t be read',
    ({ fingerprinting }) => {
      fingerprinting.lose();
      return () => fingerprinting.find();
    },
  ],
];

it.each(badDays)('%s for 300 hours: the job waits, and is then paid once', async (_, begin) => {
  const world = aWorld();
  const end = begin(world);
  const record = await livesThrough(world, aRecord(aPayoutJob(), { messageId: 'm-1' }), 300);
  expect([world.results.taken, world.jobsQueue.deadLetters.taken, world.gateway.posts]).toEqual([[], [], []]);
  end();
  if (!record) throw new Error('the job waits');
  await livesThrough(world, record, 2);
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it.each(badDays)('%s for more than 14 days: the job is laid aside, and can be brought back', async (_, begin) => {
  const world = aWorld();
  begin(world);
  expect(await livesThrough(world, aRecord(aPayoutJob(), { messageId: 'm-1' }), 400)).toBeUndefined();
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'WAITED_TOO_LONG' } }]);
  expect(world.gateway.posts).toEqual([]);
});

it('a secret that is there the next morning: the job is paid, and nobody heard of a failure', async () => {
  const world = aWorld();
  const job = aPayoutJob({ merchant: 'nobody' });
  const record = await livesThrough(world, aRecord(job, { messageId: 'm-1' }), 20);
  world.credentials.rotate('nobody', someCredentials());
  await world.credentials.refresh('nobody', someCredentials());
  if (!record) throw new Error('the job waits');
  expect(await world.deliver(record)).toEqual([]);
  expect(world.results.taken).toMatchObject([{ merchant: 'nobody', status: 'accepted' }]);
});

it('an order that waits to be sent again outlasts days without its merchant’s secret', async () => {
  const world = aWorld({ merchants: { 'acme-eu': someCredentials(), 'gone-soon': someCredentials() } });
  world.gateway.moods('refuses the connection');
  const first = aRecord(aPayoutJob({ merchant: 'gone-soon' }), { messageId: 'm-1' });
  await world.deliver(first);
  const copy = world.waits().at(-1);
  if (!copy) throw new Error('it waits');
  const found = world.ports.credentials.of;
  const gone = { code: 'MERCHANT_UNKNOWN', message: 'there is no secret' } as const;
  world.ports.credentials.of = async () => ({ kind: 'unavailable', failure: gone });
  let record = deliveryOf(copy);
  for (let day = 1; day <= 5; day += 1) {
    world.clock.advance(24 * hourMs);
    expect(await world.deliver(record)).toEqual([record.messageId]);
    record = redelivered(record);
  }
  expect(world.entries.get('gone-soon/INV-1')).toMatchObject({ state: 'retryable' });
  expect(world.results.taken).toEqual([]);
  world.ports.credentials.of = found;
  expect(await world.deliver(record)).toEqual([]);
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
});

it('an order that only newer code can read keeps its job for 14 days, and is told by nobody who can’t read it', async () => {
  const world = aWorld();
  const newer = { kind: 'unreadable', reason: 'written by newer code' } as const;
  Object.assign(world.ports.orders, { read: async () => newer, put: async () => newer });
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  const later = await livesThrough(world, record, 330);
  expect(world.results.taken).toEqual([]);
  if (!later) throw new Error('the job waits');
  expect(await livesThrough(world, later, 10)).toBeUndefined();
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'WAITED_TOO_LONG' } }]);
  expect([world.gateway.posts, world.results.taken]).toEqual([[], []]);
});
