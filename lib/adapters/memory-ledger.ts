// The ledger in memory, for tests and benchmarks: the same promises as the DynamoDB one, held to by the same suite.
import type { OpenWork } from '../app/inquiry-ports.ts';
import type { FoundEntry, Ledger } from '../app/ports.ts';
import type { LedgerEntry } from '../domain/ledger.ts';
import { openWorkOf, withMark } from '../domain/open-work.ts';

/** A ledger over a map; the map may be shared to look inside, or to outlive a "restart". */
export function createMemoryLedger(entries: Map<string, LedgerEntry> = new Map()): Ledger & OpenWork {
  const found = (entry: LedgerEntry): FoundEntry => ({ kind: 'found', entry });
  return {
    async claim(entry) {
      const stands = entries.get(entry.key);
      if (stands) return found(stands);
      entries.set(entry.key, entry);
      return { kind: 'claimed' };
    },
    async advance(expected, next) {
      const stands = entries.get(expected.key);
      if (!stands) throw new Error('the ledger has no such entry');
      if (!isStill(stands, expected)) return found(stands);
      if (next.revision === expected.revision && !isMarkedAndLookedAtAs(stands, expected)) return found(stands);
      entries.set(next.key, next);
      return { kind: 'advanced' };
    },
    async read(key) {
      const stands = entries.get(key);
      return stands && found(stands);
    },
    async markUnpublished(entry, unpublished) {
      const stands = entries.get(entry.key);
      if (!stands || stands.revision !== entry.revision) return;
      entries.set(entry.key, withMark(stands, unpublished));
    },
    async *openWork(kind, beforeMs) {
      const open = [...entries.values()].flatMap((entry) => {
        const work = openWorkOf(entry);
        return work?.kind === kind && work.atMs < beforeMs ? [{ entry, atMs: work.atMs }] : [];
      });
      for (const { entry } of open.toSorted((a, b) => a.atMs - b.atMs)) yield entry;
    },
  };
}

function isMarkedAndLookedAtAs(stands: LedgerEntry, expected: LedgerEntry): boolean {
  return stands.unpublished === expected.unpublished && stands.looks?.count === expected.looks?.count;
}

function isStill(stands: LedgerEntry, expected: LedgerEntry): boolean {
  return stands.state === expected.state && stands.owner === expected.owner && stands.revision === expected.revision;
}
