// `payouts reconcile`: ledger, results and the gateway's own report held against each other, offline. Exit codes: 0 every
// order that was compared is the same in all three, or was decided now, 1 some are not, or none was compared, 2 a file or the
// command line can't be read. With `--apply` alone anything is written.
import { stat } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { systemClock } from '../../aws/system.ts';
import { type StatusMeaning, statusMeanings } from '../../gateway/gateway-report.ts';
import { couldBear } from '../../payout/message/job.ts';
import { addOrder, judgeOrder, type OrderSums } from '../../reconcile/reconcile.ts';
import { agrees, type ReconcileClass, reconcileClasses } from '../../reconcile/reconcile-classes.ts';
import { type ReportDecision, reportDecisionOf } from '../../reconcile/report-decisions.ts';
import { type AskedScope, outsideOf, type OutsideReason, type Scope, scopeOf } from '../../reconcile/scope.ts';
import { addsUp, createSummary } from '../../reconcile/summary.ts';
import { csvText } from '../../files/csv.ts';
import { type Counted, type GatewayFile, readGateway, readLedger, readResults } from './reconcile-inputs.ts';
import { type Applied, applyReport, appliedText, type ApplyOptions, checkApply, isDecided } from './apply-report.ts';
import { type Books, createBooks } from './books.ts';
import {
  disagreeingColumns,
  disagreeingRow,
  type Reconciled,
  reconciledAsJson,
  reconciledAsText,
} from './reconcile-text.ts';
import { openRowOutput, type RowOutput } from '../row-output.ts';
import { createProgress } from '../progress.ts';
import { UsageError } from '../../files/usage-error.ts';

/** Options of `payouts reconcile`. */
export interface ReconcileOptions extends ApplyOptions {
  readonly ledger: readonly string[];
  readonly results: readonly string[];
  /** Files, or `merchant=file`. */
  readonly gateway: readonly string[];
  /** The merchants whose orders are compared; a single one also owns reports without a column for it. */
  readonly merchant?: readonly string[];
  readonly batch?: readonly string[];
  /** First day or moment, and the one after the last. */
  readonly from?: string;
  readonly to?: string;
  /** Title of a column of the gateway's report, to field. */
  readonly map: ReadonlyMap<string, string>;
  /** Word of the gateway's report, to what it means. */
  readonly status: ReadonlyMap<string, string>;
  readonly output?: string;
}

/** Runs the command; returns the exit code. */
export async function runReconcile(options: ReconcileOptions): Promise<number> {
  // The heap that V8 would take for a million lines otherwise, because it could.
  setFlagsFromString('--semi-space-growth-factor=1');
  const startedMs = systemClock.nowMs();
  checkApply(options);
  const reconciled = await reconcile(options);
  const seconds = (systemClock.nowMs() - startedMs) / 1000;
  if (!options.json) process.stdout.write(reconciledAsText(reconciled, options.output, seconds));
  const applied: readonly Applied[] = options.apply ? await applyReport(reconciled.decisions, options) : [];
  if (options.json) {
    const outcome = { ...reconciledAsJson(reconciled), ...(options.apply && { applied }) };
    process.stdout.write(`${JSON.stringify(outcome)}\n`);
  } else if (options.apply) process.stdout.write(`\n${appliedText(applied)}`);
  const open = reconciled.disagreeing - applied.filter(isDecided).length;
  return open === 0 && reconciled.orders > 0 && reconciled.addsUp ? 0 : 1;
}

async function reconcile(options: ReconcileOptions): Promise<Reconciled> {
  const asked = askedScope(options);
  const choices = { maps: options.map, statuses: saidStatuses(options) };
  const reports = options.gateway.map((it) => gatewayFileOf(it, options));
  const bytes = await bytesOf([...options.ledger, ...options.results, ...reports.map(({ path }) => path)]);
  // Before the long reading: a person who can't be given the rows must hear it at once.
  const out = options.output === undefined ? undefined : await openRowOutput(options.output);
  const books = createBooks();
  const progress = createProgress('read', bytes, options.json);
  try {
    const ledgers = await oneByOne(options.ledger, (it) => readLedger(it, books, progress.add));
    const results = await oneByOne(options.results, (it) => readResults(it, books, progress.add));
    const gateways = await oneByOne(reports, (it) => readGateway(it, books, choices, progress.add));
    progress.done();
    const scope = scopeOf(
      asked,
      ledgers.map(({ head }) => head),
    );
    if ('fault' in scope) throw new UsageError(scope.fault);
    const read = { ledger: together(ledgers), results: together(results), gateway: together(gateways) };
    const unreadable = ledgers.reduce((sum, it) => sum + it.unreadable, 0);
    return { ...(await compare(books, scope, out)), scope, read, unreadable };
  } finally {
    progress.done();
    books.close();
    await out?.close();
  }
}

