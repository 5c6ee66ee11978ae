// The archiver: ended orders are stored whole, and only then cut down to what the ledger must never forget. It walks the
// ledger in pages, a little each hour; whatever fails, comes late or is done twice leaves an order as it was, or stored twice.
import { showsDoubt } from '../payout/order-history.ts';
import type { LedgerEntry } from '../payout/ledger.ts';
import type { Clock, Log } from '../payout/ports.ts';
import { resultOf, resultText } from '../payout/result.ts';

/** An ended order as the ledger holds it. */
export interface EndedOrder {
  readonly entry: LedgerEntry;
  /** Everything that is stored of it, as JSON, what this version does not know included. */
  readonly stored: string;
  /** The store would remove it some day. */
  readonly expires: boolean;
}

/** The ledger, as the archiver meets it. */
export interface ArchivableLedger {
  /** The page after that mark (the first without one) and the mark after it; without one, that was the last page. */
  page(after: string | undefined): Promise<{ readonly orders: readonly EndedOrder[]; readonly next?: string }>;
  /** How far the walk came, as it was noted last. */
  mark(): Promise<string | undefined>;
  note(mark: string | undefined): Promise<void>;
  /** Puts the remainder in the place of the order, if nothing at all has changed of it; false where something has. */
  cutDown(order: EndedOrder, remainder: LedgerEntry): Promise<boolean>;
  /** Takes its time to live away, if its revision stands. */
  keep(order: EndedOrder): Promise<void>;
}

/** Stores for good; once it has resolved, what was stored can be had again. */
export interface ArchiveStore {
  /** Stores the lines as one object, under an id that their content alone decides: the same lines are stored once. */
  store(lines: readonly string[]): Promise<string>;
}

/** What archiving needs. */
export interface ArchivePorts {
  readonly ledger: ArchivableLedger;
  readonly archive: ArchiveStore;
  /** False while the table is another's copy, or was restored and may have forgotten what it sent. */
  readonly isLedger: () => Promise<boolean>;
  readonly afterDays: number;
  readonly clock: Pick<Clock, 'nowMs' | 'sleep'>;
  readonly log: Log;
}

/** Lines of one object: thousands, or a billion orders would be as many objects, each paid for. */
const linesAtMost = 5_000;
/** A page reads a megabyte of one partition: four a second leave payouts five sixths of what the partition can. */
const betweenPagesMs = 250;
/** Writes under way at once: some hundred a second, of the thousand that their partition takes. */
const writesAtOnce = 4;
/** Kept back to store and cut down what was gathered; a quarter of the time where that is short. */
const flushReserveMs = 120_000;
const shareOfWalking = 3 / 4;
const dayMs = 86_400_000;

/** One run; stops early at `deadlineMs`, and the next goes on from there. Resolves with what it has archived. */
export async function archiveOrders(deadlineMs: number, ports: ArchivePorts): Promise<number> {
  const { ledger, clock, log } = ports;
  if (!(await ports.isLedger())) return 0;
  const run = { archived: 0, left: 0 };
  let mark = await ledger.mark();
  let due: EndedOrder[] = [];
  const startedMs = clock.nowMs();
  const walksUntilMs = Math.max(deadlineMs - flushReserveMs, startedMs + (deadlineMs - startedMs) * shareOfWalking);
  for (let more = true; more && clock.nowMs() < walksUntilMs;) {
    const { orders, next } = await ledger.page(mark);
    for (const order of orders) {
      if (isDue(order.entry, clock.nowMs(), ports.afterDays)) due.push(order);
      else if (order.expires) await ledger.keep(order);
    }
    mark = next;
    more = next !== undefined;
    if (due.length >= linesAtMost) {
      await archived(due, deadlineMs, ports, run);
      await ledger.note(mark);
      due = [];
    }
    if (more) await clock.sleep(betweenPagesMs);
  }
  await archived(due, deadlineMs, ports, run);
  await ledger.note(mark);
  if (run.archived + run.left > 0)
    log.write('info', 'orders-archived', { records: run.archived, failedRecords: run.left });
  return run.archived;
}

/** Nothing follows of it, all of it was told, so many days ago; and the archive has not this revision of it. */
export function isDue(entry: LedgerEntry, nowMs: number, afterDays: number): boolean {
  const { final, unpublished, updatedAtMs, archive, revision } = entry;
  if (!final || unpublished || archive?.revision === revision) return false;
  return updatedAtMs <= nowMs - afterDays * dayMs;
}

/**
 * What the ledger must never forget of an order: that it was, with which content (its fingerprint), how it ended, and what
 * answers a repeat and judges a late word of the gateway; and what contradicted its end, which may be the proof of a second
 * payment. Its result stays the same to the last byte.
 */
export function remainderOf(entry: LedgerEntry, id: string): LedgerEntry {
  const { sentAtMs: _1, earlierMessages: _2, note: _3, inquiries: _4, cardKeyId: _5, dueAtMs: _6, ...kept } = entry;
  return {
    ...kept,
    // Nobody's any more: no answer that somebody still carries is taken for its claim's.
    owner: '',
    messageId: '',
    leaseUntilMs: 0,
    history: shortest(entry.history),
    archive: { id, revision: entry.revision },
  };
}

/** What of a history anybody still asks: how it ended, and that it ever was in doubt. */
function shortest(history: LedgerEntry['history']): LedgerEntry['history'] {
  const end = Math.max(
    history.findLastIndex(({ reason }) => reason !== 'reopened'),
    0,
  );
  const doubt = history.slice(0, end).findLast(showsDoubt);
  return [...(doubt ? [doubt] : []), ...history.slice(end)];
}

/** One line of the archive: the order's result as it was told, and the whole item. */
function archiveLine({ entry, stored }: EndedOrder): string {
  const result = resultOf(entry);
  const before = entry.archive ? `"before":${JSON.stringify(entry.archive.id)},` : '';
  return `{"version":1,"key":${JSON.stringify(entry.key)},${before}${result ? `"result":${resultText(result)},` : ''}"item":${stored}}`;
}

/** What could not be cut down is left whole, and archived again by a later run: it changed, or time or the ledger failed. */
async function archived(
  orders: readonly EndedOrder[],
  deadlineMs: number,
  { ledger, archive, clock }: ArchivePorts,
  run: { archived: number; left: number },
): Promise<void> {
  if (orders.length === 0) return;
  const id = await archive.store(orders.map(archiveLine));
  const waiting = orders.values();
  const failures: unknown[] = [];
  const cutDownOnes = async () => {
    for (const order of waiting) {
      const write = clock.nowMs() < deadlineMs ? ledger.cutDown(order, remainderOf(order.entry, id)) : false;
      const isCut = await Promise.resolve(write).catch((error: unknown) => {
        failures.push(error);
        return false;
      });
      run[isCut ? 'archived' : 'left'] += 1;
    }
  };
  await Promise.all(Array.from({ length: writesAtOnce }, cutDownOnes));
  // A ledger that takes nothing at all is no bad luck: a right is missing, and somebody is to hear of it.
  if (failures.length === orders.length) throw failures[0];
}
