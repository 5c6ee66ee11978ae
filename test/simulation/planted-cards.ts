// Planted bugs of single-use card data: a CVV that can be read after its order was claimed, or a POST that goes without.
import type { CardKey } from '../../lib/payout/ports.ts';
import type { PlantedBug } from './planted-steps.ts';

/** The bugs of card data. */
export const cardBugs: readonly PlantedBug[] = [
  {
    name: 'the key of a CVV is read where it should be taken',
    foundBy: 'seeds',
    breaks: /a card key outlived the claim|was handed out twice/,
    sabotage: {
      cardKeys: (table, keys) => ({
        ...table,
        take: async (at, id) => (keys.get(at)?.id === id ? keys.get(at) : undefined),
      }),
    },
  },
  {
    name: 'an order whose CVV is gone is sent without it',
    foundBy: 'seeds',
    breaks: /a POST left for .* without its CVV/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        singleUse: { open: async (job) => (await ports.singleUse.open(job)) ?? job },
      }),
    },
  },
  {
    name: 'the key of a CVV is put back where its attempt was not sent',
    foundBy: 'seeds',
    breaks: /was handed out twice/,
    sabotage: {
      cardKeys(table, keys) {
        const used = new Map<string, CardKey>();
        return {
          ...table,
          async take(at, id) {
            const key = await table.take(at, id);
            if (key) used.set(at, key);
            return key;
          },
          async idAt(at) {
            const key = used.get(at);
            if (key && !keys.has(at)) keys.set(at, key);
            return table.idAt(at);
          },
        };
      },
    },
  },
  {
    name: 'a worker that finds the key gone takes the one that it remembers',
    foundBy: 'seeds',
    breaks: /was handed out twice|under a claim that was not handed its key/,
    sabotage: {
      cardKeys(table) {
        const remembered = new Map<string, CardKey>();
        return {
          ...table,
          async take(at, id) {
            const key = await table.take(at, id);
            if (key) remembered.set(key.id, key);
            return key ?? remembered.get(id);
          },
        };
      },
    },
  },
  {
    name: 'the sweeper leaves the keys of claims that died',
    foundBy: 'seeds',
    breaks: /a card key outlived the claim/,
    sabotage: { cardKeys: (table) => ({ ...table, destroy: async () => {} }) },
  },
];
