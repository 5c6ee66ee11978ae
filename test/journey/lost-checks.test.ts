// The checks queue is only a hurry: losing every message of it delays, and loses nothing.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const minutes = 60_000;

function statusOf(world: World, orderId: string): string | undefined {
  return world.results.taken.findLast((result) => result.orderId === orderId)?.status;
}

it('every check is lost at once: the sweeper finds the orders, and all of them settle', async () => {
  // given one order accepted, one in doubt, one whose worker died, and one whose result could not be told
  const world = aWorld({ profile: { statusInquiry: true }, limits: { concurrency: 1 } });
  world.gateway.moods('accepts', 'stalls', 'accepts', 'accepts');
  const ids = ['ACCEPTED', 'DOUBTFUL', 'UNTOLD', 'LOST'];
  const [accepted, doubtful, untold, lost] = ids.map((orderId) => aRecord(aPayoutJob({ orderId })));
  if (!accepted || !doubtful || !untold || !lost) throw new Error('there are four');
  await world.deliver([accepted, doubtful]);
  world.results.moods('down', 'down', 'down');
  await world.deliver(untold); // and its message expires on the queue
  await new Promise<void>((posted) => {
    world.gateway.meanwhile(() => {
      posted();
      return new Promise(() => {}); // never comes back
    });
    void world.deliver(lost);
  });
  world.gateway.meanwhile(() => {});

  // when every message on the checks queue is lost for five minutes
  world.gateway.statusStays('approved');
  world.ownQueue.taken.splice(0);
  for (let minute = 0; minute < 5; minute += 1) {
    world.clock.advance(1 * minutes);
    await world.sweep();
    world.ownQueue.taken.splice(0);
  }
  world.ownQueue.taken.splice(0);
  expect(statusOf(world, 'ACCEPTED')).toBe('accepted');

  // then the sweeper finds each of them, and all are settled within a quarter of an hour
  await world.pass(15 * minutes);
  expect(ids.map((orderId) => [orderId, statusOf(world, orderId)])).toEqual([
    ['ACCEPTED', 'approved'],
    ['DOUBTFUL', 'approved'],
    ['UNTOLD', 'approved'],
    ['LOST', 'approved'],
  ]);
  expect(world.gateway.posts).toHaveLength(4);
  expect(world.ownQueue.taken).toEqual([]);
});

it('the first check could not even be sent: acceptance is told all the same, and the sweeper asks', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  world.ownQueue.moods('down');
  expect(await world.deliver(aRecord(aPayoutJob()))).toEqual([]);
  expect(statusOf(world, 'INV-1')).toBe('accepted');
  expect(world.ownQueue.taken).toEqual([]);
  world.gateway.statusStays('approved');
  await world.pass(13 * minutes);
  expect(statusOf(world, 'INV-1')).toBe('approved');
});

it('the results queue is down for an hour: every result is told later, once, as it would have been', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  await world.deliver(aRecord(aPayoutJob()));
  world.gateway.statusStays('approved');
  world.results.stays('down');
  await world.pass(60 * minutes);
  expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'approved', unpublished: true });

  world.results.stays('up');
  await world.pass(16 * minutes);
  expect(world.results.taken).toMatchObject([
    { resultId: 'acme-eu/INV-1/1', status: 'accepted' },
    { resultId: 'acme-eu/INV-1/2', status: 'approved', occurredAt: '2026-11-21T10:00:05.000Z' },
  ]);
  expect(world.entries.get('acme-eu/INV-1')).not.toHaveProperty('unpublished');
  await world.pass(60 * minutes);
  expect(world.results.taken).toHaveLength(2);
});

it('the ledger is down for an hour: checks come again until it is back', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  await world.deliver(aRecord(aPayoutJob()));
  world.gateway.statusStays('approved');
  world.orders.stays('down', 'read', 'write', 'mark');
  await world.pass(60 * minutes);
  world.orders.stays('up', 'read', 'write', 'mark');
  await world.pass(3 * minutes);
  expect(statusOf(world, 'INV-1')).toBe('approved');
  expect(world.gateway.posts).toHaveLength(1);
});
