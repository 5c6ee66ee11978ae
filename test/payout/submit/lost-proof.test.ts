// What a job had when it was parked may be gone when its turn comes: its approval, the key of its seal, the name of its lane.
import { expect, it } from 'vitest';
import type { CardDecrypter } from '../../../lib/card-data/open-card-data.ts';
import type { Approvals } from '../../../lib/batches/approval.ts';
import type { Spending } from '../../../lib/payout/operate/caps.ts';
import { noFacts, unknownAt } from '../../../lib/payout/order/facts.ts';
import { newOrder } from '../../../lib/payout/order/order.ts';
import { recorded } from '../../../lib/payout/order/record.ts';
import { approved } from '../../support/approvals.ts';
import { sealedFor } from '../../support/card-keys.ts';
import { someCredentials } from '../../support/fake-credentials.ts';
import { gateListOf, type GateListPorts } from '../../support/gate-list.ts';
import { aPayoutJob, aTransferJob } from '../../support/jobs.ts';
import { aRecord } from '../../support/records.ts';
import { startMs } from '../../support/time-and-chance.ts';
import { aWorld, type World } from '../../support/world.ts';

const because = (world: World) => world.waits().map(({ where, because: why }) => `${where}: ${why}`);

/** Another process of the worker, to which these ports answer otherwise. */
function anotherProcess({ ports }: World, changes: Partial<GateListPorts>): void {
  const spending: Spending = { count: async () => 'counted' };
  Object.assign(ports, { gates: gateListOf({ ...ports, spending, ...changes }) });
}

/** An order of a transaction that no attempt explains. */
function namedByCallback({ items }: World): void {
  const heard = { id: '9', since: 1, reports: ['approved' as const], amounts: [] };
  const facts = { ...noFacts, unknown: { [unknownAt(heard)]: heard } };
  items.set('acme-eu/INV-1', recorded(newOrder('acme-eu/INV-1', startMs), facts, { nowMs: startMs, endId: 'end-1' }));
}

it('a job whose approval is gone when its pause ends waits for that, visibly, and is paid once it is back', async () => {
  const world = aWorld({ merchants: { 'acme-eu': someCredentials({ profile: { twoPersonRelease: true } }) } });
  const [job = aPayoutJob()] = await approved(world.batches, world.approvalKey, [aPayoutJob()]);
  await world.controls.pause('acme-eu', true, { by: 'ada', reason: 'odd', atMs: startMs });
  await world.deliver(aRecord(job));
  await world.controls.pause('acme-eu', false, { by: 'ada', reason: 'well', atMs: startMs });
  // when the table of batches has lost it
  const { approvals } = world.ports;
  const lost: Approvals = { needed: approvals.needed, of: async () => 'none' };
  anotherProcess(world, { approvals: lost });
  await world.again();
  expect([because(world), world.gateway.posts, world.results.taken]).toEqual([['table: approval-lost'], [], []]);
  // then it waits for it
  anotherProcess(world, { approvals });
  await world.again();
  expect([because(world), world.gateway.posts.length]).toEqual([[], 1]);
});

it('a job of an order that a callback alone has named gives its content as soon as its approval can be read', async () => {
  // given an order of a transaction that no attempt explains
  const world = aWorld({ merchants: { 'acme-eu': someCredentials({ profile: { twoPersonRelease: true } }) } });
  const [job = aPayoutJob()] = await approved(world.batches, world.approvalKey, [aPayoutJob()]);
  namedByCallback(world);
  // when its job comes while the table of batches does not answer
  const { approvals } = world.ports;
  anotherProcess(world, { approvals: { ...approvals, of: () => Promise.reject(new Error('throttled')) } });
  await world.deliver(aRecord(job));
  // then it comes again within minutes
  expect(world.waits()).toMatchObject([{ because: 'busy' }]);
  anotherProcess(world, { approvals });
  await world.again();
  expect(world.items.get('acme-eu/INV-1')?.content).toBeDefined();
});

it('a job without an approval is refused, though a callback alone has named its order', async () => {
  const world = aWorld({ merchants: { 'acme-eu': someCredentials({ profile: { twoPersonRelease: true } }) } });
  namedByCallback(world);
  await world.deliver(aRecord(aPayoutJob()));
  expect([because(world), world.results.taken.map(({ failure }) => failure?.code)]).toEqual([[], ['NOT_APPROVED']]);
});

it('a message that was never proven, and bears no approval, is refused however often it comes', async () => {
  const world = aWorld({ merchants: { 'acme-eu': someCredentials({ profile: { twoPersonRelease: true } }) } });
  await world.deliver(aRecord(aPayoutJob()));
  expect([because(world), world.results.taken.map(({ failure }) => failure?.code)]).toEqual([[], ['NOT_APPROVED']]);
});

it('a job whose card key is gone when its turn comes waits for the key', async () => {
  const world = aWorld();
  await world.controls.pause('acme-eu', true, { by: 'ada', reason: 'odd', atMs: startMs });
  await world.deliver(aRecord(await sealedFor(world, aTransferJob())));
  await world.controls.pause('acme-eu', false, { by: 'ada', reason: 'well', atMs: startMs });
  const keyless: CardDecrypter = {
    ...world.ports.cardDecrypter,
    open: async () => ({ kind: 'unopenable', reason: 'is under an unknown key' }),
  };
  anotherProcess(world, { cardDecrypter: keyless });
  await world.again();
  expect([because(world), world.gateway.posts.length]).toEqual([['table: key-lost'], 0]);
  anotherProcess(world, {});
  await world.again();
  expect([because(world), world.gateway.posts.length]).toEqual([[], 1]);
});

it('a lane whose name found no room, and that has closed, is opened by a job that waits for it', async () => {
  const world = aWorld();
  Object.assign(world.ports.lanes, { isNamed: async () => false });
  world.gateway.moods(...Array.from({ length: 40 }, () => 'refuses the connection' as const));
  for (let n = 0; n < 30; n += 1) await world.deliver(aRecord(aPayoutJob({ orderId: `INV-${n}` })));
  expect(because(world)).toContain('table: lane-closed');
  expect([...world.parked.values()].some(({ lane }) => lane !== undefined)).toBe(false);
  // when the gateway is back
  world.gateway.moods();
  for (let minutes = 0; minutes < 20; minutes += 1) {
    world.clock.advance(60_000);
    await world.again();
  }
  // then all are paid, though no leader looks at the lane
  expect([because(world), world.gateway.posts.length]).toEqual([[], 30]);
});
