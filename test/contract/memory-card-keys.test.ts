import { createMemoryCardKeyStore } from '../support/memory-card-key-store.ts';
import { type CardKeysByOrder, createMemoryLedger } from '../support/memory-ledger.ts';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { describeCardKeys } from './card-keys-contract.ts';

describeCardKeys('the memory ledger', () => {
  const entries = new Map<string, LedgerEntry>();
  const cardKeys: CardKeysByOrder = new Map();
  const raw = (key: string) => JSON.stringify([entries.get(key), cardKeys.get(key)], (_, it) => String(it));
  return {
    ledger: createMemoryLedger(entries, cardKeys),
    depot: createMemoryCardKeyStore(entries, cardKeys),
    rawTextOf: async (key) => raw(key),
  };
});
