// The rules of an order in the ledger, written a second time, so that a slip in lib/payout/order does not excuse itself: facts
// are added and never taken back, numbers only rise, and one revision has one content. Every write is compared with these rules.
import { isDeepStrictEqual } from 'node:util';
import type { Attempt } from '../../lib/payout/order/facts.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import type { SeenOrder } from './seen.ts';

/** The standing of an order, by which the sums of money are kept. */
export type Standing =
  | 'open'
  | 'accepted'
  | 'approved'
  | 'declined'
  | 'failed'
  | 'doubtful'
  | 'held for card data'
  | 'cancelled';

const standings: Readonly<Record<SeenOrder['state'], Standing>> = {
  new: 'open',
  sending: 'open',
  verifying: 'open',
  ready: 'open',
  over: 'open',
  rejected: 'open',
  accepted: 'accepted',
  approved: 'approved',
  declined: 'declined',
  failed: 'failed',
  'in-doubt': 'doubtful',
  held: 'doubtful',
  cancelled: 'cancelled',
};

/** The sum that an order belongs to. */
export function standingOf({ state, failure }: Pick<SeenOrder, 'state' | 'failure'>): Standing {
  return state === 'held' && failure?.code === 'HELD_CARD_DATA' ? 'held for card data' : standings[state];
}

const names = ['key', 'merchant', 'orderId', 'createdAtMs'] as const;

/**
 * The fault of a write; undefined where there is none. Where the table was restored, revisions jump above all published ones: then
 * only the published results show whether one of them has two contents.
 */
export function faultOfWrite(before: Order | undefined, after: Order, isRestored: boolean): string | undefined {
  if (!before)
    return after.published.revision > 1 && !isRestored ? 'an order began above its first revision' : undefined;
  const changed = names.find((name) => before[name] !== after[name]);
  if (changed) return `the ${changed} of an order changed`;
  if (before.content && !isDeepStrictEqual(askedFor(before.content), after.content && askedFor(after.content)))
    return 'what was asked for changed';
  if (after.version <= before.version && !isUnversioned(before, after))
    return 'an order was written without raising its version';
  return faultOfRevision(before, after, isRestored) ?? faultOfFacts(before.facts, after.facts);
}

/** All but the batch, which is that of the latest claim. */
function askedFor(content: NonNullable<Order['content']>) {
  const { batchId: _, ...asked } = content;
  return asked;
}

/** A due time: the role that writes it may write no version. */
function isUnversioned(before: Order, after: Order): boolean {
  const { dueAtMs: _1, ...known } = before;
  const { dueAtMs: _2, ...knownNow } = after;
  return isDeepStrictEqual(known, knownNow);
}

function faultOfRevision({ published: before }: Order, after: Order, isRestored: boolean): string | undefined {
  const { revision, digest } = after.published;
  if (revision < before.revision) return 'the revision of an order went down';
  if (isRestored) return undefined;
  if (revision > before.revision + 1) return `revision ${before.revision} was followed by ${revision}`;
  return revision === before.revision && digest !== before.digest ? 'a revision got another content' : undefined;
}

function faultOfFacts(before: Order['facts'], after: Order['facts']): string | undefined {
  for (const [id, it] of Object.entries(before.decisions))
    if (!isDeepStrictEqual(after.decisions[id], it)) return 'a decision about an order was changed or lost';
  const ends = Object.values(after.ends);
  for (const it of Object.values(before.ends)) {
    const isFollowed = ends.filter(({ number }) => number > it.number).length >= 2;
    if (!isDeepStrictEqual(after.ends[it.id], it) && !isFollowed) return 'an end of an order was changed or lost';
  }
  const isKept = (list: readonly string[], of: readonly string[]) => list.every((it) => of.includes(it));
  if (after.surprises.length > 8) return 'more than eight words that fit nowhere are kept on an order';
  if (before.surprises.length < 8 && !isKept(before.surprises, after.surprises)) return 'a surprise was wiped out';
  if (after.stoppedAt < before.stoppedAt) return 'the stop of an order was taken back';
  const reportsOf = (it: Order['facts']) => Object.values(it.unknown).flatMap(({ reports }) => reports);
  if (!isKept(reportsOf(before), reportsOf(after))) return 'a report of no attempt was wiped out';
  const gone = Object.values(before.attempts).filter(({ id }) => !after.attempts[id]);
  const dropped = (it: Order['facts']) => it.dropped.believed + it.dropped.proven;
  if (gone.some(mayHaveMovedMoney)) return 'an attempt that may have moved money was dropped';
  if (dropped(after) !== dropped(before) + gone.length) return 'an attempt vanished uncounted';
  for (const attempt of Object.values(before.attempts)) {
    const now = after.attempts[attempt.id];
    const fault = now && faultOfAttempt(attempt, now);
    if (fault) return fault;
  }
  return undefined;
}

const mayHaveMovedMoney = ({ answer, ids, reports, lapsed, lost }: Attempt): boolean =>
  answer?.kind !== 'refused' || ids.length + reports.length > 0 || lapsed !== undefined || lost === true;

const constants = ['number', 'atMs', 'leaseUntilMs', 'lost', 'reopens'] as const;

function faultOfAttempt(before: Attempt, after: Attempt): string | undefined {
  const changed = constants.find((name) => before[name] !== after[name]);
  if (changed) return `the ${changed} of an attempt changed`;
  if (before.answer?.kind === 'taken' && after.answer?.kind !== 'taken') return 'an acceptance was taken back';
  if (before.answer && !after.answer) return 'an answer was wiped out';
  const isLess = (one: readonly string[], other: readonly string[]) =>
    one.length < 4 && one.some((it) => !other.includes(it));
  if (isLess(before.ids, after.ids) || isLess(before.aliases, after.aliases))
    return 'an id of an attempt was wiped out';
  if (before.reports.some((it) => !after.reports.includes(it))) return 'a report of an attempt was wiped out';
  const said = (['lapsed', 'declined', 'unclear', 'reversal', 'overdue'] as const).find(
    (name) => before[name] && !after[name],
  );
  return said && `what is ${said} of an attempt was wiped out`;
}
