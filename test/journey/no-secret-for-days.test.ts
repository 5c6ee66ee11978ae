// A secret that is not there, can't be read or can't be had, and entries that this worker can't read, for an hour or for
// days: nothing is sent, nothing fails, and the jobs go on by themselves. What still waits after 14 days is laid aside.
import { expect, it } from 'vitest';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const hourMs = 3_600_000;
type Carried = ReturnType<typeof aRecord>;

/** Looks at the job each hour, until it waits no more; true while it does. */
async function livesThrough(world: World, first: Carried | undefined, hours: number): Promise<boolean> {
  if (first) await world.deliver(first);
  for (let hour = 1; hour < hours; hour += 1) {
    if (world.waits().length === 0) return false;
    world.clock.advance(hourMs);
    await world.again();
  }
  return world.waits().length > 0;
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
  const waits = await livesThrough(world, aRecord(aPayoutJob(), { messageId: 'm-1' }), 300);
  expect([world.results.taken, world.jobsQueue.deadLetters.taken, world.gateway.posts]).toEqual([[], [], []]);
  end();
  expect(waits).toBe(true);
  await livesThrough(world, undefined, 2);
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it.each(badDays)('%s for more than 14 days: the job is laid aside, and can be brought back', async (_, begin) => {
  const world = aWorld();
  begin(world);
  expect(await livesThrough(world, aRecord(aPayoutJob(), { messageId: 'm-1' }), 400)).toBe(false);
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'WAITED_TOO_LONG' } }]);
  expect(world.gateway.posts).toEqual([]);
});

it('a secret that is there the next morning: the job is paid, and nobody heard of a failure', async () => {
  const world = aWorld();
  const job = aPayoutJob({ merchant: 'nobody' });
  expect(await livesThrough(world, aRecord(job, { messageId: 'm-1' }), 20)).toBe(true);
  world.credentials.rotate('nobody', someCredentials());
  await world.credentials.refresh('nobody', someCredentials());
  await world.again();
  expect(world.waits()).toEqual([]);
  expect(world.results.taken).toMatchObject([{ merchant: 'nobody', status: 'accepted' }]);
});

it('an order that waits to be sent again outlasts days without its merchant’s secret', async () => {
  const world = aWorld({ merchants: { 'acme-eu': someCredentials(), 'gone-soon': someCredentials() } });
  world.gateway.moods('refuses the connection');
  const first = aRecord(aPayoutJob({ merchant: 'gone-soon' }), { messageId: 'm-1' });
  await world.deliver(first);
  const found = world.ports.credentials.of;
  const gone = { code: 'MERCHANT_UNKNOWN', message: 'there is no secret' } as const;
  world.ports.credentials.of = async () => ({ kind: 'unavailable', failure: gone });
  for (let day = 1; day <= 5; day += 1) {
    world.clock.advance(24 * hourMs);
    await world.again();
    expect(world.waits()).toHaveLength(1);
  }
  expect(world.entries.get('gone-soon/INV-1')).toMatchObject({ state: 'retryable' });
  expect(world.results.taken).toEqual([]);
  world.ports.credentials.of = found;
  await world.again();
  expect(world.waits()).toEqual([]);
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
});

it('an order in doubt while its merchant’s secret can’t be had is denied by the quiet period of its own contract alone', async () => {
  const contract = { quietPeriodSeconds: 86_400, doubtHorizonSeconds: 604_800, resubmitUnknownOrders: true };
  const world = aWorld({ profile: { statusInquiry: true, ...contract } });
  world.gateway.moods('stalls');
  world.gateway.statusStays('never heard of it');
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  await world.pass(2 * hourMs);
  world.credentials.outage('down');
  await world.pass(1 * hourMs);
  world.credentials.outage('up');
  await world.pass(2 * hourMs);
  expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'in-doubt' });
  await world.pass(24 * hourMs);
  expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'failed', failure: { code: 'NOT_AT_GATEWAY' } });
});

it('an order that only newer code can read keeps its job for 14 days, and is told by nobody who can’t read it', async () => {
  const world = aWorld();
  const newer = { kind: 'unreadable', reason: 'written by newer code' } as const;
  Object.assign(world.ports.orders, { read: async () => newer, put: async () => newer });
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  const waits = await livesThrough(world, record, 330);
  expect(world.results.taken).toEqual([]);
  expect(waits).toBe(true);
  expect(await livesThrough(world, undefined, 10)).toBe(false);
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'WAITED_TOO_LONG' } }]);
  expect([world.gateway.posts, world.results.taken]).toEqual([[], []]);
});
