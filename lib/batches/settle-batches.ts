// Closes batches, and keeps their results true. A batch is closed and its result published when every payout has ended or waits for a
// person, and every minor unit of the file is accounted for. When a payout changes later, the next revision is published. Nothing here
// moves an order. Each step may be the last of this process: the next round looks at the batches that are due, reads again, and publishes
// what was written and no more.
import { hash } from 'node:crypto';
import { errorFields } from '../payout/log-fields.ts';
import type { Clock, Log, MetricValues } from '../payout/ports.ts';
import type { SweepRound } from '../payout/inquire/due-work.ts';
import type { Batches, BatchResults } from './batch-ports.ts';
import { batchResultOf } from './batch-result.ts';
import { type Batch, type Closure, type PartialCount, isAbandoned, abandonedFromMs, type Looked } from './batch.ts';
import { readBatch, type ReadBatchPorts, type Indexed, indexOf } from './batch-payouts.ts';
import type { ControlsAdmin } from '../payout/operate/control.ts';
import { readBatchEntry } from '../payout/order/batch-entry.ts';
import { standings } from '../payout/order/standing.ts';
import { balances, createTally, isUnderWay, packedTally, sameTally, type Tally, unpackedTally } from './tally.ts';

/** The ports of settling one batch. */
interface SettleBatchPorts extends ReadBatchPorts {
  readonly batches: Batches;
  readonly batchResults: BatchResults;
  readonly clock: Clock;
  readonly log: Log;
}

/** The ports of settling batches. */
export interface SettleBatchesPorts extends SettleBatchPorts {
  readonly controlsAdmin: Pick<ControlsAdmin, 'isCalledOff'>;
}

/** The longest round: orders that do not move are worth more than figures of batches. */
const roundAtMostMs = 30_000;

/** Looks at the batches that are due, the longest due first; the rest is the next round's. Answers with its figures. */
export async function settleBatches(deadlineMs: number, ports: SettleBatchesPorts): Promise<MetricValues['values']> {
  const { batches, clock, log } = ports;
  const untilMs = Math.min(deadlineMs, clock.nowMs() + roundAtMostMs);
  const counts = { batchesUnbalanced: 0, onePersonTwoRoles: 0, batchesLeft: 0 };
  const onUnreadable = (batchId: string) =>
    log.write('error', 'batch-not-settled', { batchId, errorName: 'unreadable' });
  for await (const batch of batches.openBatches(clock.nowMs(), onUnreadable)) {
    if (clock.nowMs() >= untilMs) break;
    const { batchId } = batch;
    if (batch.onePersonAtMs !== undefined) {
      counts.onePersonTwoRoles += 1;
      log.write('error', 'one-person-two-roles', { batchId });
      await goingOn(batchId, log, () => batches.forgetOnePerson(batchId));
    }
    if (batch.state === 'uploading')
      await goingOn(batchId, log, async () => {
        if (await isReportedAbandoned(batchId, ports)) counts.batchesLeft += 1;
      });
    if (batch.state !== 'uploaded' && batch.state !== 'closed') continue;
    await goingOn(batchId, log, async () => {
      if (!(await settleBatch(batch, untilMs, ports))) return;
      counts.batchesUnbalanced += 1;
      log.write('error', 'batch-unbalanced', { batchId });
    });
  }
  return counts;
}

/** A fault of one batch must not keep the others waiting. */
async function goingOn(batchId: string, log: Log, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.write('error', 'batch-not-settled', { batchId, ...errorFields(error) });
  }
}

/** How often an abandoned upload is reported, until a person continues it or calls it off. */
const reportedAgainMs = 15 * 60_000 - 10_000;

/**
 * One look at an upload: true if it is abandoned, which is reported. One that was called off is not looked at any more: the rows that were
 * sent have their own results, and going on would only publish the others as cancelled.
 */
async function isReportedAbandoned(batchId: string, ports: SettleBatchesPorts): Promise<boolean> {
  const { batches, controlsAdmin, clock, log } = ports;
  // The index may lag behind an upload that goes on.
  const batch = await batches.find(batchId);
  const fromMs = batch && abandonedFromMs(batch);
  if (!batch || fromMs === undefined) return false;
  if (await controlsAdmin.isCalledOff(batchId)) {
    await batches.letGo(batchId);
    return false;
  }
  const nowMs = clock.nowMs();
  if (!isAbandoned(batch, nowMs)) {
    await batches.lookAgain(batchId, fromMs);
    return false;
  }
  log.write('error', 'batch-left-uploading', { batchId });
  await batches.lookAgain(batchId, nowMs + reportedAgainMs);
  return true;
}

