import { type CardKeysByOrder, createMemoryCardKeyStore } from '../support/memory-card-key-store.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { describeCardKeys } from './card-keys-contract.ts';

describeCardKeys('the store in memory', () => {
  const orders = new Map<string, Order>();
  const cardKeys: CardKeysByOrder = new Map();
  return {
    store: createMemoryCardKeyStore(cardKeys, orders),
    stands: async (order) => void orders.set(order.key, order),
    rawTextOf: async (key) => JSON.stringify(cardKeys.get(key) ?? ''),
  };
});
