// `payouts retry`: the rows of a batch that are proven unpaid, why, and the same rows once more: as a batch of their own, each
// under its order id and with the name of the end that a person saw, or in a file with new order ids.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { readBatch } from '../../batches/batch-payouts.ts';
import type { Batch } from '../../batches/batch.ts';
import type { FileReading } from '../../files/file-reading.ts';
import { retryVerdict } from '../../batches/retry-rows.ts';
import type { WarningKind } from '../../files/row-findings.ts';
import { addTo, type CurrencyTotal, type Totals, totalsAsLists } from '../../batches/tally.ts';
import { scanDeadLetters } from '../../dead-letters/scan-dead-letters.ts';
import { countPayments, type UnpaidReason } from '../../operate/verdict.ts';
import { parseJob } from '../../payout/message/job.ts';
import { contentDigest } from '../../payout/message/plain-digest.ts';
import { interruptible, requireSomebody } from '../asking.ts';
import { reasonsText } from '../verdict-text.ts';
import { noBatch } from '../command-line.ts';
import { unwritable } from '../../files/file-failure.ts';
import { checkNames, UsageError } from '../../files/usage-error.ts';
import { type ToolPorts, toolPorts } from '../tool-ports.ts';
import { lookBackDays, type ReadingOptions } from './file-reading.ts';
import { openReportFile, type ReportedRow } from './report-file.ts';
import { inTheLayoutOf, type RetryForm, underTheirNames, type UnpaidRow } from './retry-forms.ts';
import { createRowList, type LineFile, openLineFile } from './row-list.ts';
import { checkTogether, runSubmit } from './submit-commands.ts';
import { commandWordsOf } from './submit-text.ts';
import { counted, shellWord, tool } from '../../payout/operate/spelling.ts';

/** Options of `payouts retry`. */
interface RetryOptions {
  /** Write them alone, with new order ids, into this file in the layout of the first. */
  readonly asFile?: string;
  /** Called-off rows too; with `asFile` alone, as an order that was called off is never sent. */
  readonly cancelled: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
  /** Register the batch for a second person. */
  readonly hold: boolean;
  /** How long it is held, in seconds. */
  readonly expires: number;
  readonly accept: ReadonlySet<WarningKind>;
  readonly watch: boolean;
  readonly wait?: number;
  readonly json: boolean;
}

/** The outcome of a retry. */
interface Retry {
  readonly written: number;
  /** SHA-256 of what was written, hexadecimal. */
  readonly hash: string;
  readonly totals: Totals;
  readonly reasons: readonly UnpaidReason[];
  /** Rows of which nothing is proven, or that another batch has: not to be sent again. */
  readonly kept: ReadonlyMap<string, number>;
  /** Unpaid, and not written all the same. */
  readonly left: number;
  readonly leftTable: string;
  readonly leftFile?: string;
  /** Never sent: their messages may be dead letters. */
  readonly neverSent: number;
}

/** Runs the command; returns the exit code. */
export async function runRetry(batchId: string, path: string | undefined, options: RetryOptions): Promise<number> {
  const { asFile } = options;
  checkNames({ batchId });
  checkRetry(path, options);
  const ports = toolPorts();
  const batch = await ports.batches.find(batchId);
  if (!batch) return noBatch(batchId);
  return asFile === undefined || path === undefined
    ? retryAsBatch(batch, path, ports, options)
    : retryAsFile(batch, { path, asFile }, ports, options);
}

function checkRetry(path: string | undefined, options: RetryOptions): void {
  const { asFile, cancelled, yes, dryRun, hold, watch, json } = options;
  if (asFile !== undefined) {
    if (path === undefined) throw new UsageError('--as-file: name the file of the batch, whose layout it gets');
    if (path === asFile) throw new UsageError('--as-file: name another file than the one that is read');
    if (yes || dryRun || hold || watch) throw new UsageError('--as-file sends nothing: submit the file that it writes');
    return;
  }
  if (cancelled) throw new UsageError('--cancelled: what was called off gets a new order id; add --as-file too');
  checkTogether({ ...plainReading, ...options });
  if (!yes && !dryRun && !hold) {
    if (json) throw new UsageError('--json does not ask; add --yes to send, --hold or --dry-run');
    requireSomebody('add --yes to send, or --dry-run to preview');
  }
}

