// Batches in memory, for tests: the contract of the DynamoDB ones, proven by the same suite.
import type { Batches, BatchHeaders, BatchParts, BatchStep } from '../../lib/batches/batch-ports.ts';
import {
  type Approval,
  type ApprovalGrant,
  type Batch,
  type BatchContent,
  type BatchPart,
  type BatchState,
  abandonedAfterMs,
  abandonedFromMs,
  type PartContents,
} from '../../lib/batches/batch.ts';
import type { ClosedBatches } from '../../lib/batches/closed-batches.ts';
import { sameTotals } from '../../lib/batches/tally.ts';

/** Batches over maps. */
export function createMemoryBatches(nowMs: () => number = () => 0): Batches & ClosedBatches {
  return { ...createHeaders(nowMs), ...createParts() };
}

function createHeaders(nowMs: () => number): BatchHeaders & ClosedBatches {
  const headers = new Map<string, Batch>();
  const files = new Map<string, string>();
  const due = new Map<string, number>();
  const grants = new Map<string, ApprovalGrant>();

  function step(
    batchId: string,
    from: BatchState,
    change: (batch: Batch) => Batch | undefined,
    dueAtMs?: number,
  ): BatchStep {
    const batch = headers.get(batchId);
    if (!batch) return { kind: 'absent' };
    const next = batch.state === from ? change(batch) : undefined;
    if (!next) return { kind: 'found', batch };
    headers.set(batchId, next);
    if (dueAtMs !== undefined) due.set(batchId, dueAtMs);
    return { kind: 'moved' };
  }

  return {
    async register(batch) {
      const stored = headers.get(batch.batchId);
      if (stored) return { kind: 'exists', batch: stored };
      headers.set(batch.batchId, batch);
      const leftMs = abandonedFromMs(batch);
      if (leftMs !== undefined) due.set(batch.batchId, leftMs);
      return { kind: 'registered' };
    },
    async takeFile(fileHash, batchId) {
      const first = files.get(fileHash) ?? batchId;
      files.set(fileHash, first);
      return first === batchId ? { kind: 'taken' } : { kind: 'known', batchId: first };
    },
    find: async (batchId) => headers.get(batchId),
    approve: async (content, approval, proof) => {
      const moved = step(content.batchId, 'awaiting-approval', (batch) =>
        isSameContent(batch, content) && mayApprove(batch, approval)
          ? { ...batch, state: 'approved', approval }
          : undefined,
      );
      const { by: registrar = '', rows = 0 } = headers.get(content.batchId) ?? {};
      const { by: approver, expiresAtMs } = approval;
      if (moved.kind === 'moved') grants.set(content.batchId, { registrar, approver, rows, expiresAtMs, ...proof });
      return moved;
    },
    async noteOnePerson(batchId, nowMs) {
      step(batchId, 'awaiting-approval', (batch) => ({ ...batch, onePersonAtMs: nowMs }), nowMs);
    },
    async forgetOnePerson(batchId) {
      const batch = headers.get(batchId);
      if (!batch) return;
      const { onePersonAtMs: _, ...others } = batch;
      headers.set(batchId, others);
      if (!isLookedAfter(batch)) due.delete(batchId);
    },
    grantOf: async (batchId) => grants.get(batchId),
    startUpload: async (batchId, nowMs) =>
      step(
        batchId,
        'approved',
        (batch) =>
          (batch.approval?.expiresAtMs ?? 0) > nowMs
            ? { ...batch, state: 'uploading', uploadMovedAtMs: nowMs }
            : undefined,
        due.get(batchId) ?? nowMs + abandonedAfterMs,
      ),
    async uploadMoved(batchId, nowMs) {
      step(batchId, 'uploading', (batch) => ({ ...batch, uploadMovedAtMs: nowMs }));
    },
    async letGo(batchId) {
      if (headers.get(batchId)?.state === 'uploading') due.delete(batchId);
    },
    finishUpload: async (batchId, nowMs) =>
      step(batchId, 'uploading', (batch) => ({ ...batch, state: 'uploaded', uploadedAtMs: nowMs }), nowMs),
    async sentAgain(batchId, nowMs) {
      const batch = headers.get(batchId);
      if (!batch || !isLookedAfter(batch) || batch.state === 'uploading') return;
      headers.set(batchId, { ...batch, uploadedAtMs: nowMs });
      due.set(batchId, nowMs);
    },
    close: async (batchId, closure) =>
      step(
        batchId,
        closure.revision === 1 ? 'uploaded' : 'closed',
        (batch) =>
          (batch.closure?.revision ?? 0) === closure.revision - 1
            ? { ...batch, state: 'closed', closure, unpublished: true as const }
            : undefined,
        closure.atMs,
      ),
    async markPublished(batchId, revision, lookAgainAtMs) {
      const batch = headers.get(batchId);
      if (batch?.closure?.revision !== revision) return;
      const { unpublished: _, ...published } = batch;
      headers.set(batchId, published);
      due.set(batchId, lookAgainAtMs);
    },
    async rest({ batchId, wokenAtMs }) {
      const batch = headers.get(batchId);
      if (batch?.state !== 'closed' || batch.wokenAtMs !== wokenAtMs) return;
      const { looked: _, ...resting } = batch;
      headers.set(batchId, resting);
      due.delete(batchId);
    },
    async wake(batchId) {
      const batch = headers.get(batchId);
      if (!batch) return;
      headers.set(batchId, { ...batch, wokenAtMs: nowMs() });
      if (!due.has(batchId)) due.set(batchId, nowMs());
    },
    async lookAgain(batchId, atMs, looked) {
      const batch = headers.get(batchId);
      if (!batch || !isLookedAfter(batch)) return;
      headers.set(batchId, { ...batch, ...(looked && { looked }) });
      due.set(batchId, atMs);
    },
    async *registeredSince(sinceMs) {
      for (const { batchId, createdAtMs } of headers.values()) if (createdAtMs >= sinceMs) yield batchId;
    },
    openBatches: (beforeMs) => openBatches(headers, due, beforeMs),
  };
}

