import { createMemoryBatchRows } from '../support/memory-batch-rows.ts';
import { createMemoryLedger } from '../support/memory-ledger.ts';
import { createMemoryOrderChanges } from '../support/memory-order-changes.ts';
import { createManualClock } from '../support/time-and-chance.ts';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { describeOrderChanges } from './order-changes-contract.ts';

describeOrderChanges('memory', () => {
  const entries = new Map<string, LedgerEntry>();
  const clock = createManualClock();
  const changes = createMemoryOrderChanges(entries, clock.nowMs);
  return { changes, clock, rows: createMemoryBatchRows(entries, changes), ledger: createMemoryLedger(entries) };
});
