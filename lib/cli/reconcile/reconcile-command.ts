// `payouts reconcile`: ledger, results and the gateway's own report held against each other, and the journal of what moved. With
// `--apply` alone an order is changed.
import { stat } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { systemClock } from '../../aws/system.ts';
import { type StatusMeaning, statusMeanings } from '../../gateway/gateway-report.ts';
import { readBatch } from '../../batches/batch-payouts.ts';
import { comparedNow } from '../../payout/operate/decide.ts';
import type { Order } from '../../payout/order/order.ts';
import { viewOf } from '../../payout/order/projection.ts';
import { couldBear } from '../../payout/message/job.ts';
import { type Comparison, createComparison } from '../../reconcile/compare.ts';
import { agrees } from '../../reconcile/reconcile-classes.ts';
import { reportDateMs, type Scope } from '../../reconcile/scope.ts';
import { csvText } from '../../files/csv.ts';
import { type Counted, type GatewayFile, readGateway, readResults } from './reconcile-inputs.ts';
import { applyReport, appliedText, type ApplyOptions, checkApply, isDecided } from './apply-report.ts';
import { type Books, createBooks } from './books.ts';
import {
  disagreeingColumns,
  disagreeingRow,
  type LedgerRead,
  reconciledAsJson,
  reconciledAsText,
} from './reconcile-text.ts';
import { openRowOutput, openRowsWithTotals, type RowOutput } from '../../files/row-output.ts';
import { noBatch } from '../command-line.ts';
import { toolPorts } from '../tool-ports.ts';
import { journalText, writeJournal } from './journal-output.ts';
import { createProgress } from '../progress.ts';
import { checkNames, UsageError } from '../../files/usage-error.ts';

/** Options of `payouts reconcile`. */
interface ReconcileOptions extends ApplyOptions {
  readonly results?: readonly string[];
  /** Files, or `merchant=file`. */
  readonly gateway?: readonly string[];
  readonly batch?: readonly string[];
  /** First day or moment, and the one after the last. */
  readonly from?: string;
  readonly to?: string;
  /** Title of a column of the gateway's report, to field. */
  readonly map: ReadonlyMap<string, string>;
  /** Word of the gateway's report, to what it means. */
  readonly status: ReadonlyMap<string, string>;
  readonly output?: string;
  readonly journal?: string;
}

/** Runs the command; a single merchant also owns reports without a column for it. Returns the exit code. */
export async function runReconcile(merchants: readonly string[], options: ReconcileOptions): Promise<number> {
  // The heap that V8 would take for a million lines otherwise, because it could.
  setFlagsFromString('--semi-space-growth-factor=1');
  const { journal, json } = options;
  const isCompared = options.results !== undefined && options.gateway !== undefined;
  if (!isCompared && (journal === undefined || options.results || options.gateway || options.apply))
    throw new UsageError('name --results and --gateway, or --journal alone');
  checkApply(options);
  const scope = askedScope(merchants, options);
  // Before the long reading: a person who can't be given the rows must hear it at once.
  const out = options.output === undefined ? undefined : await openRowOutput(options.output);
  const journalOut = journal === undefined ? undefined : await openRowsWithTotals(journal);
  const books = createBooks();
  try {
    const startedMs = systemClock.nowMs();
    const files = await readFiles(merchants, options, books);
    const ledger = await readLedger(scope, books);
    if (ledger === undefined) return 1;
    const read = { ledger, ...files };
    const reconciled = isCompared && { ...(await compare(books, scope, out)), scope, read };
    await out?.close();
    if (reconciled && !json)
      process.stdout.write(reconciledAsText(reconciled, options.output, (systemClock.nowMs() - startedMs) / 1000));
    const decisions = reconciled && options.apply ? reconciled.decisions : [];
    const applied = await applyReport(decisions, options, books.addLedger);
    const journalled = journalOut && (await writeJournal(books, scope, journalOut));
    if (json) {
      const outcome = { ...(reconciled && reconciledAsJson(reconciled)), unreadable: ledger.unreadable };
      const acts = { ...(options.apply && { applied }), journal: journalled };
      process.stdout.write(`${JSON.stringify({ ...outcome, ...acts })}\n`);
    } else {
      if (options.apply) process.stdout.write(`\n${appliedText(applied)}`);
      if (journalled) process.stdout.write(`\n${journalText(journalled, ledger.unreadable)}`);
    }
    const isRight =
      !reconciled ||
      (reconciled.disagreeing === applied.filter(isDecided).length && reconciled.orders > 0 && reconciled.addsUp);
    return isRight && ledger.unreadable === 0 ? 0 : 1;
  } finally {
    books.close();
  }
}

