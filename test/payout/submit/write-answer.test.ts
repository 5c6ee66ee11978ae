// An attempt's own answer into the item of its order, whatever happens to the store or to the order meanwhile.
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../../lib/gateway/profile.ts';
import { type Attempt, noFacts, ofAttempt } from '../../../lib/payout/order/facts.ts';
import { recorded, type Recording } from '../../../lib/payout/order/record.ts';
import type { Order } from '../../../lib/payout/order/order.ts';
import type { Orders } from '../../../lib/payout/order/orders.ts';
import { claimOrder } from '../../../lib/payout/submit/claim.ts';
import { writeAnswer } from '../../../lib/payout/submit/write-answer.ts';
import { someCredentials } from '../../support/fake-credentials.ts';
import { aPayoutJob, jobOf } from '../../support/jobs.ts';
import { startMs } from '../../support/time-and-chance.ts';
import { aWorld } from '../../support/world.ts';

const key = 'acme-eu/INV-1';
const taken: Partial<Attempt> = { answer: { kind: 'taken', atMs: startMs }, ids: ['9'] };
const refused: Partial<Attempt> = {
  answer: { kind: 'refused', about: 'pace', connected: false, atMs: startMs, code: 'NOT_SENT', message: 'refused' },
};
const lost: Partial<Attempt> = { lapsed: { code: 'WORKER_LOST', message: 'lost' } };

/** A world in which the order is claimed; `write` has its attempt's answer written, `meanwhile` others write something. */
async function aClaimedOrder(profile: Partial<Profile> = {}) {
  const world = aWorld({ profile });
  const claim = await claimOrder(jobOf(aPayoutJob()), { source: 'm', credentials: someCredentials() }, world.ports);
  if (claim.kind !== 'claimed') throw new Error('not claimed');
  const { order, attempt } = claim;
  const write = (answer: Partial<Attempt>, leftMs = 5_000, orders: Orders = world.orders) =>
    writeAnswer(
      { key, attempt: { ...attempt, ...answer } },
      order,
      { giveUpAtMs: world.clock.nowMs() + leftMs },
      { ...world.ports, orders },
    );
  async function meanwhile(changes: Partial<Attempt>, more: Partial<Recording> = {}): Promise<void> {
    const next = recorded(order, ofAttempt({ ...attempt, ...changes }), { nowMs: startMs, endId: 'e', ...more });
    await world.orders.write(order, next);
  }
  return { world, order, attempt, write, meanwhile };
}

describe('an answer is written', () => {
  it('in one write, with the mark of its result', async () => {
    const { world, order, write } = await aClaimedOrder();
    expect(await write(taken)).toMatchObject({ kind: 'written', order: { version: order.version + 1 } });
    expect(world.entries.get(key)).toMatchObject({
      standing: 'accepted',
      gatewayOrderId: '9',
      revision: 1,
      unpublished: true,
    });
  });

  it('once, although the answer of the write was lost', async () => {
    const { world, order, write } = await aClaimedOrder();
    world.orders.faults('write', 'answer lost', 'answer lost');
    expect(await write(taken)).toMatchObject({ kind: 'written' });
    expect(world.items.get(key)?.version).toBe(order.version + 1);
  });

  it.each<[string, Partial<Attempt>, Partial<Attempt>, object]>([
    ['taken, over doubt', lost, taken, { standing: 'accepted', gatewayOrderId: '9' }],
    ['not sent, over doubt', { ...lost, overdue: true }, refused, { standing: 'failed' }],
    ['doubt under an id, over doubt', lost, { ...lost, ids: ['9'] }, { standing: 'in-doubt', gatewayOrderId: '9' }],
    ['taken, after its end was found', { ids: ['9'], reports: ['approved'] }, taken, { standing: 'paid' }],
  ])('as a fact beside what others have written meanwhile: %s', async (_, before, answer, becomes) => {
    const { world, write, meanwhile } = await aClaimedOrder();
    await meanwhile(before);
    expect(await write(answer)).toMatchObject({ kind: 'written' });
    expect(world.entries.get(key)).toMatchObject(becomes);
  });
});

