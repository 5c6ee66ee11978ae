// `payouts retry`: the rows of a batch that are proven unpaid, why, and the same rows with new order ids, to be submitted as a
// batch of their own. Exit codes: 0 written, 1 there was nothing to write, or not every unpaid row could be, 2 bad input.
import type { CheckedRow } from '../../batches/check-rows.ts';
import type { Column } from '../../batches/bulk-columns.ts';
import { maskedCells, maskedMessage } from '../../batches/masked-rows.ts';
import { type RetryId, retryIds, retryVerdict } from '../../batches/retry-rows.ts';
import type { StandingRow } from '../../batches/batch-report.ts';
import type { CurrencyTotal, Totals } from '../../batches/tally.ts';
import { formatMinorUnits } from '../../gateway/money.ts';
import type { FailureOf } from '../../gateway/failures.ts';
import { wordOfState } from '../../batches/batch-progress.ts';
import { countReasons, merchantOf, type Reason } from '../../local/verdict.ts';
import { couldBear } from '../../payout/job.ts';
import { csvLine, guardedForSheet } from '../csv.ts';
import { reasonsText } from '../local/local-report.ts';
import { counted } from '../quantities.ts';
import { UsageError } from '../usage-error.ts';
import { type BatchCommandPorts, batchPorts } from './batch-ports.ts';
import type { FileReading } from './file-reading.ts';
import { openReportFile, type ReportedRow, type ReportFile } from './report-file.ts';
import { createRowList, type LineFile, openLineFile } from './row-list.ts';
import { commandWordsOf } from './submit-text.ts';

/** Options of `payouts retry`. */
export interface RetryOptions extends FileReading {
  /** Where the rows go, in the layout of the first file. */
  readonly asFile: string;
  /** Called-off rows too. */
  readonly cancelled: boolean;
  readonly json: boolean;
}

/** What came of it. */
interface Retry {
  readonly written: number;
  readonly totals: Totals;
  readonly reasons: readonly Reason[];
  /** Of these nothing is proven, or another batch has them: not to be sent again. */
  readonly kept: ReadonlyMap<string, number>;
  /** Unpaid, and not written all the same. */
  readonly left: number;
  readonly leftTable: string;
  readonly leftFile?: string;
  /** Never sent: their messages may be dead letters. */
  readonly neverSent: number;
}

/** Runs the command; returns the exit code. */
export async function runRetry(batchId: string, path: string, options: RetryOptions): Promise<number> {
  if (!couldBear({ batchId })) throw new UsageError(`no job could bear the batch id "${batchId}"`);
  if (path === options.asFile) throw new UsageError('--as-file: name another file than the one that is read');
  const ports = provingPorts(batchPorts());
  const batch = await ports.batches.find(batchId);
  if (!batch) {
    process.stderr.write(`payouts: there is no batch ${batchId}\n`);
    return 1;
  }
  const file = await openReportFile(path, batch, options, ports);
  try {
    const retry = await written(file, ports, options);
    process.stdout.write(
      options.json ? `${JSON.stringify(asJson(batchId, retry, options))}\n` : asText(batchId, retry, options),
    );
    return retry.written > 0 && retry.left === 0 ? 0 : 1;
  } finally {
    await file.close();
  }
}

/** What is to be proof is read as it stands now. */
function provingPorts(ports: BatchCommandPorts): BatchCommandPorts {
  const { batchRows } = ports;
  return { ...ports, batchRows: { read: (batchId, rows) => batchRows.read(batchId, rows, { consistent: true }) } };
}

async function written(file: ReportFile, ports: BatchCommandPorts, options: RetryOptions): Promise<Retry> {
  const reasons = countReasons(ports);
  const kept = new Map<string, number>();
  const left = createRowList(`${options.asFile}.left.csv`, ['row', 'order', 'why it is not written']);
  const totals: Record<string, CurrencyTotal> = {};
  let out: LineFile | undefined;
  let [rows, neverSent] = [0, 0];
  for await (const some of file.rows()) {
    const unpaid = some.flatMap((it) => unpaidRow(it, kept, options) ?? []);
    const ids = await retryIds(
      unpaid.map(({ standing }) => standing.row.orderKey),
      ports,
    );
    for (const { standing, checked, why } of unpaid) {
      const { orderKey } = standing.row;
      const id = ids.get(orderKey);
      const line = id?.kind === 'free' ? lineOf(checked, id.orderId, file) : undefined;
      if (line === undefined) {
        await left.add([String(checked.row), orderKey, whyLeft(id)]);
        continue;
      }
      out ??= await openLineFile(options.asFile, headerOf(file));
      await out.write(line);
      rows += 1;
      if (why.ending === 'failed') neverSent += 1;
      reasons.add(why.ending, why.failure, { merchant: merchantOf(orderKey), order: orderKey, which: orderKey });
      const { money } = standing.row;
      if (!money) continue;
      const { count, minorUnits } = totals[money.currency] ?? { count: 0, minorUnits: 0n };
      totals[money.currency] = { count: count + 1, minorUnits: minorUnits + money.minorUnits };
    }
  }
  await out?.close();
  const leftFile = await left.close();
  return {
    written: rows,
    totals,
    reasons: reasons.taken(),
    kept,
    left: left.count(),
    leftTable: left.table(),
    ...(leftFile !== undefined && { leftFile }),
    neverSent,
  };
}

