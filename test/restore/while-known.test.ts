// What a process does while its tables are not the known ones, verb by verb. Every way to a POST leads through here.
import { beforeEach, expect, it } from 'vitest';
import type { Order } from '../../lib/payout/order/order.ts';
import { controlsWhileKnown, ForeignLedgerError, ordersWhileKnown } from '../../lib/restore/while-known.ts';
import { createMemoryControls } from '../support/memory-controls.ts';
import { createMemoryOrders } from '../support/memory-orders.ts';
import { createMemoryTables } from '../support/memory-tables.ts';
import { anOrder, withFacts, begun } from '../support/orders.ts';
import { ofAttempt } from '../../lib/payout/order/facts.ts';
import { anAttempt } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

let items: Map<string, Order>;
let tables: ReturnType<typeof createMemoryTables>;
beforeEach(() => {
  items = new Map();
  tables = createMemoryTables({ nowMs: () => startMs });
});
const orders = () => ordersWhileKnown(createMemoryOrders(items), tables.comparison());
const controls = () =>
  controlsWhileKnown(
    createMemoryControls(() => startMs),
    tables.comparison(),
  );
const answered = (order: Order) => withFacts(order, ofAttempt(anAttempt({ answer: { kind: 'taken', atMs: startMs } })));

it('the known ledger is read and written as it is, and names its restore', async () => {
  const order = anOrder();
  expect(await begun(orders(), order)).toEqual({ kind: 'written' });
  expect(await orders().write(order, answered(order))).toEqual({ kind: 'written' });
  expect(await orders().read(order.key)).toEqual({ kind: 'found', order: answered(order) });
  expect(await orders().restored()).toBeUndefined();
  await tables.restored(startMs);
  expect(await orders().restored()).toEqual({ pausedAtMs: startMs });
  expect(await controls().of('acme-eu')).toMatchObject({ paused: false });
});

it('a table that is not the known one is neither read nor written, names the page, and lets everybody wait', async () => {
  const order = anOrder();
  items.set(order.key, order);
  tables.remake();
  const calls = [
    () => orders().read(order.key),
    () => begun(orders(), anOrder()),
    () => orders().write(order, answered(order)),
    () => orders().markPublished(order),
    () => orders().restored(),
  ];
  for (const call of calls) {
    await expect(call()).rejects.toThrow(ForeignLedgerError);
    await expect(call()).rejects.toThrow(/payouts-prod-ledger is not the one.*disasters\.md/);
  }
  expect(items.get(order.key)).toBe(order);
  expect(await controls().of('acme-eu')).toMatchObject({ paused: true });
});