const isLookedAfter = ({ state }: Batch) => ['uploading', 'uploaded', 'closed'].includes(state);

async function* openBatches(
  headers: ReadonlyMap<string, Batch>,
  due: ReadonlyMap<string, number>,
  beforeMs: number,
): AsyncGenerator<Batch> {
  const open = [...due].filter(([, atMs]) => atMs < beforeMs).toSorted(([, a], [, b]) => a - b);
  for (const [batchId] of open) {
    const batch = headers.get(batchId);
    if (batch) yield batch;
  }
}

function mayApprove({ by, heldUntilMs = 0 }: Batch, approval: Approval): boolean {
  return by !== approval.by && approval.expiresAtMs <= heldUntilMs && approval.atMs < heldUntilMs;
}

function isSameContent(a: BatchContent, b: BatchContent): boolean {
  return (
    a.fileHash === b.fileHash && a.contentHash === b.contentHash && a.rows === b.rows && sameTotals(a.totals, b.totals)
  );
}

function createParts(): BatchParts {
  const parts = new Map<string, BatchPart>();
  const contents = new Map<string, PartContents>();
  const partKey = (batchId: string, n: number) => `${batchId}/${n}`;
  return {
    async putPart(batchId, n, rows, asked) {
      const key = partKey(batchId, n);
      if (parts.has(key)) return;
      parts.set(key, { n, rows: [...rows] });
      if (asked) contents.set(key, asked);
    },
    async *contents({ batchId, parts: count }) {
      for (let n = 0; n < count; n += 1) {
        const known = contents.get(partKey(batchId, n));
        if (parts.has(partKey(batchId, n))) yield { n, ...(known && { contents: known }) };
      }
    },
    async nextPart(batchId) {
      let n = 0;
      while (parts.has(partKey(batchId, n))) n += 1;
      return n;
    },
    async *parts({ batchId, parts: count }, only = Array.from({ length: count }, (_, n) => n)) {
      for (const n of only) {
        const part = parts.get(partKey(batchId, n));
        if (part) yield part;
      }
    },
  };
}
