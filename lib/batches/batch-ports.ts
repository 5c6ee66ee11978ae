// The ports of batches: their headers and parts in a table of their own. Every write is
// conditional and may be repeated; nothing is deleted; a command that stopped halfway goes on from what the table holds.
import type { BatchResult } from './batch-result.ts';
import type {
  Approval,
  ApprovalProof,
  Batch,
  BatchContent,
  BatchPart,
  BatchRow,
  Closure,
  Grants,
  Looked,
  PartContents,
} from './batch.ts';

/** The outcome of a step of a batch. A step that is repeated finds its own write in the header. */
export type BatchStep =
  | { readonly kind: 'moved' }
  /** The batch is not where the step begins, or does not fulfil its condition; nothing was written. */
  | { readonly kind: 'found'; readonly batch: Batch }
  | { readonly kind: 'absent' };

/** The headers. Reads see every earlier write; a call that rejects may or may not have written. */
export interface BatchHeaders extends Grants {
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
  /** Ids of batches that were registered at or after the moment, at most `registeredDays` ago. May lag behind. */
  registeredSince(sinceMs: number): AsyncIterable<string>;
  /** Undefined if there is none; rejects if newer code has written what this version can't read. */
  find(batchId: string): Promise<Batch | undefined>;
  /**
   * From `awaiting-approval` to `approved`, if the batch is exactly this content, the approver is not its registrar, and the approval is
   * given and ends while the batch may be released. The proof is written unchecked: those who rely on it check it.
   */
  approve(content: BatchContent, approval: Approval, proof: ApprovalProof): Promise<BatchStep>;
  /** Notes that a person tried to approve what they had registered; the sweeper reports it, once. */
  noteOnePerson(batchId: string, nowMs: number): Promise<void>;
  /** Removes that note. */
  forgetOnePerson(batchId: string): Promise<void>;
  /** From `approved` to `uploading`, if the approval has not expired at `nowMs`; the sweeper watches for an abandoned upload. */
  startUpload(batchId: string, nowMs: number): Promise<BatchStep>;
  /** The upload has come further; does nothing if none is under way. */
  uploadMoved(batchId: string, nowMs: number): Promise<void>;
  /** From `uploading` to `uploaded`, when every part is there; from now on the sweeper looks after the batch. */
  finishUpload(batchId: string, nowMs: number): Promise<BatchStep>;
  /** All rows were put on the queue once more: from now on the sweeper looks after the batch as if it were new. */
  sentAgain(batchId: string, nowMs: number): Promise<void>;
  /**
   * Writes the published state of the batch, and in the same write marks the batch result as unpublished. Revision 1 leads from `uploaded`
   * to `closed`; each further one is written only over the one before it.
   */
  close(batchId: string, closure: Closure): Promise<BatchStep>;
  /**
   * Removes the mark, if the header holds that revision. The sweeper looks at the batch again at `lookAgainAtMs`.
   */
  markPublished(batchId: string, revision: number, lookAgainAtMs: number): Promise<void>;
  /** Looks at a closed batch no more, and forgets what was found, unless an order has woken it since it was read. */
  rest(batch: Pick<Batch, 'batchId' | 'wokenAtMs'>): Promise<void>;
  /** Sets when the sweeper looks at the batch again, and what it has found; does nothing if the batch is not looked after. */
  lookAgain(batchId: string, atMs: number, looked?: Looked): Promise<void>;
  /** For an abandoned upload: the sweeper looks at the batch no more, until its upload has ended after all. */
  letGo(batchId: string): Promise<void>;
  /**
   * Batches that the sweeper looks after and that are due before the moment, the longest due first. May lag behind.
   * `onUnreadable` gets the ids of those that this version cannot read.
   */
  openBatches(beforeMs: number, onUnreadable?: (batchId: string) => void): AsyncIterable<Batch>;
}

/** The parts. A part that is there is surely uploaded. */
export interface BatchParts {
  /**
   * Puts part `n` if it is not there: in the order of the numbers, and only once the queue has taken all its messages.
   * An existing part is left as it is. `contents` are written with it: one write, whatever a row asks for.
   */
  putPart(batchId: string, n: number, rows: readonly BatchRow[], contents?: PartContents): Promise<void>;
  /** The number of the first part that is not there: where an upload goes on. */
  nextPart(batchId: string): Promise<number>;
  /** The parts that are there, in their order; only those of the numbers in `only`, if it is given. */
  parts(batch: Pick<Batch, 'batchId' | 'parts'>, only?: readonly number[]): AsyncIterable<BatchPart>;
  /** The digests of the payments in the parts that are there, in their order. May lag behind. */
  contents(
    batch: Pick<Batch, 'batchId' | 'parts'>,
  ): AsyncIterable<{ readonly n: number; readonly contents?: PartContents }>;
}

/** Headers and parts. */
export interface Batches extends BatchHeaders, BatchParts {}

/** The results queue, for results of whole batches. */
export interface BatchResults {
  /** Rejects unless the queue has taken it. */
  sendBatchResult(result: BatchResult): Promise<void>;
}

/** A row on its way to its queue. */
export interface JobToSend {
  readonly body: string;
  /** Jobs of one merchant share a group: none can crowd out the others' jobs. */
  readonly groupId: string;
}

/** A job that the queue did not take. `again`: trouble that passes; else the queue will never take it. */
interface Untaken {
  readonly index: number;
  readonly again: boolean;
  readonly code: string;
}

/** The queue of rows, as the tool writes to it. At most ten messages a call; rejects if trying again is of no use. */
export interface JobSender {
  send(jobs: readonly JobToSend[]): Promise<readonly Untaken[]>;
}

/** The person who runs the command, by credentials and not by a name on the command line; rejects if they can't be read. */
export interface Identity {
  whoAmI(): Promise<string>;
}
