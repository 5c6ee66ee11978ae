// The orders of a table that was copied or restored, verb by verb: what passes, what bears a gap, what is refused. Every way to
// a POST leads through here; the stories are in test/stories/restored-ledger.test.ts.
import { beforeEach, describe, expect, it } from 'vitest';
import { noFacts, ofAttempt } from '../../lib/payout/order/facts.ts';
import { newOrder, numbersFrom, type Order } from '../../lib/payout/order/order.ts';
import type { Written } from '../../lib/payout/order/orders.ts';
import { controlsAfterRestore, ForeignLedgerError, ordersAfterRestore } from '../../lib/restore/restored-orders.ts';
import { createMemoryControls } from '../support/memory-controls.ts';
import { createMemoryOrders } from '../support/memory-orders.ts';
import { createMemoryRestoration, createMemoryTables } from '../support/memory-restoration.ts';
import { anAttempt, anOrder, withFacts } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

const sinceMs = startMs + 600_000;
const lost = { by: 'anna', reason: 'the table was deleted', atMs: 0 };
const gap = { number: sinceMs };

let items: Map<string, Order>;
let tables: ReturnType<typeof createMemoryTables>;
let restoration: ReturnType<typeof createMemoryRestoration>;
beforeEach(() => {
  items = new Map();
  tables = createMemoryTables({ nowMs: () => startMs });
  restoration = createMemoryRestoration(tables);
});
const orders = () => ordersAfterRestore(createMemoryOrders(items), restoration);
const restore = () => restoration.begin({ toMs: startMs, sinceMs, tableId: 'restored' }, lost);
const answered = (order: Order) => withFacts(order, ofAttempt(anAttempt({ answer: { kind: 'taken', atMs: startMs } })));

/** An order that stands in the table since before the restore. */
function standing(): Order {
  const order = anOrder();
  items.set(order.key, order);
  return order;
}

it('a table that is the ledger is read and written as it is', async () => {
  const order = anOrder();
  expect(await orders().put(order)).toEqual({ kind: 'written' });
  expect(await orders().write(order, answered(order))).toEqual({ kind: 'written' });
  expect(await orders().read(order.key)).toEqual({ kind: 'found', order: answered(order) });
  expect(await orders().read('acme-eu/NEW')).toEqual({ kind: 'none' });
});

it('a table that is not the known one is neither read nor written, and names the page', async () => {
  const order = standing();
  tables.remake();
  const calls = [
    () => orders().read(order.key),
    () => orders().put(anOrder()),
    () => orders().write(order, answered(order)),
  ];
  for (const call of calls) {
    await expect(call()).rejects.toThrow(ForeignLedgerError);
    await expect(call()).rejects.toThrow(/payouts-prod-ledger is not the one.*restore-the-ledger\.md/);
  }
  expect(items.get(order.key)).toBe(order);
});

const first = (order: Order) => newOrder(order.key, startMs, order.content);
const beginnings: readonly (readonly [how: string, begin: (order: Order) => Promise<Written>])[] = [
  ['as a claim does', (order) => orders().put(order)],
  ['as who knows something of it does', (order) => orders().write(first(order), order)],
];

describe.each(beginnings)('in a restored table an order that it does not hold, begun %s,', (_, begin) => {
  it('may have been lost: nothing of it is written', async () => {
    await restore();
    const claimed = anOrder();
    expect(await orders().read(claimed.key)).toEqual({ kind: 'none', gap });
    expect(await begin(claimed)).toEqual({ kind: 'none', gap });
    expect(items.size).toBe(0);
  });

  it('is not called off, as that would say that it was never sent', async () => {
    await restore();
    const cancel = {
      kind: 'cancel',
      id: 'd',
      by: 'a',
      reason: 'x',
      atMs: startMs,
      saw: {},
      sawUnattributed: '',
    } as const;
    const cancelled = anOrder({ facts: { ...noFacts, decisions: { d: cancel } } });
    expect(await begin(cancelled)).toEqual({ kind: 'none', gap });
  });

  it('is written with an answer, as nobody else has that', async () => {
    await restore();
    const order = anOrder({ attempt: { answer: { kind: 'taken', atMs: startMs } } });
    expect(await begin(order)).toEqual({ kind: 'written' });
    expect(items.get(order.key)).toMatchObject({ restore: sinceMs });
  });

  it('begins anew once the restore is settled, with the number of the restore and revisions above all that were told', async () => {
    await restore();
    await restoration.settle(lost);
    const claimed = anOrder();
    expect(await orders().read(claimed.key)).toEqual({ kind: 'none', restore: sinceMs });
    expect(await begin(claimed)).toEqual({ kind: 'none', restore: sinceMs });
    expect(newOrder(claimed.key, startMs, undefined, sinceMs)).toMatchObject({
      restore: sinceMs,
      published: { revision: numbersFrom(sinceMs) },
    });
    expect(await begin({ ...claimed, restore: sinceMs })).toEqual({ kind: 'written' });
    expect(await orders().read(claimed.key)).not.toHaveProperty('gap');
  });
});

describe('in a restored table an order of before', () => {
  it('bears its gap, settled or not, with revisions above all that was told in it', async () => {
    const order = standing();
    await restore();
    for (const settle of [false, true]) {
      if (settle) await restoration.settle(lost);
      const read = await orders().read(order.key);
      expect(read).toMatchObject({ gap, order: { published: { revision: numbersFrom(sinceMs) } } });
    }
  });

  it('is found by a first claim, which may not begin it', async () => {
    const order = standing();
    await restore();
    const other = anOrder({ orderId: order.orderId });
    for (const [, begin] of beginnings)
      expect(await begin(other)).toMatchObject({ kind: 'found', gap, order: { key: order.key } });
    expect(items.get(order.key)).toBe(order);
  });

  it('bears none once it has known the restore, and bears one again after the next', async () => {
    const order = { ...standing(), restore: sinceMs };
    items.set(order.key, order);
    await restore();
    expect(await orders().read(order.key)).not.toHaveProperty('gap');
    await restoration.begin({ toMs: startMs, sinceMs: sinceMs + 600_000, tableId: 'restored' }, lost);
    expect(await orders().read(order.key)).toMatchObject({ gap: { number: sinceMs + 600_000 } });
  });
});

describe('the controls', () => {
  const controls = () =>
    controlsAfterRestore(
      createMemoryControls(() => startMs),
      restoration,
    );
  it('are as they are while the table is the ledger, restored or not', async () => {
    expect(await controls().of('acme-eu')).toMatchObject({ paused: false });
    await restore();
    expect(await controls().of('acme-eu')).toMatchObject({ paused: false });
  });

  it('let everybody wait while a table is not the known one', async () => {
    tables.remake('waiting');
    expect(await controls().of('acme-eu')).toMatchObject({ paused: true });
  });
});
