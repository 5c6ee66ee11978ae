// When an accepted order is looked at next: whenever half of its age has passed, so that an end is known within half its age
// (or 10 s). Where the profile says when orders usually end, nothing is asked between the first look and half of that age.
import type { Profile } from '../gateway/profile.ts';
import type { LedgerEntry } from './ledger.ts';

/** The first look, and the least between two after it: the gateway asks for 3 to 5 s at least. */
const [firstSeconds, leastSeconds] = [5, 10];
/** Half of the order's age and a little less, so that a check that comes a moment late is still in time. */
const nearlyHalf = (ageSeconds: number) => Math.max(ageSeconds * 0.48, ageSeconds / 2 - 1.5);
const longestSeconds = 6 * 3_600;

/**
 * Seconds to the next look at an order that was accepted so long ago, of a merchant whose orders usually end at
 * `usualEndSeconds` (profile). An end before half of that age is known by then; any other within half its age, or 10 s.
 */
export function acceptedGapSeconds(ageSeconds: number, usualEndSeconds = 0): number {
  if (ageSeconds < firstSeconds) return firstSeconds;
  const halfItsAge = Math.min(Math.max(leastSeconds, Math.floor(nearlyHalf(ageSeconds))), longestSeconds);
  return Math.max(halfItsAge, Math.ceil(usualEndSeconds / 2 - ageSeconds));
}

/** When the order came into its present state, as far as its short history tells. */
export function stateSinceMs(entry: LedgerEntry): number {
  const since = entry.history.findLastIndex((line) => line.state !== entry.state);
  return entry.history[since + 1]?.atMs ?? entry.createdAtMs;
}

/** True when doubt, or acceptance, has lasted so long that a person must look. */
export function isPastHorizon(entry: LedgerEntry, profile: Profile, nowMs: number): boolean {
  const { doubtHorizonSeconds, acceptedHorizonSeconds } = profile;
  const horizonSeconds = entry.state === 'accepted' ? acceptedHorizonSeconds : doubtHorizonSeconds;
  return nowMs - stateSinceMs(entry) >= horizonSeconds * 1000;
}

/** The entry, marked where it has been accepted for longer than its horizon: from then on it is counted and listed. */
export function withHorizon(entry: LedgerEntry, profile: Profile, nowMs: number): LedgerEntry {
  if (entry.state !== 'accepted' || entry.final || entry.overdue) return entry;
  return isPastHorizon(entry, profile, nowMs) ? { ...entry, overdue: true } : entry;
}

/** Seconds for which an order has stood as it stands, by whoever's clock is behind at least 0. */
export const acceptedForSeconds = (entry: LedgerEntry, atMs: number): number =>
  Math.max(0, (atMs - stateSinceMs(entry)) / 1000);