/** A row that is proven unpaid, and why it was not paid. */
interface UnpaidRow {
  readonly standing: StandingRow;
  readonly checked: CheckedRow;
  readonly why: { readonly ending: 'declined' | 'failed'; readonly failure: FailureOf<string> };
}

/** The row where it is proven unpaid; counts it among those that are kept where it is not. */
function unpaidRow(
  { standing, checked }: ReportedRow,
  kept: Map<string, number>,
  { cancelled }: RetryOptions,
): UnpaidRow | undefined {
  // It was refused before it was sent, and is no row of the batch.
  if (!standing) return undefined;
  const verdict = retryVerdict(standing.standing, cancelled);
  if (verdict.kind === 'unpaid') {
    const isDeclined = standing.standing.kind === 'ended' && standing.standing.end === 'declined';
    return { standing, checked, why: { ending: isDeclined ? 'declined' : 'failed', failure: verdict.why } };
  }
  const word = verdict.kind === 'elsewhere' ? 'of another batch, which retries them' : wordOfState(verdict.state);
  kept.set(word, (kept.get(word) ?? 0) + 1);
  return undefined;
}

function whyLeft(id: RetryId | undefined): string {
  switch (id?.kind) {
    case 'retried':
      return `it was sent again as ${id.orderId}, which is ${wordOfState(id.state)}`;
    case 'too-long':
      return `${id.orderId} is too long for an order id; write another by hand`;
    default:
      return 'it bears card data, which no file of ours has; send it again from where it came';
  }
}

const isSentAgain = ({ title }: Column) => !title.startsWith('payouts_');
const styleOf = ({ delimiter = ',' }: ReportFile) => ({ delimiter, guard: guardedForSheet });

const headerOf = (file: ReportFile): string =>
  file.columns.length === 0
    ? ''
    : csvLine(
        file.columns.filter(isSentAgain).map(({ title }) => title),
        styleOf(file),
      );

/** The row as it was, with the new id and of no batch; undefined where it can't be written as it was. */
function lineOf({ original }: CheckedRow, orderId: string, file: ReportFile): string | undefined {
  const { columns } = file;
  if (columns.length === 0) {
    if (typeof original !== 'object' || Array.isArray(original) || isMasked(original, maskedMessage(original)))
      return undefined;
    const { batchId: _, ...message } = original as Readonly<Record<string, unknown>>;
    return `${JSON.stringify({ ...message, orderId })}\n`;
  }
  const cells = columns.map((_, place) => String((original as readonly string[])[place] ?? ''));
  if (isMasked(cells, maskedCells(cells, columns))) return undefined;
  const renewed = columns.flatMap((column, place) => {
    if (!isSentAgain(column)) return [];
    if (column.path === 'orderId') return [orderId];
    return [column.path === 'batchId' ? '' : (cells[place] ?? '')];
  });
  return csvLine(renewed, styleOf(file));
}

/** Masked, numbers are texts. */
const isMasked = (own: unknown, masked: unknown): boolean =>
  JSON.stringify(own, (_, value: unknown) => (typeof value === 'number' ? String(value) : value)) !==
  JSON.stringify(masked);

function asJson(batch: string, retry: Retry, { asFile }: RetryOptions): object {
  const { written: rows, totals, reasons, kept, left, leftFile, neverSent } = retry;
  return {
    batch,
    ...(rows > 0 && { file: asFile }),
    written: rows,
    totals: Object.entries(totals).map(([currency, { count, minorUnits }]) => ({
      currency,
      count,
      amount: formatMinorUnits(minorUnits, currency),
    })),
    reasons,
    neverSent,
    kept: Object.fromEntries(kept),
    left,
    ...(leftFile !== undefined && { leftFile }),
  };
}

function asText(batch: string, retry: Retry, options: RetryOptions): string {
  const { written: rows, totals, reasons, kept, left, leftTable, leftFile, neverSent } = retry;
  const money = Object.entries(totals).map(
    ([currency, { minorUnits }]) => `${formatMinorUnits(minorUnits, currency)} ${currency}`,
  );
  const others = [...kept].map(([state, count]) => `${count} ${state}`);
  const parts = [
    reasonsText(reasons, 'order'),
    ...(others.length > 0 ? [`  not retried: ${others.join(', ')}`] : []),
    ...(left > 0 ? [`${leftTable}  ${counted(left, 'unpaid row')} not written: ${leftFile}`] : []),
    ...(neverSent > 0
      ? [
          `  ! ${counted(neverSent, 'row')} never sent: where a dead letter holds one, discard it, or it is paid twice (\`npx --no payouts dlq list --batch ${batch}\`)`,
        ]
      : []),
    rows === 0
      ? `  ✘ nothing to retry: no row of batch ${batch} is proven unpaid and can be written`
      : `  ✔ ${counted(rows, 'row')}, ${money.join(' and ')}, with new order ids in ${options.asFile}\n    send them: \`npx --no payouts submit ${commandWordsOf(options.asFile, options)}\``,
  ];
  return `${parts.filter((it) => it !== '').join('\n\n')}\n`;
}
