// The last restore of the ledger, as every writer of a new order has to know it.
import { type Facts, noFacts } from './facts.ts';
import { clockSkewMs } from './time.ts';

/** The last restore of the ledger. */
export interface Restored {
  /** When its pause had taken hold (epoch ms). What was sent to a gateway before may be lost; nothing was sent during the pause. */
  readonly pausedAtMs: number;
}

/** The gateway may report lost orders for this long after a restore. By then all that was sent before is settled and called back. */
const reportedForMs = 28 * 86_400_000;

/** More than the writes of any order; and the least time between two restores. */
const writesAtMost = 2_000;
const restoresApartMs = 600_000;

/** Above every version and revision that a lost order can have had. */
export const numberAfter = ({ pausedAtMs }: Restored): number =>
  writesAtMost * Math.max(Math.ceil((pausedAtMs - Date.UTC(2026, 0)) / restoresApartMs), 1);

/**
 * True if an order that the table does not hold may have been sent before the restore: its message was first sent before the pause, or no
 * message names it.
 */
export const mayBeLost = (restored: Restored | undefined, sentMs: number | undefined): restored is Restored =>
  restored !== undefined && (sentMs === undefined || sentMs <= restored.pausedAtMs + clockSkewMs);

/**
 * The facts with which a new order begins for a while after a restore: an order of its name may have been lost, so no decline is attributed
 * by elimination.
 */
export const factsAfter = (restored: Restored | undefined, nowMs: number): Facts =>
  restored && nowMs < restored.pausedAtMs + reportedForMs
    ? { ...noFacts, dropped: { ...noFacts.dropped, lost: true } }
    : noFacts;
