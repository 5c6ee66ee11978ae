// The ledger's table was lost and restored from a backup. What it may have forgotten is not sent again: it goes into doubt,
// and the gateway or a person says what became of it.
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryRestoration } from '../support/memory-restoration.ts';
import { cancelOrder } from '../../lib/payout/operate/decide.ts';
import { runBatch } from '../../lib/payout/submit/run-jobs.ts';
import { adoptLine, beginRestore } from '../../lib/restore/restore-ledger.ts';
import { controlsAfterRestore, ordersAfterRestore } from '../../lib/restore/restored-orders.ts';
import type { SQSRecord } from 'aws-lambda';
import { anEligibilityJob, aPayoutJob } from '../support/jobs.ts';
import { aRecord, deliveryOf } from '../support/records.ts';
import { aWorld, type World, type WorldChoices } from '../support/world.ts';

const key = 'acme-eu/INV-1';
const minute = 60_000;
const lost = { by: 'anna', reason: 'the table was deleted', atMs: 0 };
const payout = () => aRecord(aPayoutJob());
const told = (world: World) => world.results.taken.map(({ resultId, status }) => `${resultId} ${status}`);

let restoration: ReturnType<typeof createMemoryRestoration>;
beforeEach(() => {
  restoration = createMemoryRestoration();
});

/** The worker over a ledger that keeps to what its table says. */
function ports(world: World) {
  const ledger = ordersAfterRestore(world.orders, restoration);
  return { ...world.ports, ledger, controls: controlsAfterRestore(world.controls, restoration) };
}

const deliver = (world: World, record: SQSRecord) =>
  runBatch([record], world.clock.nowMs() + 120_000, ports(world)).then(({ batchItemFailures }) => batchItemFailures);

/** The backup is in the place of the table, and taken into service. */
async function restore(world: World, backup: World['entries']): Promise<void> {
  const entries = new Map(backup);
  world.items.clear();
  for (const [at, entry] of entries) world.entries.set(at, entry);
  world.clock.advance(minute);
  await beginRestore(0, lost, { ...world.ports, controlsAdmin: world.controls, restoreAdmin: restoration });
  await world.controls.pause(undefined, false, lost);
  world.results.taken.splice(0);
  world.clock.advance(2 * minute);
}

async function aRestoredWorld(choices: WorldChoices = {}, before: (world: World) => Promise<unknown> = async () => {}) {
  const world = aWorld(choices);
  await before(world);
  const backup = new Map(world.entries);
  // In the gap the order is sent, and the gateway takes it.
  await world.deliver(payout());
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  await restore(world, backup);
  return world;
}

