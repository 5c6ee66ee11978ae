// The ledger's table was lost and restored from a backup. What it may have forgotten is not sent again: an order that it holds goes
// into doubt, and the gateway or a person says what became of it; one that it does not hold waits.
import { describe, expect, it } from 'vitest';
import { cancelOrder } from '../../lib/payout/operate/decide.ts';
import { numbersFrom } from '../../lib/payout/order/order.ts';
import { adoptLine } from '../../lib/restore/restore-ledger.ts';
import { claimOrder } from '../../lib/payout/submit/claim.ts';
import { writeAnswer } from '../../lib/payout/submit/write-answer.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';
import { aRecord, longAgoMs } from '../support/records.ts';
import { lost, type RestorableWorld, restorableWorld } from '../support/restorable-world.ts';
import type { WorldChoices } from '../support/world.ts';

const key = 'acme-eu/INV-1';
const minute = 60_000;
const payout = (orderId = 'INV-1') => aRecord(aPayoutJob({ orderId }));
const told = ({ world }: RestorableWorld) => world.results.taken.map(({ resultId, status }) => `${resultId} ${status}`);

/** In the gap INV-1 is sent, and the gateway takes it; before it, whatever the story says. */
async function aRestoredWorld(choices: WorldChoices = {}, before?: (it: RestorableWorld) => Promise<unknown>) {
  const it = restorableWorld(choices);
  await before?.(it);
  const backup = it.backup();
  it.world.waitingRows.clear();
  await it.world.deliver(payout());
  expect(it.world.gateway.postsOf('INV-1')).toBe(1);
  await it.restore(backup);
  return it;
}

/** The backup knows the order: it was claimed, and proven not sent. */
const triedBefore = async ({ world }: RestorableWorld) => {
  world.gateway.moods('refuses the connection');
  await world.deliver(payout());
  expect(world.entries.get(key)?.state).toBe('retryable');
};

