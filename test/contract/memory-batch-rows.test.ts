import { createMemoryBatchRows } from '../support/memory-batch-rows.ts';
import { createMemoryLedger } from '../support/memory-ledger.ts';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { describeBatchRows } from './batch-rows-contract.ts';

describeBatchRows('memory', () => {
  const entries = new Map<string, LedgerEntry>();
  return { ledger: createMemoryLedger(entries), rows: createMemoryBatchRows(entries) };
});
