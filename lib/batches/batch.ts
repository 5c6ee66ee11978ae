// A batch: the rows of one file, their control totals, and how far they have come. The rules are here, the adapters only
// write; the orders themselves stay the ledger's, a batch only counts them.
//
//   awaiting-approval ──▶ approved ──▶ uploading ──▶ uploaded ──▶ closed
//   (two-person release)               (begins here without it)
import type { Money } from '../gateway/money.ts';
import type { FileReading } from '../files/file-reading.ts';
import type { Tally, Totals } from './tally.ts';

/** The states of a batch; each leads to the next alone. */
export const batchStates = ['awaiting-approval', 'approved', 'uploading', 'uploaded', 'closed'] as const;

/** One of {@link batchStates}. */
export type BatchState = (typeof batchStates)[number];

/** One row of the file: the order that it asks for, by its key in the ledger (`orderKey`), and its money. */
export interface BatchRow {
  readonly orderKey: string;
  /** `contentDigest` of its job: an order of another one is another payment. */
  readonly digest: string;
  /** The end that its job opens by name. */
  readonly resends?: string;
  /** Absent for an eligibility check. */
  readonly money?: Money;
}

/** Rows per part; the last part holds the rest. A part at its largest is a third of what a DynamoDB item may be. */
export const rowsPerPart = 500;

/** For how many days registered batches are found by their time. */
export const registeredDays = 31;

/** An upload without progress for this long is abandoned. A part of it takes seconds. */
export const abandonedAfterMs = 3_600_000;

/** When the upload is abandoned unless it makes progress (epoch ms); undefined if none is under way. */
export const abandonedFromMs = ({ state, createdAtMs, uploadMovedAtMs = createdAtMs }: Batch): number | undefined =>
  state === 'uploading' ? uploadMovedAtMs + abandonedAfterMs : undefined;

/** True for an abandoned upload: a batch that is half sent. */
export const isAbandoned = (batch: Batch, nowMs: number): boolean => (abandonedFromMs(batch) ?? Infinity) <= nowMs;

/** The number of parts for so many rows. */
export const partsFor = (rows: number): number => Math.ceil(rows / rowsPerPart);

/** A second person's approval that the batch may be sent; bound by its write to the file's hash, rows and totals. */
export interface Approval {
  readonly by: string;
  readonly reason?: string;
  readonly atMs: number;
  /** From this moment on, an upload that has not begun may not begin any more. */
  readonly expiresAtMs: number;
}

/**
 * An approval as its jobs need it. The writer of the record can not make it: only its approver could have made the MAC,
 * which covers all the rest.
 */
export interface ApprovalGrant {
  /** The ARNs by STS at the registration of the batch, and at its approval. */
  readonly registrar: string;
  readonly approver: string;
  readonly rows: number;
  /** From this moment on nothing of the batch is sent any more. */
  readonly expiresAtMs: number;
  /** The root of the tree of the rows (approval-proof.ts), base64url. */
  readonly root: string;
  /** The key under which the rows were hashed: 256 random bits, base64url. */
  readonly blind: string;
  /** HMAC-SHA256 by the key of approvals in KMS, base64url. */
  readonly mac: string;
}

/** The part of it that its approver makes. */
export type ApprovalProof = Pick<ApprovalGrant, 'root' | 'blind' | 'mac'>;

/** The approvals that were written down. */
export interface Grants {
  /** The approval as its jobs need it, whether or not its MAC is right; undefined while there is none. */
  grantOf(batchId: string): Promise<ApprovalGrant | undefined>;
}

/** The content of a batch: an approval is of exactly this. */
export interface BatchContent {
  readonly batchId: string;
  /** SHA-256 of the file's bytes, hexadecimal. */
  readonly fileHash: string;
  /** Digest of the jobs that it was read as: the same bytes under another command line are other jobs. */
  readonly contentHash: string;
  readonly rows: number;
  readonly totals: Totals;
}

/** The header of a batch. Times are epoch milliseconds. */
export interface Batch extends BatchContent {
  /** The merchant of every row, if all are of one. */
  readonly merchant?: string;
  /** How its file was read. */
  readonly reading: FileReading;
  readonly parts: number;
  readonly state: BatchState;
  /** The registrar, who must not approve the batch. */
  readonly by: string;
  readonly createdAtMs: number;
  /** For a batch that needs a second person: until when it may be approved and sent. */
  readonly heldUntilMs?: number;
  /** The last progress of its upload; absent until there is some, after its registration. */
  readonly uploadMovedAtMs?: number;
  /** The time when all its rows were on the queue, the last time that they were sent. */
  readonly uploadedAtMs?: number;
  readonly approval?: Approval;
  /** The time when its registrar last tried to approve it, until the sweeper has reported that. */
  readonly onePersonAtMs?: number;
  /** When an order of it last published a later revision, once it was closed. */
  readonly wokenAtMs?: number;
  /** What the sweeper's last look found. */
  readonly looked?: Looked;
  readonly closure?: Closure;
  /** The batch result could not be sent yet. */
  readonly unpublished?: true;
}

/** What the index showed of a batch that is looked at again. */
export interface Looked {
  readonly digest: string;
  readonly sinceMs: number;
  readonly counted?: PartialCount;
}

/** A count that took longer than a round: the next round goes on with it. */
export interface PartialCount {
  /** How many of the file's first rows are counted. */
  readonly rows: number;
  /** {@link packedTally} of these. */
  readonly tally: string;
  /**
   * True if a counted payout may change without waking the batch: nothing is published of an order that is known by name alone, and an
   * order of another batch wakes that batch.
   */
  readonly mayChangeUnheard: boolean;
  readonly startedMs: number;
  /** The revision of the closure that was published then, or 0. */
  readonly revision: number;
}

/** The published state of a batch. A row that changes afterwards makes the next revision; no revision is ever changed. */
export interface Closure {
  /** From 1 upwards. */
  readonly revision: number;
  readonly atMs: number;
  /** The time of the first revision: a row that has moved since is late. */
  readonly firstAtMs: number;
  readonly tally: Tally;
}

/** The payee and amount of each row of a part: digests of eight bytes (content-digest.ts), zeros if none can be made. */
export interface PartContents {
  /** Names the key that made them. */
  readonly keyId: string;
  readonly digests: Uint8Array;
}

/** Rows in file order. */
export interface BatchPart {
  readonly n: number;
  readonly rows: readonly BatchRow[];
}

/** The header of a new batch: it may be uploaded at once, unless it is held for a second person. */
export function newBatch(
  request: BatchContent & {
    readonly merchant?: string;
    readonly by: string;
    readonly reading?: FileReading;
    readonly nowMs: number;
    readonly heldUntilMs?: number;
  },
): Batch {
  const { nowMs, ...content } = request;
  return {
    ...content,
    reading: request.reading ?? {},
    parts: partsFor(request.rows),
    state: request.heldUntilMs !== undefined ? 'awaiting-approval' : 'uploading',
    createdAtMs: nowMs,
  };
}