describe('an order that was sent in the gap, of which the backup knows that it was never sent before,', () => {
  it('is not sent again when its message comes again; the gateway says what became of it', async () => {
    const it = await aRestoredWorld({ profile: { statusInquiry: true } }, triedBefore);
    const { world } = it;
    const gapMs = world.clock.nowMs() - 2 * minute;
    expect(await world.deliver(payout())).toEqual([]);
    world.gateway.statuses('approved');
    await world.look(key);
    const first = numbersFrom(gapMs) + 1;
    expect(told(it)).toEqual([`${key}/${first} in-doubt`, `${key}/${first + 1} approved`]);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it.each(['before', 'after'] as const)(
    'waits for a person where nobody can be asked, %s the gap is ended',
    async (when) => {
      const { world, restoration } = await aRestoredWorld({}, triedBefore);
      if (when === 'after') await restoration.settle(lost);
      await world.deliver(payout());
      await world.pass(49 * 60 * minute);
      expect(world.entries.get(key)).toMatchObject({ state: 'held', failure: { code: 'LEDGER_RESTORED' } });
      expect(world.gateway.postsOf('INV-1')).toBe(1);
    },
  );

  it('does not end because its message has waited for as long as any may', async () => {
    const { world } = await aRestoredWorld({ profile: { statusInquiry: true } }, triedBefore);
    const sentAtMs = world.clock.nowMs() - 15 * 24 * 60 * minute;
    await world.deliver(aRecord(aPayoutJob(), { sentAtMs }));
    expect(world.entries.get(key)).toMatchObject({ state: 'in-doubt', failure: { code: 'LEDGER_RESTORED' } });
  });

  it('is sent by a job that names its end, once the gateway has known no such order over the quiet period', async () => {
    const profile = { statusInquiry: true, resubmitUnknownOrders: true, quietPeriodSeconds: 60 };
    const { world } = await aRestoredWorld({ profile }, triedBefore);
    await world.deliver(payout());
    world.gateway.statusStays('never heard of it');
    await world.pass(60 * minute);
    expect(world.entries.get(key)).toMatchObject({ state: 'failed', failure: { code: 'NOT_AT_GATEWAY' } });
    await world.deliver(payout());
    expect(world.gateway.postsOf('INV-1')).toBe(1);
    await world.deliver(aRecord(aPayoutJob({ resends: world.entries.get(key)?.endId ?? '' })));
    expect(world.gateway.postsOf('INV-1')).toBe(2);
  });
});

describe('an order that was in doubt before the gap', () => {
  const profile = { statusInquiry: true, resubmitUnknownOrders: true };
  /** Denied for nearly the whole quiet period, when the backup was made. */
  async function nearlyDenied(): Promise<RestorableWorld> {
    const it = restorableWorld({ profile });
    it.world.gateway.moods('stalls');
    await it.world.deliver(payout());
    it.world.gateway.statusStays('never heard of it');
    await it.world.pass(39 * minute);
    expect(it.world.entries.get(key)?.state).toBe('in-doubt');
    await it.restore(it.backup());
    return it;
  }

  it('needs a whole quiet period anew, however often it was denied before', async () => {
    const { world } = await nearlyDenied();
    await world.pass(30 * minute);
    expect(world.entries.get(key)?.state).toBe('in-doubt');
    await world.pass(60 * minute);
    expect(world.entries.get(key)).toMatchObject({ state: 'failed', failure: { code: 'NOT_AT_GATEWAY' } });
    expect(world.results.taken.map(({ status }) => status)).toEqual(['in-doubt', 'failed']);
  });

  it('is told as paid where it had been sent again in the gap, and the gateway shows that late', async () => {
    const { world } = await nearlyDenied();
    await world.pass(10 * minute);
    world.gateway.statusStays('approved');
    await world.pass(60 * minute);
    expect(world.entries.get(key)).toMatchObject({ state: 'approved' });
    expect(world.results.taken.map(({ status }) => status)).toEqual(['in-doubt', 'approved']);
  });
});

describe('an order that the backup does not hold', () => {
  it('waits, and is not called off either: it may have been sent', async () => {
    const { world, ports } = await aRestoredWorld();
    await world.deliver(payout());
    expect(world.waits()).toHaveLength(1);
    const it = {
      operation: 'payout',
      merchant: 'acme-eu',
      orderId: 'INV-1',
      by: 'anna',
      reason: 'wrong file',
    } as const;
    expect(await cancelOrder(it, ports)).toMatchObject({ kind: 'refused' });
    expect(world.entries.has(key)).toBe(false);
    expect(world.results.taken).toEqual([]);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('is a new one once a person has ended the gap, and goes on after a refusal as ever', async () => {
    const it = await aRestoredWorld();
    const { world, restoration } = it;
    await world.deliver(payout('INV-2'));
    const first = numbersFrom(world.clock.nowMs() - 2 * minute) + 1;
    await restoration.settle(lost);
    world.gateway.moods('refuses the connection');
    for (let tries = 0; tries < 2; tries += 1) await world.again();
    expect(told(it)).toEqual([`acme-eu/INV-2/${first} accepted`]);
    expect(world.entries.get('acme-eu/INV-2')?.attempts).toBe(2);
  });

  it('is told under a revision of its own when its late answer comes after the gap is ended', async () => {
    const it = restorableWorld();
    const { world, ports, restoration } = it;
    const claim = await claimOrder(jobOf(aPayoutJob()), { source: 'm', credentials: someCredentials() }, ports);
    if (claim.kind !== 'claimed') throw new Error('not claimed');
    await it.restore(new Map());
    await restoration.settle(lost);
    const answer = { kind: 'taken', atMs: world.clock.nowMs() } as const;
    const attempt = { ...claim.attempt, answer, ids: ['9'] };
    const own = { key, attempt, ...(claim.order.content && { content: claim.order.content }) };
    await writeAnswer(own, undefined, { publishes: true, giveUpAtMs: world.clock.nowMs() + 5_000 }, ports);
    const revision = numbersFrom(world.clock.nowMs() - 2 * minute) + 1;
    expect(world.entries.get(key)).toMatchObject({ state: 'accepted', gatewayOrderId: '9', revision });
  });

  it('repeats its result where that was put back, and its content need not be known', async () => {
    const { world, restore, table } = restorableWorld();
    await world.deliver(payout());
    const [result] = world.results.taken;
    world.items.clear();
    expect(await adoptLine(JSON.stringify(result), table)).toBe('adopted');
    expect(await adoptLine(JSON.stringify(result), table)).toBe('known');
    await restore(new Map(world.items));
    await world.deliver(payout());
    expect(world.results.taken).toMatchObject([{ status: 'accepted', payoutId: '9000001', amount: '10.42' }]);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });
});

it.each([
  ['the order can be sent', {}],
  ['the job comes too late', { expiresAt: '2026-11-21T10:00:00Z' }],
])('an order that was put back answers for no job of another sum, where %s', async (_, more) => {
  // given
  const { world, restore, table } = restorableWorld();
  await world.deliver(payout());
  const [result] = world.results.taken.splice(0);
  world.items.clear();
  expect(await adoptLine(JSON.stringify(result), table)).toBe('adopted');
  await restore(new Map(world.items));
  // when
  await world.deliver(aRecord(aPayoutJob({ params: { amount: '500.00' }, ...more })));
  // then
  expect(world.results.taken).toMatchObject([{ status: 'rejected', failure: { code: 'ORDER_ID_REUSED' } }]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it.each(['before', 'after'] as const)(
  'an order whose failure was put back is doubted when its end is named, %s the gap is ended',
  async (when) => {
    const { world, backup, restore, restoration, table } = restorableWorld({ profile: { statusInquiry: true } });
    await world.deliver(aRecord(aPayoutJob(), { sentAtMs: longAgoMs }));
    world.gateway.moods('refuses the connection');
    await world.deliver(aRecord(aPayoutJob({ orderId: 'INV-2' }), { sentAtMs: longAgoMs }));
    const failed = world.results.taken.find(({ status }) => status === 'failed');
    await restore(new Map([...backup()].filter(([at]) => at === key)));
    expect(await adoptLine(JSON.stringify(failed), table)).toBe('adopted');
    if (when === 'after') await restoration.settle(lost);
    const { endId = '' } = world.entries.get('acme-eu/INV-2') ?? {};
    await world.deliver(aRecord(aPayoutJob({ orderId: 'INV-2', resends: endId })));
    expect(world.entries.get('acme-eu/INV-2')).toMatchObject({
      state: 'in-doubt',
      failure: { code: 'LEDGER_RESTORED' },
    });
    expect(world.gateway.postsOf('INV-2')).toBe(0);
  },
);

describe('a table that is not the ledger', () => {
  it('decides nothing: jobs wait', async () => {
    const { world, ports, restoration } = restorableWorld({ profile: { statusInquiry: true } });
    await restoration.handOver('payouts-prod-ledger-2', lost);
    await world.deliver(payout());
    expect(world.gateway.posts).toEqual([]);
    expect(world.entries.size).toBe(0);
    expect(world.waits()).toHaveLength(1);
    await expect(ports.orders.read(key)).rejects.toMatchObject({ code: 'LEDGER_FOREIGN' });
  });

  it('takes no answer of a claim that stands in it: the table that took over does', async () => {
    const { world, restore, restoration, backup } = restorableWorld();
    world.gateway.meanwhile(() => restoration.handOver('payouts-prod-ledger-2', lost));
    await world.deliver(payout());
    expect(world.ownQueue.taken).toMatchObject([{ message: { kind: 'answer', attempt: { ids: ['9000001'] } } }]);
    await restore(backup());
    await world.inquire();
    expect(world.entries.get(key)).toMatchObject({ state: 'accepted', gatewayOrderId: '9000001' });
  });
});

it('an order that the backup knows as accepted keeps the mark of a result that could not be told beneath the gap', async () => {
  const { world } = await aRestoredWorld({}, async (it) => void (await it.world.deliver(payout())));
  world.results.stays('down');
  expect(await world.deliver(payout())).toEqual([]);
  expect(world.items.get(key)?.unpublished).toBe(true);
});
