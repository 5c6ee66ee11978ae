// The sweeper sets moving again whatever stands still, and measures what is in doubt. Here it is told when, and what not.
import { describe, expect, it } from 'vitest';
import { type Attempt, ofAttempt } from '../../../lib/payout/order/facts.ts';
import type { Order } from '../../../lib/payout/order/order.ts';
import type { Orders } from '../../../lib/payout/order/orders.ts';
import { createSweepPace } from '../../../lib/payout/inquire/resume-due.ts';
import type { DueWork, SweepRound } from '../../../lib/payout/inquire/due-work.ts';
import { sweep, type SweepPorts } from '../../../lib/payout/inquire/sweep.ts';
import { key } from '../../support/asked-order.ts';
import { aPayoutJob } from '../../support/jobs.ts';
import { aRecord } from '../../support/records.ts';
import { withFacts } from '../../support/orders.ts';
import { aWorld, type World } from '../../support/world.ts';

const seconds = 1000;
const resumed = async (world: World) => {
  await world.sweep();
  return world.ownQueue.taken.splice(0).map((it) => it.message);
};

/** What a sweep resumes after so long, and what one does a millisecond later. */
async function aroundThen(world: World, afterMs: number) {
  world.clock.advance(afterMs);
  const then = await resumed(world);
  world.clock.advance(1);
  return [then, await resumed(world)];
}

const due = (number = 0) => [[], [{ kind: 'check', key, number }]];

/** The order, changed by facts of its one attempt, or otherwise. */
function change(world: World, attempt: Partial<Attempt>, more: Partial<Order> = {}, at = key): void {
  const order = world.items.get(at);
  const [before] = Object.values(order?.facts.attempts ?? {});
  if (!order || !before) throw new Error('there is no such order');
  world.items.set(at, { ...withFacts(order, ofAttempt({ ...before, ...attempt }), world.clock.nowMs()), ...more });
}

/** An order whose worker was lost over its POST. */
async function aLostWorker(world: World, orderId = 'INV-1'): Promise<World> {
  const gateway = { ...world.gateway, post: async () => Promise.reject(new Error('killed')) };
  await world.deliver(aRecord(aPayoutJob({ orderId })), undefined, { gateway });
  return world;
}

describe('an order is set moving again', () => {
  it('when its lease is over by any clock, and it is still being submitted', async () => {
    const world = await aLostWorker(aWorld({ profile: { statusInquiry: true } }));
    expect(await aroundThen(world, (100 + 600) * seconds)).toEqual(due());
  });

  it('never when acceptance is its end', async () => {
    const world = aWorld();
    await world.deliver(aRecord(aPayoutJob()));
    world.clock.advance(400 * 86_400 * seconds);
    expect(await resumed(world)).toEqual([]);
  });
});

describe('checks that may wait on their queue', () => {
  it('are twice as many where all were worked off at once, and half as many where half still wait', () => {
    const pace = createSweepPace();
    expect(pace.asksAtMost(0)).toBe(10_000);
    pace.used(true);
    expect(pace.asksAtMost(2_000)).toBe(18_000);
    expect(pace.asksAtMost(4_999)).toBe(35_001);
    expect(pace.asksAtMost(15_000)).toBe(25_000);
    expect(pace.asksAtMost(20_001)).toBe(0);
  });

  it('are a thousand at least and eighty thousand at most', () => {
    const slow = createSweepPace();
    for (let minute = 0; minute < 20; minute += 1) slow.asksAtMost(50_000);
    expect(slow.asksAtMost(0)).toBe(1_000);
    const fast = createSweepPace();
    fast.used(true);
    for (let minute = 0; minute < 20; minute += 1) fast.asksAtMost(0);
    expect(fast.asksAtMost(0)).toBe(80_000);
  });
});