it('gives its content to an order that was known by name alone, over the item as it was read', async () => {
  // given an order of which a restored table knows a callback alone
  const { world, order, attempt } = await aClaimedOrder();
  const { content, ...bare } = order;
  if (!content) throw new Error('it was claimed by a job');
  world.items.set(key, { ...bare, facts: noFacts });
  const over: Order[] = [];
  const orders = { ...world.orders, write: (...it: [Order, Order]) => (over.push(it[0]), world.orders.write(...it)) };
  // when
  const answer = { key, attempt: { ...attempt, ...taken }, content };
  await writeAnswer(answer, undefined, { giveUpAtMs: world.clock.nowMs() + 5_000 }, { ...world.ports, orders });
  // then: the adapter writes what differs from it
  expect(over).toEqual([{ ...bare, facts: noFacts }]);
  expect(world.items.get(key)).toMatchObject({ content, unpublished: true });
});

it('that comes once more does not end what another message has sent since', async () => {
  // given an order whose message had waited for as long as any may when its attempt was refused, and that was sent again by name
  const { world, attempt } = await aClaimedOrder();
  const answer = {
    key,
    attempt: { ...attempt, ...refused },
    verdict: { reason: 'waited-too-long', code: 'WAITED_TOO_LONG', message: 'x' },
  } as const;
  const taking = () => writeAnswer(answer, undefined, { giveUpAtMs: world.clock.nowMs() + 5_000 }, world.ports);
  await taking();
  const { endId = '' } = world.entries.get(key) ?? {};
  const again = jobOf({ ...aPayoutJob(), resends: endId });
  const second = await claimOrder(again, { source: 'm2', credentials: someCredentials() }, world.ports);
  if (second.kind !== 'claimed') throw new Error('not claimed');
  await writeAnswer(
    { key, attempt: { ...second.attempt, ...refused } },
    second.order,
    { giveUpAtMs: world.clock.nowMs() + 5_000 },
    world.ports,
  );
  // when
  await taking();
  // then
  expect(world.entries.get(key)).toMatchObject({ standing: 'waiting', attempts: 2 });
});

it('of an attempt that its order does not hold ends nothing: a restored table may have lost a later one', async () => {
  // given a ledger that was restored to a moment before the order
  const { world, attempt } = await aClaimedOrder();
  world.items.delete(key);
  const orders = { ...world.orders, restored: async () => ({ pausedAtMs: startMs }) };
  const verdict = { reason: 'expired', code: 'EXPIRED', message: 'x' } as const;
  // when the answer of its attempt comes from the worker's own queue
  const answer = { key, attempt: { ...attempt, ...refused }, verdict };
  await writeAnswer(answer, undefined, { giveUpAtMs: startMs + 5_000 }, { ...world.ports, orders });
  // then
  expect(world.entries.get(key)?.standing).not.toBe('failed');
});

describe('an answer that can not be written', () => {
  it.each([
    [50, 0],
    [51, 50],
  ])('with %i ms left is tried again after %i ms at most: no try begins when the time is up', async (leftMs, ms) => {
    const { world, write } = await aClaimedOrder();
    world.orders.stays('down', 'write', 'read');
    expect(await write(taken, leftMs)).toEqual({ kind: 'unwritten' });
    expect(world.clock.nowMs() - startMs).toBe(ms);
  });

  it('is left alone where newer code has the order', async () => {
    const { world, write } = await aClaimedOrder();
    const newer = async () => ({ kind: 'unreadable', reason: 'state "split"' }) as const;
    const end = await write(taken, 5_000, { ...world.orders, write: newer });
    expect(end).toEqual({ kind: 'unreadable', reason: 'state "split"' });
  });
});
