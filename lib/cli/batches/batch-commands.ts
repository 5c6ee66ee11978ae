// `payouts batch`: how far a batch has come, read from the ledger row by row. Exit codes: 0 nothing is wrong, 1 there is no
// such batch, or something of it needs a person, 2 bad input.
import { createLogUpdate } from 'log-update';
import { systemClock } from '../../aws/system.ts';
import { type BatchProgress, createProgressCounter } from '../../batches/batch-progress.ts';
import { readBatch } from '../../batches/batch-report.ts';
import type { Batch } from '../../batches/batch.ts';
import { settleBatch } from '../../batches/settle-batches.ts';
import { couldBear } from '../../payout/job.ts';
import type { LedgerEntry } from '../../payout/ledger.ts';
import { exportedOrder } from '../../reconcile/ledger-export.ts';
import type { Reason } from '../../local/verdict.ts';
import { reasonsText } from '../local/local-report.ts';
import { openRowOutput } from '../row-output.ts';
import { lanesNow, type LaneView } from '../../payout/lane-view.ts';
import { lanesLines } from '../lanes/lane-text.ts';
import { UsageError } from '../usage-error.ts';
import { type BatchCommandPorts, batchPorts } from './batch-ports.ts';
import { createBatchReasons, wantsSomebody } from './batch-reasons.ts';
import { needsAttention, progressAsJson, progressAsText } from './batch-text.ts';
import { drawnUpon, shownSafely } from '../terminal.ts';

/** Options of `payouts batch`. */
export interface BatchOptions {
  readonly json: boolean;
  readonly watch: boolean;
  readonly everySeconds: number;
  readonly close: boolean;
}

/** Reading again must cost less time than not reading. */
const pauseOfReading = 4;

/** Runs the command; returns the exit code. */
export async function runBatchCommand(batchId: string, options: BatchOptions): Promise<number> {
  if (!couldBear({ batchId })) throw new UsageError(`no job could bear the batch id "${batchId}"`);
  const ports = batchPorts();
  const live =
    options.watch && !options.json && process.stdout.isTTY ? createLogUpdate(drawnUpon(process.stdout)) : undefined;
  const stop = whenInterrupted();
  for (;;) {
    const startedMs = systemClock.nowMs();
    const batch = await found(batchId, ports, options);
    if (!batch) return notFound(batchId, options);
    const { progress, reasons } = await progressOf(batch, ports, startedMs);
    const lanes = batch.state === 'closed' ? [] : await lanesNow(ports, startedMs, batch.merchant);
    show(batch, { progress, reasons, lanes }, options, live);
    const isOver = (batch.state === 'closed' && progress.sums !== 'open') || progress.sums === 'unbalanced';
    if (!options.watch || isOver || stop.asked()) {
      live?.done();
      stop.done();
      return needsAttention(progress) || wantsSomebody(reasons) ? 1 : 0;
    }
    const tookMs = systemClock.nowMs() - startedMs;
    await stop.orAfter(Math.max(options.everySeconds * 1000, pauseOfReading * tookMs));
  }
}

/** With `--close` the sweeper's step is done at once. */
async function found(batchId: string, ports: BatchCommandPorts, { close }: BatchOptions): Promise<Batch | undefined> {
  const batch = await ports.batches.find(batchId);
  if (!close || !batch || (batch.state !== 'uploaded' && batch.state !== 'closed')) return batch;
  await settleBatch(batch, Infinity, ports);
  return ports.batches.find(batchId);
}

async function progressOf(batch: Batch, ports: BatchCommandPorts, nowMs: number) {
  const counter = createProgressCounter(nowMs);
  const reasons = createBatchReasons();
  for await (const rows of readBatch(batch, ports))
    for (const { row, standing } of rows) {
      counter.add(row, standing);
      reasons.add(standing);
    }
  return { progress: counter.taken(batch), reasons: reasons.taken() };
}

function notFound(batchId: string, { json }: BatchOptions): number {
  const text = `there is no batch ${batchId}; \`payouts submit\` makes one of a file`;
  process.stdout.write(`${json ? JSON.stringify({ found: false, batchId }) : text}\n`);
  return 1;
}

/** What of the batch is shown. */
interface Seen {
  readonly progress: BatchProgress;
  readonly reasons: readonly Reason[];
  readonly lanes: readonly LaneView[];
}

