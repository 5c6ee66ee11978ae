// A job past its time is not sent: its sender has perhaps paid in another way.
import { expect, it } from 'vitest';
import type { Gate } from '../../lib/payout/gates.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('an expired job fails without a POST and is not kept for redrive', async () => {
  const world = aWorld();
  const returned = await world.deliver(aRecord(aPayoutJob({ expiresAt: '2026-11-21T10:00:00Z' })));
  expect(returned).toEqual([]);
  expect(world.gateway.posts).toEqual([]);
  expect(world.results.taken).toMatchObject([{ status: 'rejected', final: true, failure: { code: 'EXPIRED' } }]);
  expect(world.jobsQueue.deadLetters.taken).toEqual([]);
});

it('a millisecond before its time it is sent', async () => {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob({ expiresAt: '2026-11-21T10:00:00.001Z' })));
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
});

it('one that expires between two attempts is not sent again', async () => {
  const world = aWorld();
  world.gateway.moods('refuses the connection');
  const record = aRecord(aPayoutJob({ expiresAt: '2026-11-21T10:00:10Z' }));
  await world.deliver(record);
  world.clock.advance(15_000);
  await world.deliver(redelivered(record));
  expect(world.gateway.posts).toEqual([]);
  expect(world.results.taken).toMatchObject([{ status: 'failed', failure: { code: 'EXPIRED' } }]);
});

it('its end is told by the next message although whoever wrote it died before telling it', async () => {
  // given an order that ended as expired between two attempts, of which nobody heard
  const world = aWorld();
  const body = aPayoutJob({ expiresAt: '2026-11-21T10:00:10Z' });
  world.gateway.moods('refuses the connection');
  const record = aRecord(body);
  await world.deliver(record);
  world.clock.advance(15_000);
  world.results.stays('down');
  world.orders.stays('down', 'mark');
  await world.deliver(redelivered(record));
  world.results.stays('up');
  world.orders.stays('up', 'mark');
  expect(world.results.taken).toEqual([]);

  // when the job is sent once more
  await world.deliver(aRecord(body, { messageId: 'm-2' }));

  // then the order itself is told, not the message alone
  expect(world.results.taken).toMatchObject([{ status: 'failed', revision: 1, failure: { code: 'EXPIRED' } }]);
});

it.each(['the next message', 'the sweeper'])(
  'its end is told by %s, though a later message is stopped by another gate',
  async (by) => {
    // given an order that ended as expired, whose worker died before it said so
    const world = aWorld();
    const body = aPayoutJob({ expiresAt: '2026-11-21T10:00:10Z' });
    world.gateway.moods('refuses the connection');
    const record = aRecord(body, { messageId: 'm-1' });
    await world.deliver(record);
    world.clock.advance(15_000);
    world.results.stays('down');
    world.orders.stays('down', 'mark');
    await world.deliver(redelivered(record));
    world.results.stays('up');
    world.orders.stays('up', 'mark');

    // when the job comes again, redriven as it is, and a gate before that of time stops it
    const failure = { code: 'PLAIN_CARD_DATA', message: 'its profile takes none' } as const;
    const gate: Gate = { name: 'card-data', ask: async () => ({ kind: 'refuse', failure }) };
    if (by === 'the sweeper') await world.pass(10 * 60_000);
    await world.deliver(aRecord(body, { messageId: 'm-2' }), undefined, { gates: [gate] });

    // then
    expect(world.results.taken[0]).toMatchObject({ status: 'failed', revision: 1, failure: { code: 'EXPIRED' } });
  },
);
