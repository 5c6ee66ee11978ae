// An answer that rides on its message is written or told, whatever has become of the ledger: it is never POSTed again.
import { expect, it } from 'vitest';
import type { JobCopy } from '../../lib/payout/ports.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, deliveryOf, redelivered } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';
import { doubtedAfterRestore } from '../../lib/restore/restored-orders.ts';

const key = 'acme-eu/INV-1';

/** The gateway accepted as 9000001, the ledger could not be written, and the answer rides on a copy. */
async function carried(mood: 'accepts' | 'stalls' = 'accepts'): Promise<{ world: World; copy: JobCopy }> {
  const world = aWorld();
  world.gateway.moods(mood);
  world.orders.stays('down', 'write');
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  world.orders.stays('up', 'write');
  const [copy] = world.jobsQueue.copies.taken.splice(0);
  if (!copy) throw new Error('no copy was sent');
  return { world, copy };
}

const told = (world: World) => world.results.taken.map(({ status, payoutId }) => [status, payoutId]);

it('an empty table: the order is written as it was, with its gateway id', async () => {
  const { world, copy } = await carried();
  const { account } = world.entries.get(key) ?? {};
  world.items.clear();
  expect(await world.deliver(deliveryOf(copy))).toEqual([]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(told(world)).toEqual([['accepted', '9000001']]);
  expect(world.entries.get(key)).toMatchObject({ state: 'accepted', gatewayOrderId: '9000001', account });
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-2' }));
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it('an empty table, and the answer was lost: in doubt, not sent', async () => {
  const { world, copy } = await carried('stalls');
  world.items.clear();
  await world.deliver(deliveryOf(copy));
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(told(world)).toEqual([['held', undefined]]);
});

it('an older table, in which the order waits to be sent again', async () => {
  const { world, copy } = await carried();
  const claimed = world.entries.get(key);
  if (!claimed) throw new Error('there was a claim');
  const failure = { code: 'NOT_SENT', message: 'refused' } as const;
  world.entries.set(key, { ...claimed, state: 'retryable', owner: 'before', messageId: 'm-0', failure, revision: 2 });
  await world.deliver(deliveryOf(copy));
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(told(world)).toEqual([['accepted', '9000001']]);
});

it.each([
  ['accepts', 'accepted'],
  ['stalls', 'held'],
] as const)(
  'an older table, in which the attempt before of this very message had sent nothing: %s',
  async (mood, state) => {
    const { world, copy } = await carried(mood);
    const claimed = world.entries.get(key);
    if (!claimed) throw new Error('there was a claim');
    const failure = { code: 'NOT_SENT', message: 'refused' } as const;
    world.entries.set(key, { ...claimed, state: 'retryable', owner: 'before', failure, revision: 2 });
    const answer = JSON.stringify({ ...JSON.parse(copy.attributes.answer ?? '{}'), attempts: 2 });
    await world.deliver(deliveryOf({ ...copy, attributes: { ...copy.attributes, answer } }));
    expect(world.gateway.postsOf('INV-1')).toBe(1);
    expect(told(world)).toMatchObject([[state, state === 'accepted' ? '9000001' : undefined]]);
  },
);

it.each(['in-doubt', 'held'] as const)('a restored table that calls it %s', async (state) => {
  const { world, copy } = await carried();
  const claimed = world.entries.get(key);
  if (!claimed) throw new Error('there was a claim');
  const doubted = doubtedAfterRestore(undefined, claimed, { sinceMs: world.clock.nowMs() });
  world.entries.set(key, { ...doubted, state });
  await world.deliver(deliveryOf(copy));
  expect(world.entries.get(key)).toMatchObject({ state: 'accepted', gatewayOrderId: '9000001' });
  expect(told(world)).toEqual([['accepted', '9000001']]);
});

it('another attempt was accepted meanwhile: the id is kept beside it, and a person hears of it', async () => {
  const { world, copy } = await carried();
  const claimed = world.entries.get(key);
  if (!claimed) throw new Error('there was a claim');
  const other = { owner: 'another', messageId: 'm-2', gatewayOrderId: '9000002', revision: 7 };
  world.entries.set(key, { ...claimed, ...other, state: 'accepted', final: true });
  await world.deliver(deliveryOf(copy));
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.entries.get(key)).toMatchObject({
    gatewayOrderId: '9000002',
    earlierAttempts: [{ gatewayOrderId: '9000001' }],
  });
  expect(world.log.filter(({ level }) => level === 'error')).toMatchObject([
    { event: 'answer-overtaken', fields: { gatewayOrderId: '9000001' } },
  ]);
});

it('another claim is at the order: the answer waits for its end, and is not lost', async () => {
  const { world, copy } = await carried();
  const claimed = world.entries.get(key);
  if (!claimed) throw new Error('there was a claim');
  world.entries.set(key, { ...claimed, owner: 'another', messageId: 'm-2', revision: 3 });
  let record = deliveryOf(copy);
  for (let day = 1; day <= 14; day += 1) {
    world.entries.set(key, {
      ...claimed,
      owner: 'another',
      messageId: 'm-2',
      leaseUntilMs: world.clock.nowMs() + 100_000,
    });
    expect(await world.deliver(record)).toEqual([record.messageId]);
    record = redelivered(record);
    world.clock.advance(86_340_000);
  }
  world.entries.set(key, {
    ...claimed,
    owner: 'another',
    messageId: 'm-2',
    leaseUntilMs: world.clock.nowMs() + 100_000,
  });
  // When SQS is about to forget it, a copy carries the answer on.
  expect(await world.deliver(record)).toEqual([]);
  expect(world.jobsQueue.copies.taken.at(-1)?.attributes.answer).toContain('9000001');
});

it('newer code wrote the order: the message keeps its answer until newer code can take it', async () => {
  const { world, copy } = await carried();
  const record = deliveryOf(copy);
  const { read } = world.orders;
  Object.assign(world.orders, { read: async () => ({ kind: 'unreadable', reason: 'newer' }) });
  expect(await world.deliver(record)).toEqual([record.messageId]);
  Object.assign(world.orders, { read });
  await world.deliver(redelivered(record));
  expect(told(world)).toEqual([['accepted', '9000001']]);
});
