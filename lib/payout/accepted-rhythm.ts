// When an accepted order is looked at next. Without knowledge of its endpoint: whenever half of its age has passed, so
// that an end is known within half its age (or 10 s). An endpoint that has shown how long its orders take is looked at
// when an end is likely, and a few times before and after: card pushes end within seconds, bank payouts within hours.
// Some orders (scouts) always keep the first rhythm; they alone teach, so what is learnt is never what was looked for.
import type { Profile } from '../gateway/profile.ts';
import type { LedgerEntry } from './ledger.ts';

/** The first look, and the least between two after it: the gateway asks for 3 to 5 s at least. */
const [firstSeconds, leastSeconds] = [5, 10];
/** Half of the order's age and a little less, so that a check that comes a moment late is still in time. */
const nearlyHalf = (ageSeconds: number) => Math.max(ageSeconds * 0.48, ageSeconds / 2 - 1.5);
const longestPlainSeconds = 6 * 3_600;

/** Seconds from one look to the next for whoever knows nothing of the endpoint. */
function plainGapSeconds(ageSeconds: number): number {
  if (ageSeconds < firstSeconds) return firstSeconds;
  return Math.min(Math.max(leastSeconds, Math.floor(nearlyHalf(ageSeconds))), longestPlainSeconds);
}

/** Ages at which looks of the plain rhythm come, the buckets in which ends are counted; up to a month. */
const agesSeconds: readonly number[] = (() => {
  const ages: number[] = [];
  for (let age = firstSeconds; age < 30 * 86_400; age += Math.max(leastSeconds, Math.floor(nearlyHalf(age))))
    ages.push(age);
  return ages;
})();

/** How many buckets there are. */
export const endBuckets = agesSeconds.length;
/** The bucket of an end that came after so many seconds. */
function endBucketOf(ageSeconds: number): number {
  const bucket = agesSeconds.findIndex((age) => ageSeconds <= age);
  return bucket < 0 ? endBuckets - 1 : bucket;
}

/** How long the accepted orders of one endpoint took to end, as far as it was seen. */
export interface EndsSeen {
  /** Ends by bucket of age. */
  readonly counts: readonly number[];
  /** How many of them a callback told before a look found them. */
  readonly calledBack: number;
}

/** Fewer teach nothing: until then every order is a scout; ever after one order in so many. */
export const endsToLearnFrom = 32;
const scoutOneIn = 8;
/** Looks that such a share of orders may cost; where callbacks tell ends, as many fewer. Ends that lie anywhere need more. */
const ofGathered = { looks: 6, share: 0.6 };
const ofScattered = { looks: 15, share: 0.5 };
/** Half of them within a factor of two, which is within three buckets; a bit less, as few were seen. */
const [gatheredBuckets, gatheredShare] = [3, 0.4];
const longestLearntSeconds = 86_400;
/** Spread over all buckets, in the place of what was not seen yet. */
const unseenEnds = 4;

/**
 * How careful a rhythm is: a look is made when it finds an end with this probability, and in any case when the order is
 * so many times as old as at the last look. The most careful one is taken that the looks are enough for.
 */
interface Care {
  readonly likelyEnough: number;
  readonly ageAtMostTimes: number;
}

const thinnest = { likelyEnough: 0.25, ageAtMostTimes: 10 };
const cares: readonly Care[] = [
  { likelyEnough: 0.01, ageAtMostTimes: 1.5 },
  { likelyEnough: 0.02, ageAtMostTimes: 2 },
  { likelyEnough: 0.04, ageAtMostTimes: 3 },
  { likelyEnough: 0.07, ageAtMostTimes: 4 },
  { likelyEnough: 0.1, ageAtMostTimes: 5 },
  { likelyEnough: 0.15, ageAtMostTimes: 6 },
  { likelyEnough: 0.2, ageAtMostTimes: 8 },
  thinnest,
];

/** How many ends were seen. */
export const endsSeen = ({ counts }: EndsSeen): number => counts.reduce((sum, count) => sum + count, 0);

/** From so many ends on they count half: what an endpoint did long ago fades away. */
export const halvedFrom = 400;
/** The same ends, each counted half. */
export const halved = ({ counts, calledBack }: EndsSeen): EndsSeen => ({
  counts: counts.map((count) => Math.floor(count / 2)),
  calledBack: Math.floor(calledBack / 2),
});

/** What is known of every endpoint. A hint, a minute old: it never rejects, and what it forgets costs looks alone. */
export interface EndTimes {
  of(merchant: string, endpointId: string): Promise<EndsSeen | undefined>;
  /** Counts the end of an accepted order. */
  saw(merchant: string, endpointId: string, end: SeenEnd): Promise<void>;
}

