// Joins two records of an order's facts: associative, commutative, idempotent. What a bound leaves out does not depend on which record came
// first.
import {
  type Absence,
  type Answer,
  type Attempt,
  atMost,
  type Facts,
  type TransactionReports,
  isBeyond,
  unknownAt,
  type Reversal,
  type Unknown,
} from './facts.ts';
import { reportLevels } from './fact-schemas.ts';
import { whereSet } from '../where-set.ts';

const least = <T extends string>(a: readonly T[], b: readonly T[], most: number): readonly T[] =>
  [...new Set([...a, ...b])].toSorted().slice(0, most);

/** One of the two, independent of their order. */
const greater = <T>(a: T, b: T): T => (JSON.stringify(a) >= JSON.stringify(b) ? a : b);

const either = <T>(a: T | undefined, b: T | undefined, join: (a: T, b: T) => T = greater): T | undefined =>
  a === undefined || b === undefined ? (a ?? b) : join(a, b);

function joinMaps<T>(
  a: Readonly<Record<string, T>>,
  b: Readonly<Record<string, T>>,
  join: (a: T, b: T) => T,
): Readonly<Record<string, T>> {
  const joined: Record<string, T> = { ...a };
  for (const [key, it] of Object.entries(b)) {
    const before = Object.hasOwn(joined, key) ? joined[key] : undefined;
    joined[key] = before === undefined ? it : join(before, it);
  }
  return joined;
}

function joinAnswers(a: Answer, b: Answer): Answer {
  if (a.kind !== b.kind) return a.kind === 'taken' ? a : b;
  if (a.kind === 'taken' || b.kind === 'taken') return greater(a, b);
  const connected = a.connected || b.connected;
  return greater({ ...a, connected }, { ...b, connected });
}

/** The latest: a reversal is under way before it is done, and a partial one goes further. */
const later = (a: Reversal, b: Reversal): Reversal => (a.atMs === b.atMs ? greater(a, b) : a.atMs > b.atMs ? a : b);

/** What was heard under two names of one transaction. */
export const joinHeard = (a: TransactionReports, b: TransactionReports): TransactionReports =>
  whereSet<TransactionReports>({
    reports: reportLevels.filter((level) => a.reports.includes(level) || b.reports.includes(level)),
    amounts: least(a.amounts, b.amounts, atMost.names),
    approvedAtMs: either(a.approvedAtMs, b.approvedAtMs, Math.min),
    reversal: either(a.reversal, b.reversal, later),
  });

const joinAbsences = (a: Absence, b: Absence): Absence =>
  whereSet<Absence>({
    firstMs: either(a.firstMs, b.firstMs, Math.min),
    lastMs: either(a.lastMs, b.lastMs, Math.max),
    sinceRefusal: a.sinceRefusal ?? b.sinceRefusal,
    denies: a.denies ?? b.denies,
  });

const joinAttempts = (a: Attempt, b: Attempt): Attempt =>
  whereSet<Attempt>({
    ...b,
    ...a,
    ...joinHeard(a, b),
    number: Math.max(a.number, b.number),
    answer: either(a.answer, b.answer, joinAnswers),
    ids: least(a.ids, b.ids, atMost.names),
    aliases: least(a.aliases, b.aliases, atMost.names),
    lapsed: either(a.lapsed, b.lapsed),
    lapsedAtMs: either(a.lapsedAtMs, b.lapsedAtMs, Math.min),
    declined: either(a.declined, b.declined),
    unclear: either(a.unclear, b.unclear),
    overdue: a.overdue ?? b.overdue,
    overdueAtMs: either(a.overdueAtMs, b.overdueAtMs, Math.min),
    absent: joinMaps(a.absent, b.absent, joinAbsences),
  });

const joinTwoUnknown = (a: Unknown, b: Unknown): Unknown => ({
  ...a,
  ...joinHeard(a, b),
  since: Math.min(a.since, b.since),
});

/** Transactions beyond those that an order keeps lose their id and nothing else. */
function joinUnknown(a: Facts['unknown'], b: Facts['unknown']): Facts['unknown'] {
  const all = joinMaps(a, b, joinTwoUnknown);
  const isCounted = (it: Unknown) => it.after === undefined && !isBeyond(it);
  const kept = new Set(
    Object.entries(all)
      .filter(([, it]) => isCounted(it))
      .map(([place]) => place)
      .toSorted()
      .slice(0, atMost.unknown),
  );
  return Object.entries(all).reduce<Facts['unknown']>((joined, [place, it]) => {
    const { account: _account, id: _id, ...bare } = it;
    const isKept = !isCounted(it) || kept.has(place);
    return joinMaps(joined, isKept ? { [place]: it } : { [unknownAt(bare)]: bare }, joinTwoUnknown);
  }, {});
}

/** Both records together. Of two counts the larger one stays: a writer that drops attempts has read the item that it writes. */
export const join = (a: Facts, b: Facts): Facts => ({
  attempts: joinMaps(a.attempts, b.attempts, joinAttempts),
  unknown: joinUnknown(a.unknown, b.unknown),
  decisions: joinMaps(a.decisions, b.decisions, greater),
  unproven: least(a.unproven, b.unproven, atMost.decisions),
  ends: joinMaps(a.ends, b.ends, greater),
  stoppedAt: Math.max(a.stoppedAt, b.stoppedAt),
  dropped: {
    believed: Math.max(a.dropped.believed, b.dropped.believed),
    proven: Math.max(a.dropped.proven, b.dropped.proven),
    ...((a.dropped.lost ?? b.dropped.lost) && { lost: true as const }),
  },
  surprises: least(a.surprises, b.surprises, atMost.surprises),
});
