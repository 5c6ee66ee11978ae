import { createMemoryCardKeyDepot } from '../../lib/adapters/memory-card-key-depot.ts';
import { type CardKeysByOrder, createMemoryLedger } from '../../lib/adapters/memory-ledger.ts';
import type { LedgerEntry } from '../../lib/domain/ledger.ts';
import { describeCardKeys } from './card-keys-contract.ts';

describeCardKeys('the memory ledger', () => {
  const entries = new Map<string, LedgerEntry>();
  const cardKeys: CardKeysByOrder = new Map();
  const raw = (key: string) => JSON.stringify([entries.get(key), cardKeys.get(key)], (_, it) => String(it));
  return {
    ledger: createMemoryLedger(entries, cardKeys),
    depot: createMemoryCardKeyDepot(entries, cardKeys),
    rawTextOf: async (key) => raw(key),
  };
});
