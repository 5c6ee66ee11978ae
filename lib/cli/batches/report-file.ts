// The file of a batch, read once more beside what became of its rows. Its bytes must be those that were submitted; and read
// by the same command line, its good rows are the batch's rows, one after the other.
import { createHash } from 'node:crypto';
import { type CheckedRow, checkRows } from '../../batches/check-rows.ts';
import { readBatch, reportLine, type ReportLine, type StandingRow } from '../../batches/batch-report.ts';
import type { Batch, BatchRow } from '../../batches/batch.ts';
import { type Column } from '../../batches/bulk-columns.ts';
import { maskedCells, maskedMessage } from '../../batches/masked-rows.ts';
import type { Job } from '../../payout/job.ts';
import { orderKey } from '../../payout/ledger.ts';
import type { BatchCommandPorts } from './batch-ports.ts';
import { openBulkFile } from './bulk-file.ts';
import { bulkRowsOf } from './bulk-rows.ts';
import { UsageError } from '../usage-error.ts';

/** How the file was read when it was submitted. */
export interface ReportFileOptions {
  readonly merchant?: string;
  readonly operation?: string;
  readonly endpoint?: string;
  readonly map: ReadonlyMap<string, string>;
  readonly ignore: ReadonlySet<string>;
  readonly fileFormat?: 'csv' | 'jsonl';
}

/** A row of the file, masked where it is about a card, and what became of it. */
export interface ReportedRow {
  /** Cells under the columns; empty for a file of JSON lines. */
  readonly cells: readonly string[];
  /** The same as an object, for reports in JSON. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly line: ReportLine;
  /** Absent for a row that is not in the batch. */
  readonly standing?: StandingRow;
}

/** The file, known to be the batch's. */
export interface ReportFile {
  /** Titles of its columns; none for JSON lines. */
  readonly titles: readonly string[];
  rows(): AsyncGenerator<readonly ReportedRow[]>;
  close(): Promise<void>;
}

/** Opens the file and reads it once. Throws UsageError where it is not the batch's, or must be read in another way. */
export async function openReportFile(
  path: string,
  batch: Batch,
  options: ReportFileOptions,
  ports: BatchCommandPorts,
): Promise<ReportFile> {
  const file = await openBulkFile(path);
  try {
    const { merchant, operation, endpoint, map, ignore, fileFormat } = options;
    const given = {
      ...(merchant !== undefined && { merchant }),
      ...(operation !== undefined && { operation }),
      ...(endpoint !== undefined && { endpointId: endpoint }),
    };
    const choices = { given, maps: map, ignored: ignore, ...(fileFormat && { format: fileFormat }) };
    const hash = createHash('sha256');
    const rows = bulkRowsOf(file, choices);
    const checked = (onBytes: (bytes: Buffer) => void) => checkRows(rows.read(onBytes), batch.batchId, {});
    const { columns = [] } = rows;
    const first = besideEachOther(
      checked((bytes) => hash.update(bytes)),
      unread(batch, ports),
      { batch, columns },
    );
    const misread = await drained(first);
    if (hash.digest('hex') !== batch.fileHash)
      throw new UsageError(`${file.name} is not the file of batch ${batch.batchId}: its SHA-256 is another`);
    if (misread) throw misread;
    return {
      titles: columns.map(({ title }) => title),
      rows: () =>
        besideEachOther(
          checked(() => {}),
          readBatch(batch, ports),
          { batch, columns },
        ),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Another file is told as that, not as what it has other than the batch's. */
async function drained(rows: AsyncIterable<unknown>): Promise<UsageError | undefined> {
  try {
    for await (const some of rows) void some;
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

/** The rows of the batch without their orders: to see whether the file fits, nothing else need be read. */
async function* unread(batch: Batch, { batches }: BatchCommandPorts): AsyncGenerator<StandingRow[]> {
  let from = 0;
  for await (const { rows } of batches.parts(batch)) {
    const first = from;
    from += rows.length;
    yield rows.map((row, place) => ({
      index: first + place,
      row,
      standing: { kind: 'open', state: 'waiting', inDoubt: false },
    }));
  }
}

/** The rows of the file, each beside that of the batch where it is in it. No order stands twice in either. */
async function* besideEachOther(
  checked: AsyncIterable<readonly CheckedRow[]>,
  standing: AsyncIterable<readonly StandingRow[]>,
  { batch, columns }: { readonly batch: Batch; readonly columns: readonly Column[] },
): AsyncGenerator<readonly ReportedRow[]> {
  const rows = oneByOne(standing);
  let next = await rows.next();
  for await (const some of checked) {
    const reported: ReportedRow[] = [];
    for (const row of some) {
      const isNext = !next.done && row.kind === 'job' && isSame(row.job, next.value.row);
      const own = isNext ? next.value : undefined;
      reported.push({
        ...inputOf(row, columns),
        ...(own ? { standing: own } : {}),
        line: lineOf(row, own, { more: !next.done, ...(batch.closure && { toldAtMs: batch.closure.firstAtMs }) }),
      });
      if (isNext) next = await rows.next();
    }
    yield reported;
  }
  if (next.done) return;
  const words = 'say --merchant, --operation, --endpoint, --map and --ignore as `payouts submit` was told them';
  throw new UsageError(`the file of batch ${batch.batchId} was read in another way when it was submitted; ${words}`);
}

async function* oneByOne(rows: AsyncIterable<readonly StandingRow[]>): AsyncGenerator<StandingRow, undefined> {
  for await (const some of rows) yield* some;
  return undefined;
}

function isSame(job: Job, { orderKey: key, money }: BatchRow): boolean {
  return (
    orderKey(job) === key && job.money?.currency === money?.currency && job.money?.minorUnits === money?.minorUnits
  );
}

function inputOf({ original }: CheckedRow, columns: readonly Column[]): Pick<ReportedRow, 'cells' | 'input'> {
  if (columns.length === 0) return { cells: [], input: maskedMessage(original) };
  const cells = maskedCells(original, columns);
  return { cells, input: Object.fromEntries(columns.map(({ title }, place) => [title, cells[place]])) };
}

function lineOf(
  row: CheckedRow,
  own: StandingRow | undefined,
  { more, toldAtMs }: { readonly more: boolean; readonly toldAtMs?: number },
): ReportLine {
  if (own) return reportLine(row.row, own.row, own.standing, toldAtMs);
  const base = { record: 'row', row: row.row, rows: 1 } as const;
  if (row.kind === 'job' && !more) return { ...base, status: 'not-uploaded', final: false };
  const faults =
    row.kind === 'rejected' ? row.faults.slice(0, 3).map(({ path, fault }) => `${path} ${fault}`.trim()) : [];
  const why = faults.length === 0 ? 'it is not in the batch' : faults.join('; ');
  return { ...base, status: 'rejected', final: true, failure_code: 'INVALID_ROW', failure_message: why };
}
