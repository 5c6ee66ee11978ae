// The restore's tool over a restored table: what it puts in doubt, once; what it makes; and that it may be killed anywhere.
import { beforeEach, describe, expect, it } from 'vitest';
import { noFacts } from '../../lib/payout/order/facts.ts';
import { lostId } from '../../lib/payout/order/lost.ts';
import { numberAfter } from '../../lib/payout/order/restored.ts';
import { newOrder, type Order } from '../../lib/payout/order/order.ts';
import { recorded } from '../../lib/payout/order/record.ts';
import { resultText } from '../../lib/payout/message/result.ts';
import { resultOf } from '../../lib/payout/order/projection.ts';
import { doubtHeld, doubtNamed, namedByJob, namedByParked, namedByResult } from '../../lib/restore/lost-orders.ts';
import { aParkedJob } from '../contract/waiting-contract.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { createMemoryWaiting } from '../support/memory-waiting.ts';
import { type anAttempt, anOrder, aView } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld, type World } from '../support/world.ts';

const restored = { pausedAtMs: startMs };
const number = numberAfter(restored);
let world: World;
beforeEach(() => (world = aWorld({ profile: { statusInquiry: true } })));

const ports = () => ({
  ...world.ports,
  orders: world.orders,
  allOrders: {
    async *scan() {
      yield [...world.items.values()].map((order) => ({ kind: 'found', order }) as const);
    },
  },
});
const held = (isDry = false) => doubtHeld(restored, ports(), { isDry });
function standing(orderId: string, attempt: Parameters<typeof anAttempt>[0], isEnded = false): Order {
  const before = anOrder({ orderId, attempt });
  const verdict = { reason: 'expired', code: 'EXPIRED', message: 'too late' } as const;
  const order = isEnded ? recorded(before, noFacts, { nowMs: startMs, endId: 'end-2', verdict }) : before;
  world.items.set(order.key, order);
  return order;
}
const stateOf = (orderId: string) => world.entries.get(`acme-eu/${orderId}`)?.standing;

describe('an order that the restored table holds', () => {
  it('is in doubt where it may have been sent since, its end may be opened by name, or nothing of it was sent', async () => {
    const unsent = {
      kind: 'refused',
      about: 'pace',
      connected: false,
      atMs: startMs,
      code: 'X',
      message: 'x',
    } as const;
    standing('OPEN', { answer: unsent });
    standing('DECLINED', { ids: ['77'], reports: ['declined'] });
    standing('EXPIRED', { answer: unsent }, true);
    standing('ACCEPTED', { ids: ['78'], answer: { kind: 'taken', atMs: startMs } });
    const counts = { read: 4, open: 2, ended: 2, raised: 0 };
    expect(await held(true)).toMatchObject(counts);
    expect(await held()).toMatchObject(counts);
    const states = ['OPEN', 'DECLINED', 'EXPIRED', 'ACCEPTED'].map(stateOf);
    expect(states).toEqual(['in-doubt', 'in-doubt', 'in-doubt', 'confirming']);
    for (const order of world.items.values()) {
      expect(order.facts.attempts[lostId(restored)]).toMatchObject({ lost: true, askable: true });
      expect(Math.min(order.version, order.published.revision)).toBeGreaterThanOrEqual(number);
    }
  });

  it('has higher numbers and nothing else where it is paid, called off or a check', async () => {
    standing('PAID', { ids: ['77'], reports: ['approved'], approvedAtMs: startMs });
    const { key, facts, content } = standing('CHECK', { answer: { kind: 'taken', atMs: startMs } });
    if (content)
      world.items.set(key, {
        ...anOrder({ orderId: 'CHECK' }),
        facts,
        content: { ...content, operation: 'pan-eligibility' },
      });
    const cancel = { kind: 'cancel', id: 'd', by: 'a', reason: 'x', atMs: startMs, saw: {} } as const;
    const off = newOrder('acme-eu/OFF', startMs);
    const called = recorded(off, { ...noFacts, decisions: { d: cancel } }, { nowMs: startMs, endId: 'end' });
    world.items.set(off.key, called);
    expect(await held()).toMatchObject({ open: 0, ended: 0, raised: 3 });
    expect([stateOf('PAID'), stateOf('OFF')]).toEqual(['paid', 'cancelled']);
    for (const order of world.items.values()) expect(order.published.revision).toBeGreaterThanOrEqual(number);
  });

  it('is written once: a run that was killed is said again, and one after that finds nothing', async () => {
    for (let n = 0; n < 60; n += 1) standing(`N-${n}`, { answer: { kind: 'taken', atMs: startMs } });
    world.orders.faults('write', ...Array.from({ length: 40 }, () => 'up' as const), 'answer lost');
    await expect(held()).rejects.toThrow('did not answer');
    const left = await held(true);
    expect(left.open).toBeGreaterThan(0);
    expect(left.open).toBeLessThan(60);
    expect(await held()).toMatchObject({ open: left.open });
    const before = [...world.items.values()];
    expect(await held()).toMatchObject({ read: 60, open: 0, ended: 0, raised: 0 });
    expect([...world.items.values()]).toEqual(before);
  });

  it('is left for another run while it is unknown to which accounts it may have been sent', async () => {
    standing('OPEN', { answer: { kind: 'taken', atMs: startMs } });
    world.credentials.outage('down');
    await expect(held()).rejects.toThrow('acme-eu');
    world.credentials.outage('up');
    expect(await held()).toMatchObject({ open: 1 });
  });

  it('is left until an approver registers the login that its contract names, if it was sent: it may have had another', async () => {
    const failure = { code: 'ACCOUNT_UNKNOWN', message: 'acme-eu uses a login that is not registered' } as const;
    const its = { ...ports(), credentials: { of: async () => ({ kind: 'unavailable', failure }) as const } };
    standing('SENT', { answer: { kind: 'taken', atMs: startMs } });
    await expect(doubtHeld(restored, its)).rejects.toThrow('not registered');
    expect(await doubtNamed({ key: 'acme-eu/GONE', endpointId: '39915' }, restored, its)).toBe(true);
    expect(world.items.get('acme-eu/GONE')?.facts.attempts[lostId(restored)]).toMatchObject({ accounts: [] });
  });

  it('may have been sent to the accounts of its other attempts too, which the contract names no more', async () => {
    standing('OPEN', { answer: { kind: 'taken', atMs: startMs }, accounts: ['former-acct1'] });
    await held();
    const { accounts = [] } = world.items.get('acme-eu/OPEN')?.facts.attempts[lostId(restored)] ?? {};
    expect(accounts).toHaveLength(2);
    expect(accounts).toContain('former-acct1');
  });

  it('is asked about nowhere while the contract names an account that no approver has registered', async () => {
    standing('OPEN', { answer: { kind: 'taken', atMs: startMs } });
    const access = { ...someCredentials({ profile: { statusInquiry: true } }), leavesOut: true as const };
    world.credentials.rotate('acme-eu', access);
    await world.credentials.refresh('acme-eu', access);
    await held();
    const lost = world.items.get('acme-eu/OPEN')?.facts.attempts[lostId(restored)];
    expect(lost).toMatchObject({ accounts: [], askable: false });
  });

  it('is put in doubt once more by the next restore', async () => {
    standing('OPEN', { answer: { kind: 'taken', atMs: startMs } });
    await held();
    const next = { pausedAtMs: startMs + 600_000 };
    expect(await doubtHeld(next, ports())).toMatchObject({ open: 1 });
    expect(Object.keys(world.items.get('acme-eu/OPEN')?.facts.attempts ?? {})).toHaveLength(3);
  });
});

