// The end of a job that belongs to a batch must be found in the ledger, or its batch could never close. Most ends are in the
// order; the others (refused messages, orders of another batch) are noted before the message may leave the queue.
import { shownIdentity } from '../message/card-fields.ts';
import type { Job } from '../message/job.ts';
import { rowDigest } from '../message/plain-digest.ts';
import { orderKey } from '../order/order.ts';
import type { RowNote, RowNotes } from '../order/order-changes.ts';
import { isLastReceive } from '../retry-policy.ts';
import { again, type Disposition, type DispositionPorts, growingSeconds, type JobDelivery } from './disposition.ts';

/** The ports of noting. */
export interface RowNotePorts extends DispositionPorts {
  readonly rowNotes: RowNotes;
}

/**
 * The disposition, once the end of the row that the message proves to be is on record. While that can't be written, the message
 * comes again.
 */
export async function noteRowEnd(
  disposition: Disposition,
  job: Job,
  message: JobDelivery,
  ports: RowNotePorts,
): Promise<Disposition> {
  const note = noteOf(disposition, job);
  const isAnnounced = note !== undefined || isOrderAfterRefusal(disposition, message);
  // A name that holds card data is nobody's: no file with one is registered, and the table gets none.
  const { merchant, orderId, batchId } = isAnnounced ? shownIdentity(job) : {};
  if (merchant === undefined || orderId === undefined || batchId === undefined) return disposition;
  const row = { batchId, orderKey: orderKey(job) };
  try {
    if (note) await ports.rowNotes.note({ ...row, digest: rowDigest(job) }, note);
    else await ports.rowNotes.announceBegun(row);
    return disposition;
  } catch {
    return unnoted(disposition, message, ports);
  }
}

/** The note; undefined where the job has not ended, or its order shows how. */
function noteOf({ kind, order, result }: Disposition, { batchId }: Job): RowNote | undefined {
  if (kind === 'retry' || kind === 'wait') return undefined;
  if (order) return order.content?.batchId === batchId ? undefined : { kind: 'elsewhere' };
  return result?.failure && { kind: 'refused', failure: result.failure };
}

/**
 * A row that was refused may be redriven again and again for weeks. Once it is taken, nothing else shows that: its order has just
 * begun, and its batch is looked at no more.
 */
const isOrderAfterRefusal = ({ kind, order }: Disposition, { redrives = 0 }: JobDelivery): boolean =>
  kind !== 'retry' && kind !== 'wait' && order !== undefined && redrives > 0;

/**
 * A refused message goes back by itself: it may hold card data, which is not kept. After its last receive
 * it ends without a note; its batch stays open until the dead letter is redriven or thrown away. Everything else waits.
 */
function unnoted(disposition: Disposition, message: JobDelivery, ports: RowNotePorts): Disposition {
  const { result, order } = disposition;
  if (disposition.kind === 'dead-letter' && !order)
    return isLastReceive(message, ports.limits) ? disposition : again(message, disposition.reason, ports);
  const delaySeconds = growingSeconds(message, ports);
  return { kind: 'wait', because: 'unnoted', delaySeconds, ...(result && { result }), ...(order && { order }) };
}
