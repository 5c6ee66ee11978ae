// Planted bugs of single-use card data: a CVV that can be read after its order was claimed, or a POST that goes without.
import { type PlantedBug, step } from './planted-steps.ts';

type SendOrder = typeof import('../../lib/payout/send-order.ts');

/** All of them. */
export const cardBugs: readonly PlantedBug[] = [
  {
    name: 'the key of a CVV is kept after the claim',
    foundBy: 'seeds',
    breaks: /a card key outlived the claim/,
    sabotage: {
      store: (ledger, _, cardKeys) => ({
        ...ledger,
        claim(entry) {
          const kept = cardKeys.get(entry.key);
          const claim = ledger.claim(entry);
          if (kept) cardKeys.set(entry.key, kept);
          return claim;
        },
      }),
    },
  },
  {
    name: 'an order whose CVV is gone is sent without it',
    foundBy: 'seeds',
    breaks: /a POST left for .* without its CVV/,
    steps: [
      step('../../lib/payout/send-order.ts', ({ sendOrder }: SendOrder) => ({
        sendOrder: (...[job, claimed, ...rest]: Parameters<typeof sendOrder>) => {
          const { sealedCode: _, ...without } = job;
          return sendOrder(claimed.cardKey ? job : without, claimed, ...rest);
        },
      })),
    ],
  },
  {
    name: 'the key of a CVV is put back where its attempt was not sent',
    foundBy: 'seeds',
    breaks: /was handed out twice/,
    sabotage: {
      store(ledger, _, cardKeys) {
        const used = new Map<string, NonNullable<ReturnType<typeof cardKeys.get>>>();
        return {
          ...ledger,
          claim(entry) {
            const key = cardKeys.get(entry.key);
            if (key) used.set(entry.key, key);
            return ledger.claim(entry);
          },
          advance(expected, next) {
            const write = ledger.advance(expected, next);
            const key = used.get(next.key);
            if (key && next.failure?.code === 'NEW_CARD_DATA_NEEDED') cardKeys.set(next.key, key);
            return write;
          },
        };
      },
    },
  },
  {
    name: 'a claim whose answer was lost takes the key that it had looked up before',
    foundBy: 'seeds',
    breaks: /under a claim that was not handed its key/,
    sabotage: {
      store(ledger, _, cardKeys) {
        const seen = new Map<string, NonNullable<ReturnType<typeof cardKeys.get>>>();
        return {
          ...ledger,
          async advance(expected, next) {
            const write = await ledger.advance(expected, next);
            const cardKey = seen.get(next.key);
            return write.kind === 'advanced' && cardKey ? { ...write, cardKey } : write;
          },
          claim(entry) {
            const key = cardKeys.get(entry.key);
            if (key) seen.set(entry.key, key);
            return ledger.claim(entry);
          },
        };
      },
    },
  },
];