describe('an order that the restored table does not know', () => {
  const named = (line: string) => namedByResult(line);
  const result = (changes: Parameters<typeof aView>[0]) => {
    const it = resultOf(aView({ orderId: 'GONE', revision: 3, ...changes }));
    if (!it) throw new Error('there is a result');
    return resultText(it);
  };

  it('is made by name alone where a result or a line of the log names it, once, and nothing is published of it', async () => {
    const log = JSON.stringify({ event: 'job', resultId: 'acme-eu/GONE/2', endpointId: '39915' });
    const lines = [result({ standing: 'paid' }), log];
    const made = [];
    for (const line of lines) made.push(await doubtNamed(named(line) ?? { key: '' }, restored, ports()));
    expect(made).toEqual([true, false]);
    expect(stateOf('GONE')).toBe('in-doubt');
    expect(world.items.get('acme-eu/GONE')).not.toHaveProperty('unpublished');
    expect(world.items.get('acme-eu/GONE')?.version).toBeGreaterThan(number);
  });

  it.each([
    ['no JSON', 'no JSON'],
    ['a result about a message', JSON.stringify({ resultId: 'rejected/m-1' })],
    ['a line of the log about nothing', JSON.stringify({ event: 'sweep' })],
  ])('is not made by %s', (_, line) => {
    expect(named(line)).toBeUndefined();
  });

  it('is left as it is where the table knows it', async () => {
    const { key } = standing('GONE', { answer: { kind: 'taken', atMs: startMs } });
    expect(await doubtNamed({ key }, restored, ports())).toBe(false);
  });

  it('is named by a job that waits and by a dead letter, where they were first sent before the pause', async () => {
    const waits = createMemoryWaiting();
    await waits.put(aParkedJob({ key: 'acme-eu/OLD', sinceMs: startMs }));
    await waits.put(aParkedJob({ key: 'acme-eu/NEW', sinceMs: startMs + 3_600_000 }));
    const keys = [];
    for await (const { key } of namedByParked(restored, waits)) keys.push(key);
    expect(keys).toEqual(['acme-eu/OLD']);
    const body = JSON.stringify(aPayoutJob());
    const told = [startMs, startMs + 3_600_000].map((sentMs) => namedByJob(restored, body, sentMs));
    expect(told.map((it) => it?.key)).toEqual(['acme-eu/INV-1', undefined]);
  });
});
