// An order that was archived, and that older code, which knows of no archive, has claimed since: no delivery of it ends in
// silence. What is under way is waited for, what was left lying is in doubt, and nothing is sent again.
import { expect, it } from 'vitest';
import { remainderOf } from '../../lib/archive/archive-orders.ts';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const key = 'acme-eu/INV-1';
const dayMs = 86_400_000;

/** A world with what the archiver has left of an order that failed, unsent. */
async function archivedFailed(): Promise<{ readonly world: World; readonly left: LedgerEntry }> {
  const world = aWorld();
  world.gateway.moods('refuses the connection');
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1', sentAtMs: world.clock.nowMs() - 14 * dayMs }));
  const entry = world.entries.get(key);
  if (entry?.state !== 'failed') throw new Error('it failed');
  world.clock.advance(400 * dayMs);
  const left = remainderOf(entry, 'an-object');
  world.entries.set(key, left);
  world.results.taken.splice(0);
  world.jobsQueue.deadLetters.taken.splice(0);
  return { world, left };
}

it('as it was left, its end is told again to a new message', async () => {
  const { world, left } = await archivedFailed();
  expect(await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-2' }))).toEqual([]);
  expect(world.results.taken).toMatchObject([{ status: 'failed', revision: left.revision }]);
  expect(world.gateway.postsOf('INV-1')).toBe(0);
});

it('claimed since, and proven not sent: the message waits where it is seen, and is laid aside after 14 days', async () => {
  const { world, left } = await archivedFailed();
  const revision = left.revision + 2;
  world.entries.set(key, { ...left, state: 'retryable', final: false, owner: 'older', revision });
  let record = aRecord(aPayoutJob(), { messageId: 'm-2', receiveCount: 2 });
  expect(await world.deliver(record)).toEqual(['m-2']);
  world.clock.advance(14 * dayMs);
  record = redelivered(record);
  expect(await world.deliver(record)).toEqual([]);
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'WAITED_TOO_LONG' } }]);
  expect(world.gateway.postsOf('INV-1')).toBe(0);
});

it('claimed since, and under way: it is waited for; once its worker is lost it is in doubt, and told so', async () => {
  const { world, left } = await archivedFailed();
  const leaseUntilMs = world.clock.nowMs() + 100_000;
  const claimed = { ...left, state: 'submitting', final: false, owner: 'older', revision: left.revision + 1 } as const;
  world.entries.set(key, { ...claimed, leaseUntilMs });
  const record = aRecord(aPayoutJob(), { messageId: 'm-2', receiveCount: 2 });
  expect(await world.deliver(record)).toEqual(['m-2']);
  world.clock.advance(200_000);
  expect(await world.deliver(redelivered(record))).toEqual([]);
  expect(world.results.taken).toMatchObject([{ status: 'held' }]);
  expect(world.gateway.postsOf('INV-1')).toBe(0);
});
