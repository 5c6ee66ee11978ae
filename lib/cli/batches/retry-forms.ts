// The two ways in which unpaid rows of a batch are written: with new order ids in the layout of the first file, or as jobs that
// name the end of their order, for a batch of their own.
import type { CheckedRow } from '../../files/check-rows.ts';
import { type Column, isColumnOfTheTool } from '../../files/bulk-columns.ts';
import { maskedCells, maskedMessage } from '../../files/masked-rows.ts';
import {
  hasChanged,
  nextOrderId,
  reopeningOf,
  type RetryId,
  retryIds,
  sentAgainReason,
} from '../../batches/retry-rows.ts';
import { cancelOrder, shownNow } from '../../payout/operate/decide.ts';
import { namesOfKey } from '../../payout/order/order.ts';
import { isEndedUnpaid } from '../../batches/known-orders.ts';
import { type OrderView, viewOf } from '../../payout/order/projection.ts';
import type { Payout } from '../../batches/batch-payouts.ts';
import type { FailureOf } from '../../gateway/gateway-outcome.ts';
import { parseJob } from '../../payout/message/job.ts';
import { messageText } from '../../payout/message/json-text.ts';
import { csvLine, sheetStyle } from '../../files/csv.ts';
import type { ToolPorts } from '../tool-ports.ts';
import type { ReportFile } from './report-file.ts';

/** A row that is proven unpaid, and why it was not paid. */
export interface UnpaidRow {
  readonly inBatch: Payout;
  /** Absent if no file was named. */
  readonly checked?: CheckedRow;
  readonly why: FailureOf<string>;
}

/** The form in which a row is written, or why it is not. */
type RetryLine = { readonly kind: 'line'; readonly text: string } | { readonly kind: 'left'; readonly why: string };

/** A way of writing them. */
export interface RetryForm {
  readonly header: string;
  /** Called for each row in its turn. */
  linesOf(rows: readonly UnpaidRow[]): Promise<readonly RetryLine[]>;
}

const left = (why: string): RetryLine => ({ kind: 'left', why });
const bearsCardData = 'it bears card data, which no file of ours has; send it again from where it came';
const keyOf = ({ inBatch }: UnpaidRow) => inBatch.row.orderKey;
const orderIdOf = (row: UnpaidRow) => namesOfKey(keyOf(row)).orderId;

/** Rows of the file as they were, with new order ids; the old ids are cancelled first, so that only the new one can be paid. */
export function inTheLayoutOf(file: ReportFile, by: string, ports: ToolPorts): RetryForm {
  return {
    header: headerOf(file),
    async linesOf(rows) {
      const ids = await retryIds(rows.map(keyOf), ports);
      const lines: RetryLine[] = [];
      for (const row of rows) {
        const id = ids.get(keyOf(row));
        const text = id?.kind === 'free' && row.checked ? lineOf(row.checked, id.orderId, file) : undefined;
        const why =
          text === undefined ? whyLeft(id) : await whyNotClosed(row, id?.kind === 'free' ? id.tried : [], by, ports);
        lines.push(text === undefined || why !== undefined ? left(why ?? '') : { kind: 'line', text });
      }
      return lines;
    },
  };
}

/** Cancels the orders of the row, the last first; why not, where that was refused. An id that is another payment's is left alone. */
async function whyNotClosed(
  { inBatch }: UnpaidRow,
  tried: readonly string[],
  by: string,
  ports: ToolPorts,
): Promise<string | undefined> {
  const { row, standing } = inBatch;
  for (const key of tried.toReversed()) {
    const why = await whyNotCancelled(key, isEndedUnpaid, by, ports);
    if (why !== undefined) return why;
  }
  if (standing === 'id-taken') return undefined;
  return whyNotCancelled(row.orderKey, (shown) => shown.standing === standing, by, ports);
}

async function whyNotCancelled(
  key: string,
  isAsShown: (shown: OrderView) => boolean,
  by: string,
  ports: ToolPorts,
): Promise<string | undefined> {
  const read = await ports.orders.read(key);
  if (read.kind !== 'found' || !isAsShown(viewOf(read.order))) return hasChanged;
  const names = namesOfKey(key);
  const seen = shownNow(read.order, ports.clock.nowMs());
  const end = await cancelOrder({ ...names, by, reason: sentAgainReason(names.orderId), seen }, ports);
  return end.kind === 'done' ? undefined : end.kind === 'refused' ? end.why : hasChanged;
}

