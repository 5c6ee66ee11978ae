// Batches come to their end, and stay true after it: when every row has ended and every minor unit of the file is accounted
// for, a batch is closed and its result published; when a row changes later, the next revision is published. Nothing here moves an
// order. Each step may be the last of this process: the next round finds the batches that are due, counts again, and publishes
// what was written and no more.
import { errorFields } from '../payout/log-fields.ts';
import type { Log } from '../payout/ports.ts';
import type { SweepRound } from '../payout/inquire/due-work.ts';
import type { Batches, BatchResults } from './batch-ports.ts';
import { batchResultOf } from './batch-result.ts';
import { type Batch, isLeft, leftFromMs } from './batch.ts';
import { changedRows, type ChangedRowsPorts, recountBatch, type RecountPorts } from './recount-batch.ts';
import type { ControlsAdmin } from '../payout/operate/control.ts';
import { nextLookMs, type Restlessness } from './row-marks.ts';
import { balances, hasOpenRows, sameTally, type Tally } from './tally.ts';

/** The ports of settling one batch. */
interface SettleBatchPorts extends RecountPorts {
  readonly batches: Batches;
  readonly batchResults: BatchResults;
  readonly log: Log;
}

/** The ports of settling batches. */
export interface SettleBatchesPorts extends SettleBatchPorts, ChangedRowsPorts {
  readonly controlsAdmin: Pick<ControlsAdmin, 'isCalledOff'>;
}

/** The outcome of one look at a batch. */
type BatchLook =
  /** Rows are still under way, parts are missing, the time was up: not published, or not anew. */
  | { readonly kind: 'open'; readonly wasCounted: boolean }
  /** The rows do not add up to the control totals: a person must look. Not published. */
  | { readonly kind: 'unbalanced'; readonly tally: Tally }
  /** The state is the published one. */
  | { readonly kind: 'unchanged' }
  /** Closed, or published anew; `isPublished` is true when the results queue has taken it. */
  | { readonly kind: 'closed'; readonly revision: number; readonly isPublished: boolean };

/** The counts of one round over the open batches. */
interface BatchesSettled {
  /** Batches that were published for the first time. */
  readonly closed: number;
  readonly unbalanced: number;
  /** Batches whose registrar has tried to approve them too. */
  readonly onePerson: number;
  /** Batches that are half sent, and whose upload nobody continues. */
  readonly left: number;
}

/** A round takes no longer: orders that do not move are worth more than figures of batches. */
const roundAtMostMs = 30_000;

const noChanges: ReadonlySet<string> = new Set();

/** Looks at the batches of announced changes, and at those that are due, the longest due first; the rest is the next round's. */
export async function settleBatches(deadlineMs: number, ports: SettleBatchesPorts): Promise<BatchesSettled> {
  const { batches, clock, log } = ports;
  const untilMs = Math.min(deadlineMs, clock.nowMs() + roundAtMostMs);
  const counts = { closed: 0, unbalanced: 0, onePerson: 0, left: 0 };
  /** Batches that were looked at; true where every change of them is counted. */
  const looked = new Map<string, boolean>();

  async function look(batchId: string, settle: () => Promise<BatchLook | undefined>): Promise<void> {
    looked.set(batchId, false);
    await goingOn({ batchId }, log, async () => {
      const found = await settle();
      if (found?.kind === 'closed' && found.revision === 1) counts.closed += 1;
      if (found?.kind === 'unbalanced') {
        counts.unbalanced += 1;
        log.write('error', 'batch-unbalanced', { batchId });
      }
      looked.set(batchId, found?.kind !== 'open' || found.wasCounted);
    });
  }

  await goingOn({}, log, async () => {
    const changed = await changedRows(ports);
    // Senders can have changes announced: begun no later, their counts leave the other batches their turn.
    const halfMs = clock.nowMs() + (untilMs - clock.nowMs()) / 2;
    for (const [batchId, orderKeys] of changed.orderKeysOf) {
      if (clock.nowMs() >= halfMs) break;
      await look(batchId, async () => {
        const batch = await batches.find(batchId);
        return batch && isLookedAfter(batch) ? settleBatch(batch, untilMs, ports, orderKeys) : undefined;
      });
    }
    await changed.markCounted((batchId) => looked.get(batchId) ?? false);
  });

  const onUnreadable = (batchId: string) =>
    log.write('error', 'batch-not-settled', { batchId, errorName: 'unreadable' });
  for await (const batch of batches.openBatches(clock.nowMs(), onUnreadable)) {
    if (clock.nowMs() >= untilMs) break;
    if (batch.onePersonAtMs !== undefined) {
      counts.onePerson += 1;
      log.write('error', 'one-person-two-roles', { batchId: batch.batchId });
      await goingOn({ batchId: batch.batchId }, log, () => batches.forgetOnePerson(batch.batchId));
    }
    if (batch.state === 'uploading')
      await goingOn({ batchId: batch.batchId }, log, async () => {
        if (await isLeftBehind(batch.batchId, ports)) counts.left += 1;
      });
    if (isLookedAfter(batch) && !looked.has(batch.batchId))
      await look(batch.batchId, () => settleBatch(batch, untilMs, ports));
  }
  return counts;
}