async function oneByOne<Item, Read>(items: readonly Item[], read: (item: Item) => Promise<Read>): Promise<Read[]> {
  const all: Read[] = [];
  for (const item of items) all.push(await read(item));
  return all;
}

/** The parts of several files that were left out of the comparison. */
function together(counts: readonly Counted[]): Counted {
  const leftOutFor: Record<string, Counted['leftOutFor'][string]> = {};
  for (const counted of counts)
    for (const [why, it] of Object.entries(counted.leftOutFor)) {
      const before = leftOutFor[why];
      leftOutFor[why] = { ...it, ...(before && { ...before, count: before.count + it.count }) };
    }
  return {
    lines: counts.reduce((sum, { lines }) => sum + lines, 0),
    leftOut: counts.reduce((sum, { leftOut }) => sum + leftOut, 0),
    leftOutFor,
  };
}

/** Rows that wait to be written, so that the file is not written line by line. */
const rowsAtOnce = 1_000;

async function compare(
  books: Books,
  scope: Scope,
  out: RowOutput | undefined,
): Promise<Omit<Reconciled, 'read' | 'scope' | 'unreadable'>> {
  const sums = new Map<ReconcileClass, OrderSums<ReconcileClass>>();
  const outside = new Map<OutsideReason, OrderSums<OutsideReason>>();
  const summary = createSummary();
  const decisions: ReportDecision[] = [];
  let [orders, disagreeing] = [0, 0];
  let rows: ReturnType<typeof disagreeingRow>[] = [];
  await out?.write(csvText([disagreeingColumns]));
  for (const [key, order] of books.orders()) {
    const judged = judgeOrder(order);
    const why = outsideOf(key, order, scope);
    if (why) {
      addOrder(outside, why, judged.money);
      continue;
    }
    addOrder(sums, judged.name, judged.money);
    summary.add(order);
    orders += 1;
    if (agrees(judged.name)) continue;
    disagreeing += 1;
    const decision = reportDecisionOf(key, order, judged);
    if (decision) decisions.push(decision);
    if (out) rows.push(disagreeingRow(key, order, judged));
    if (rows.length < rowsAtOnce) continue;
    await out?.write(csvText(rows));
    rows = [];
  }
  await out?.write(csvText(rows));
  const precedence = Object.keys(reconcileClasses);
  const classes = [...sums.values()].toSorted((a, b) => precedence.indexOf(a.name) - precedence.indexOf(b.name));
  const money = summary.taken();
  return { orders, disagreeing, decisions, classes, outside: [...outside.values()], money, addsUp: addsUp(money) };
}

function askedScope({ merchant: merchants = [], batch: batches = [], from, to }: ReconcileOptions): AskedScope {
  for (const merchant of merchants)
    if (!couldBear({ merchant })) throw new UsageError(`no job could bear the merchant "${merchant}"`);
  for (const batchId of batches)
    if (!couldBear({ batchId })) throw new UsageError(`no job could bear the batch "${batchId}"`);
  const [fromMs, toMs] = [momentOf('--from', from), momentOf('--to', to)];
  if (fromMs !== undefined && toMs !== undefined && toMs <= fromMs) throw new UsageError('--to must be after --from');
  return {
    ...(merchants.length > 0 && { merchants: new Set(merchants) }),
    ...(batches.length > 0 && { batches: new Set(batches) }),
    ...(fromMs !== undefined && { fromMs }),
    ...(toMs !== undefined && { toMs }),
  };
}

function momentOf(option: string, text: string | undefined): number | undefined {
  const atMs = text === undefined ? undefined : Date.parse(text);
  if (Number.isNaN(atMs)) throw new UsageError(`${option}: write a day such as 2026-11-20, or a moment with its zone`);
  return atMs;
}

function gatewayFileOf(text: string, { merchant: merchants = [] }: ReconcileOptions): GatewayFile {
  const [, merchant = '', file = ''] = /^([^=]*)=(.+)$/.exec(text) ?? [];
  const [only, ...others] = merchants;
  const onlyMerchant = only !== undefined && others.length === 0 && { onlyMerchant: only };
  return merchant !== '' && couldBear({ merchant }) ? { path: file, merchant } : { path: text, ...onlyMerchant };
}

function saidStatuses({ status }: ReconcileOptions): ReadonlyMap<string, StatusMeaning> {
  const statuses = new Map<string, StatusMeaning>();
  for (const [name, meaning] of status) {
    const known = statusMeanings.find((it) => it === meaning);
    if (!known) throw new UsageError(`--status "${name}=${meaning}": write one of ${statusMeanings.join(', ')}`);
    statuses.set(name.toLowerCase(), known);
  }
  return statuses;
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
