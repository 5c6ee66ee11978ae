// What a table says of itself: whose ledger it is, and whether it was restored.
import type { LedgerStanding, Restored } from './restore.ts';
import type { Saying } from '../payout/control-ports.ts';

/** A table's word of what it is; a few seconds old at most. */
export interface Restoration {
  /** Rejects where it was never learned and can't be learned now: then nothing may be decided. */
  standing(): Promise<LedgerStanding>;
}

/** Who may change that word: the sweeper the first, an operator the others. */
export interface RestoreAdmin {
  /** A table that says nothing yet says from now on that it is the ledger under this name. */
  stamp(): Promise<void>;
  /** From now on this table is the ledger, restored; what it does not know goes into doubt. */
  begin(restored: Omit<Restored, 'settled'>, saying: Saying): Promise<void>;
  /** Every order of the gap is back: unknown orders are new again. */
  settle(saying: Saying): Promise<void>;
  /** From now on another table is the ledger, and nothing may be decided by this one. */
  handOver(toTable: string, saying: Saying): Promise<void>;
}
