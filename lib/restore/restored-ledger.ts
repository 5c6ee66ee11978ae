// The ledger as the worker meets it, whatever became of its table. On a table that is another's copy nothing is decided;
// on one that was restored, an order that may have been sent in the gap goes into doubt where it would have been claimed.
// Every way to a POST leads through here, so no journey needs to know of restores.
import type { Controls, Saying } from '../payout/control.ts';
import type { SweepRound } from '../payout/due-work.ts';
import type { FoundEntry, Ledger } from '../payout/ports.ts';
import {
  doubtedAfterRestore,
  isWithoutContent,
  type LedgerStanding,
  mayBeForgotten,
  type Restored,
} from './restore.ts';

/** The table that the worker was given is not the ledger. */
export class ForeignLedgerError extends Error {
  readonly code = 'LEDGER_FOREIGN';
}

/** A ledger that keeps to what its table says of itself. */
export function ledgerAfterRestore(ledger: Ledger, restoration: Restoration): Ledger {
  async function ownStanding(): Promise<LedgerStanding> {
    const standing = await restoration.standing();
    if (standing.kind !== 'foreign') return standing;
    throw new ForeignLedgerError(
      `the table is the ledger of ${standing.of}; after a restore, say: payouts restore begin`,
    );
  }
  return {
    async claim(entry) {
      const standing = await ownStanding();
      // What a message carries of the gateway's answer is more than doubt.
      const isAnswered = !saysUnsent(entry.state);
      if (standing.kind !== 'restored' || isAnswered || !mayBeForgotten(undefined, entry.operation, standing))
        return ledger.claim(entry);
      // Who calls off an order that nobody has asked for yet would say that it was never sent.
      if (isWithoutContent(entry)) return forgotten(await ledger.read(entry.key));
      const doubted = doubtedAfterRestore(undefined, entry, standing.restored);
      const write = await ledger.claim(doubted);
      return write.kind === 'claimed' ? { kind: 'found', entry: doubted } : write;
    },
    async advance(expected, next) {
      // An answer that is on its way into the table that its claim stands in is written, whatever the table is now.
      if (expected.state === 'submitting') return ledger.advance(expected, next);
      const standing = await ownStanding();
      const believed = standing.kind !== 'restored' || !mayBeForgotten(expected, expected.operation, standing);
      if (believed || !saysUnsent(next.state)) return ledger.advance(expected, next);
      const doubted = doubtedAfterRestore(expected, next, standing.restored);
      const write = await ledger.advance(expected, doubted);
      return write.kind === 'advanced' ? { kind: 'found', entry: doubted } : write;
    },
    async read(key) {
      await ownStanding();
      return ledger.read(key);
    },
    markUnpublished: (entry, unpublished) => ledger.markUnpublished(entry, unpublished),
    recordSurprise: (key, word) => ledger.recordSurprise(key, word),
  };
}

/** Moves that rest on the order never having been sent; what the gateway itself says of it rests on nothing. */
const saysUnsent = (state: string) => state === 'submitting' || state === 'cancelled' || state === 'failed';

function forgotten(found: FoundEntry | undefined): FoundEntry {
  return (
    found ?? {
      kind: 'unreadable',
      reason: 'the ledger was restored and may have forgotten this order; end the restore first',
    }
  );
}

/** Controls by which everybody waits while the table is not the ledger. */
export function controlsAfterRestore<C extends Controls>(controls: C, restoration: Restoration): C {
  return {
    ...controls,
    async of(merchant, batchId) {
      const [standing, control] = await Promise.all([restoration.standing(), controls.of(merchant, batchId)]);
      return standing.kind === 'foreign' ? { ...control, paused: true } : control;
    },
  };
}

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

// What taking a restored table into service adds to the sweep: a table that says nothing of itself yet is told that it is
// the ledger.

/** The round that stamps the table. */
export function restorationRound({ stamp }: Pick<RestoreAdmin, 'stamp'>): SweepRound {
  return {
    name: 'restoration',
    async run() {
      await stamp();
      return {};
    },
  };
}