function whyLeft(id: RetryId | undefined): string {
  switch (id?.kind) {
    case 'retried':
      return `it was sent again as ${id.orderId}, which is ${id.standing}`;
    case 'too-long':
      return `${id.orderId} is too long for an order id; write another by hand`;
    default:
      return bearsCardData;
  }
}

const isSentAgain = ({ title }: Column) => !isColumnOfTheTool(title);

const headerOf = (file: ReportFile): string =>
  file.columns.length === 0
    ? ''
    : csvLine(
        file.columns.filter(isSentAgain).map(({ title }) => title),
        sheetStyle(file.delimiter),
      );

/** The row as it was, with the new id and of no batch; undefined if it can't be written as it was. */
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
  return csvLine(renewed, sheetStyle(file.delimiter));
}

/** Masked, numbers are texts. */
const isMasked = (own: unknown, masked: unknown): boolean =>
  JSON.stringify(own, (_, value: unknown) => (typeof value === 'number' ? String(value) : value)) !==
  JSON.stringify(masked);

type Message = Readonly<Record<string, unknown>>;

const keysAtOnce = 100;

/** Jobs that open the ends of their orders by name. `letters`: bodies of dead letters by the digest of their row. */
export function underTheirNames(
  letters: ReadonlyMap<string, string>,
  ports: Pick<ToolPorts, 'knownOrders' | 'clock'>,
): RetryForm {
  async function linesOfSome(rows: readonly UnpaidRow[]): Promise<readonly RetryLine[]> {
    const ids = await retryIds(rows.map(keyOf), ports);
    const known = await ports.knownOrders.read(rows.map(keyOf));
    return rows.map((row) => {
      const id = ids.get(keyOf(row));
      if (id?.kind === 'retried') return left(whyLeft(id));
      // The last of a row's orders alone is opened: two of them would both be paid.
      const isLast = id?.kind !== 'free' || id.orderId === nextOrderId(orderIdOf(row));
      if (!isLast) return left(`it was sent again as ${nextOrderId(orderIdOf(row))}; retry the batch of that order`);
      const found = messageOf(row, letters);
      if (typeof found === 'string') return left(found);
      const parsed = parseJob(messageText(found.message));
      if (parsed.kind === 'rejected') return left('what was sent is no job; correct it by --as-file');
      const order = known.get(keyOf(row));
      const reopening = reopeningOf({ payout: row.inBatch, job: parsed.job, known: order, nowMs: ports.clock.nowMs() });
      if (reopening.kind === 'kept') return left(reopening.why);
      return { kind: 'line', text: `${messageText({ ...found.message, resends: reopening.resends })}\n` };
    });
  }

  return {
    header: '',
    async linesOf(rows) {
      const lines: RetryLine[] = [];
      for (let from = 0; from < rows.length; from += keysAtOnce)
        lines.push(...(await linesOfSome(rows.slice(from, from + keysAtOnce))));
      return lines;
    },
  };
}

/** The job that was sent as the row, without its batch; a text where nothing can be written of it. */
function messageOf(
  { inBatch, checked }: UnpaidRow,
  letters: ReadonlyMap<string, string>,
): { readonly message: Message } | string {
  const letter = letters.get(inBatch.row.digest);
  const read = checked?.kind === 'job' ? checked.message : undefined;
  const found = letter === undefined ? read : (JSON.parse(letter) as Message);
  if (!found) return 'neither a dead letter nor a file has it; name the file of its batch';
  const message = ownPart(found);
  if (message['sealedParams'] !== undefined)
    return 'its card data is sealed for its batch; redrive its dead letter, or send it again from where it came';
  return isMasked(message, maskedMessage(message)) ? bearsCardData : { message };
}

/** Without what belongs to the batch that it was sent in. */
function ownPart(message: Message): Message {
  return Object.fromEntries(Object.entries(message).filter(([name]) => !ofItsBatch.has(name)));
}

const ofItsBatch: ReadonlySet<string> = new Set(['batchId', 'approval', 'resends']);
