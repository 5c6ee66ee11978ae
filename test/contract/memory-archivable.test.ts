// The contract of an archived ledger, in memory.
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { createMemoryArchivable } from '../support/memory-archive.ts';
import { createMemoryLedger } from '../support/memory-ledger.ts';
import { describeArchivable } from './archivable-contract.ts';

describeArchivable('in memory', async () => {
  const entries = new Map<string, LedgerEntry>();
  return { ledger: createMemoryLedger(entries), archivable: createMemoryArchivable(entries) };
});
