// The sweeper sets moving again whatever stands still, and measures what is in doubt. Here it is told when, and what not.
import { describe, expect, it } from 'vitest';
import { type DueWork, withMark } from '../../lib/payout/due-work.ts';
import { sweep } from '../../lib/payout/sweep.ts';
import { aWorldWith, check, inquire, key, moveTo, standing } from '../support/asked-order.ts';
import { aPayoutJob, aTransferByRefJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const seconds = 1000;
const resumed = async (world: World) => {
  await world.sweep();
  return world.checksQueue.taken.splice(0).map((it) => it.check);
};

/** What a sweep resumes after so long, and what one does a millisecond later. */
async function aroundThen(world: World, afterMs: number) {
  world.clock.advance(afterMs);
  const then = await resumed(world);
  world.clock.advance(1);
  return [then, await resumed(world)];
}

const due = (inquiries = 0) => [[], [{ orderKey: key, inquiries }]];

describe('an order is set moving again', () => {
  it('two minutes after its lease, when it is still being submitted', async () => {
    const world = await aWorldWith('accepted');
    world.entries.set(key, { ...standing(world), state: 'submitting' });
    expect(await aroundThen(world, (100 + 120) * seconds)).toEqual(due());
  });

  it('two minutes after its doubt began, when nobody has asked', async () => {
    expect(await aroundThen(await aWorldWith('in-doubt'), 120 * seconds)).toEqual(due());
  });

  it('two minutes after the look that should have come', async () => {
    const world = await aWorldWith('in-doubt');
    world.gateway.statuses('stalls');
    await inquire(world);
    expect(await aroundThen(world, (120 + 120) * seconds)).toEqual(due(1));
  });

  it('at once when a look is due that no message can carry', async () => {
    const world = await aWorldWith('in-doubt');
    world.entries.set(key, { ...standing(world), inquiries: { count: 8, negatives: 0 } });
    world.gateway.statuses('stalls');
    await inquire(world, check({ inquiries: 8 }));
    expect(await aroundThen(world, 3_600 * seconds)).toEqual(due(9));
  });

  it('two minutes after its acceptance, when nobody has asked', async () => {
    expect(await aroundThen(await aWorldWith('accepted'), 120 * seconds)).toEqual(due());
  });

  it('two minutes after its result could not be told', async () => {
    const world = await aWorldWith('accepted');
    await moveTo(world, 'approved');
    world.entries.set(key, withMark(standing(world), true));
    expect(await aroundThen(world, 120 * seconds)).toEqual(due());
  });

  it.each(['held', 'retryable', 'failed', 'declined'] as const)('never by itself when it is %s', async (state) => {
    const world = await aWorldWith('in-doubt');
    await moveTo(world, state);
    world.clock.advance(400 * 86_400 * seconds);
    expect(await resumed(world)).toEqual([]);
  });

  it('never when acceptance is its end', async () => {
    const world = aWorld();
    await world.deliver(aRecord(aPayoutJob()));
    world.clock.advance(400 * 86_400 * seconds);
    expect(await resumed(world)).toEqual([]);
  });
});

describe('a sweep', () => {
  /** So many payouts whose answers were lost, two hours ago. */
  async function aWorldOfDoubt(count: number): Promise<World> {
    const world = aWorld({ profile: { statusInquiry: true } });
    world.gateway.stays('stalls');
    const ids = Array.from({ length: count }, (_, index) => `INV-${index}`);
    await world.deliver(ids.map((orderId) => aRecord(aPayoutJob({ orderId }))));
    world.checksQueue.taken.splice(0);
    world.clock.advance(7_200 * seconds);
    return world;
  }

  it('sends ten checks a call, and says how many were taken', async () => {
    const world = await aWorldOfDoubt(25);
    world.checksQueue.callSizes.splice(0);
    expect(await world.sweep()).toMatchObject({ resumed: 25 });
    expect(world.checksQueue.callSizes).toEqual([10, 10, 5]);
  });

  it('that the queue does not take is made up for by a later one', async () => {
    const world = await aWorldOfDoubt(3);
    world.checksQueue.stays('down');
    expect(await world.sweep()).toMatchObject({ resumed: 0 });
    world.checksQueue.stays('up');
    world.clock.advance(720 * seconds + 1);
    expect(await world.sweep()).toMatchObject({ resumed: 3 });
  });

  it('takes 1500 of a kind at most, so that no kind keeps the others waiting', async () => {
    const world = await aWorldOfDoubt(1_502);
    for (const [at, entry] of world.entries) {
      if (at === 'acme-eu/INV-0') continue;
      world.entries.set(at, withMark(entry, true));
    }
    expect(await world.sweep()).toMatchObject({ resumed: 1_501 });
    expect(world.checksQueue.taken.map((it) => it.check.orderKey)).toContain('acme-eu/INV-0');
  });

  it('asks nothing more of a checks queue that is not worked off', async () => {
    const world = await aWorldOfDoubt(1);
    const queueDepths = { measure: async () => ({ checksDepth: 10_000 }) };
    expect(await sweep(world.clock.nowMs() + 1, { ...world.ports, queueDepths })).toMatchObject({ resumed: 0 });
    const fewer = { measure: async () => ({ checksDepth: 9_999 }) };
    expect(await sweep(world.clock.nowMs() + 1, { ...world.ports, queueDepths: fewer })).toMatchObject({ resumed: 1 });
  });

  it('resumes untold results and claims that got stuck however full the checks queue is', async () => {
    const world = await aWorldOfDoubt(3);
    for (const [at, entry] of world.entries) {
      if (at === 'acme-eu/INV-0') world.entries.set(at, withMark(entry, true));
      if (at === 'acme-eu/INV-1') world.entries.set(at, { ...entry, state: 'submitting' });
    }
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
    expect(checks).toBe(5);
  });

  it.each(['down', 'answer lost'] as const)('sends nothing that it could not write down (%s)', async (fault) => {
    const world = await aWorldOfDoubt(3);
    world.ledger.stays(fault, 'advance');
    expect(await world.sweep()).toMatchObject({ resumed: 0 });
    expect(world.checksQueue.taken).toEqual([]);
  });

  it('sends nothing about an order that has moved since the index was written', async () => {
    const world = await aWorldOfDoubt(1);
    const [stale] = world.entries.values();
    if (!stale) throw new Error('there is no order');
    world.entries.set(stale.key, { ...stale, state: 'accepted', revision: stale.revision + 1 });
    const dueWork = {
      async *dueWork(kind: string) {
        if (kind === 'in-doubt') yield stale;
      },
    };
    expect(await sweep(world.clock.nowMs() + 1000, { ...world.ports, dueWork })).toMatchObject({ resumed: 0 });
  });

  it('stops at its deadline', async () => {
    const world = await aWorldOfDoubt(2);
    expect(await sweep(world.clock.nowMs() - 1, world.ports)).toEqual({ resumed: 0 });
    // A part of the doubt would be taken for the whole.
    expect(world.figures.at(-1)).toMatchObject({ values: { resumed: 0 } });
    expect(world.figures.at(-1)?.values).not.toHaveProperty('inDoubt');
  });

  it('goes on without the depths of the queues', async () => {
    const world = await aWorldOfDoubt(1);
    const queueDepths = { measure: () => Promise.reject(new Error('SQS is down')) };
    expect(await sweep(world.clock.nowMs() + 1, { ...world.ports, queueDepths })).toMatchObject({ resumed: 1 });
    expect(world.figures.at(-1)).toMatchObject({ values: { resumed: 1, inDoubt: 1 } });
  });

  it('fails when the index cannot be read, so that somebody notices', async () => {
    const world = await aWorldOfDoubt(1);
    const dueWork = {
      // oxlint-disable-next-line require-yield -- it fails before it finds anything
      async *dueWork(): AsyncGenerator<never> {
        throw new Error('the index does not answer');
      },
    };
    await expect(sweep(world.clock.nowMs() + 1, { ...world.ports, dueWork })).rejects.toThrow('does not answer');
  });
});

describe('money in doubt', () => {
  it('is measured per currency: in doubt, held, and either with its result untold', async () => {
    // given three payouts and a transfer in doubt, one of them held and one untold, and a payout that is paid and untold
    const profile = { statusInquiry: true, plainCardData: 'accepted' } as const;
    const world = aWorld({ profile, limits: { concurrency: 1 } });
    world.gateway.moods('stalls', 'stalls', 'stalls', 'stalls');
    const jobs = [
      ...['INV-1', 'INV-2', 'INV-3'].map((orderId) => aPayoutJob({ orderId })),
      aTransferByRefJob(),
      aPayoutJob({ orderId: 'INV-4' }),
    ];
    await world.deliver(jobs.map((job) => aRecord(job)));
    await moveTo(world, 'held');
    for (const at of ['acme-eu/INV-2', 'acme-eu/INV-4']) {
      const untold = world.entries.get(at);
      if (untold) world.entries.set(at, withMark(untold, true));
    }
    world.clock.advance(90 * seconds);

    // when the sweeper comes by, then the figures are told, and the exact sums too
    const { doubt } = await world.sweep();
    expect(doubt).toEqual({
      inDoubt: 3,
      unreadable: 0,
      held: 1,
      oldestSinceMs: { 'in-doubt': world.clock.nowMs() - 90 * seconds, held: world.clock.nowMs() - 90 * seconds },
      money: new Map([['acme-eu', { EUR: 3126n, JPY: 1000n }]]),
      orders: new Map(Object.entries({ EUR: 3, JPY: 1 })),
      heldMoney: new Map([['EUR', 1042n]]),
      overdue: 0,
      overdueMoney: new Map(),
    });
    expect(world.figures.at(-1)).toEqual({
      values: {
        checksDepth: expect.any(Number),
        resumed: 0,
        inDoubt: 3,
        held: 1,
        overdue: 0,
        unreadable: 0,
        oldestDoubtSeconds: 90,
        oldestHeldSeconds: 90,
        // The story's alarm is at 20 of any currency: JPY is the furthest above it.
        doubtOfLimit: 50,
      },
      perCurrency: new Map([
        ['EUR', { moneyInDoubt: 31.26, ordersInDoubt: 3, moneyHeld: 10.42, moneyOverdue: 0, ordersOverdue: 0 }],
        ['JPY', { moneyInDoubt: 1000, ordersInDoubt: 1, moneyHeld: 0, moneyOverdue: 0, ordersOverdue: 0 }],
      ]),
    });
    expect(await world.controls.of('acme-eu')).toMatchObject({ doubt: { EUR: 3126n, JPY: 1000n } });
  });

  it('is as old as the oldest of it', async () => {
    const world = aWorld({ profile: { statusInquiry: true } });
    world.gateway.stays('stalls');
    for (const orderId of ['INV-1', 'INV-2', 'INV-3']) {
      await world.deliver(aRecord(aPayoutJob({ orderId })));
      world.clock.advance(20 * seconds);
    }
    await world.sweep();
    expect(world.figures.at(-1)).toMatchObject({
      values: { inDoubt: 3, oldestDoubtSeconds: 60, oldestHeldSeconds: 0 },
    });
  });

  it('is not that of an order whose money nobody knows, which is counted all the same', async () => {
    const world = await aWorldWith('in-doubt');
    const { money: _, ...entry } = await moveTo(world, 'held');
    world.entries.set(key, entry);
    await world.sweep();
    expect(world.figures.at(-1)).toMatchObject({ values: { held: 1 }, perCurrency: new Map() });
  });

  it('is as old as its doubt, however often it was looked at', async () => {
    const world = await aWorldWith('in-doubt');
    world.gateway.statusStays('stalls');
    world.clock.advance(60 * seconds);
    await inquire(world);
    await world.sweep();
    expect(world.figures.at(-1)).toMatchObject({ values: { oldestDoubtSeconds: 60 } });
  });

  it('counts what newer code wrote, which this version can not read, and says so in one line', async () => {
    const world = await aWorldWith('in-doubt');
    const dueWork: DueWork = {
      async *dueWork(kind, beforeMs, onUnreadable) {
        yield* world.ledger.dueWork(kind, beforeMs);
        if (kind === 'in-doubt') for (const orderId of ['A', 'B']) onUnreadable?.(`acme-eu/${orderId}`);
        if (kind === 'held') onUnreadable?.('acme-eu/C');
      },
    };
    const { doubt } = await sweep(world.clock.nowMs() + 60_000, { ...world.ports, dueWork });
    expect(doubt).toMatchObject({ inDoubt: 3, held: 1, unreadable: 3 });
    expect(world.figures.at(-1)).toMatchObject({ values: { inDoubt: 3, held: 1, unreadable: 3 } });
    const fields = { orderKey: 'acme-eu/A', records: 3 };
    expect(world.log.filter(({ level }) => level === 'error')).toEqual([
      { level: 'error', event: 'orders-unreadable', fields },
    ]);
  });

  it('is none where all is well', async () => {
    const world = await aWorldWith('accepted');
    await world.sweep();
    const levels = { inDoubt: 0, held: 0, unreadable: 0, oldestDoubtSeconds: 0, oldestHeldSeconds: 0, doubtOfLimit: 0 };
    expect(world.figures.at(-1)).toMatchObject({ values: levels, perCurrency: new Map() });
  });
});
