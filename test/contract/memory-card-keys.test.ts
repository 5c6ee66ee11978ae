import { type CardKeysByOrder, createMemoryCardKeyStore } from '../support/memory-card-key-store.ts';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { describeCardKeys } from './card-keys-contract.ts';

describeCardKeys('the store in memory', () => {
  const entries = new Map<string, LedgerEntry>();
  const cardKeys: CardKeysByOrder = new Map();
  return {
    store: createMemoryCardKeyStore(cardKeys, entries),
    stands: async (entry) => void entries.set(entry.key, entry),
    rawTextOf: async (key) => JSON.stringify(cardKeys.get(key) ?? ''),
  };
});
