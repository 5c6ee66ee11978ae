// The table of card keys in memory, for senders, the worker and the sweeper: the contract of the DynamoDB one.
import type { LeftCardKeys } from '../../lib/card-data/dynamodb-left-card-keys.ts';
import type { CardKey, CardKeyStore, ClaimedCardKeys } from '../../lib/card-data/sealed-params.ts';
import { type Order, orderKey } from '../../lib/payout/order/order.ts';

/** Keys of single-use card data, by order key. */
export type CardKeysByOrder = Map<string, CardKey>;

/** A store over a map, which may be shared to look inside; its sweeper reads `entries`. */
export function createMemoryCardKeyStore(
  cardKeys: CardKeysByOrder = new Map(),
  entries: ReadonlyMap<string, Order> = new Map(),
): CardKeyStore & ClaimedCardKeys & LeftCardKeys {
  return {
    async deposit(order, key) {
      const at = orderKey(order);
      const standing = cardKeys.get(at) ?? key;
      cardKeys.set(at, standing);
      return standing;
    },
    async take(at, id) {
      const key = cardKeys.get(at);
      if (key?.id !== id) return undefined;
      cardKeys.delete(at);
      return key;
    },
    next: async () => ({ keys: [...cardKeys].map(([at, { id }]) => ({ orderKey: at, id })), isLast: true }),
    ordersOf: async (keys) =>
      new Map(
        keys.flatMap(({ orderKey: at }) => {
          const entry = entries.get(at);
          return entry ? [[at, entry]] : [];
        }),
      ),
    async destroy({ orderKey: at, id }) {
      if (cardKeys.get(at)?.id === id) cardKeys.delete(at);
    },
  };
}

/** The same, whose answers to the worker may fail. */
export interface FaultyCardKeys extends ReturnType<typeof createMemoryCardKeyStore> {
  stays(state: 'up' | 'down' | 'answer lost'): void;
}

/** A store that is up at first. */
export function createFaultyCardKeys(...where: Parameters<typeof createMemoryCardKeyStore>): FaultyCardKeys {
  const store = createMemoryCardKeyStore(...where);
  let current: Parameters<FaultyCardKeys['stays']>[0] = 'up';
  return {
    ...store,
    stays: (state) => void (current = state),
    async take(...asked) {
      if (current === 'up') return store.take(...asked);
      if (current === 'answer lost') await store.take(...asked);
      throw new Error('the table of card keys did not answer');
    },
  };
}