/** The other batches must not wait for a fault of one. */
async function goingOn(of: { readonly batchId?: string }, log: Log, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.write('error', 'batch-not-settled', { ...of, ...errorFields(error) });
  }
}

/** Before its upload has ended nothing of a batch was counted, so nothing of it can be wrong. */
const isLookedAfter = ({ state }: Batch) => state === 'uploaded' || state === 'closed';

/** A batch that was left is reported again so often until somebody continues it or calls it off. */
const toldAgainMs = 15 * 60_000 - 10_000;

/**
 * One look at a batch that is half sent: true where nobody has continued it for an hour. One that was called off is let go:
 * the rows that were sent have their own results, and going on would only publish the others as cancelled.
 */
async function isLeftBehind(batchId: string, ports: SettleBatchesPorts): Promise<boolean> {
  const { batches, controlsAdmin, clock, log } = ports;
  // The index may lag behind an upload that goes on.
  const batch = await batches.find(batchId);
  const fromMs = batch && leftFromMs(batch);
  if (!batch || fromMs === undefined) return false;
  if (await controlsAdmin.isCalledOff(batchId)) {
    await batches.letGo(batchId);
    return false;
  }
  const nowMs = clock.nowMs();
  if (!isLeft(batch, nowMs)) {
    await batches.lookAgain(batchId, fromMs);
    return false;
  }
  log.write('error', 'batch-left-uploading', { batchId });
  await batches.lookAgain(batchId, nowMs + toldAgainMs);
  return true;
}

/** One look at a batch that is uploaded or closed. `changed`: orders that have left an end since they were counted. */
export async function settleBatch(
  batch: Batch,
  untilMs: number,
  ports: SettleBatchPorts,
  changed: ReadonlySet<string> = noChanges,
): Promise<BatchLook> {
  const { batches, clock } = ports;
  const { batchId, closure: before } = batch;
  const count = await recountBatch(batch, changed, untilMs, ports);
  if (count.kind === 'cut off') {
    const nowMs = clock.nowMs();
    await batches.lookAgain(batchId, nowMs >= untilMs ? nowMs : nextLookMs(batch, 'open', nowMs));
    return { kind: 'open', wasCounted: false };
  }
  const { tally, restless } = count;
  const againMs = () => nextLookMs(batch, restless, clock.nowMs());
  if (!before && hasOpenRows(tally)) {
    await batches.lookAgain(batchId, againMs() ?? clock.nowMs());
    return { kind: 'open', wasCounted: true };
  }
  if (!balances(tally, batch)) {
    await batches.lookAgain(batchId, nextLookMs(batch, 'unbalanced', clock.nowMs()));
    return { kind: 'unbalanced', tally };
  }
  if (before && sameTally(before.tally, tally)) {
    if (batch.unpublished) return tell(batch, restless, ports);
    await batches.markPublished(batchId, before.revision, againMs());
    return { kind: 'unchanged' };
  }
  const atMs = clock.nowMs();
  const closure = { revision: (before?.revision ?? 0) + 1, atMs, firstAtMs: before?.firstAtMs ?? atMs, tally };
  const step = await batches.close(batchId, closure);
  const closed = step.kind === 'moved' ? { ...batch, closure } : await batches.find(batchId);
  // Another sweeper was faster: its closure is published, if it is what was counted here.
  if (closed?.closure && sameTally(closed.closure.tally, tally)) return tell(closed, restless, ports);
  await batches.lookAgain(batchId, clock.nowMs());
  return { kind: 'open', wasCounted: false };
}

/** The result's mark was written with the closing: a result that can't be sent now is sent by the next round. */
async function tell(batch: Batch, restless: Restlessness, ports: SettleBatchPorts): Promise<BatchLook> {
  const { closure, batchId } = batch;
  if (!closure) return { kind: 'open', wasCounted: false };
  const { revision } = closure;
  try {
    await ports.batchResults.tellBatch(batchResultOf(batch, closure));
  } catch {
    return { kind: 'closed', revision, isPublished: false };
  }
  await ports.batches.markPublished(batchId, revision, nextLookMs(batch, restless, ports.clock.nowMs()));
  return { kind: 'closed', revision, isPublished: true };
}

/** The round over the open batches. */
export function batchesRound(ports: SettleBatchesPorts): SweepRound {
  return {
    name: 'batches',
    async run(deadlineMs) {
      const { closed, unbalanced, onePerson, left } = await settleBatches(deadlineMs, ports);
      return {
        ...(closed + unbalanced > 0 && { batchesClosed: closed, batchesUnbalanced: unbalanced }),
        ...(onePerson > 0 && { onePersonTwoRoles: onePerson }),
        ...(left > 0 && { batchesLeft: left }),
      };
    },
  };
}
