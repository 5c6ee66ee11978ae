// The end of a job that belongs to a batch must be found in the ledger, or its batch could never close. Most are told by
// their order; what is not (refused messages, orders of another batch) is noted before the message may leave the queue.
import { shownIdentity } from './card-fields.ts';
import type { JobIdentity } from './job.ts';
import { orderKey } from './ledger.ts';
import { isLastReceive, retryDelaySeconds } from './retry-policy.ts';
import type { Disposition, DispositionPorts, JobDelivery } from './disposition.ts';
import type { RowNote, RowNotes } from './order-changes.ts';

/** What noting needs. */
export interface RecordRowEndPorts extends DispositionPorts {
  readonly rowNotes: RowNotes;
}

/** The disposition, once the row's end is on record. While that can't be written, the message comes again. */
export async function recordRowEnd(
  disposition: Disposition,
  identity: JobIdentity,
  message: JobDelivery,
  ports: RecordRowEndPorts,
): Promise<Disposition> {
  const note = noteOf(disposition, identity);
  const { operation, merchant, orderId, batchId } = note ? shownIdentity(identity) : {};
  // What names no batch or no order is no row of a file.
  if (!note || !operation || merchant === undefined || orderId === undefined || batchId === undefined)
    return disposition;
  try {
    await ports.rowNotes.note(batchId, orderKey({ operation, merchant, orderId }), note);
    return disposition;
  } catch {
    return unnoted(disposition, message, ports);
  }
}

/** Undefined where the job has not ended, or its order tells how. */
function noteOf({ kind, entry, result }: Disposition, { batchId }: JobIdentity): RowNote | undefined {
  if (kind === 'retry' || kind === 'wait') return undefined;
  if (entry) return entry.batchId === batchId ? undefined : { kind: 'elsewhere' };
  return result?.failure && { kind: 'refused', failure: result.failure };
}

/**
 * A refused message goes back by itself: it may hold card data, of which no copy is to go round. After its last receive
 * it ends without a note; its batch stays open until the dead letter is redriven or thrown away. Everything else waits.
 */
function unnoted(disposition: Disposition, message: JobDelivery, { random, limits }: RecordRowEndPorts): Disposition {
  const { result, entry } = disposition;
  if (disposition.kind === 'dead-letter' && !entry) {
    if (isLastReceive(message.receiveCount, limits)) return disposition;
    const it = { receiveCount: message.receiveCount, chance: random.chance() };
    return { kind: 'retry', delaySeconds: retryDelaySeconds(it, limits), failure: disposition.reason };
  }
  const delaySeconds = retryDelaySeconds({ receiveCount: message.waits + 1, chance: random.chance() }, limits);
  return { kind: 'wait', delaySeconds, ...(result && { result }), ...(entry && { entry }) };
}
