// When the sweeper looks at a batch again: soon while it is young, seldom when it is old, so that the reads which its rows
// cost stay few. What leaves an end is announced and waits for none of this.
import type { Batch } from './batch.ts';
import type { Restlessness } from './row-marks.ts';

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
 * With open rows: a batch of minutes each minute, one of days each quarter of an hour, so that it is told at most a tenth of
 * its age late. With rows that are merely asked about, or were refused: at most a quarter of its age late, or a day.
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
      // Of one that was told before: since the row began to move again.
      return nowMs + between(soonestOpenMs, (closure ? nowMs - closure.atMs : ageMs) / 10, latestOpenMs);
    case 'unbalanced':
      return nowMs + latestOpenMs;
    case 'under-way':
      return nowMs + between(soonestUnderWayMs, ageMs / 4, latestUnderWayMs);
    case 'refused':
      return ageMs > refusedForMs ? undefined : nowMs + between(soonestUnderWayMs, ageMs / 4, latestUnderWayMs);
    case 'none':
      return undefined;
  }
}

const between = (least: number, wanted: number, most: number) => Math.min(Math.max(wanted, least), most);
