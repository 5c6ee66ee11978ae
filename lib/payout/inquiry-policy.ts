// When the gateway is asked next, and when doubt ends without an answer. Accepted orders: after 4 s, growing to 10 s
// over five minutes, then every 5 to 10 minutes up to an hour (the gateway's published rhythm), then hourly. Doubtful
// orders: after 1, 2, 4, 8 and 15 minutes, then hourly. Everything in whole seconds, nothing drawn by chance.
import type { LedgerEntry, Inquiries } from './ledger.ts';
import type { Limits } from './limits.ts';
import type { Profile } from '../gateway/profile.ts';

/** Before anybody asked. */
export const noInquiries: Inquiries = { count: 0, negatives: 0 };

const minute = 60;
const hour = 60 * minute;
/** Waits for the next look at a doubtful order, as multiples of the first. */
const doubtfulSteps = [1, 2, 4, 8, 15];
const doubtfulLastStep = 60;

/** The part of the limits that the rhythm depends on. */
export type Rhythm = Pick<Limits, 'doubtFirstInquirySeconds'>;

/** Seconds from now to the next look at an order that has stood like this since `sinceMs`. */
export function nextInquirySeconds(entry: LedgerEntry, inquiries: Inquiries, nowMs: number, rhythm: Rhythm): number {
  if (entry.state !== 'accepted')
    return (doubtfulSteps[inquiries.count] ?? doubtfulLastStep) * rhythm.doubtFirstInquirySeconds;
  const ageSeconds = Math.max(0, (nowMs - stateSinceMs(entry)) / 1000);
  if (isRapid(entry, nowMs)) return Math.min(4 + Math.floor(ageSeconds / 30), 10);
  return ageSeconds < hour ? Math.min(5 * minute + Math.floor(ageSeconds / 10), 10 * minute) : hour;
}

/** When and by which contract an order is asked about. */
export interface Asking {
  readonly nowMs: number;
  readonly profile: Profile;
  readonly rhythm: Rhythm;
}

/**
 * Seconds to the next look, and never past the moment at which a look can end the doubt: the end of the quiet period
 * once the gateway has said that it knows nothing, and the horizon.
 */
export function nextInquiryInTimeSeconds(
  entry: LedgerEntry,
  inquiries: Inquiries,
  { nowMs, profile, rhythm }: Asking,
): number {
  const seconds = nextInquirySeconds(entry, inquiries, nowMs, rhythm);
  if (entry.state !== 'in-doubt') return seconds;
  const ends = [stateSinceMs(entry) + profile.doubtHorizonSeconds * 1000, quietUntilMs(entry, inquiries, profile)];
  const ahead = ends.filter((ms) => ms > nowMs).map((ms) => Math.ceil((ms - nowMs) / 1000));
  return Math.min(seconds, ...ahead);
}

/** When the quiet period ends; 0 while the gateway has not said that it knows no such order. */
function quietUntilMs({ leaseUntilMs }: LedgerEntry, { firstNegativeAtMs }: Inquiries, profile: Profile): number {
  if (firstNegativeAtMs === undefined) return 0;
  return Math.max(firstNegativeAtMs, leaseUntilMs) + profile.quietPeriodSeconds * 1000;
}

/** True while an accepted order is asked about every few seconds; such looks are too many to be written down. */
export function isRapid(entry: LedgerEntry, nowMs: number): boolean {
  return entry.state === 'accepted' && nowMs - stateSinceMs(entry) < 5 * minute * 1000;
}

/** When the order came into its present state, as far as its short history tells. */
export function stateSinceMs(entry: LedgerEntry): number {
  const since = entry.history.findLastIndex((line) => line.state !== entry.state);
  return entry.history[since + 1]?.atMs ?? entry.createdAtMs;
}

/** The looks after one more; anything but a plain "no such order" starts the count of negative answers anew. */
export function inquiredOnce(inquiries: Inquiries, negative: boolean, nowMs: number): Inquiries {
  const count = inquiries.count + 1;
  if (!negative) return { count, negatives: 0 };
  return { count, negatives: inquiries.negatives + 1, firstNegativeAtMs: inquiries.firstNegativeAtMs ?? nowMs };
}

/**
 * True when the gateway's word that it knows no such order may be taken for the truth (DESIGN 4.4): at least two
 * negative answers, the profile's quiet period between the first and the last, and as long since the last send.
 */
export function isUnknownToGateway(entry: LedgerEntry, inquiries: Inquiries, profile: Profile, nowMs: number): boolean {
  if (inquiries.negatives < 2 || inquiries.firstNegativeAtMs === undefined) return false;
  return nowMs >= quietUntilMs(entry, inquiries, profile);
}

/** True when doubt has lasted so long that a person must look. */
export function isPastHorizon(entry: LedgerEntry, profile: Profile, nowMs: number): boolean {
  return nowMs - stateSinceMs(entry) >= profile.doubtHorizonSeconds * 1000;
}
