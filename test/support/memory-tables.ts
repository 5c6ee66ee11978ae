// The worker's tables in memory, and their record, for tests and benchmarks.
import { randomUUID } from 'node:crypto';
import {
  createKnownTables,
  recordOf,
  type DescribedTables,
  type ReadTables,
  type StoredTables,
} from '../../lib/restore/known-tables.ts';
import type { LedgerRegion } from '../../lib/restore/dynamodb-ledger-region.ts';
import { anApprovalKey } from './approvals.ts';

const kinds = ['ledger', 'batches', 'controls', 'waiting', 'card-keys'];

/** Tables that somebody deletes, makes anew or describes no more. They are the worker's from the first, unless `isBegun` is false. */
export function createMemoryTables({
  nowMs,
  isBegun = true,
}: {
  readonly nowMs: () => number;
  readonly isBegun?: boolean;
}) {
  const ids = new Map(kinds.map((kind) => [kind, randomUUID() as string]));
  const approvalKey = anApprovalKey();
  let stored: ReadTables = {};
  let first = isBegun ? describe() : undefined;
  let answers = true;
  function describe(): DescribedTables {
    return Object.fromEntries(
      kinds.map((kind) => {
        const id = ids.get(kind);
        return [kind, { name: `payouts-prod-${kind}`, ...(id !== undefined && { id }) }];
      }),
    ) as unknown as DescribedTables;
  }
  const source = {
    async described() {
      if (!answers) throw new Error('DynamoDB describes no table now');
      return describe();
    },
    async stored() {
      const begun = first;
      first = undefined;
      if (begun) stored = { record: await recordOf(begun, by(), approvalKey), version: 'first' };
      return stored;
    },
    async store(its: StoredTables, read: ReadTables) {
      if (read.version !== stored.version) return false;
      stored = { ...its, version: randomUUID() };
      return true;
    },
  };
  const by = () => ({ by: 'grace', atMs: nowMs() });
  const put = async (its: StoredTables): Promise<void> => void (await source.store(its, await source.stored()));
  return {
    source,
    approvalKey,
    /** One more process that compares. */
    comparison: () => createKnownTables({ source, macs: approvalKey, nowMs }),
    begin: async () => put({ record: await recordOf(describe(), by(), approvalKey) }),
    /** As a person of rights may write it. */
    put,
    /** Another table takes over, as the end of a restore's pause writes it. */
    restored: async (pausedAtMs: number) =>
      put({ record: await recordOf(describe(), { ...by(), pausedAtMs }, approvalKey) }),
    remake: (kind = 'ledger') => void ids.set(kind, randomUUID()),
    remove: (kind = 'ledger') => void ids.delete(kind),
    answers: (does: boolean) => void (answers = does),
  };
}

/** A ledger that stays in its Region. */
export const memoryRegion: LedgerRegion = {
  stamp: async () => {},
  wasLedger: async () => true,
  movedFrom: async () => undefined,
  noteRefused: async () => {},
};
