// What became of the payouts of a batch. The ledger's index of the batch shows most of them in one query. What it does not show as final is
// read by key, strongly: a late index must not call a payout absent, or close a batch.
import type { FailureOf } from '../gateway/gateway-outcome.ts';
import { type BatchEntry, readBatchEntry } from '../payout/order/batch-entry.ts';
import { meaningOfCode } from '../payout/message/failures.ts';
import { looksSame, type Order } from '../payout/order/order.ts';
import { type OrderView, viewOf } from '../payout/order/projection.ts';
import { type Standing, standings } from '../payout/order/standing.ts';
import type { BatchParts } from './batch-ports.ts';
import type { Batch, BatchRow } from './batch.ts';
import type { KnownOrder, KnownOrders } from './known-orders.ts';

/** The orders of a batch, each with its text (`readBatchEntry`), as the index shows them. May lag behind. */
export interface BatchIndex {
  entries(batchId: string): AsyncIterable<{ readonly orderKey: string; readonly text: string }>;
}

/** The texts by order key. They are kept as text: parsed, those of a million payouts would not fit the sweeper's memory. */
export type Indexed = ReadonlyMap<string, string>;

/** All that the index shows of the batch. */
export async function indexOf(batchId: string, { batchIndex }: Pick<ReadBatchPorts, 'batchIndex'>): Promise<Indexed> {
  const shown = new Map<string, string>();
  for await (const { orderKey, text } of batchIndex.entries(batchId)) shown.set(orderKey, text);
  return shown;
}

/** A payout of a batch. */
export interface Payout {
  /** The number of the row in the file's good rows, from 0. */
  readonly index: number;
  readonly row: BatchRow;
  readonly standing: Standing;
  /** True if its order belongs to another batch, or to none, which counts it too. */
  readonly elsewhere: boolean;
  readonly failure?: FailureOf<string>;
  /** Its order, if it was read, and what is shown of it. */
  readonly order?: Order;
  readonly entry?: OrderView;
}

/** The ports of reading. */
export interface ReadBatchPorts {
  readonly batches: Pick<BatchParts, 'parts'>;
  readonly knownOrders: KnownOrders;
  readonly batchIndex: BatchIndex;
}

const rowsPerRead = 50;
const readsAtOnce = 16;

/** How a batch is read. */
interface Reading {
  /** What the index shows: an end is taken from it, every other order is read by key. */
  readonly shown?: Indexed;
  readonly atOnce?: number;
  /** The first row to read: one at which an earlier reading could end. */
  readonly fromRow?: number;
}

/** The payouts that are uploaded, in the order of the file, some at a time. */
export function readBatch(
  batch: Pick<Batch, 'batchId' | 'parts'>,
  { batches, knownOrders }: Omit<ReadBatchPorts, 'batchIndex'>,
  { shown = new Map(), atOnce = readsAtOnce, fromRow = 0 }: Reading = {},
): AsyncGenerator<Payout[]> {
  const { batchId } = batch;
  const ended = ({ orderKey }: BatchRow) => {
    const text = shown.get(orderKey);
    const entry = text === undefined ? undefined : readBatchEntry(text);
    return entry && standings[entry.standing].isFinal ? entry : undefined;
  };
  return inOrder(slicesOf(batches.parts(batch), fromRow), atOnce, async ({ from, rows }) => {
    const unknown = rows.filter((row) => !ended(row)).map(({ orderKey }) => orderKey);
    const orders =
      unknown.length === 0 ? new Map<string, KnownOrder>() : await knownOrders.read(unknown, { consistent: true });
    return rows.map((row, place): Payout => {
      const entry = ended(row);
      const outcome = entry ? shownPayout(row, entry) : payoutOf(row, batchId, orders.get(row.orderKey));
      return { index: from + place, row, ...outcome };
    });
  });
}

type Outcome = Omit<Payout, 'index' | 'row'>;

const notStarted: Outcome = { standing: 'not-started', elsewhere: false };
const idTaken: Outcome = {
  standing: 'id-taken',
  elsewhere: false,
  failure: { code: 'ORDER_ID_REUSED', message: 'its order id belongs to an order of other content' },
};

function shownPayout(row: BatchRow, { standing, money, digest, failure }: BatchEntry): Outcome {
  if (!looksSame(row, { money, digest })) return idTaken;
  return { standing, elsewhere: false, failure: failure && { ...failure, message: meaningOfCode(failure.code) } };
}

/** What became of the row, by its order as the ledger has it. */
export function payoutOf(row: BatchRow, batchId: string, { order, unreadable }: KnownOrder = {}): Outcome {
  if (unreadable) return { standing: 'unreadable', elsewhere: false };
  if (!order) return notStarted;
  const { content } = order;
  if (content && !looksSame(row, content)) return idTaken;
  const entry = viewOf(order);
  const { failure } = entry;
  const isElsewhere = content !== undefined && content.batchId !== batchId;
  // The order still has the end that the row's job is to open: the job has not come yet.
  if (isElsewhere && row.resends !== undefined && row.resends === entry.endId) return notStarted;
  return { standing: entry.standing, elsewhere: isElsewhere, failure, order, entry };
}

interface Slice {
  readonly from: number;
  readonly rows: readonly BatchRow[];
}

async function* slicesOf(parts: ReturnType<BatchParts['parts']>, fromRow: number): AsyncGenerator<Slice> {
  let from = 0;
  for await (const { rows } of parts) {
    for (let at = 0; at < rows.length; at += rowsPerRead)
      if (from + at >= fromRow) yield { from: from + at, rows: rows.slice(at, at + rowsPerRead) };
    from += rows.length;
  }
}

/** Results of `work` in the order of the items; at most `atOnce` are under way or waiting to be taken. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  for await (const item of items) {
    const result = work(item);
    // A rejection is handled when its turn comes; until then it must not count as unhandled.
    result.catch(() => {});
    underWay.push(result);
    const [first] = underWay;
    if (underWay.length < atOnce || !first) continue;
    underWay.shift();
    yield await first;
  }
  for (const result of underWay) yield await result;
}