/** Reads the results and the gateway's reports. */
async function readFiles(merchants: readonly string[], options: ReconcileOptions, books: Books) {
  const choices = { maps: options.map, statuses: saidStatuses(options) };
  const { results: resultFiles = [], gateway = [] } = options;
  const reports = gateway.map((it) => gatewayFileOf(it, merchants));
  const bytes = await bytesOf([...resultFiles, ...reports.map(({ path }) => path)]);
  const progress = createProgress('read', bytes, options.json);
  try {
    const results = await oneByOne(resultFiles, (it) => readResults(it, books, progress.add));
    const gateways = await oneByOne(reports, (it) => readGateway(it, books, choices, progress.add));
    return { results: together(results), gateway: together(gateways) };
  } finally {
    progress.done();
  }
}

/** Reads the ledger, after the results, so that none of them is ahead of it; undefined if there is no batch of that name. */
async function readLedger(scope: Scope, books: Books): Promise<LedgerRead | undefined> {
  const ports = toolPorts();
  const read = { orders: 0, unreadable: 0 };
  const add = (order: Order): void => {
    if (scope.merchants && !scope.merchants.has(order.merchant)) return;
    books.addLedger({ ...viewOf(order), seen: comparedNow(order) });
    read.orders += 1;
  };
  for (const batchId of scope.batches ?? []) {
    const batch = await ports.batches.find(batchId);
    if (!batch) return void noBatch(batchId);
    for await (const some of readBatch(batch, ports))
      for (const { standing, order } of some) {
        if (standing === 'unreadable') read.unreadable += 1;
        else if (order) add(order);
      }
  }
  if (scope.batches) return read;
  const [only, ...others] = scope.merchants ?? [];
  for await (const some of ports.allOrders.scan(others.length === 0 ? only : undefined))
    for (const found of some) {
      if (found.kind === 'found') add(found.order);
      else read.unreadable += 1;
    }
  return read;
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

async function compare(books: Books, scope: Scope, out: RowOutput | undefined): Promise<Comparison> {
  const comparison = createComparison(scope);
  let rows: ReturnType<typeof disagreeingRow>[] = [];
  await out?.write(csvText([disagreeingColumns]));
  for (const [key, order] of books.orders()) {
    const judged = comparison.add(key, order);
    if (out && judged && !agrees(judged.name)) rows.push(disagreeingRow(key, order, judged));
    if (rows.length < rowsAtOnce) continue;
    await out?.write(csvText(rows));
    rows = [];
  }
  await out?.write(csvText(rows));
  return comparison.taken();
}

function askedScope(merchants: readonly string[], { batch: batches = [], from, to }: ReconcileOptions): Scope {
  for (const merchant of merchants) checkNames({ merchant });
  for (const batchId of batches) checkNames({ batchId });
  const [fromMs, toMs] = [momentOf('--from', from), momentOf('--to', to)];
  if (fromMs !== undefined && toMs !== undefined && toMs <= fromMs) throw new UsageError('--to must be after --from');
  return {
    merchants: merchants.length > 0 ? new Set(merchants) : undefined,
    batches: batches.length > 0 ? new Set(batches) : undefined,
    fromMs,
    toMs,
  };
}

function momentOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const atMs = reportDateMs(text);
  if (atMs === undefined)
    throw new UsageError(`${option}: write a day such as 2026-11-20, or a moment; without a zone both are UTC`);
  return atMs;
}

function gatewayFileOf(text: string, merchants: readonly string[]): GatewayFile {
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
