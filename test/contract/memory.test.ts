// The stores in memory, on which stories and simulation rest, keep what the tables keep.
import type { Order } from '../../lib/payout/order/order.ts';
import { createMemoryBatchIndex } from '../support/memory-batch-index.ts';
import { createMemoryBatches } from '../support/memory-batches.ts';
import { type CardKeysByOrder, createMemoryCardKeyStore } from '../support/memory-card-key-store.ts';
import { createMemoryControls } from '../support/memory-controls.ts';
import { createMemoryLanes } from '../support/memory-lanes.ts';
import { createMemoryOrders } from '../support/memory-orders.ts';
import { createMemoryLeader, createMemoryWaiting } from '../support/memory-waiting.ts';
import { describeBatchIndex } from './batch-index-contract.ts';
import { describeBatches } from './batches-contract.ts';
import { describeCardKeys } from './card-keys-contract.ts';
import { type AllControls, describeControls } from './controls-contract.ts';
import { describeLanes } from './lanes-contract.ts';
import { describeOpenWork } from './open-work-contract.ts';
import { describeOrders } from './orders-contract.ts';
import { describeLeader, describeWaiting } from './waiting-contract.ts';

describeOrders('memory', () => createMemoryOrders());
describeOpenWork('memory', async () => createMemoryOrders());
describeBatches('memory', createMemoryBatches);
describeBatchIndex('memory', () => {
  const orders = new Map<string, Order>();
  return { orders: createMemoryOrders(orders), batchIndex: createMemoryBatchIndex(orders) };
});

describeCardKeys('memory', () => {
  const orders = new Map<string, Order>();
  const cardKeys: CardKeysByOrder = new Map();
  return {
    store: createMemoryCardKeyStore(cardKeys, orders),
    keepOrder: async (order) => void orders.set(order.key, order),
    rawTextOf: async (key) => JSON.stringify(cardKeys.get(key) ?? ''),
  };
});

/** One store is one process here. */
let controls: AllControls | undefined;
describeControls('memory', (clock) => (controls ??= createMemoryControls(clock.nowMs)));

const lanes = new Map<string, string>();
describeLanes('memory', () => createMemoryLanes(lanes));
describeWaiting('memory', () => createMemoryWaiting());
describeLeader('memory', createMemoryLeader);