describe('a sweep', () => {
  /** Orders of which each write takes a while. */
  function slowly(world: World, ms: number): Orders['write'] {
    return (...orders) => {
      world.clock.advance(ms);
      return world.orders.write(...orders);
    };
  }

  /** So many payouts whose answers were lost, two hours ago. */
  async function aWorldOfDoubt(count: number): Promise<World> {
    const world = aWorld({ profile: { statusInquiry: true }, lanes: 'open' });
    world.gateway.stays('stalls');
    const ids = Array.from({ length: count }, (_, index) => `INV-${index}`);
    await world.deliver(ids.map((orderId) => aRecord(aPayoutJob({ orderId }))));
    world.ownQueue.taken.splice(0);
    world.clock.advance(7_200 * seconds);
    return world;
  }

  it('lets the kinds take turns, so that no kind without end keeps the others waiting', async () => {
    // given 600 results that can't be told, and one doubt, younger than all of them
    const world = await aWorldOfDoubt(601);
    for (const [at, order] of world.items) {
      if (at === 'acme-eu/INV-600') continue;
      world.items.set(at, { ...order, unpublished: true });
    }
    // when there is time for a part of it alone, then the doubt is among the first
    const orders = { ...world.orders, write: slowly(world, 1) };
    await sweep(world.clock.nowMs() + 200, { ...world.ports, orders });
    expect(world.ownQueue.taken.length).toBeLessThan(300);
    expect(world.ownQueue.taken.map((it) => it.message.key)).toContain('acme-eu/INV-600');
  });

  it('asks nothing more of a own queue that is not worked off', async () => {
    const world = await aWorldOfDoubt(1);
    const queueDepths = { measure: async () => ({ checksDepth: 10_000 }) };
    expect(await sweep(world.clock.nowMs() + 1, { ...world.ports, queueDepths })).toMatchObject({ resumed: 0 });
    const fewer = { measure: async () => ({ checksDepth: 999 }) };
    expect(await sweep(world.clock.nowMs() + 1, { ...world.ports, queueDepths: fewer })).toMatchObject({ resumed: 1 });
  });

  it('is made by as many sweepers as the schedule calls, each order by one of them', async () => {
    const world = await aWorldOfDoubt(40);
    const deadlineMs = world.clock.nowMs() + 60_000;
    const parts = [0, 1, 2, 3].map((part) => ({ part, of: 4 }));
    const swept: Awaited<ReturnType<typeof sweep>>[] = [];
    for (const part of parts) swept.push(await sweep(deadlineMs, world.ports, part));
    expect(world.ownQueue.taken.map((it) => it.message.key).toSorted()).toEqual([...world.entries.keys()].toSorted());
    for (const { resumed } of swept) expect(resumed).toBeGreaterThan(0);
    // The first alone measures, and has the rounds.
    expect(swept.map(({ doubt }) => doubt?.inDoubt)).toEqual([40, undefined, undefined, undefined]);
  });

  it('resumes untold results and claims that got stuck however full the own queue is', async () => {
    const world = await aWorldOfDoubt(3);
    change(world, {}, { unpublished: true }, 'acme-eu/INV-0');
    await aLostWorker(world, 'INV-9');
    world.clock.advance(7_200 * seconds);
    const queueDepths = { measure: async () => ({ checksDepth: 100_000 }) };
    expect(await sweep(world.clock.nowMs() + 1000, { ...world.ports, queueDepths })).toMatchObject({ resumed: 2 });
  });

  it('sends one check of an order and leaves it alone for ten minutes, whatever becomes of the check', async () => {
    const world = await aWorldOfDoubt(1);
    let checks = 0;
    for (let minute = 0; minute < 60; minute += 1) {
      checks += (await resumed(world)).length;
      world.clock.advance(60 * seconds);
    }
    expect(checks).toBe(6);
  });

  it.each(['down', 'answer lost'] as const)('sends nothing that it could not write down (%s)', async (fault) => {
    const world = await aWorldOfDoubt(3);
    world.orders.stays(fault, 'write');
    expect(await world.sweep()).toMatchObject({ resumed: 0 });
    expect(world.ownQueue.taken).toEqual([]);
  });

  it('stops at its deadline', async () => {
    const world = await aWorldOfDoubt(2);
    expect(await sweep(world.clock.nowMs() - 1, world.ports)).toEqual({ resumed: 0 });
    // A part of the doubt would be taken for the whole.
    expect(world.figures.at(-1)).toMatchObject({ values: { resumed: 0 } });
    expect(world.figures.at(-1)?.values).not.toHaveProperty('inDoubt');
  });

  it('says last of all that it came to its end, each part of its own', async () => {
    const world = await aWorldOfDoubt(1);
    for (const part of [0, 1, 2, 3]) {
      await sweep(world.clock.nowMs() + 1, world.ports, { part, of: 4 });
      expect(world.figures.at(-1)?.values).toEqual({ [`sweptPart${part}`]: 1 });
    }
  });

  it.each([
    ['what stands still can not be looked for', 1, { dueWork: { dueWork: () => broken(), measured: () => broken() } }],
    ['doubt can not be noted', 0, { controlsAdmin: { recordDoubt: () => Promise.reject(new Error('it broke')) } }],
    ['a round breaks', 0, { rounds: [{ name: 'batches', run: () => Promise.reject(new Error('it broke')) }] }],
  ])('is missed where %s', async (_, part, trouble) => {
    const world = await aWorldOfDoubt(1);
    const sweeping = sweep(world.clock.nowMs() + 1, { ...world.ports, ...trouble }, { part, of: 4 });
    await expect(sweeping).rejects.toThrow('it broke');
    expect(world.figures.at(-1)?.values ?? {}).not.toHaveProperty(`sweptPart${part}`);
  });

  it('measures doubt where the orders that are due can not be read, or merchants that stop on doubt would go on, and fails all the same', async () => {
    const world = await aWorldOfDoubt(1);
    const dueWork = { ...world.ports.dueWork, dueWork: broken };
    await expect(sweep(world.clock.nowMs() + 60_000, { ...world.ports, dueWork })).rejects.toThrow('it broke');
    expect((await world.controls.of('acme-eu')).doubt).toEqual({ EUR: 1042n });
    expect(world.figures.findLast(({ values }) => 'inDoubt' in values)?.values).toMatchObject({ inDoubt: 1 });
  });

  it.each<[string, Partial<SweepPorts>]>([
    ['orders that are due can not be read', { dueWork: { dueWork: () => broken(), measured: async function* () {} } }],
    ['another round breaks', {}],
    ['doubt can not be measured', { dueWork: { dueWork: async function* () {}, measured: () => broken() } }],
    ['doubt can not be recorded', { controlsAdmin: { recordDoubt: () => Promise.reject(new Error('it broke')) } }],
  ])('gives each round its turn where %s, and fails all the same', async (_, trouble) => {
    const world = await aWorldOfDoubt(1);
    const ran: string[] = [];
    const rounds: SweepRound[] = [
      { name: 'lines', run: async () => (ran.push('lines'), Promise.reject(new Error('it broke'))) },
      { name: 'batches', run: async () => (ran.push('batches'), { batchesClosed: 1 }) },
    ];
    const ports = { ...world.ports, ...trouble, rounds };
    await expect(sweep(world.clock.nowMs() + 60_000, ports)).rejects.toThrow('it broke');
    expect(ran).toEqual(['lines', 'batches']);
    expect(world.figures.at(-1)?.values).toEqual({ batchesClosed: 1 });
  });

  it('keeps a merchant stopped on doubt for as long as a part of the doubt can not be read', async () => {
    const world = await aWorldOfDoubt(1);
    await sweep(world.clock.nowMs() + 60_000, world.ports);
    expect((await world.controls.of('acme-eu')).doubt).toEqual({ EUR: 1042n });
    const { dueWork } = world.ports;
    const measured: DueWork['measured'] = (kind, ...how) =>
      kind === 'in-doubt' ? broken() : dueWork.measured(kind, ...how);
    for (let minute = 0; minute < 20; minute += 1) {
      world.clock.advance(60_000);
      const ports = { ...world.ports, dueWork: { ...dueWork, measured } };
      await expect(sweep(world.clock.nowMs() + 60_000, ports)).rejects.toThrow('it broke');
    }
    expect((await world.controls.of('acme-eu')).doubt).toEqual({ EUR: 1042n });
  });

  it('resumes the other kinds where orders of one can not be read, and fails all the same', async () => {
    const world = await aWorldOfDoubt(3);
    const dueWork: DueWork = {
      ...world.ports.dueWork,
      dueWork: (kind, ...which) => (kind === 'overdue' ? broken() : world.ports.dueWork.dueWork(kind, ...which)),
    };
    await expect(sweep(world.clock.nowMs() + 60_000, { ...world.ports, dueWork })).rejects.toThrow('it broke');
    expect(world.ownQueue.taken).toHaveLength(3);
  });
});

// oxlint-disable-next-line require-yield -- it fails before it finds anything
async function* broken(): AsyncGenerator<never> {
  throw new Error('it broke');
}
