// A letter for each row of a part: its state when it was last read. From these alone a tally is made, so a row that is
// read again is counted anew and never twice; and they show which rows may have moved without an announcement,
// and so when the batch is looked at again.
import type { RowStatus } from './batch-row.ts';
import type { Batch, BatchRow } from './batch.ts';
import { addedTallies, type Tally, type TallyEnd, type TallyLine } from './tally.ts';

/** The states of a row that batches distinguish. The place in this list is in the items of the table: add at its end. */
const kinds = [
  'open',
  'in-doubt',
  'accepted',
  'approved',
  'declined',
  'failed',
  'cancelled',
  'held',
  /** Held before it was sent: no money is in doubt. */
  'held-unsent',
  /** Failed without an order: when its message is redriven, an order begins that nobody announces. */
  'refused',
  'checked',
] as const;

type Kind = (typeof kinds)[number];

/** The mark of a row that was never read. */
export const unread = '0';

const firstCode = unread.charCodeAt(0);

/** The letter of a row in this state. */
export function markOf(status: RowStatus): string {
  const isFinal = status.kind === 'ended' && status.final;
  const isElsewhere = status.kind === 'ended' && status.elsewhere;
  const flags = (isFinal ? 1 : 0) + (isElsewhere ? 2 : 0);
  return String.fromCharCode(firstCode + 4 * kinds.indexOf(kindOf(status)) + flags);
}

function kindOf(status: RowStatus): Kind {
  if (status.kind === 'open') return status.inDoubt ? 'in-doubt' : 'open';
  if (status.end === 'held') return status.inDoubt ? 'held' : 'held-unsent';
  return status.end === 'failed' && !status.entry ? 'refused' : status.end;
}

interface Mark {
  readonly kind: Kind;
  readonly final: boolean;
  readonly elsewhere: boolean;
}

function read(mark: string): Mark {
  const code = mark.charCodeAt(0) - firstCode;
  return { kind: kinds[code >> 2] ?? 'open', final: (code & 1) !== 0, elsewhere: (code & 2) !== 0 };
}

/** True for a row that has come to no end. */
export function isOpenMark(mark: string): boolean {
  const { kind } = read(mark);
  return kind === 'open' || kind === 'in-doubt';
}

/**
 * True for a row that may move without an announcement: it is open, the gateway is still asked about it, or its
 * order has yet to begin. A change out of a final end, or out of a person's hands, is announced (order-changes.ts).
 */
export function mayHaveMoved(mark: string): boolean {
  const { kind, final } = read(mark);
  if (kind === 'held' || kind === 'held-unsent') return false;
  return !final || kind === 'refused';
}

/** The reason to read rows of a part again: they are open, under way, or refused; `none`: they never move by themselves. */
export type Restlessness = 'open' | 'under-way' | 'refused' | 'none';

/** The most restless row of a part. */
export function restlessnessOf(marks: string): Restlessness {
  let most: Restlessness = 'none';
  for (const mark of new Set(marks)) {
    if (!mayHaveMoved(mark)) continue;
    if (isOpenMark(mark)) return 'open';
    if (read(mark).kind !== 'refused') most = 'under-way';
    else if (most === 'none') most = 'refused';
  }
  return most;
}

const endsOfKinds: Readonly<Partial<Record<Kind, TallyEnd>>> = { 'held-unsent': 'held', refused: 'failed' };
const endOf = (kind: Kind): TallyEnd => endsOfKinds[kind] ?? (kind as TallyEnd);

/** The tally of a part's rows. */
export function tallyOfMarks(rows: readonly BatchRow[], marks: string): Tally {
  const lines = rows.map(({ money }, index): TallyLine => {
    const { kind, final, elsewhere } = read(marks[index] ?? unread);
    return {
      end: endOf(kind),
      ...(money && { currency: money.currency }),
      count: 1,
      minorUnits: money?.minorUnits ?? 0n,
      notFinal: final ? 0 : 1,
      elsewhere: elsewhere ? 1 : 0,
      inDoubt: kind === 'in-doubt' || kind === 'held' ? 1 : 0,
    };
  });
  return addedTallies([lines]);
}

// When the sweeper looks at a batch again: soon while it is young, seldom when it is old, so that the reads which its rows
// cost stay few. A row that leaves an end is announced and waits for none of this.

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** A little less than a minute and a quarter of an hour: due when the sweep of that minute comes. */
const soonestOpenMs = 50_000;
const latestOpenMs = 15 * minuteMs - 10_000;
const soonestUnderWayMs = 5 * minuteMs - 10_000;
const latestUnderWayMs = dayMs;
/** A dead letter lives for 14 days: so long may it be redriven, and a refused row become an order after all. */
const refusedForMs = 15 * dayMs;

/**
 * With open rows: a batch of minutes each minute, one of days each quarter of an hour, so that it is published at most a tenth of
 * its age late. With rows that are only asked about, or were refused: at most a quarter of its age late, or a day.
 * Undefined where nothing of it moves by itself.
 */
export function nextLookMs(batch: Batch, why: 'open' | 'unbalanced', nowMs: number): number;
export function nextLookMs(batch: Batch, why: Restlessness, nowMs: number): number | undefined;
export function nextLookMs(
  { uploadedAtMs, createdAtMs, closure }: Batch,
  why: Restlessness | 'unbalanced',
  nowMs: number,
): number | undefined {
  const ageMs = nowMs - (uploadedAtMs ?? createdAtMs);
  switch (why) {
    case 'open':
      // For a batch that was published before: since the row began to move again.
      return nowMs + between(soonestOpenMs, (closure ? nowMs - closure.atMs : ageMs) / 10, latestOpenMs);
    case 'unbalanced':
      return nowMs + latestOpenMs;
    case 'under-way':
      return nowMs + between(soonestUnderWayMs, ageMs / 4, latestUnderWayMs);
    case 'refused':
      // A row may have been refused long after its upload, though before it was counted.
      return nowMs - Math.max(uploadedAtMs ?? createdAtMs, closure?.atMs ?? 0) > refusedForMs
        ? undefined
        : nowMs + between(soonestUnderWayMs, ageMs / 4, latestUnderWayMs);
    case 'none':
      return undefined;
  }
}

const between = (least: number, wanted: number, most: number) => Math.min(Math.max(wanted, least), most);
