// A gateway that stays away: the order waits, as long as a queue would keep it; then it fails without ever having been sent,
// is kept, and can be paid later.
import { expect, it } from 'vitest';
import { planRedrive, redriveDeadLetters } from '../../lib/dead-letters/redrive-dead-letters.ts';
import { aDeadLetterWorld } from '../support/dead-letter-world.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';

const daysMs = 86_400_000;

async function failedWorld() {
  const it = aDeadLetterWorld();
  const { world } = it;
  world.gateway.stays('refuses the connection');
  const lastRecord = aRecord(aPayoutJob(), { messageId: 'm-1' });
  await world.deliver(lastRecord);
  let deliveries = 1;
  while (await world.waitIsOver()) deliveries += 1;
  return { world, it, lastRecord, deliveries };
}

it('after fourteen days of tries the order has failed, and its message waits on the dead-letter queue', async () => {
  const { world, deliveries } = await failedWorld();
  const [told, ...more] = world.results.taken;
  expect(more).toEqual([]);
  expect(told).toMatchObject({
    status: 'failed',
    final: true,
    failure: { code: 'WAITED_TOO_LONG', message: 'it waited for 14 days: connect ECONNREFUSED' },
  });
  expect(world.gateway.posts).toEqual([]);
  const waitedMs = world.clock.nowMs() - startMs;
  expect(waitedMs).toBeGreaterThanOrEqual(14 * daysMs);
  expect(waitedMs).toBeLessThan(14 * daysMs + 900_000);
  // Between 4 and 8 an hour, and a few more in the first quarter of it.
  expect(deliveries).toBeLessThan(14 * 24 * 8);
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([
    { reason: { code: 'WAITED_TOO_LONG' }, originMessageId: 'm-1' },
  ]);
});

it('a late copy of the same message only repeats that it failed', async () => {
  const { world, lastRecord } = await failedWorld();
  world.gateway.stays('accepts');
  expect(await world.deliver(redelivered(lastRecord))).toEqual([]);
  expect(world.gateway.posts).toEqual([]);
  expect(world.results.taken[1]).toEqual(world.results.taken[0]);
});

it('redriven, the order is paid once, and the new result supersedes the failure', async () => {
  // given a failed order, and a gateway that is back
  const { world, it, lastRecord } = await failedWorld();
  world.gateway.stays('accepts');
  it.lay();

  // when a person moves the dead letter back, and an old copy comes too
  const { plan } = await planRedrive(() => true, it.ports);
  await redriveDeadLetters(plan, it.ports);
  expect(await it.deliverRedriven()).toEqual([]);
  expect(await world.deliver(redelivered(lastRecord))).toEqual([]);

  // then
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  const [failed, accepted] = world.results.taken;
  expect(accepted).toMatchObject({ status: 'accepted', payoutId: '9000001' });
  expect(accepted?.revision).toBeGreaterThan(failed?.revision ?? Infinity);
});

it('the end opens once: who names it again after its order was sent is told how that stands', async () => {
  const { world } = await failedWorld();
  world.gateway.stays('accepts');
  const { endId = '' } = world.results.taken[0] ?? {};
  const again = aPayoutJob({ resends: endId });
  await world.deliver([aRecord(again), aRecord(again)]);
  await world.deliver(aRecord(again));
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'accepted', revision: 2 });
});
