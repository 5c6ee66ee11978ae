// The depot of card keys in memory, beside the memory ledger: the same promises as the DynamoDB one.
import type { CardKeyStore } from '../../lib/card-data/sealed-params.ts';
import { takesCardKey } from '../../lib/payout/claim.ts';
import { type LedgerEntry, orderKey } from '../../lib/payout/ledger.ts';
import type { CardKeysByOrder } from './memory-ledger.ts';

/** A depot over the maps of a memory ledger. */
export function createMemoryCardKeyStore(
  entries: ReadonlyMap<string, LedgerEntry>,
  cardKeys: CardKeysByOrder,
): CardKeyStore {
  return {
    async deposit(order, key) {
      const at = orderKey(order);
      const entry = entries.get(at);
      if (entry && !takesCardKey(entry)) return { kind: 'closed' };
      const standing = cardKeys.get(at) ?? key;
      cardKeys.set(at, standing);
      return { kind: 'key', key: standing };
    },
  };
}
