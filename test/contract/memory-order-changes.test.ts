import { createMemoryBatchRows } from '../support/memory-batch-rows.ts';
import { createMemoryOrderChanges } from '../support/memory-order-changes.ts';
import { createMemoryOrders } from '../support/memory-orders.ts';
import { viewsOver } from '../support/order-views.ts';
import { createManualClock } from '../support/time-and-chance.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { describeOrderChanges } from './order-changes-contract.ts';

describeOrderChanges('memory', () => {
  const orders = new Map<string, Order>();
  const entries = viewsOver(orders);
  const clock = createManualClock();
  const changes = createMemoryOrderChanges(entries, clock.nowMs);
  return { changes, clock, rows: createMemoryBatchRows(entries, changes), orders: createMemoryOrders(orders) };
});
