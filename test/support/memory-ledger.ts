// The ledger in memory, for tests and benchmarks: the same promises as the DynamoDB one, held to by the same suite.
import { type DueWork, openWorkOf, wholeIndex, withMark } from '../../lib/payout/due-work.ts';
import type { FoundEntry, Ledger } from '../../lib/payout/ports.ts';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { surprisesKept } from '../../lib/payout/limits.ts';

/** A ledger over a map, which may be shared to look inside, or to outlive a "restart". */
export function createMemoryLedger(entries: Map<string, LedgerEntry> = new Map()): Ledger & DueWork {
  const found = (entry: LedgerEntry): FoundEntry => ({ kind: 'found', entry });
  const write = (entry: LedgerEntry) =>
    void entries.set(entry.key, withSurprisesOf(entries.get(entry.key), withoutKeyId(entry)));

  return {
    async claim(entry) {
      const stands = entries.get(entry.key);
      if (stands) return found(stands);
      write(entry);
      return { kind: 'claimed' };
    },
    async advance(expected, next) {
      const stands = entries.get(expected.key);
      if (!stands) throw new Error('the ledger has no such entry');
      if (!isStill(stands, expected)) return found(stands);
      if (next.revision === expected.revision && !isMarkedAndInquiredAs(stands, expected)) return found(stands);
      write(next);
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
    async recordSurprise(key, word) {
      const stands = entries.get(key);
      if (!stands) return 'none';
      const kept = stands.surprises ?? [];
      if (kept.includes(word)) return 'known';
      if (kept.length < surprisesKept) {
        entries.set(key, { ...stands, surprises: [...kept, word].toSorted() });
        return 'recorded';
      }
      entries.set(key, { ...stands, moreSurprises: (stands.moreSurprises ?? 0) + 1 });
      return 'counted';
    },
    async *dueWork(kind, beforeMs, { part: { part, of } = wholeIndex } = {}) {
      const open: { entry: LedgerEntry; atMs: number }[] = [];
      for (const entry of entries.values()) {
        const work = openWorkOf(entry);
        if (work?.kind === kind && work.atMs < beforeMs && partOf(entry.key) % of === part)
          open.push({ entry, atMs: work.atMs });
      }
      for (const { entry } of open.toSorted((a, b) => a.atMs - b.atMs)) yield entry;
    },
  };
}

const partOf = (key: string) => [...key].reduce((sum, char) => sum + char.charCodeAt(0), 0);

/** No move knows of surprises, and none wipes them out. */
function withSurprisesOf(stands: LedgerEntry | undefined, next: LedgerEntry): LedgerEntry {
  const { surprises, moreSurprises } = stands ?? {};
  if (!surprises) return next;
  return { ...next, surprises, ...(moreSurprises !== undefined && { moreSurprises }) };
}

/** Whether a key lies there is seen when an entry is read; it is no part of what is written. */
function withoutKeyId(entry: LedgerEntry): LedgerEntry {
  const { cardKeyId: _, ...written } = entry;
  return entry.cardKeyId === undefined ? entry : written;
}

function isMarkedAndInquiredAs(stands: LedgerEntry, expected: LedgerEntry): boolean {
  return stands.unpublished === expected.unpublished && stands.inquiries?.count === expected.inquiries?.count;
}

function isStill(stands: LedgerEntry, expected: LedgerEntry): boolean {
  return stands.state === expected.state && stands.owner === expected.owner && stands.revision === expected.revision;
}
