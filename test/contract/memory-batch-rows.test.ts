import { createMemoryBatchRows } from '../../lib/adapters/memory-batch-rows.ts';
import { createMemoryLedger } from '../../lib/adapters/memory-ledger.ts';
import type { LedgerEntry } from '../../lib/domain/ledger.ts';
import { describeBatchRows } from './batch-rows-contract.ts';

describeBatchRows('memory', () => {
  const entries = new Map<string, LedgerEntry>();
  return { ledger: createMemoryLedger(entries), rows: createMemoryBatchRows(entries) };
});
