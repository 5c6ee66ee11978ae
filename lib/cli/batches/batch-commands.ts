// `payouts batch`: how far a batch has come, read from the ledger.
import { tool, shellWord } from '../../payout/operate/spelling.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../aws/system.ts';
import type { Batch } from '../../batches/batch.ts';
import { balances, payoutsIn } from '../../batches/tally.ts';
import { countPayments } from '../../operate/verdict.ts';
import { lanesNow } from '../../payout/pace/lane-view.ts';
import { interruptible } from '../asking.ts';
import { notDone } from '../command-line.ts';
import { lanesLines } from '../lanes/lane-text.ts';
import { checkNames } from '../../files/usage-error.ts';
import { operator } from '../orders/operator-commands.ts';
import { toolPorts } from '../tool-ports.ts';
import { type BatchProgress, progressAsJson, progressAsText } from './batch-text.ts';
import { createRedrawn } from '../terminal.ts';

/** Options of `payouts batch`. */
interface BatchOptions {
  readonly json: boolean;
  readonly watch: boolean;
  /** With `watch`: seconds after which it ends where no payout has moved. Default: it goes on. */
  readonly wait?: number;
}

const betweenLooksMs = 5_000;
/** Reading again must cost less time than not reading. */
const pauseOfReading = 4;

/** Runs the command; returns the exit code. Ctrl-C ends a watch with what was last seen, and its exit code. */
export async function runBatchCommand(batchId: string, options: BatchOptions): Promise<number> {
  checkNames({ batchId });
  const live = options.watch && !options.json && process.stdout.isTTY ? createRedrawn(process.stdout) : undefined;
  const quiet = createQuiet(options.wait);
  return interruptible(async (stop) => {
    for (;;) {
      const startedMs = systemClock.nowMs();
      const found = await progressOf(batchId);
      if (!found) {
        const text = `there is no batch ${batchId}; \`${tool} submit FILE\` makes one`;
        return notDone(options, { found: false, batchId }, text);
      }
      const { batch, progress } = found;
      show(batch, progress, options, live);
      const isOver = !options.watch || stop.aborted || nothingMoves(batch, progress);
      if (isOver || quiet.isOver(JSON.stringify(progress.verdict), startedMs))
        return isSettled(batch, progress) ? 0 : 1;
      const tookMs = systemClock.nowMs() - startedMs;
      await sleep(Math.max(betweenLooksMs, pauseOfReading * tookMs), undefined, { signal: stop }).catch(() => {});
    }
  });
}

/** No payout goes on by itself. The sweeper's batch result is not waited for. */
function nothingMoves(batch: Batch, { verdict: { underWay } }: BatchProgress): boolean {
  return (batch.state === 'uploaded' || batch.state === 'closed') && underWay === 0;
}

const isSettled = (batch: Batch, { tally, verdict }: BatchProgress): boolean =>
  verdict.settled && balances(tally, batch);

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

async function progressOf(batchId: string) {
  const ports = toolPorts();
  const verdict = countPayments({ ...ports, retry: `${tool} retry ${shellWord(batchId)} FILE` });
  const found = await operator().batch(batchId, ({ row, standing, failure }) =>
    verdict.add({ standing, order: row.orderKey, failure }),
  );
  if (!found) return undefined;
  const { batch, tally } = found;
  const lanes =
    batch.state === 'closed'
      ? []
      : await lanesNow({ ...ports, controlsAdmin: ports.controls }, systemClock.nowMs(), batch.merchant);
  return { batch, progress: { tally, verdict: verdict.taken(batch.rows), lanes } satisfies BatchProgress };
}

function show(
  batch: Batch,
  progress: BatchProgress,
  { json, watch }: BatchOptions,
  live: ReturnType<typeof createRedrawn> | undefined,
): void {
  const nowMs = systemClock.nowMs();
  if (json) {
    process.stdout.write(`${JSON.stringify(progressAsJson(batch, progress, nowMs))}\n`);
    return;
  }
  const unsent = payoutsIn(
    progress.tally.filter(({ standing }) => standing === 'not-started' || standing === 'waiting'),
  );
  const text = progressAsText(batch, progress, nowMs, lanesLines(progress.lanes, nowMs, unsent));
  if (live) live.show(text);
  else process.stdout.write(watch ? `${text}\n` : text);
}
