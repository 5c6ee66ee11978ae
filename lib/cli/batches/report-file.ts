// The file of a batch beside what became of its rows. Its bytes must be those that were submitted; read as they were then, its good rows
// are the batch's rows, one after the other.
import { createHash } from 'node:crypto';
import { type CheckedRow, checkRows } from '../../files/check-rows.ts';
import { type Payout, readBatch } from '../../batches/batch-payouts.ts';
import { reportLine, type ReportLine } from '../../batches/batch-report.ts';
import type { Batch, BatchRow } from '../../batches/batch.ts';
import { type Column } from '../../files/bulk-columns.ts';
import { maskedCells, maskedMessage } from '../../files/masked-rows.ts';
import { preflight } from '../../files/preflight.ts';
import { systemClock } from '../../aws/system.ts';
import type { Job } from '../../payout/message/job.ts';
import { orderKey } from '../../payout/order/order.ts';
import type { ToolPorts } from '../tool-ports.ts';
import { openBulkFile } from '../../files/bulk-file.ts';
import { openFileStore } from '../../files/file-store.ts';
import type { BulkRows, MessageHeader } from '../../files/bulk-rows.ts';
import type { Reported } from './report-target.ts';
import { bulkRowsOf } from '../../files/readers.ts';
import { UsageError } from '../../files/usage-error.ts';
import { choicesOf } from './file-reading.ts';
import { formsOf } from './submit-preflight.ts';

/** A row of the file, masked where it is about a card, and what became of it. */
export interface ReportedRow extends Reported {
  /** As it was read, nothing masked. */
  readonly checked: CheckedRow;
}

/** The file, known to be the batch's. */
export interface ReportFile {
  /** None for JSON lines. */
  readonly columns: readonly Column[];
  /** The delimiter of its cells, where it is CSV. */
  readonly delimiter?: string;
  /** The header of a file of payment messages. */
  readonly message?: MessageHeader;
  rows(): AsyncGenerator<readonly ReportedRow[]>;
  close(): Promise<void>;
}

/** Opens the file and reads it once. Throws UsageError if it is not the batch's, or must be read in another way. */
export async function openReportFile(path: string, batch: Batch, ports: ToolPorts): Promise<ReportFile> {
  const file = await openBulkFile(path);
  const store = openFileStore(file.name);
  try {
    const hash = createHash('sha256');
    const onBytes = (bytes: Buffer) => void hash.update(bytes);
    const isOther = () => hash.digest('hex') !== batch.fileHash;
    const other = new UsageError(`${file.name} is not the file of batch ${batch.batchId}: its SHA-256 is another`);
    const rows = await bulkRowsOf(file, choicesOf(batch.reading)).catch(async (error: unknown) => {
      for await (const chunk of file.chunks()) onBytes(chunk);
      throw isOther() ? other : error;
    });
    for await (const some of checkRows(rows.read(onBytes), batch.batchId, store))
      for (const row of some) store.add(row);
    // A file of another batch is refused once, not for each row in which it differs.
    if (isOther()) throw other;
    const { columns = [], titleOf } = rows;
    const of = { batch, columns, titleOf };
    for await (const _ of zipWithBatch(store.rows(), unread(batch, ports), of)) void _;
    return {
      columns,
      delimiter: rows.delimiter,
      message: rows.message?.(),
      rows: () => zipWithBatch(store.rows(), readBatch(batch, ports), of),
      close: async () => store.close(),
    };
  } catch (error) {
    store.close();
    throw error;
  } finally {
    await file.close();
  }
}

/** The rows of the batch without their orders: to see whether the file fits, nothing else need be read. */
async function* unread(batch: Batch, { batches }: ToolPorts): AsyncGenerator<Payout[]> {
  let from = 0;
  for await (const { rows } of batches.parts(batch)) {
    const first = from;
    from += rows.length;
    yield rows.map((row, place) => ({
      index: first + place,
      row,
      standing: 'not-started' as const,
      elsewhere: false,
    }));
  }
}

interface Known extends Pick<BulkRows, 'titleOf'> {
  readonly batch: Batch;
  readonly columns: readonly Column[];
}

/** The rows of the file, each beside that of the batch where it is in it. No order is in either of them twice. */
async function* zipWithBatch(
  checked: AsyncIterable<readonly CheckedRow[]>,
  inBatch: AsyncIterable<readonly Payout[]>,
  { batch, columns, titleOf }: Known,
): AsyncGenerator<readonly ReportedRow[]> {
  const rows = flattened(inBatch);
  let next = await rows.next();
  for await (const some of checked) {
    const reported: ReportedRow[] = [];
    for (const row of some) {
      const isNext = !next.done && row.kind === 'job' && isSame(row.job, next.value.row);
      const own = isNext ? next.value : undefined;
      reported.push({
        ...inputOf(row, columns),
        checked: row,
        inBatch: own,
        line: own
          ? { row: row.row, ...reportLine(own, batch.closure?.firstAtMs) }
          : lineOutside(row, { columns, titleOf, isUploading: batch.state !== 'uploaded' && batch.state !== 'closed' }),
      });
      if (isNext) next = await rows.next();
    }
    yield reported;
  }
  if (next.done) return;
  throw new UsageError(
    `this version reads the file of batch ${batch.batchId} as other jobs than the one that submitted it; leave the file out`,
  );
}

async function* flattened(rows: AsyncIterable<readonly Payout[]>): AsyncGenerator<Payout, undefined> {
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

/** The line of a row that is not in the batch: its turn has not come, or it was refused, by what can be seen of it now. */
function lineOutside(
  row: CheckedRow,
  { columns, titleOf, isUploading }: Omit<Known, 'batch'> & { readonly isUploading: boolean },
): ReportLine {
  if (row.kind === 'job' && isUploading) return { row: row.row, status: 'not-started', final: false };
  const rules = { nowMs: systemClock.nowMs(), forms: formsOf(columns) };
  const faults = row.kind === 'rejected' ? row.faults : preflight(row.job, undefined, rules).faults;
  const named = faults
    .slice(0, 3)
    .map(({ path, fault }) => `${path === '' ? '' : titleOf(path, row.place)} ${fault}`.trim());
  const why = named.length === 0 ? 'it is not in the batch' : named.join('; ');
  return { row: row.row, status: 'rejected', final: true, failure_code: 'INVALID_ROW', failure_message: why };
}