/** One look at a batch that is uploaded or closed. True if its payouts do not add up to the control totals: a person must look. */
export async function settleBatch(batch: Batch, untilMs: number, ports: SettleBatchPorts): Promise<boolean> {
  const { batches, clock } = ports;
  const { batchId, closure: before } = batch;
  const movedAtMs = Math.max(before?.atMs ?? 0, batch.wokenAtMs ?? 0);
  const shown = await indexOf(batchId, ports);
  const looked = lookedAt(batch, shown, clock.nowMs());
  // What has woken the batch may be a change that the index does not show yet.
  const isLast = batch.wokenAtMs !== undefined && clock.nowMs() >= movedAtMs + soonestMs;
  const read = await tallyAsRead(batch, before && isLast ? new Map() : shown, untilMs, ports);
  if (read.kind === 'time is up') {
    await batches.lookAgain(batchId, clock.nowMs(), { ...looked, counted: read.counted });
    return false;
  }
  const again = () => batches.lookAgain(batchId, againMs(looked, clock.nowMs()), looked);
  if (read.kind === 'under way') {
    await again();
    return false;
  }
  const { tally, mayChangeUnheard, startedMs } = read;
  if (!balances(tally, batch)) {
    await again();
    return true;
  }
  if (before && sameTally(before.tally, tally)) {
    if (batch.unpublished) await publish(batch, before, ports);
    else if (mayChangeUnheard || tally.some(({ standing }) => isUnderWay(standing))) await again();
    else if (startedMs < movedAtMs + soonestMs) await batches.lookAgain(batchId, clock.nowMs() + soonestMs, looked);
    else await batches.rest(batch);
    return false;
  }
  const atMs = clock.nowMs();
  const closure = { revision: (before?.revision ?? 0) + 1, atMs, firstAtMs: before?.firstAtMs ?? atMs, tally };
  const step = await batches.close(batchId, closure);
  const closed = step.kind === 'moved' ? { ...batch, closure } : await batches.find(batchId);
  // Another sweeper was faster: its closure is published, if it is what was counted here.
  if (closed?.closure && sameTally(closed.closure.tally, tally)) await publish(closed, closed.closure, ports);
  else await batches.lookAgain(batchId, clock.nowMs(), looked);
  return false;
}

/** Reads at the same time. Few, because a payout under way ends the reading. */
const readsAtOnce = 4;

/** What a look has read of a batch. */
type Read =
  | ({ readonly kind: 'whole'; readonly tally: Tally } & Pick<PartialCount, 'mayChangeUnheard' | 'startedMs'>)
  | { readonly kind: 'under way' }
  | { readonly kind: 'time is up'; readonly counted: PartialCount };

/** Counts the payouts, and goes on with a count that a round has begun. Each payout that moves meanwhile makes the batch due. */
async function tallyAsRead(batch: Batch, shown: Indexed, untilMs: number, ports: SettleBatchPorts): Promise<Read> {
  const { looked, closure } = batch;
  const revision = closure?.revision ?? 0;
  const begun = looked?.counted?.revision === revision ? looked.counted : undefined;
  const { startedMs = ports.clock.nowMs() } = begun ?? {};
  let { rows = 0, mayChangeUnheard = false } = begun ?? {};
  const tally = createTally(unpackedTally(begun?.tally ?? ''));
  for await (const payouts of readBatch(batch, ports, { shown, atOnce: readsAtOnce, fromRow: rows })) {
    for (const { row, standing, elsewhere, entry } of payouts) {
      const isUnheard = elsewhere || entry?.revision === 0;
      mayChangeUnheard ||= standing === 'unreadable' || (isUnheard && !standings[standing].isFinal);
      if (batch.state !== 'closed' && isUnderWay(standing)) return { kind: 'under way' };
      tally.add({ standing, money: row.money, elsewhere });
    }
    rows += payouts.length;
    if (ports.clock.nowMs() < untilMs) continue;
    const counted = { rows, mayChangeUnheard, startedMs, revision, tally: packedTally(tally.taken()) };
    return { kind: 'time is up', counted };
  }
  return { kind: 'whole', tally: tally.taken(), mayChangeUnheard, startedMs };
}

/** A little less than a minute and an hour: due when the sweep of that minute comes. */
const [soonestMs, latestMs] = [50_000, 3_600_000 - 10_000];

/** What the index shows now, and since when it has shown the same. */
function lookedAt({ looked, closure }: Batch, shown: Indexed, nowMs: number): Looked {
  const counts = createTally();
  for (const text of shown.values()) {
    const { standing, money } = readBatchEntry(text);
    counts.add({ standing, money, elsewhere: false });
  }
  const digest = hash('sha256', `${closure?.revision ?? 0} ${packedTally(counts.taken())}`, 'base64url').slice(0, 8);
  return { digest, sinceMs: looked?.digest === digest ? looked.sinceMs : nowMs };
}

/** The next look: each minute while the batch changes. Otherwise after a tenth of the time without a change, an hour at most. */
const againMs = ({ sinceMs }: Looked, nowMs: number): number =>
  nowMs + Math.min(Math.max((nowMs - sinceMs) / 10, soonestMs), latestMs);

/** The result's mark was written with the closing: a result that can't be sent now is sent by the next round. */
async function publish(
  batch: Batch,
  closure: Closure,
  { batches, batchResults, clock }: SettleBatchPorts,
): Promise<void> {
  try {
    await batchResults.sendBatchResult(batchResultOf(batch, closure));
  } catch {
    return;
  }
  await batches.markPublished(batch.batchId, closure.revision, clock.nowMs() + soonestMs);
}

/** The round over the open batches. */
export const batchesRound =
  (ports: SettleBatchesPorts): SweepRound =>
  (deadlineMs) =>
    settleBatches(deadlineMs, ports);