function show(
  batch: Batch,
  { progress, reasons, lanes }: Seen,
  { json, watch }: BatchOptions,
  live: ((text: string) => void) | undefined,
): void {
  const nowMs = systemClock.nowMs();
  if (json) {
    process.stdout.write(`${JSON.stringify({ ...progressAsJson(batch, progress, nowMs), reasons, lanes })}\n`);
    return;
  }
  const why = reasonsText(reasons);
  const text = `${why === '' ? '' : `${why}\n\n`}${progressAsText(batch, progress, nowMs)}${lanesLines(lanes, nowMs)}`;
  if (live) live(shownSafely(text));
  else process.stdout.write(watch ? `${text}\n` : text);
}

/** Ctrl-C ends a watch with what was last seen, and its exit code. */
function whenInterrupted() {
  let wake = () => {};
  let wasAsked = false;
  const onSignal = () => {
    wasAsked = true;
    wake();
  };
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  return {
    asked: () => wasAsked,
    orAfter: (ms: number) =>
      new Promise<void>((resolve) => {
        wake = resolve;
        if (wasAsked) resolve();
        else setTimeout(resolve, ms);
      }),
    done() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}

// `payouts export`: orders of the ledger as JSON lines. Exit codes: 0 written, 1 there is no such batch, or orders were
// written by newer code and are not in it, 2 bad input.

/** Options of `payouts export`. */
export interface ExportOptions {
  readonly batch?: string;
  readonly merchant?: string;
  readonly since?: string;
  readonly output?: string;
}

/** Orders as they were found; undefined for one that this version can't read. */
type Found = AsyncIterable<readonly (LedgerEntry | undefined)[]>;

/** Runs the command; returns the exit code. */
export async function runExport(options: ExportOptions): Promise<number> {
  const only = filterOf(options);
  const ports = batchPorts();
  const orders = options.batch === undefined ? allOrders(only, ports) : await ordersOfBatch(options.batch, ports);
  if (!orders) {
    process.stderr.write(`payouts: there is no batch ${options.batch}\n`);
    return 1;
  }
  const out = await openRowOutput(options.output);
  let [written, unreadable] = [0, 0];
  for await (const some of orders) {
    const known = some.filter((entry) => entry !== undefined);
    await out.write(known.map((entry) => `${JSON.stringify(exportedOrder(entry))}\n`).join(''));
    written += known.length;
    unreadable += some.length - known.length;
  }
  await out.close();
  const left = unreadable > 0 ? `; ${unreadable} were written by a newer version and are NOT in it` : '';
  process.stderr.write(`payouts: ${written} orders${left}\n`);
  return unreadable > 0 ? 1 : 0;
}

function filterOf({ batch, merchant, since }: ExportOptions) {
  if (batch !== undefined && (merchant !== undefined || since !== undefined))
    throw new UsageError('--batch is of all its orders; leave --merchant and --since out');
  if (!couldBear({ ...(merchant !== undefined && { merchant }), ...(batch !== undefined && { batchId: batch }) }))
    throw new UsageError('no job could bear such a merchant or batch');
  const sinceMs = since === undefined ? undefined : Date.parse(since);
  if (Number.isNaN(sinceMs)) throw new UsageError('--since must be a time such as 2026-11-21T00:00:00Z');
  return { ...(merchant !== undefined && { merchant }), ...(sinceMs !== undefined && { sinceMs }) };
}

async function* allOrders(only: ReturnType<typeof filterOf>, ports: BatchCommandPorts): Found {
  for await (const some of ports.allOrders.scan(only))
    yield some.map((found) => (found.kind === 'found' ? found.entry : undefined));
}

/** Of a row whose order is another batch's, that order. */
async function ordersOfBatch(batchId: string, ports: BatchCommandPorts): Promise<Found | undefined> {
  const batch = await ports.batches.find(batchId);
  return batch && rowsOfBatch(readBatch(batch, ports));
}

async function* rowsOfBatch(rows: ReturnType<typeof readBatch>): Found {
  for await (const some of rows) {
    yield some.flatMap(({ standing }) => {
      if (standing.kind === 'open' && standing.state === 'unreadable') return [undefined];
      return standing.entry ? [standing.entry] : [];
    });
  }
}
