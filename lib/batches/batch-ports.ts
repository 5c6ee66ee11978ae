// What batches need from the world: their headers and parts beside the orders in the ledger's table. Every write is
// conditional and may be repeated; nothing is deleted; whoever stops halfway goes on from what the table holds.
import type { BatchResult } from './batch-result.ts';
import type { RowRecord } from './batch-row.ts';
import type { ApprovalGrant } from './approval.ts';
import type { Job } from '../payout/job.ts';
import type { Approval, Batch, BatchContent, BatchPart, BatchRow, Closure, PartEnds } from './batch.ts';
import type { ChangeAnnouncing, OrderChange } from '../payout/announce-changes.ts';
import type { RowNotes } from '../payout/row-notes.ts';

/** How a step of a batch went. Who repeats a step finds its own write as what stands. */
export type BatchStep =
  | { readonly kind: 'moved' }
  /** The batch is not where the step begins, or does not fulfil its condition; nothing was written. */
  | { readonly kind: 'stands'; readonly batch: Batch }
  | { readonly kind: 'absent' };

/** The headers. Reads see every earlier write; a call that rejects may or may not have written. */
export interface BatchHeaders {
  /** Puts the header if there is none under its id. */
  register(batch: Batch): Promise<{ readonly kind: 'registered' } | { readonly kind: 'exists'; readonly batch: Batch }>;
  /**
   * Takes the file for a batch, if no batch took it before; `known` names the one that did. The same batch may take its
   * file again.
   */
  takeFile(
    fileHash: string,
    batchId: string,
  ): Promise<{ readonly kind: 'taken' } | { readonly kind: 'known'; readonly batchId: string }>;
  /** Undefined where there is none; rejects where newer code has written what this version can't read. */
  find(batchId: string): Promise<Batch | undefined>;
  /**
   * From `awaiting-approval` to `approved`, if the batch is exactly this content, the approver is not who registered it,
   * and the approval is given and ends while the batch may be released. The key is kept apart from all that is shown.
   */
  approve(content: BatchContent, approval: Approval, key: string): Promise<BatchStep>;
  /** The approval as its jobs need it; undefined while there is none. */
  grantOf(batchId: string): Promise<ApprovalGrant | undefined>;
  /** From `approved` to `uploading`, if the approval has not expired at `nowMs`. */
  startUpload(batchId: string, nowMs: number): Promise<BatchStep>;
  /** From `uploading` to `uploaded`, when every part is there; from now on the sweeper looks after it. */
  finishUpload(batchId: string, nowMs: number): Promise<BatchStep>;
  /** All rows were put on the queue once more: from now on the sweeper looks after the batch as if it were new. */
  sentAgain(batchId: string, nowMs: number): Promise<void>;
  /**
   * Writes what the batch is told as, and in the same write marks the batch result as still to publish: revision 1 from
   * `uploaded` to `closed`, each further one over the one before it alone.
   */
  close(batchId: string, closure: Closure): Promise<BatchStep>;
  /**
   * Takes the mark away, if that revision stands. The sweeper looks at the batch again at `lookAgainAtMs`; without it,
   * when a change is announced.
   */
  markPublished(batchId: string, revision: number, lookAgainAtMs?: number): Promise<void>;
  /** Sets when the sweeper looks at the batch again; does nothing where it is not looked after. */
  lookAgain(batchId: string, atMs: number): Promise<void>;
  /** Batches that the sweeper looks after and that are due before the moment, the longest due first. May lag behind. */
  openBatches(beforeMs: number): AsyncIterable<Batch>;
}

/** The parts. What is there is surely uploaded. */
export interface BatchParts {
  /**
   * Puts part `n` if it is not there: in the order of the numbers, and only once the queue has taken all its messages.
   * A part that stands is left as it is.
   */
  putPart(batchId: string, n: number, rows: readonly BatchRow[]): Promise<void>;
  /** The number of the first part that is not there: where an upload goes on. */
  nextPart(batchId: string): Promise<number>;
  /** The parts that are there, in their order; of the numbers in `only` alone, where that is given. */
  parts(batch: Pick<Batch, 'batchId' | 'parts'>, only?: readonly number[]): AsyncIterable<BatchPart>;
  /** How the rows of the parts stood when they were last read, in their order; parts of which nothing is known are left out. */
  ends(batch: Pick<Batch, 'batchId' | 'parts'>): AsyncIterable<PartEnds>;
  /** Writes how the rows of a part stand, over the version before it alone; false where another was faster. */
  putEnds(batchId: string, ends: PartEnds): Promise<boolean>;
}

/** A change, and since when it waits for its batches to be counted anew. */
export interface AnnouncedChange extends OrderChange {
  readonly announcedAtMs: number;
}

/** Where an announced order stands now, and whose rows it is. */
export interface ChangedOrder {
  /** Of its entry; absent where there is none that this version can read. */
  readonly revision?: number;
  /** The batches in which a row was noted as being this order, beside the one that the order bears. */
  readonly elsewhere: readonly string[];
}

/** Announced changes, as the sweeper works them off. */
export interface OrderChanges extends ChangeAnnouncing {
  /** Those that wait and are due before the moment, the longest due first. May lag behind. */
  announced(beforeMs: number): AsyncIterable<AnnouncedChange>;
  /** By order key; sees every earlier write. */
  standing(orderKeys: readonly string[]): Promise<ReadonlyMap<string, ChangedOrder>>;
  /** The batches of this change have been counted since it was made; it waits on if it was announced once more meanwhile. */
  counted(change: AnnouncedChange): Promise<void>;
  /** The change has not been made (yet): look again then. */
  waitFor(change: OrderChange, untilMs: number): Promise<void>;
}

/** Approvals, as the worker asks for them. */
export interface Approvals {
  /** Do two persons release this job? False while its merchant's secret can't be read: sending it asks again. */
  needed(job: Pick<Job, 'merchant' | 'operation'>): Promise<boolean>;
  /** Undefined where the batch is not approved, or there is none; rejects when it can't be told now. */
  of(batchId: string): Promise<ApprovalGrant | undefined>;
}

/** Headers and parts. */
export interface Batches extends BatchHeaders, BatchParts {}

/** What the ledger holds of rows. */
export interface BatchRows extends RowNotes {
  /** By order key; keys of which it holds nothing are left out. May lag behind a moment, unless it is to be consistent. */
  read(
    batchId: string,
    rows: readonly BatchRow[],
    how?: { readonly consistent: boolean },
  ): Promise<ReadonlyMap<string, RowRecord>>;
}

/** The results queue, for what is told of whole batches. */
export interface BatchResults {
  /** Rejects unless the queue has taken it. */
  tellBatch(result: BatchResult): Promise<void>;
}
