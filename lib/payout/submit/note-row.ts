// The end of a job that belongs to a batch must be found in the ledger, or its batch could never close. Most ends are in the
// order; the others (refused messages, orders of another batch) are noted before the message may leave the queue.
import { shownIdentity } from '../message/card-fields.ts';
import type { Failure } from '../message/failures.ts';
import type { Job } from '../message/job.ts';
import { rowDigest } from '../message/plain-digest.ts';
import { orderKey } from '../order/order.ts';
import { type JobEnd, type EndPorts, type JobDelivery, waits } from './end.ts';

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

/** The ports of noting. */
export interface RowNotePorts extends EndPorts {
  readonly rowNotes: RowNotes;
}

/**
 * The end, once the end of the row that the message proves to be is on record. While that can't be written, the message
 * comes again.
 */
export async function noteRowEnd(end: JobEnd, job: Job, message: JobDelivery, ports: RowNotePorts): Promise<JobEnd> {
  const note = noteOf(end, job);
  const row = note && rowOf(job);
  if (!row) return end;
  try {
    await ports.rowNotes.note({ ...row, digest: rowDigest(job) }, note);
    return end;
  } catch {
    return unnoted(end, message, ports);
  }
}

/**
 * The wait of a redriven row whose order can't be announced now; undefined once it is. The row may have been refused before, and
 * counted so weeks ago: its batch is looked at no more, and an order that has just begun leaves no end that would be announced.
 */
export async function announceRedriven(
  job: Job,
  message: JobDelivery,
  ports: RowNotePorts,
): Promise<JobEnd | undefined> {
  const row = (message.redrives ?? 0) > 0 && rowOf(job);
  if (!row) return undefined;
  try {
    await ports.rowNotes.announceOrder(row);
    return undefined;
  } catch {
    return waits('unnoted', message, ports);
  }
}

/**
 * The row of its batch that the job is. A name that holds card data is nobody's: no file with one is registered, and the table gets
 * none.
 */
function rowOf(job: Job): { readonly batchId: string; readonly orderKey: string } | undefined {
  const { merchant, orderId, batchId } = shownIdentity(job);
  if (merchant === undefined || orderId === undefined || batchId === undefined) return undefined;
  return { batchId, orderKey: orderKey(job) };
}

/** The note; undefined where the job has not ended, or its order shows how. */
function noteOf({ kind, order, result }: JobEnd, { batchId }: Job): RowNote | undefined {
  if (kind === 'wait') return undefined;
  if (order) return order.content?.batchId === batchId ? undefined : { kind: 'elsewhere' };
  return result?.failure && { kind: 'refused', failure: result.failure };
}

function unnoted({ result, order, isUnproven }: JobEnd, message: JobDelivery, ports: RowNotePorts): JobEnd {
  // A message without an order is told once its row is noted.
  const told = order && { order, ...(result && { result }) };
  return { ...waits('unnoted', message, ports), ...told, ...(isUnproven && { isUnproven }) };
}