describe('an order that was sent in the gap', () => {
  it('is not sent again when its message comes again; the gateway says what became of it', async () => {
    const world = await aRestoredWorld({ profile: { statusInquiry: true } });
    expect(await deliver(world, payout())).toEqual([]);
    expect(told(world)).toEqual([`${key}/93434000 in-doubt`]);
    world.gateway.statuses('approved');
    await world.inquire();
    expect(new Set(told(world))).toEqual(new Set([`${key}/93434000 in-doubt`, `${key}/93434001 approved`]));
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('waits for a person where nobody can be asked', async () => {
    const world = await aRestoredWorld();
    await deliver(world, payout());
    await world.inquire();
    expect(world.entries.get(key)).toMatchObject({ state: 'held', failure: { code: 'LEDGER_RESTORED' } });
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('is not sent though the backup knows that it was never sent before', async () => {
    const world = await aRestoredWorld({ profile: { statusInquiry: true } }, async (world) => {
      world.gateway.moods('refuses the connection');
      await world.deliver(payout());
      expect(world.entries.get(key)?.state).toBe('retryable');
    });
    await deliver(world, payout());
    expect(world.entries.get(key)).toMatchObject({ state: 'in-doubt', revision: 93_434_002, attempts: 1 });
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('is not sent though a copy of its message still says that its first claim sent nothing', async () => {
    // given a claim that the backup shows as under way; its "never sent" rides on a copy, as the ledger did not answer
    const world = aWorld({ profile: { statusInquiry: true } });
    world.gateway.moods('refuses the connection');
    let backup = new Map<string, NonNullable<ReturnType<typeof world.entries.get>>>();
    world.orders.stays('down', 'write');
    world.gateway.meanwhile(() => void (backup = new Map(world.entries)));
    await world.deliver(payout());
    world.orders.stays('up', 'write');
    const [copy] = world.jobsQueue.copies.taken;
    expect(copy?.attributes.answer).toContain('NOT_SENT');

    // when another message sends it in the gap, and the copy comes after the restore
    world.items.clear();
    await world.deliver(payout());
    expect(world.gateway.postsOf('INV-1')).toBe(1);
    await restore(world, backup);
    if (copy) await deliver(world, deliveryOf(copy));
    world.clock.advance(20 * minute);
    if (copy) await deliver(world, deliveryOf(copy));
    expect(world.gateway.postsOf('INV-1')).toBe(1);
    expect(world.entries.get(key)?.state).toBe('in-doubt');
  });

  it('repeats its result where that was put back, and its content need not be known', async () => {
    const world = aWorld();
    await world.deliver(payout());
    const [result] = world.results.taken;
    world.items.clear();
    expect(await adoptLine(JSON.stringify(result), world.ports)).toBe('adopted');
    expect(await adoptLine(JSON.stringify(result), world.ports)).toBe('known');
    await restore(world, new Map(world.entries));
    await deliver(world, payout());
    expect(world.results.taken).toMatchObject([{ status: 'accepted', payoutId: '9000001', amount: '10.42' }]);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });
});

describe('when the restore is settled', () => {
  it('an order that the ledger does not know is a new one', async () => {
    const world = await aRestoredWorld();
    await restoration.settle(lost);
    await deliver(world, aRecord(aPayoutJob({ orderId: 'INV-2' })));
    expect(told(world)).toEqual(['acme-eu/INV-2/2 accepted']);
  });

  it('an order that was never sent before the gap is still not believed', async () => {
    const world = await aRestoredWorld({}, async (world) => {
      world.gateway.moods('refuses the connection');
      await world.deliver(payout());
    });
    await restoration.settle(lost);
    await deliver(world, payout());
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('an order that was proven unpaid since may be sent by a new message', async () => {
    const profile = { statusInquiry: true, resubmitUnknownOrders: true, quietPeriodSeconds: 60 };
    const world = await aRestoredWorld({ profile });
    await deliver(world, payout());
    world.gateway.statusStays('never heard of it');
    await world.pass(60 * minute);
    expect(world.entries.get(key)).toMatchObject({ state: 'failed', failure: { code: 'NOT_AT_GATEWAY' } });
    await deliver(world, payout());
    expect(world.gateway.postsOf('INV-1')).toBe(2);
  });
});

describe('while it is not settled', () => {
  it('doubt of before the gap needs a whole quiet period anew, however often it was denied before', async () => {
    const profile = { statusInquiry: true, resubmitUnknownOrders: true };
    const world = aWorld({ profile });
    world.gateway.moods('stalls');
    await world.deliver(payout());
    world.gateway.statusStays('never heard of it');
    await world.pass(29 * minute);
    expect(world.entries.get(key)?.inquiries?.negatives).toBeGreaterThan(2);
    await restore(world, new Map(world.entries));
    await world.pass(30 * minute);
    expect(world.entries.get(key)?.state).toBe('in-doubt');
    await world.pass(60 * minute);
    expect(world.entries.get(key)?.state).toBe('failed');
  });

  it('an eligibility check, which moves no money, is made as ever', async () => {
    const world = await aRestoredWorld();
    await deliver(world, aRecord(anEligibilityJob()));
    expect(told(world)).toEqual(['acme-eu~check/CHK-1/2 accepted']);
  });

  it('nobody cancels an order that may have been sent', async () => {
    const world = await aRestoredWorld();
    const it = {
      operation: 'payout',
      merchant: 'acme-eu',
      orderId: 'INV-1',
      by: 'anna',
      reason: 'wrong file',
    } as const;
    expect(await cancelOrder(it, ports(world))).toMatchObject({ kind: 'refused' });
    expect(world.entries.has(key)).toBe(false);
  });
});

describe('a table that is not the ledger', () => {
  it('decides nothing: jobs wait as copies, and looks come again', async () => {
    const world = aWorld({ profile: { statusInquiry: true } });
    await restoration.handOver('payouts-prod-ledger-2', lost);
    expect(await deliver(world, payout())).toEqual([]);
    expect(world.gateway.posts).toEqual([]);
    expect(world.entries.size).toBe(0);
    expect(world.jobsQueue.copies.taken).toHaveLength(1);
    await expect(ports(world).ledger.read(key)).rejects.toMatchObject({ code: 'LEDGER_FOREIGN' });
  });

  it('still takes the answer of a claim that stands in it', async () => {
    const world = aWorld();
    world.gateway.meanwhile(() => restoration.handOver('payouts-prod-ledger-2', lost));
    await deliver(world, payout());
    expect(world.entries.get(key)).toMatchObject({ state: 'accepted' });
  });
});
