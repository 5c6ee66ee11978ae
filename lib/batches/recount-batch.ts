// A batch counted from the ledger, row by row: rows that can't have moved since they were last read keep their mark, all
// others are read again. The record is the state of each row, never a difference, so that a count may be cut off, made
// twice or made by two at once.
import type { Clock } from '../payout/ports.ts';
import type { BatchParts } from './batch-ports.ts';
import { type AnnouncedChange, type BatchRows, type OrderChanges, rowStatusOf } from './batch-row.ts';
import type { Batch, BatchPart, PartEnds } from './batch.ts';
import {
  isOpenMark,
  markOf,
  mayHaveMoved,
  type Restlessness,
  restlessnessOf,
  tallyOfMarks,
  unread,
} from './row-marks.ts';
import { addedTallies, type Tally } from './tally.ts';

/** The ports of counting. */
export interface RecountPorts {
  readonly batches: Pick<BatchParts, 'parts' | 'ends' | 'putEnds'>;
  readonly batchRows: Pick<BatchRows, 'read'>;
  readonly clock: Clock;
}

/** The outcome of a count. */
type Recount =
  | { readonly kind: 'counted'; readonly tally: Tally; readonly restless: Restlessness }
  /** A part is missing, the time was up, or somebody else counts at the same time: nothing can be said. */
  | { readonly kind: 'cut off' };

/** Parts read at the same time. */
const partsAtOnce = 8;
/** One read of rows: if a part has an open row among its first, no more of it is read before the batch is published. */
const rowsPerRead = 50;

/** Counts the batch. `changed`: orders by their keys that have left an end; their rows are read again wherever they are. */
export async function recountBatch(
  batch: Batch,
  changed: ReadonlySet<string>,
  untilMs: number,
  ports: RecountPorts,
): Promise<Recount> {
  const known = new Map<number, PartEnds>();
  for await (const ends of ports.batches.ends(batch)) known.set(ends.n, ends);
  const unsettled = Array.from({ length: batch.parts }, (_, n) => n).filter((n) => {
    const ends = known.get(n);
    return changed.size > 0 || !ends || restlessnessOf(ends.marks) !== 'none';
  });
  const parts = ports.batches.parts(batch, unsettled)[Symbol.asyncIterator]();
  let counted = 0;
  async function worker(): Promise<void> {
    while (ports.clock.nowMs() < untilMs) {
      const next = await parts.next();
      if (next.done) return;
      const ends = await recountPart(batch, next.value, known.get(next.value.n), { changed, ports });
      if (!ends) return;
      known.set(ends.n, ends);
      counted += 1;
    }
  }
  await Promise.all(Array.from({ length: Math.min(partsAtOnce, unsettled.length) }, worker));
  if (counted < unsettled.length) return { kind: 'cut off' };
  const ends = [...known.values()];
  return { kind: 'counted', tally: addedTallies(ends.map(({ tally }) => tally)), restless: most(ends) };
}

function most(ends: readonly PartEnds[]): Restlessness {
  const of = new Set(ends.map(({ marks }) => restlessnessOf(marks)));
  return (['open', 'under-way', 'refused'] as const).find((it) => of.has(it)) ?? 'none';
}

/** The states of the part's rows now, as written; undefined where another writer was faster. */
async function recountPart(
  { batchId, state }: Batch,
  { n, rows }: BatchPart,
  before: PartEnds | undefined,
  { changed, ports }: { readonly changed: ReadonlySet<string>; readonly ports: RecountPorts },
): Promise<PartEnds | undefined> {
  const marks = [...(before?.marks ?? unread.repeat(rows.length))];
  const all = rows.map((row, index) => ({ row, index }));
  // Announced rows come first, as they must be read whatever the others show.
  const announced = all.filter(({ row }) => changed.has(row.orderKey));
  const others = all.filter(({ row, index }) => mayHaveMoved(marks[index] ?? unread) && !changed.has(row.orderKey));
  const asked = [...announced, ...others];
  for (let from = 0; from < asked.length; from += rowsPerRead) {
    const some = asked.slice(from, from + rowsPerRead);
    const records = await ports.batchRows.read(
      batchId,
      some.map(({ row }) => row),
      { consistent: true },
    );
    let isOpen = false;
    for (const { row, index } of some) {
      const mark = markOf(rowStatusOf(row, batchId, records.get(row.orderKey) ?? {}));
      marks[index] = mark;
      isOpen ||= isOpenMark(mark);
    }
    if (isOpen && state !== 'closed' && from + rowsPerRead >= announced.length) break;
  }
  const now = marks.join('');
  if (before?.marks === now) return before;
  const ends = { n, version: (before?.version ?? 0) + 1, marks: now, tally: tallyOfMarks(rows, now) };
  return (await ports.batches.putEnds(batchId, ends)) ? ends : undefined;
}

// The rows of batches that have left an end since they were counted: announced changes, once the order's own write that
// they announce can be read.

/** The ports of the search. */
export interface ChangedRowsPorts {
  readonly orderChanges: OrderChanges;
  readonly clock: Clock;
}

/** The changed rows. */
interface ChangedRows {
  /** The keys of the orders of each batch. */
  readonly orderKeysOf: ReadonlyMap<string, ReadonlySet<string>>;
  /** Ends the changes all of whose batches were counted; all others come again. */
  markCounted(isCounted: (batchId: string) => boolean): Promise<void>;
}

/** Changes that are taken up at once; the rest is left to the next round. */
const changesAtMost = 2_000;
/** A change that was announced is made within seconds or never: the wait doubles from here. */
const soonestWaitMs = 50_000;

/** The changes that are due and were made. */
export async function changedRows({ orderChanges, clock }: ChangedRowsPorts): Promise<ChangedRows> {
  const nowMs = clock.nowMs();
  const announced: AnnouncedChange[] = [];
  for await (const change of orderChanges.announced(nowMs)) {
    announced.push(change);
    if (announced.length === changesAtMost) break;
  }
  const changed = await orderChanges.changed([...new Set(announced.map(({ orderKey }) => orderKey))]);
  const made: { readonly change: AnnouncedChange; readonly batchIds: readonly string[] }[] = [];
  const orderKeysOf = new Map<string, Set<string>>();
  for (const change of announced) {
    const { revision = 0, elsewhere = [] } = changed.get(change.orderKey) ?? {};
    if (revision < change.revision) {
      await orderChanges.waitFor(change, nowMs + Math.max(nowMs - change.announcedAtMs, soonestWaitMs));
      continue;
    }
    const batchIds = [...new Set([...(change.batchId === undefined ? [] : [change.batchId]), ...elsewhere])];
    made.push({ change, batchIds });
    for (const batchId of batchIds)
      orderKeysOf.set(batchId, (orderKeysOf.get(batchId) ?? new Set<string>()).add(change.orderKey));
  }
  return {
    orderKeysOf,
    async markCounted(isCounted) {
      for (const { change, batchIds } of made) if (batchIds.every(isCounted)) await orderChanges.counted(change);
    },
  };
}
