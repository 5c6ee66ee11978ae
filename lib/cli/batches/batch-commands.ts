// `payouts batch`: how far a batch has come, read from the ledger row by row. Exit codes: 0 every row is settled, 1 not, or
// there is no such batch, 2 bad input.
import { tool } from '../../payout/operate/spelling.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogUpdate } from 'log-update';
import { systemClock } from '../../aws/system.ts';
import { type BatchProgress, createProgressCounter } from '../../batches/batch-progress.ts';
import { readBatch } from '../../batches/batch-report.ts';
import type { Batch } from '../../batches/batch.ts';
import { couldBear } from '../../payout/message/job.ts';
import { lanesNow, type LaneView } from '../../payout/pace/lane-view.ts';
import { interruptible } from '../asking.ts';
import { notDone } from '../command-line.ts';
import { lanesLines } from '../lanes/lane-text.ts';
import { UsageError } from '../../files/usage-error.ts';
import { type ToolPorts, toolPorts } from '../tool-ports.ts';
import { type BatchVerdict, createBatchReasons } from './batch-reasons.ts';
import { progressAsJson, progressAsText } from './batch-text.ts';
import { drawnUpon, shownSafely } from '../terminal.ts';

/** Options of `payouts batch`. */
interface BatchOptions {
  readonly json: boolean;
  readonly watch: boolean;
  /** With `watch`: seconds after which it ends where no row has moved. Default: it goes on. */
  readonly wait?: number;
}

const betweenLooksMs = 5_000;
/** Reading again must cost less time than not reading. */
const pauseOfReading = 4;

/** Runs the command; returns the exit code. Ctrl-C ends a watch with what was last seen, and its exit code. */
export async function runBatchCommand(batchId: string, options: BatchOptions): Promise<number> {
  if (!couldBear({ batchId })) throw new UsageError(`no job could bear the batch id "${batchId}"`);
  const ports = toolPorts();
  const live =
    options.watch && !options.json && process.stdout.isTTY ? createLogUpdate(drawnUpon(process.stdout)) : undefined;
  const quiet = createQuiet(options.wait);
  return interruptible(async (stop) => {
    for (;;) {
      const startedMs = systemClock.nowMs();
      const batch = await ports.batches.find(batchId);
      if (!batch) {
        const text = `there is no batch ${batchId}; \`${tool} submit FILE\` makes one`;
        return notDone(options, { found: false, batchId }, text);
      }
      const { progress, verdict } = await progressOf(batch, ports, startedMs);
      const lanes = batch.state === 'closed' ? [] : await lanesNow(ports, startedMs, batch.merchant);
      show(batch, { progress, verdict, lanes }, options, live);
      if (
        !options.watch ||
        nothingMoves(batch, progress, verdict) ||
        quiet.isOver(JSON.stringify(verdict), startedMs) ||
        stop.aborted
      ) {
        live?.done();
        return verdict.settled ? 0 : 1;
      }
      const tookMs = systemClock.nowMs() - startedMs;
      await sleep(Math.max(betweenLooksMs, pauseOfReading * tookMs), undefined, { signal: stop }).catch(() => {});
    }
  });
}

/**
 * Every row is paid, declined, accepted where the contract can tell no more, or waits for a person. The
 * sweeper's batch result is no end, as it counts rows that are merely accepted too; nor is it waited for.
 */
function nothingMoves(batch: Batch, { rows, sums }: BatchProgress, { underWay }: BatchVerdict): boolean {
  const isUploaded = (batch.state === 'uploaded' || batch.state === 'closed') && rows === batch.rows;
  return isUploaded && (underWay === 0 || sums === 'unbalanced');
}

/** True once what was seen has stayed the same for so many seconds; never without a number. */
function createQuiet(seconds: number | undefined) {
  let [last, sinceMs] = ['', 0];
  return {
    isOver(seen: string, nowMs: number): boolean {
      if (seen !== last) [last, sinceMs] = [seen, nowMs];
      return seconds !== undefined && nowMs - sinceMs >= seconds * 1000;
    },
  };
}

async function progressOf(batch: Batch, ports: ToolPorts, nowMs: number) {
  const counter = createProgressCounter(nowMs);
  const reasons = createBatchReasons(ports);
  for await (const rows of readBatch(batch, ports))
    for (const { row, status } of rows) {
      counter.add(row, status);
      reasons.add(row, status);
    }
  const progress = counter.taken(batch);
  return { progress, verdict: reasons.taken(batch, progress) };
}

/** The parts of a batch that are shown. */
interface Seen {
  readonly progress: BatchProgress;
  readonly verdict: BatchVerdict;
  readonly lanes: readonly LaneView[];
}

function show(
  batch: Batch,
  { progress, verdict, lanes }: Seen,
  { json, watch }: BatchOptions,
  live: ((text: string) => void) | undefined,
): void {
  const nowMs = systemClock.nowMs();
  if (json) {
    process.stdout.write(`${JSON.stringify({ ...progressAsJson(batch, progress, nowMs), ...verdict, lanes })}\n`);
    return;
  }
  const isUnsent = (state: string) => state === 'waiting' || state === 'retryable';
  const unsent = progress.lines.reduce((sum, { state, count }) => sum + (isUnsent(state) ? count : 0), 0);
  const text = progressAsText(batch, progress, nowMs, { verdict, lanes: lanesLines(lanes, nowMs, unsent) });
  if (live) live(shownSafely(text));
  else process.stdout.write(watch ? `${text}\n` : text);
}
