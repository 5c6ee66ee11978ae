// A worker that died in the middle: what it sent, nobody knows. Its order goes into doubt, never to a second POST.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld, type World, type WorldChoices } from '../support/world.ts';

/** The lease, and the most that two machines' clocks may differ. */
const leaseOverMs = 100_000 + 600_000 + 1;

/** A world in which a worker claimed the order, perhaps sent it, and was never heard of again. */
async function worldWithALostWorker(record: ReturnType<typeof aRecord>, choices: WorldChoices = {}): Promise<World> {
  const world = aWorld(choices);
  let dies = () => {};
  const posting = new Promise<void>((resolve) => (dies = resolve));
  world.gateway.meanwhile(() => {
    dies();
    return new Promise(() => {}); // never comes back
  });
  void world.deliver(record);
  await posting;
  world.gateway.meanwhile(() => {});
  return world;
}

it('while the lease runs, the message waits; when it is over, the order is held', async () => {
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  const world = await worldWithALostWorker(record);

  world.clock.advance(60_000);
  expect(await world.deliver(redelivered(record))).toEqual([]);
  expect(world.waits()).toMatchObject([{ where: 'table', because: 'busy', inSeconds: 41 }]);
  expect(world.results.taken).toEqual([]);

  // It is over by any clock ten minutes later; until then nobody spins.
  world.clock.advance(41_000);
  await world.again();
  expect(world.waits()[0]?.inSeconds).toBeGreaterThan(60);
  expect(world.results.taken).toEqual([]);

  world.clock.advance(600_000);
  await world.deliver(redelivered(record));
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  await world.pass(5 * 60_000);
  expect(world.results.taken).toMatchObject([{ status: 'held', final: false, failure: { code: 'WORKER_LOST' } }]);
});

it('where the gateway can be asked, the order is in doubt instead', async () => {
  const record = aRecord(aPayoutJob());
  const world = await worldWithALostWorker(record, { profile: { statusInquiry: true } });
  world.clock.advance(leaseOverMs);
  await world.deliver(redelivered(record));
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.results.taken).toMatchObject([{ status: 'in-doubt', failure: { code: 'WORKER_LOST' } }]);
});

it('where the secret cannot be had, it is in doubt all the same, for a later inquiry', async () => {
  const record = aRecord(aPayoutJob());
  const world = await worldWithALostWorker(record, { profile: { statusInquiry: true } });
  world.credentials.outage('down');
  world.clock.advance(leaseOverMs);
  await world.deliver(redelivered(record));
  await world.pass(5 * 60_000);
  expect(world.results.taken).toMatchObject([{ status: 'in-doubt' }]);
});

it('where the end before it was never told, it is in doubt all the same: a mark with nothing to tell keeps nobody from asking', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  world.gateway.moods('refuses the order');
  world.results.stays('down');
  await world.deliver(aRecord(aPayoutJob()));
  const { endId: resends = '' } = world.entries.get('acme-eu/INV-1') ?? {};
  expect(resends).not.toBe('');

  world.gateway.meanwhile(() => new Promise(() => {}));
  void world.deliver(aRecord(aPayoutJob({ resends }), { messageId: 'again' }));
  await expect.poll(() => world.gateway.postsOf('INV-1')).toBe(2);
  expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'submitting', unpublished: true });
  world.gateway.meanwhile(() => {});
  world.results.stays('up');

  world.clock.advance(leaseOverMs);
  await world.pass(30 * 60_000);
  expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'in-doubt', failure: { code: 'WORKER_LOST' } });
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'in-doubt' });
});
