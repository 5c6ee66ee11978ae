// When a job comes back. Each wait is drawn from its upper quarter, so that jobs which failed together do not return together,
// and grows so fast that waiting costs ten deliveries in the first hour and six in each after it (test/journey/bounds.test.ts).
import { acceptedForSeconds, acceptedGapSeconds, isPastHorizon, stateSinceMs } from './accepted-rhythm.ts';
import type { Profile } from '../gateway/profile.ts';
import { noInquiries } from './due-work.ts';
import { isAskedAbout, type Inquiries, type LedgerEntry } from './ledger.ts';
import { type Limits, longestWaitDays, sqsMaxDelaySeconds, sqsMaxVisibilitySeconds } from './limits.ts';

/** Seconds until the job is seen again. `receiveCount` counts from 1; `chance` is drawn from [0, 1) by the caller. */
export function retryDelaySeconds(
  it: { readonly receiveCount: number; readonly chance: number },
  limits: Pick<Limits, 'retryFirstDelaySeconds' | 'retryMaxDelaySeconds'>,
): number {
  const exponent = Math.min(Math.max(it.receiveCount - 1, 0), 30);
  const longest = Math.min(limits.retryFirstDelaySeconds * 3 ** exponent, limits.retryMaxDelaySeconds);
  return Math.min(jittered(longest, it.chance), sqsMaxDelaySeconds);
}

const jittered = (longest: number, chance: number) => Math.max(Math.ceil(longest * (0.75 + chance / 4)), 1);

/**
 * Seconds until a job that waits for the world is tried again: up to twice as long as it has waited, and a quarter of an
 * hour at most. So an outage is over for it soon after it is over, and costs a few tries an hour.
 */
export function growingDelaySeconds(
  it: { readonly ageSeconds: number; readonly chance: number; readonly retryAfterSeconds?: number },
  { retryFirstDelaySeconds, retryMaxDelaySeconds }: Pick<Limits, 'retryFirstDelaySeconds' | 'retryMaxDelaySeconds'>,
): number {
  const longest = Math.min(Math.max(2 * it.ageSeconds, retryFirstDelaySeconds), retryMaxDelaySeconds);
  // The gateway's own word counts, up to what SQS can wait: coming earlier would only be refused again.
  return Math.min(Math.max(jittered(longest, it.chance), it.retryAfterSeconds ?? 0), sqsMaxDelaySeconds);
}

/** True when SQS would not deliver the message again: this receive is the last that can tell the sender anything. */
export function isLastReceive(receiveCount: number, limits: Pick<Limits, 'maxReceiveCount'>): boolean {
  return receiveCount >= limits.maxReceiveCount;
}

// A message that came before waits where it is, by its visibility. Each end of such a wait counts as a receive, although
// nothing has failed; so SQS allows a thousand (its most), and what waits for long comes seldom enough for 14 days of it:
// 200 receives as often as the wait asks, and then 28 a day are 592. What really crashes is counted by itself.

/** From so many receives on a message comes every half an hour at most. */
const receivesInHaste = 200;
const patientSeconds = 1_800;
/** Waits by visibility grow by this with each receive. */
const waitGrowth = 4;
/** … up to what it is times the longest wait of a copy: an hour. */
const longestGrowth = 4;

/** Seconds for which a message stays hidden that came so often and was to wait so long; `rounds` of growth are behind it. */
export function hiddenSeconds(
  it: { readonly receiveCount: number; readonly delaySeconds: number; readonly rounds?: number },
  { retryMaxDelaySeconds }: Pick<Limits, 'retryMaxDelaySeconds'>,
): number {
  const { receiveCount, delaySeconds, rounds = 0 } = it;
  const longest = Math.max(delaySeconds, retryMaxDelaySeconds * longestGrowth);
  const grown = Math.min(delaySeconds * waitGrowth ** Math.min(rounds, 30), longest);
  const patient = receiveCount >= receivesInHaste ? Math.max(grown, patientSeconds) : grown;
  return Math.min(Math.max(Math.ceil(patient), 1), sqsMaxVisibilitySeconds);
}

/** A copy that was not confirmed goes on, as a rule: the message comes behind it, and costs little should it be right. */
export const behindCopySeconds = (delaySeconds: number, limits: Pick<Limits, 'retryMaxDelaySeconds'>): number =>
  Math.max(delaySeconds, limits.retryMaxDelaySeconds * longestGrowth);

/** Until a result is tried again that could not be told: as shipped 15 s, 1, 4 and 15 minutes. */
export const untoldSeconds = (
  receiveCount: number,
  limits: Pick<Limits, 'retryFirstDelaySeconds' | 'retryMaxDelaySeconds'>,
): number => Math.min(limits.retryFirstDelaySeconds * waitGrowth ** (receiveCount - 1), limits.retryMaxDelaySeconds);

const lastLookSeconds = 3_600;
/** Seconds to the last look at a message, before SQS forgets it 14 days after it was put there; 0 or less at that look. */
export const lastLookInSeconds = (putAtMs: number, nowMs: number): number =>
  Math.floor((putAtMs - nowMs) / 1000) + longestWaitDays * 86_400 - lastLookSeconds;