/** How one order ended, as it teaches. */
export interface SeenEnd {
  readonly bucket: number;
  readonly calledBack: boolean;
}

/**
 * The end of an order that was asked at `ageSeconds`, and before that at `lastAgeSeconds`: it came between, and was
 * called back at once or lies anywhere there.
 */
export function seenEnd(lastAgeSeconds: number, ageSeconds: number, calledBack: boolean): SeenEnd {
  return { bucket: endBucketOf(calledBack ? ageSeconds : (lastAgeSeconds + ageSeconds) / 2), calledBack };
}

/** True where the end of this order is to be counted, and its looks keep the plain rhythm. */
export function isScout(orderKey: string, ends: EndsSeen | undefined): boolean {
  if (!ends || endsSeen(ends) < endsToLearnFrom) return true;
  let sum = 0;
  for (let at = 0; at < orderKey.length; at += 1) sum = (sum * 31 + orderKey.charCodeAt(at)) % 65_521;
  return sum % scoutOneIn === 0;
}

/** Seconds to the next look at an order that was accepted so long ago. */
export function acceptedGapSeconds(orderKey: string, ageSeconds: number, ends: EndsSeen | undefined): number {
  return !ends || isScout(orderKey, ends) ? plainGapSeconds(ageSeconds) : learntGapSeconds(ageSeconds, ends);
}

function learntGapSeconds(ageSeconds: number, ends: EndsSeen): number {
  const care = careFor.get(ends) ?? careOf(ends);
  careFor.set(ends, care);
  return care === 'plain' ? plainGapSeconds(ageSeconds) : gapSeconds(ageSeconds, ends, care);
}

/** Worked out once for what was read of an endpoint. */
const careFor = new WeakMap<EndsSeen, Care | 'plain'>();

function careOf(ends: EndsSeen): Care | 'plain' {
  const allowed = isGathered(ends) ? ofGathered : ofScattered;
  let before = 0;
  const bucket = ends.counts.findIndex((count) => (before += count) >= endsSeen(ends) * allowed.share);
  const endSeconds = agesSeconds[bucket] ?? longestLearntSeconds;
  const looks = Math.max(2, Math.ceil(allowed.looks * untold(ends)));
  if (looksUntil(endSeconds, plainGapSeconds) <= looks) return 'plain';
  return cares.find((care) => looksUntil(endSeconds, (age) => gapSeconds(age, ends, care)) <= looks) ?? thinnest;
}

function isGathered(ends: EndsSeen): boolean {
  const { counts, calledBack } = ends;
  const within = (first: number) => endsSeen({ counts: counts.slice(first, first + gatheredBuckets), calledBack });
  return counts.some((_, first) => within(first) >= endsSeen(ends) * gatheredShare);
}

function looksUntil(endSeconds: number, gapAfter: typeof plainGapSeconds): number {
  let looks = 0;
  for (let age = 0; age < endSeconds; age += gapAfter(age)) looks += 1;
  return looks;
}

/** The share of ends that a look has to find, as no callback tells them. */
const untold = (ends: EndsSeen) => 1 - ends.calledBack / endsSeen(ends);

function gapSeconds(ageSeconds: number, ends: EndsSeen, care: Care): number {
  const nextSeconds = Math.ceil(likelyAgeSeconds(ageSeconds, ends, care) - ageSeconds);
  return Math.min(Math.max(nextSeconds, plainGapSeconds(ageSeconds)), longestLearntSeconds);
}

/** The earliest age at which a look is worth its while, given that the order has not ended yet. */
function likelyAgeSeconds(ageSeconds: number, ends: EndsSeen, { likelyEnough, ageAtMostTimes }: Care): number {
  const latestSeconds = Math.max(ageSeconds, leastSeconds) * ageAtMostTimes;
  // A look that came a little late has seen the end of its bucket, and not more.
  const first = agesSeconds.findIndex((age) => age > ageSeconds * 1.1);
  if (first < 0) return latestSeconds;
  const masses = agesSeconds.slice(first).map((_, at) => (ends.counts[first + at] ?? 0) + unseenEnds / endBuckets);
  const left = masses.reduce((sum, mass) => sum + mass, 0) / untold(ends);
  let found = 0;
  for (const [at, mass] of masses.entries()) {
    found += mass;
    const age = agesSeconds[first + at] ?? latestSeconds;
    if (age >= latestSeconds) break;
    if (found / left >= likelyEnough) return age;
  }
  return latestSeconds;
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
