// `payouts reconcile`: ledger, results and the gateway's own report held against each other, offline. Exit codes: 0 every
// order is the same in all three, 1 some are not, 2 a file or the command line can't be read.
import { stat } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { systemClock } from '../../aws/system.ts';
import { type StatusMeaning, statusMeanings } from '../../gateway/gateway-report.ts';
import { couldBear } from '../../payout/job.ts';
import { addJudged, type ClassSums, judgeOrder } from '../../reconcile/reconcile.ts';
import { agrees, type ReconcileClass, reconcileClasses } from '../../reconcile/reconcile-classes.ts';
import { csvText } from '../csv.ts';
import { readGateway, readLedger, readResults } from './reconcile-inputs.ts';
import { type Books, createBooks } from './books.ts';
import {
  disagreeingColumns,
  disagreeingRow,
  type Reconciled,
  reconciledAsJson,
  reconciledAsText,
} from './reconcile-text.ts';
import { openRowOutput, type RowOutput } from '../row-output.ts';
import { createProgress } from '../batches/submit-progress.ts';
import { UsageError } from '../usage-error.ts';

/** Options of `payouts reconcile`. */
export interface ReconcileOptions {
  readonly ledger: string;
  readonly results: string;
  readonly gateway: string;
  readonly merchant?: string;
  /** Title of a column of the gateway's report, to field. */
  readonly map: ReadonlyMap<string, string>;
  /** Word of the gateway's report, to what it means. */
  readonly status: ReadonlyMap<string, string>;
  readonly output?: string;
  readonly json: boolean;
}

/** Runs the command; returns the exit code. */
export async function runReconcile(options: ReconcileOptions): Promise<number> {
  // What V8 would take for a million lines otherwise, because it could.
  setFlagsFromString('--semi-space-growth-factor=1');
  const startedMs = systemClock.nowMs();
  const reconciled = await reconcile(options);
  const seconds = (systemClock.nowMs() - startedMs) / 1000;
  process.stdout.write(
    options.json
      ? `${JSON.stringify(reconciledAsJson(reconciled))}\n`
      : reconciledAsText(reconciled, options.output, seconds),
  );
  return reconciled.disagreeing === 0 ? 0 : 1;
}

async function reconcile(options: ReconcileOptions): Promise<Reconciled> {
  const choices = choicesOf(options);
  const bytes = await bytesOf([options.ledger, options.results, options.gateway]);
  // Before the long reading: whoever can't be given the rows must hear it at once.
  const out = options.output === undefined ? undefined : await openRowOutput(options.output);
  const books = createBooks();
  const progress = createProgress('read', bytes, options.json);
  try {
    const read = {
      ledger: await readLedger(options.ledger, books, progress.add),
      results: await readResults(options.results, books, progress.add),
      gateway: await readGateway(options.gateway, books, choices, progress.add),
    };
    progress.done();
    return { ...(await compare(books, out)), read };
  } finally {
    progress.done();
    await out?.close();
  }
}

/** Rows that wait to be written, so that the file is not written line by line. */
const rowsAtOnce = 1_000;

async function compare(books: Books, out: RowOutput | undefined): Promise<Omit<Reconciled, 'read'>> {
  const sums = new Map<ReconcileClass, ClassSums>();
  let [orders, disagreeing] = [0, 0];
  let rows: ReturnType<typeof disagreeingRow>[] = [];
  await out?.write(csvText([disagreeingColumns]));
  for (const [key, order] of books.orders()) {
    const judged = judgeOrder(order);
    addJudged(sums, judged);
    orders += 1;
    if (agrees(judged.name)) continue;
    disagreeing += 1;
    if (out) rows.push(disagreeingRow(key, order, judged));
    if (rows.length < rowsAtOnce) continue;
    await out?.write(csvText(rows));
    rows = [];
  }
  await out?.write(csvText(rows));
  const precedence = Object.keys(reconcileClasses);
  const classes = [...sums.values()].toSorted((a, b) => precedence.indexOf(a.name) - precedence.indexOf(b.name));
  return { orders, disagreeing, classes };
}

function choicesOf({ merchant, map, status }: ReconcileOptions) {
  if (merchant !== undefined && !couldBear({ merchant }))
    throw new UsageError(`no job could bear the merchant "${merchant}"`);
  const statuses = new Map<string, StatusMeaning>();
  for (const [word, meaning] of status) {
    const known = statusMeanings.find((it) => it === meaning);
    if (!known) throw new UsageError(`--status "${word}=${meaning}": write one of ${statusMeanings.join(', ')}`);
    statuses.set(word.toLowerCase(), known);
  }
  return { maps: map, statuses, ...(merchant !== undefined && { merchant }) };
}

async function bytesOf(paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    paths.map(async (path) => {
      const found = await stat(path).catch(() => undefined);
      if (!found?.isFile()) throw new UsageError(`${path} is no file that can be read`);
      return found.size;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
