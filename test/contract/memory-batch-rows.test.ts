import { createMemoryBatchRows } from '../support/memory-batch-rows.ts';
import { createMemoryOrders } from '../support/memory-orders.ts';
import { viewsOver } from '../support/order-views.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { describeBatchRows } from './batch-rows-contract.ts';

describeBatchRows('memory', () => {
  const orders = new Map<string, Order>();
  return { orders: createMemoryOrders(orders), rows: createMemoryBatchRows(viewsOver(orders)) };
});
