// Whoever counts orders (batches do) must hear of every order that changes after it has come to an end. An order that leaves
// an end is announced before it is written, so that no death between the two loses the change: what was announced and never
// came is merely looked for. What moves by itself (still open, still asked about at the gateway) needs no word.
import type { Failure } from './failures.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Ledger } from './ports.ts';

/** An order that is about to leave an end, as its ledger entry's next revision. */
export interface OrderChange {
  readonly orderKey: string;
  readonly revision: number;
  /** The batch that the order bears. */
  readonly batchId?: string;
}

/** Announcing changes. */
export interface ChangeAnnouncing {
  /** Before the order's own write; it may be repeated, and may never be followed by that write. */
  announce(change: OrderChange): Promise<void>;
}

/** The ledger, whose moves out of an end or out of a person's hands are announced. While that can't be, they fail. */
export function announcingLedger(ledger: Ledger, changes: ChangeAnnouncing): Ledger {
  return {
    claim: (entry) => ledger.claim(entry),
    read: (key) => ledger.read(key),
    markUnpublished: (entry, unpublished) => ledger.markUnpublished(entry, unpublished),
    recordSurprise: (key, word) => ledger.recordSurprise(key, word),
    async advance(expected, next) {
      if (leavesAnEnd(expected, next)) {
        const { key: orderKey, batchId } = expected;
        await changes.announce({ orderKey, revision: next.revision, ...(batchId !== undefined && { batchId }) });
      }
      return ledger.advance(expected, next);
    },
  };
}

function leavesAnEnd(expected: LedgerEntry, next: LedgerEntry): boolean {
  return next.revision > expected.revision && (expected.final || expected.state === 'held');
}

// What jobs of a batch note of rows whose end no order tells; whoever reads batches reads it.

/** How a job of a batch ended, where no order of the batch says it. */
export type RowNote =
  /** It was not taken: the message was no valid job, or its order id was used before for other content. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** The same content was asked for before, by another batch or by none; that order is the row's as well. */
  | { readonly kind: 'elsewhere' };

/**
 * May a row have ended otherwise before this note? Where it was refused before, and where its own order stands beside the
 * refusal of other content. What has a first note else was open.
 */
export function mayChangeAnEnd(note: RowNote, isFirst: boolean): boolean {
  return note.kind === 'elsewhere' ? !isFirst : note.failure.code === 'ORDER_ID_REUSED';
}

/** The row that a message says it is. */
export interface NotedRow {
  readonly batchId: string;
  readonly orderKey: string;
  /** {@link rowDigest} of the message. */
  readonly digest: string;
}

/** What jobs of a batch leave behind where no order of the batch says how they ended. */
export interface RowNotes {
  /**
   * Notes the end of the row that asked for this order by a message of this digest; whoever reads the row asks for the digest
   * that was registered of it, so that nobody else's message says how it ended. The first note stands, save that `elsewhere` goes over `refused`:
   * a job that was taken after all. A note that may change how a row has ended is announced.
   */
  note(row: NotedRow, note: RowNote): Promise<void>;
}
