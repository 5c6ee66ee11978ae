// The ledger as the archiver meets it and the archive, in memory: the same promises as DynamoDB's and S3's, held to by the
// same suites.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ArchivableLedger, ArchiveStore } from '../../lib/archive/archive-orders.ts';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';

/** Over the entries of a memory ledger, so many a page. */
export function createMemoryArchivable(entries: Map<string, LedgerEntry>, perPage = 2): ArchivableLedger {
  let noted: string | undefined;
  return {
    async page(after) {
      const keys = [...entries.keys()].toSorted().filter((key) => after === undefined || key > after);
      const page = keys.slice(0, perPage);
      const orders = page.flatMap((key) => {
        const entry = entries.get(key);
        const isWhole = entry?.archive?.revision !== entry?.revision;
        if (!entry?.final || entry.unpublished || !isWhole) return [];
        return [{ entry, stored: storedOf(entry), expires: false }];
      });
      const last = keys.length > perPage ? page.at(-1) : undefined;
      return { orders, ...(last !== undefined && { next: last }) };
    },
    mark: async () => noted,
    note: async (mark) => void (noted = mark),
    async cutDown({ entry }, remainder) {
      if (!isDeepStrictEqual(entries.get(entry.key), entry)) return false;
      entries.set(entry.key, remainder);
      return true;
    },
    keep: async () => {},
  };
}

const storedOf = (entry: LedgerEntry) =>
  JSON.stringify(entry, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

/** Its objects by id. */
export function createMemoryArchive(objects: Map<string, readonly string[]> = new Map()): ArchiveStore {
  return {
    async store(lines) {
      const id = createHash('sha256').update(lines.join('\n')).digest('base64url').slice(0, 22);
      objects.set(id, lines);
      return id;
    },
  };
}
