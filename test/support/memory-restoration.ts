// The worker's tables in memory, their record, and a ledger's restore, for tests and benchmarks.
import { randomUUID } from 'node:crypto';
import {
  createKnownTables,
  recordOf,
  type DescribedTables,
  type StoredTables,
} from '../../lib/restore/known-tables.ts';
import type { LedgerRole, Restoration } from '../../lib/restore/restored-orders.ts';
import type { RestoreAdmin } from '../../lib/restore/dynamodb-restore-admin.ts';
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
  let record: StoredTables | undefined;
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
      if (begun) record = await recordOf(begun, by(), approvalKey);
      return record;
    },
    store: async (its: StoredTables) => void (record = its),
  };
  const by = () => ({ by: 'grace', atMs: nowMs() });
  return {
    source,
    approvalKey,
    /** One more process that compares. */
    comparison: () => createKnownTables({ source, macs: approvalKey, nowMs }),
    begin: async () => source.store(await recordOf(describe(), by(), approvalKey)),
    remake: (kind = 'ledger') => void ids.set(kind, randomUUID()),
    remove: (kind = 'ledger') => void ids.delete(kind),
    answers: (does: boolean) => void (answers = does),
  };
}

/** The restore in the ledger, under the comparison of these tables; without them the ledger is the known one. */
export function createMemoryRestoration(tables?: ReturnType<typeof createMemoryTables>): Restoration & RestoreAdmin {
  let standing: LedgerRole = { kind: 'ledger' };
  const known = tables?.comparison();
  return {
    async role() {
      const verdict = await known?.verdict();
      return verdict?.kind === 'unknown' ? { kind: 'foreign', why: verdict.why } : standing;
    },
    stamp: async () => {},
    movedFrom: async () => undefined,
    noteRefused: async () => {},
    begin: async ({ toMs, sinceMs }) =>
      void (standing = { kind: 'restored', restored: { toMs, sinceMs, settled: false } }),
    async settle() {
      if (standing.kind !== 'restored') throw new Error('there was no restore');
      standing = { kind: 'restored', restored: { ...standing.restored, settled: true } };
    },
  };
}
