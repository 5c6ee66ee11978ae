// A batch whose file was uploaded, in a world: header, parts, and the messages of its jobs, still to be delivered.
import type { Clock } from '../../lib/payout/ports.ts';
import type { Batches } from '../../lib/batches/batch-ports.ts';
import { type Batch, type BatchRow, newBatch, rowsPerPart } from '../../lib/batches/batch.ts';
import { totalsOf } from '../../lib/batches/tally.ts';
import { orderKey } from '../../lib/payout/order/order.ts';
import { contentDigest } from '../../lib/payout/message/plain-digest.ts';
import { aPayoutJob, jobOf, type JobBody } from './jobs.ts';

/** The batch of every story. */
export const batchId = 'payroll';

/** A payout of the batch: 10.42 EUR, to another account each. */
export function aJobOf(orderId: string, changes: Partial<JobBody> = {}): JobBody {
  return aPayoutJob({ batchId, orderId, ...changes });
}

/** The row of a job. */
export function rowOf(body: JobBody): BatchRow {
  const job = jobOf(body);
  const { resends, money } = job;
  return {
    orderKey: orderKey(job),
    digest: contentDigest(job),
    ...(resends !== undefined && { resends }),
    ...(money && { money }),
  };
}

/** Registers the batch of these jobs and puts its parts, as an upload that has come to its end. */
export async function upload(
  { batches, clock }: { readonly batches: Batches; readonly clock: Pick<Clock, 'nowMs'> },
  bodies: readonly JobBody[],
  changes: Partial<Batch> = {},
): Promise<Batch> {
  const rows = bodies.map(rowOf);
  const content = { batchId, fileHash: 'ab'.repeat(32), contentHash: '12', rows: rows.length, totals: totalsOf(rows) };
  const batch = { ...newBatch({ ...content, merchant: 'acme-eu', by: 'ada', nowMs: clock.nowMs() }), ...changes };
  await batches.register(batch);
  for (let n = 0; n * rowsPerPart < rows.length; n += 1)
    await batches.putPart(batch.batchId, n, rows.slice(n * rowsPerPart, (n + 1) * rowsPerPart));
  await batches.finishUpload(batch.batchId, clock.nowMs());
  return { ...batch, state: 'uploaded', uploadedAtMs: clock.nowMs() };
}
