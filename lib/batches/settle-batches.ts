// Open batches come to their end: parts whose rows have all ended are noted, and when every row and every minor unit of
// the file is accounted for, the batch is closed and its one result told. Nothing here moves an order.
import { addedTallies, balances, type Batch, type BatchPart, type BatchRow, type Tally } from './batch.ts';
import { standingOf, tallyOf } from './batch-row.ts';
import { batchResultOf } from './batch-result.ts';
import type { Batches, BatchResults, BatchRows } from './batch-ports.ts';
import type { Clock, Log } from '../payout/ports.ts';
import { errorFields } from '../payout/error-fields.ts';

/** What settling batches needs. */
export interface SettleBatchesPorts {
  readonly batches: Batches;
  readonly batchRows: Pick<BatchRows, 'read'>;
  readonly batchResults: BatchResults;
  readonly clock: Clock;
  readonly log: Log;
}

/** How one look at a batch ended. */
export type BatchLook =
  /** Rows are still under way, parts are missing, or the time was up. */
  | { readonly kind: 'open' }
  /** Every row has ended, and they do not add up to the control totals: a person must look. Not closed. */
  | { readonly kind: 'unbalanced'; readonly tally: Tally }
  /** Closed; `told` when the results queue has taken its result. */
  | { readonly kind: 'closed'; readonly told: boolean };

/** What one round over the open batches did. */
export interface BatchesSettled {
  readonly closed: number;
  readonly unbalanced: number;
}

/** A round takes no longer: orders that stand still are worth more than figures of batches. */
const roundAtMostMs = 30_000;
/** Parts read at the same time. */
const partsAtOnce = 8;
/** One read of rows: a part that has one open row among its first is not read on. */
const rowsPerRead = 50;
/** A little less than a minute and a quarter of an hour: due when the sweep of that minute comes. */
const soonestInquiryMs = 50_000;
const latestInquiryMs = 890_000;

/** Inquiries at the batches that are due, the longest due first; what is left is the next round's. */
export async function settleBatches(deadlineMs: number, ports: SettleBatchesPorts): Promise<BatchesSettled> {
  const { batches, clock, log } = ports;
  const untilMs = Math.min(deadlineMs, clock.nowMs() + roundAtMostMs);
  const counts = { closed: 0, unbalanced: 0, open: 0 };
  for await (const batch of batches.openBatches(clock.nowMs())) {
    if (clock.nowMs() >= untilMs) break;
    const { batchId } = batch;
    try {
      const look = await settleBatch(batch, untilMs, ports);
      counts[look.kind] += 1;
      if (look.kind === 'unbalanced') log.write('error', 'batch-unbalanced', { batchId });
    } catch (error) {
      // The others must not wait for what is wrong with one.
      log.write('error', 'batch-not-settled', { batchId, ...errorFields(error) });
    }
  }
  return { closed: counts.closed, unbalanced: counts.unbalanced };
}

/** One look at a batch that is uploaded, or closed and not told. */
export async function settleBatch(batch: Batch, untilMs: number, ports: SettleBatchesPorts): Promise<BatchLook> {
  if (batch.closure) return { kind: 'closed', told: await tell(batch, ports) };
  const { batches, clock } = ports;
  const tally = await tallyOfBatch(batch, untilMs, ports);
  if (!tally) {
    await batches.lookAgain(batch.batchId, nextInquiryMs(batch, untilMs, clock.nowMs()));
    return { kind: 'open' };
  }
  if (!balances(tally, batch)) {
    await batches.lookAgain(batch.batchId, clock.nowMs() + latestInquiryMs);
    return { kind: 'unbalanced', tally };
  }
  const closure = { atMs: clock.nowMs(), tally };
  const step = await batches.close(batch.batchId, closure);
  // Somebody else was faster, and what they wrote is told.
  const closed = step.kind === 'moved' ? { ...batch, closure } : await batches.find(batch.batchId);
  return { kind: 'closed', told: closed ? await tell(closed, ports) : false };
}

/** The result's mark was written with the closing: what can't be told now is told by the next round. */
async function tell(batch: Batch, { batches, batchResults }: SettleBatchesPorts): Promise<boolean> {
  if (!batch.closure) return false;
  try {
    await batchResults.tellBatch(batchResultOf(batch, batch.closure));
  } catch {
    return false;
  }
  await batches.markPublished(batch.batchId);
  return true;
}

/**
 * A batch of minutes is looked at each minute, one of days each quarter of an hour: the reads that its rows cost stay few,
 * and it closes at most a tenth of its age late. One for which the time was not enough goes to the end of the queue.
 */
function nextInquiryMs({ uploadedAtMs, createdAtMs }: Batch, untilMs: number, nowMs: number): number {
  if (nowMs >= untilMs) return nowMs;
  const ageMs = nowMs - (uploadedAtMs ?? createdAtMs);
  return nowMs + Math.min(Math.max(ageMs / 10, soonestInquiryMs), latestInquiryMs);
}

/** Undefined while a row is open, a part is missing, or the time is up. */
async function tallyOfBatch(batch: Batch, untilMs: number, ports: SettleBatchesPorts): Promise<Tally | undefined> {
  const tallies: Tally[] = [];
  const parts = ports.batches.parts(batch)[Symbol.asyncIterator]();
  async function worker(): Promise<void> {
    while (ports.clock.nowMs() < untilMs) {
      const next = await parts.next();
      if (next.done) return;
      const tally = next.value.tally ?? (await settlePart(batch, next.value, ports));
      if (tally) tallies.push(tally);
    }
  }
  await Promise.all(Array.from({ length: Math.min(partsAtOnce, batch.parts) }, worker));
  return tallies.length === batch.parts ? addedTallies(tallies) : undefined;
}

async function settlePart({ batchId }: Batch, part: BatchPart, ports: SettleBatchesPorts): Promise<Tally | undefined> {
  const tallies: Tally[] = [];
  for (let from = 0; from < part.rows.length; from += rowsPerRead) {
    const tally = await tallyOfRows(batchId, part.rows.slice(from, from + rowsPerRead), ports);
    if (!tally) return undefined;
    tallies.push(tally);
  }
  const tally = addedTallies(tallies);
  await ports.batches.settlePart(batchId, part.n, tally);
  return tally;
}

async function tallyOfRows(
  batchId: string,
  rows: readonly BatchRow[],
  { batchRows }: SettleBatchesPorts,
): Promise<Tally | undefined> {
  const records = await batchRows.read(batchId, rows);
  return tallyOf(rows.map((row) => ({ row, standing: standingOf(row, batchId, records.get(row.orderKey) ?? {}) })));
}