async function retryAsFile(
  batch: Batch,
  { path, asFile }: { readonly path: string; readonly asFile: string },
  ports: ToolPorts,
  options: RetryOptions,
): Promise<number> {
  const file = await openReportFile(path, batch, ports);
  try {
    const to = { file: asFile, leftFile: `${asFile}.left.csv`, cancelled: options.cancelled };
    const form = inTheLayoutOf(file, await ports.identity.whoAmI(), ports);
    const retry = await written(file.rows(), form, to, ports);
    const { written: rows } = retry;
    const send = `send them: \`${tool} submit ${commandWordsOf(asFile, saidOf(asFile, batch.reading))}\``;
    say(batch, retry, options, {
      file: asFile,
      verdict: `with new order ids in ${asFile}; the old ids are cancelled\n    ${send}`,
    });
    return rows > 0 && retry.left === 0 ? 0 : 1;
  } finally {
    await file.close();
  }
}

/** What must be said of the file that is written: where its columns have other names, they are written into a layout beside it. */
function saidOf(file: string, { merchant, operation, endpoint, columns, decimal }: FileReading): ReadingOptions {
  if (columns === undefined && decimal === undefined) return { merchant, operation, endpoint };
  const layout = `${file}.layout.json`;
  try {
    writeFileSync(layout, `${JSON.stringify({ merchant, operation, endpoint, columns, decimal }, undefined, 2)}\n`);
  } catch (error) {
    throw unwritable(layout, error);
  }
  return { layout };
}

/** The batch is named by its content: the same rows make the same one, and none is written over. */
async function retryAsBatch(
  batch: Batch,
  path: string | undefined,
  ports: ToolPorts,
  options: RetryOptions,
): Promise<number> {
  const { batchId } = batch;
  const stem = `${batchId.slice(0, longestStem)}-retry`;
  const file = path === undefined ? undefined : await openReportFile(path, batch, ports);
  let retry: Retry;
  try {
    // The file has every row, and a person who sends files may not read dead letters.
    const form = underTheirNames(file ? new Map() : await lettersOf(batchId, ports), ports);
    const to = { file: `${stem}.jsonl`, leftFile: `${stem}.left.csv`, cancelled: false };
    retry = await written(file?.rows() ?? rowsAlone(batch, ports), form, to, ports);
  } finally {
    await file?.close();
  }
  const name = `${stem}-${retry.hash.slice(0, hashDigits)}`;
  const { written: rows, neverSent } = retry;
  if (rows > 0) await rename(`${stem}.jsonl`, `${name}.jsonl`);
  say(batch, retry, options, {
    file: `${name}.jsonl`,
    ifNeverSent: `  ${counted(neverSent, 'row')} never sent: where a dead letter holds one, discard it once these are paid`,
    verdict: `each under its order id, as batch ${name}\n    its file is ${name}.jsonl: keep it until the batch has ended`,
  });
  if (rows === 0) return 1;
  const { yes, dryRun, hold, expires, accept, watch, wait, json } = options;
  const end = await runSubmit(`${name}.jsonl`, {
    ...plainReading,
    batch: name,
    yes,
    dryRun,
    hold,
    expires,
    accept,
    watch,
    json,
    wait,
  });
  return end === 0 && retry.left > 0 ? 1 : end;
}

const hashDigits = 8;
/** A batch id has 48 characters at most. */
const longestStem = 48 - '-retry-'.length - hashDigits;

/** Our own file of jobs needs nothing said of it. */
const plainReading = {
  skipInvalid: false,
  again: false,
  lookBack: lookBackDays,
};

/** The batch's dead letters, by what they ask for. */
async function lettersOf(batchId: string, ports: ToolPorts): Promise<ReadonlyMap<string, string>> {
  const letters = new Map<string, string>();
  const walk = await interruptible((signal) =>
    scanDeadLetters(
      async (some) => {
        for (const { body } of some) {
          const parsed = parseJob(body);
          if (parsed.kind !== 'job' || parsed.job.batchId !== batchId) continue;
          letters.set(contentDigest(parsed.job), body);
        }
        return {};
      },
      ports,
      { signal },
    ),
  );
  if (walk.end === 'interrupted') throw new UsageError('interrupted while dead letters were read; nothing was sent');
  if (walk.end === 'time') process.stderr.write('payouts: there may be more dead letters than could be read\n');
  return letters;
}

type RetryRow = Pick<ReportedRow, 'inBatch'> & { readonly checked?: ReportedRow['checked'] };

async function* rowsAlone(batch: Batch, ports: ToolPorts): AsyncGenerator<readonly RetryRow[]> {
  for await (const rows of readBatch(batch, ports)) yield rows.map((inBatch) => ({ inBatch }));
}

/** Where rows go, and which. */
interface Destination {
  readonly file: string;
  readonly leftFile: string;
  readonly cancelled: boolean;
}