/** From so many receives on the deliveries of a message are counted: the usual one costs no write more. */
export const countedReceives = 5;
/** So many of them in a row may crash before it is laid aside: whoever shares a batch with what crashes is counted too. */
export const crashesAtMost = 5;

// When the gateway is asked next, and when doubt ends without an answer. Accepted orders: by their age and by when
// those of their merchant usually end (accepted-rhythm.ts). Doubtful orders: after 1, 2, 4, 8 and 15 minutes, then hourly. An untold
// result is told again after 1, 2, 4, 8 minutes, then every 15. Each costs one conditional write (inquiry-turn.ts): an
// order costs its claim, its answer, its end and its inquiries, of which the usual one needs two to six. Everything in
// whole seconds, nothing drawn by chance.

/** Waits for the next look at a doubtful order, as multiples of the first. */
const doubtfulSteps = [1, 2, 4, 8, 15];
const doubtfulLastStep = 60;
const sweepSeconds = 60;

/** The part of the limits that the rhythm depends on. */
export interface Rhythm extends Pick<Limits, 'doubtFirstInquirySeconds'> {
  /** When accepted orders usually end, where the profile says so. */
  readonly usualEndSeconds?: number | undefined;
}

/** Seconds from now to the next look at an order that has stood like this since `stateSinceMs`. */
export function nextInquirySeconds(entry: LedgerEntry, inquiries: Inquiries, nowMs: number, rhythm: Rhythm): number {
  if (entry.state !== 'accepted')
    return (doubtfulSteps[inquiries.count] ?? doubtfulLastStep) * rhythm.doubtFirstInquirySeconds;
  const gapSeconds = acceptedGapSeconds(acceptedForSeconds(entry, nowMs), rhythm.usualEndSeconds);
  // What no message can carry the sweeper brings, up to a minute late.
  const inTimeSeconds = gapSeconds > sqsMaxDelaySeconds ? gapSeconds - sweepSeconds : gapSeconds;
  return Math.min(gapSeconds, Math.max(inTimeSeconds, sqsMaxDelaySeconds));
}

/** Seconds to the next try to tell a result that could not be told, after so many tries. */
export function nextTellingSeconds({ count }: Inquiries): number {
  return (doubtfulSteps[count] ?? Math.max(...doubtfulSteps)) * 60;
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
  const { usualEndSeconds } = profile;
  const seconds = nextInquirySeconds(entry, inquiries, nowMs, { ...rhythm, usualEndSeconds });
  const horizonSeconds = entry.state === 'accepted' ? profile.acceptedHorizonSeconds : profile.doubtHorizonSeconds;
  const ends = [stateSinceMs(entry) + horizonSeconds * 1000];
  if (entry.state === 'in-doubt') ends.push(quietUntilMs(entry, inquiries, profile));
  const ahead = ends.filter((ms) => ms > nowMs).map((ms) => Math.ceil((ms - nowMs) / 1000));
  return Math.min(seconds, ...ahead);
}

/** When the quiet period ends; 0 while the gateway has not said that it knows no such order. */
function quietUntilMs({ leaseUntilMs }: LedgerEntry, { firstNegativeAtMs }: Inquiries, profile: Profile): number {
  if (firstNegativeAtMs === undefined) return 0;
  return Math.max(firstNegativeAtMs, leaseUntilMs) + profile.quietPeriodSeconds * 1000;
}

/** The looks after one more; anything but a plain "no such order" starts the count of negative answers anew. */
export function inquiredOnce(inquiries: Inquiries, negative: boolean, nowMs: number): Inquiries {
  const once = { count: inquiries.count + 1, negatives: 0, askedAtMs: nowMs };
  if (!negative) return once;
  return { ...once, negatives: inquiries.negatives + 1, firstNegativeAtMs: inquiries.firstNegativeAtMs ?? nowMs };
}

/**
 * True when the gateway's word that it knows no such order may be taken for the truth (DESIGN 4.4): at least two
 * negative answers, the profile's quiet period between the first and the last, and as long since the last send.
 */
export function isUnknownToGateway(entry: LedgerEntry, inquiries: Inquiries, profile: Profile, nowMs: number): boolean {
  if (inquiries.negatives < 2 || inquiries.firstNegativeAtMs === undefined) return false;
  return nowMs >= quietUntilMs(entry, inquiries, profile);
}

/** True when a look made now ends the doubt whatever the gateway says, or if it says once more that it knows nothing. */
function mayEndDoubt(entry: LedgerEntry, { nowMs, profile }: Asking): boolean {
  if (entry.state !== 'in-doubt') return false;
  const negative = inquiredOnce(entry.inquiries ?? noInquiries, true, nowMs);
  return isPastHorizon(entry, profile, nowMs) || isUnknownToGateway(entry, negative, profile, nowMs);
}

/** When the look after this one is due. */
export function secondsAfterLook(entry: LedgerEntry, it: Asking): number {
  const before = entry.inquiries ?? noInquiries;
  if (!isAskedAbout(entry)) return nextTellingSeconds(before);
  const seconds = nextInquiryInTimeSeconds(entry, { ...before, count: before.count + 1 }, it);
  // This look may end the doubt; should its worker die, the next must not be an hour away.
  return mayEndDoubt(entry, it) ? Math.min(seconds, 300) : seconds;
}
