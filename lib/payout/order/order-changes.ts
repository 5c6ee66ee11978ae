// Readers that count orders (batches do) must hear of every order that changes after its end. An order that leaves an end is
// announced before it is written, so that no death between the two loses the change: an announced change that never came is
// merely looked for. An order that moves by itself (still open, still asked about) needs no announcement.
import type { Failure } from '../message/failures.ts';
import type { Order } from './order.ts';
import type { Orders } from './orders.ts';
import { viewOf } from './view.ts';

/** An order that is about to leave an end, as its next revision. */
export interface OrderChange {
  readonly orderKey: string;
  readonly revision: number;
  /** The batch that the order bears. */
  readonly batchId?: string;
}

/** The revision of an order's first result. */
export const firstRevision = 1;

/** The announcer of changes. */
export interface ChangeAnnouncing {
  /** Before the order's own write; it may be repeated, and may never be followed by that write. */
  announce(change: OrderChange): Promise<void>;
}

/** Orders whose moves out of an end or out of a person's hands are announced. While that can't be, they fail. */
export function announcingOrders(orders: Orders, changes: ChangeAnnouncing): Orders {
  return {
    ...orders,
    async write(before, next) {
      if (leavesAnEnd(before, next)) {
        const { key, content, published } = before;
        const { batchId } = content ?? {};
        // The next result has this revision, should this write bring none of its own: a claim opens an end, and its answer is published.
        const revision = published.revision + 1;
        await changes.announce({ orderKey: key, revision, ...(batchId !== undefined && { batchId }) });
      }
      return orders.write(before, next);
    },
  };
}

function leavesAnEnd(before: Order, next: Order): boolean {
  const { final, state } = viewOf(before);
  if (!final && state !== 'held') return false;
  return next.published.revision > before.published.revision || viewOf(next).state !== state;
}

// Notes by jobs of a batch, of rows whose end no order shows; readers of batches read them.

/** The end of a batch's job, where no order of the batch shows it. */
export type RowNote =
  /** The row was not taken: the message was no valid job, or its order id was used before for other content. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** The same content was asked for before, by another batch or by none; that order is the row's as well. */
  | { readonly kind: 'elsewhere' };

/**
 * Whether a row may have ended otherwise before this note: where it was refused before, and where it has its own order beside
 * the refusal of other content. Any other row with a first note was open.
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

/** The notes of a batch's jobs whose end no order of the batch shows. */
export interface RowNotes {
  /**
   * Notes the end of the row that asked for this order by a message of this digest. The row's readers ask for the digest
   * that was registered of it, so that nobody else's message decides how it ended. The first note stays, save that
   * `elsewhere` goes over `refused`: a job that was taken after all. A note that may change how a row has ended is
   * announced.
   */
  note(row: NotedRow, note: RowNote): Promise<void>;
  /** Announces the first result of the row's order, before that order begins: the row may have been counted as refused, weeks ago. */
  announceOrder(row: Omit<NotedRow, 'digest'>): Promise<void>;
}