async function written(
  all: AsyncIterable<readonly RetryRow[]>,
  form: RetryForm,
  to: Destination,
  ports: ToolPorts,
): Promise<Retry> {
  const reasons = countPayments(ports);
  const kept = new Map<string, number>();
  // A file that an earlier run has left here says nothing of this one.
  await rm(to.leftFile, { force: true });
  const left = createRowList(to.leftFile, ['row', 'order', 'why it is not written']);
  const totals: Record<string, CurrencyTotal> = {};
  const hash = createHash('sha256');
  let out: LineFile | undefined;
  let [rows, neverSent] = [0, 0];
  for await (const some of all) {
    const unpaid = some.flatMap((it) => unpaidRow(it, kept, to.cancelled) ?? []);
    const lines = await form.linesOf(unpaid);
    for (const [place, { inBatch, checked, why }] of unpaid.entries()) {
      const { orderKey, money } = inBatch.row;
      const line = lines[place];
      if (line?.kind !== 'line') {
        await left.add([checked ? String(checked.row) : '', orderKey, line?.why ?? '']);
        continue;
      }
      out ??= await openLineFile(to.file, form.header);
      await out.write(line.text);
      hash.update(line.text);
      rows += 1;
      const { standing } = inBatch;
      if (standing !== 'declined') neverSent += 1;
      reasons.add({ standing, order: orderKey, failure: why });
      if (money) addTo(totals, { ...money, count: 1 });
    }
  }
  await out?.close();
  const leftFile = await left.close();
  return {
    written: rows,
    hash: hash.digest('hex'),
    totals,
    reasons: reasons.taken().reasons,
    kept,
    left: left.count(),
    leftTable: left.table(),
    leftFile,
    neverSent,
  };
}

/** The row where it is proven unpaid; counts it among those that are kept where it is not. */
function unpaidRow(
  { inBatch, checked }: RetryRow,
  kept: Map<string, number>,
  ofCancelled: boolean,
): UnpaidRow | undefined {
  // The message was refused before it was sent, and is no row of the batch.
  if (!inBatch) return undefined;
  const verdict = retryVerdict(inBatch, ofCancelled);
  if (verdict.kind === 'unpaid') return { inBatch, checked, why: verdict.why };
  const why = verdict.kind === 'elsewhere' ? 'of another batch, which retries them' : inBatch.standing;
  kept.set(why, (kept.get(why) ?? 0) + 1);
  return undefined;
}

/** Notes beside the figures. */
interface Words {
  readonly file: string;
  /** What is to be done where rows were never sent. */
  readonly ifNeverSent?: string;
  /** The verdict on the rows that are written. */
  readonly verdict: string;
}

function say(batch: Batch, retry: Retry, { json }: RetryOptions, words: Words): void {
  const { batchId } = batch;
  process.stdout.write(
    json ? `${JSON.stringify(asJson(batchId, retry, words.file))}\n` : asText(batchId, retry, words),
  );
}

function asJson(batch: string, retry: Retry, file: string): object {
  const { written: rows, totals, reasons, kept, left, leftFile, neverSent } = retry;
  return {
    batch,
    file: rows > 0 ? file : undefined,
    written: rows,
    totals: totalsAsLists(totals),
    reasons,
    neverSent,
    kept: Object.fromEntries(kept),
    left,
    leftFile,
  };
}

function asText(batch: string, retry: Retry, { ifNeverSent, verdict }: Words): string {
  const { written: rows, totals, reasons, kept, left, leftTable, leftFile, neverSent } = retry;
  const money = totalsAsLists(totals).map(({ amount, currency }) => `${amount} ${currency}`);
  const others = [...kept].map(([state, count]) => `${count} ${state}`);
  const parts = [
    reasonsText(reasons),
    ...(others.length > 0 ? [`  not retried: ${others.join(', ')}`] : []),
    ...(left > 0 ? [`${leftTable}  ${counted(left, 'unpaid row')} not written: ${leftFile}`] : []),
    ...(rows > 0 && neverSent > 0 && ifNeverSent !== undefined
      ? [`${ifNeverSent} (\`${tool} dlq list --batch ${shellWord(batch)}\`)`]
      : []),
    rows === 0
      ? `  ✘ nothing to retry: no row of batch ${batch} is proven unpaid and can be written`
      : `  ✔ ${counted(rows, 'row')}, ${money.join(' and ')}, ${verdict}`,
  ];
  return `${parts.filter((it) => it !== '').join('\n\n')}\n`;
}
