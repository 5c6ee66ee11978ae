// The meaning of an order's facts: its status, whether it may be sent, and the end that its result names. Pure, and without
// clock, profile or configuration, so that two workers, two versions and two clocks conclude alike. A change that time or a
// contract brings is first written as a fact (next.ts).
import {
  type Attempt,
  attemptsAtMost,
  attemptsOf,
  awaitsLook,
  beyondIds,
  idAt,
  isConfirmed,
  type Decision,
  decisionsAtMost,
  type End,
  type Facts,
  isDenied,
  isNamed,
  isNewsSince,
  isSeenIn,
  isSaidPlace,
  reportsPaid,
  signOfLife,
  unattributedLiving,
  unattributedPaid,
  unattributedSign,
} from './facts.ts';

/** Why an order is held: it waits for a person. */
export type HoldReason =
  /** Nobody knows whether the gateway has the order, and the time to know is over. */
  | 'unproven'
  /** The gateway knows no such order; the contract leaves the conclusion to a person. */
  | 'not-at-gateway'
  /** Two attempts were heard of: it may be paid twice. */
  | 'several-alive'
  /** The gateway has the order, under a status that proves neither that money moved nor that none did. */
  | 'inconclusive'
  /** The gateway has the order with another amount, and kept to it until the time was over. */
  | 'amount-differs'
  /** Never processed, and its single-use card data is spent: a job with newly sealed data may be sent. */
  | 'card-data'
  /** The order has as many attempts or decisions as it may keep. */
  | 'too-many';

/** The status of an order, concluded from its facts. */
export type Status =
  /** Nothing was sent yet. */
  | { readonly kind: 'new' }
  /** An attempt is under its lease, or a refusal waits for its look: nothing to publish yet. */
  | { readonly kind: 'submitting'; readonly attempt: Attempt }
  /** Every attempt is proven unprocessed, for reasons that are not the order's: it goes on by itself. */
  | { readonly kind: 'ready'; readonly last: Attempt }
  /** No attempt lives and the order does not go on by itself: its end is to be written. */
  | { readonly kind: 'ending'; readonly reason: EndingReason; readonly last?: Attempt; readonly decision?: Decision }
  | { readonly kind: 'accepted'; readonly attempt: Attempt }
  | { readonly kind: 'approved'; readonly attempt?: Attempt; readonly decision?: Decision }
  | { readonly kind: 'in-doubt'; readonly attempt?: Attempt }
  | { readonly kind: 'held'; readonly reason: HoldReason; readonly attempts: readonly Attempt[] }
  | { readonly kind: 'declined' | 'failed' | 'cancelled'; readonly end: End };

/** The ends that follow from facts alone; the others are a verdict's, a person's or a contract's. */
type EndingReason = 'declined' | 'refused' | 'decided' | 'cancelled';

/** Decisions that no later one has replaced. A decision without its second person's proof decides nothing and replaces none. */
export function decisionsInForce({ decisions, unproven }: Pick<Facts, 'decisions' | 'unproven'>): readonly Decision[] {
  const proven = Object.values(decisions).filter(({ id }) => !unproven.includes(id));
  const replaced = new Set(proven.map(({ replaces }) => replaces));
  return proven.filter(({ id }) => !replaced.has(id));
}

/**
 * True where no money of this attempt can move any more, as far as is known: ended by the gateway, covered by a decision that saw
 * all signs of its life, or never heard of and refused by its own answer or denied by its accounts.
 */
export function isClosed(attempt: Attempt, facts: Facts): boolean {
  if (reportsPaid(attempt)) return false;
  if (coveringDecision(attempt, facts)) return true;
  // Two ids are two transactions, and one report may be about either.
  if (attempt.reports.includes('declined') && attempt.ids.length < 2) return true;
  if (signOfLife(attempt) !== '') return false;
  return (attempt.answer?.kind === 'refused' && !awaitsLook(attempt)) || isDenied(attempt);
}

/** The decision "not paid" that saw all signs of life that the attempt has now. */
function coveringDecision(attempt: Attempt, facts: Facts): Decision | undefined {
  const sign = signOfLife(attempt);
  return decisionsInForce(facts).find(({ kind, saw }) => kind === 'not-paid' && saw[attempt.id] === sign);
}

/** The attempts of which money may have moved. */
export const livingAttempts = (facts: Facts): readonly Attempt[] =>
  attemptsOf(facts).filter((attempt) => !isClosed(attempt, facts));

/** The gateway's ids under which money moved, as it reported; '' for one without. */
export const idsPaid = (facts: Facts): readonly string[] => [
  ...attemptsOf(facts).flatMap((it) => (reportsPaid(it) ? [it.ids[0] ?? ''] : [])),
  ...unattributedPaid(facts).map(([id]) => (isNamed(id) ? idAt(id) : '')),
];

/**
 * The gateway's ids of which money may have moved and that belong to no attempt known here, as far as no person has covered them: one that was
 * paid is covered by nobody.
 */
export const idsAlive = (facts: Facts): readonly string[] => aliveUnattributed(facts).map(([id]) => id);

function aliveUnattributed(facts: Facts) {
  const decisions = decisionsInForce(facts).filter(({ kind }) => kind === 'not-paid');
  return unattributedLiving(facts).filter((entry) => {
    const [id, heard] = entry;
    const isCoverable = id !== beyondIds && !reportsPaid(heard);
    return !(isCoverable && decisions.some(({ sawUnattributed }) => isSeenIn(sawUnattributed, entry)));
  });
}

/**
 * The end of the order's last attempts, which opens by its name. An end that was concluded from fewer facts names nothing: a
 * sign of life or another attempt has outdated it.
 */
export function endInForce(facts: Facts): End | undefined {
  const end = Object.values(facts.ends).reduce<End | undefined>(
    (last, it) => (!last || it.number > last.number || (it.number === last.number && it.id > last.id) ? it : last),
    undefined,
  );
  if (!end || end.sawUnattributed !== unattributedSign(facts)) return undefined;
  const isOutdated = attemptsOf(facts).some(
    (attempt) => attempt.number > end.number || (end.saw[attempt.id] ?? '') !== signOfLife(attempt),
  );
  return isOutdated || livingAttempts(facts).length > 0 || idsAlive(facts).length > 0 ? undefined : end;
}

/**
 * The attempts since the order was last opened by name, and those that the opened end did not know as they are now: what it was concluded from
 * does not keep the order from going on.
 */
function seriesOf(attempts: readonly Attempt[], { ends }: Facts): readonly Attempt[] {
  const opened = attempts.at(-1)?.reopens;
  const saw = opened === undefined ? undefined : ends[opened]?.saw;
  return attempts.filter((it) => it.reopens === opened || (saw && saw[it.id] !== signOfLife(it)));
}

/** The status of an order. */
export function fold(facts: Facts): Status {
  const attempts = attemptsOf(facts);
  const living = livingAttempts(facts);
  const heard = living.filter((it) => signOfLife(it) !== '');
  const alive = aliveUnattributed(facts);
  const unattributed = alive.length > 0;
  const counted = alive.filter(([place]) => !isSaidPlace(place));
  // A report without an id may be about any of the others.
  const others = Math.max(counted.filter(([id]) => isNamed(id)).length, counted.length > 0 ? 1 : 0);
  const paid = attempts.find(reportsPaid);
  // Two ids are two transactions.
  const known = heard.reduce((sum, { ids }) => sum + Math.max(1, Math.min(ids.length, 2)), 0);
  if (known + others > 1) {
    const decision = paidAsSeen(heard, facts);
    if (!decision) return { kind: 'held', reason: 'several-alive', attempts: heard };
    return { kind: 'approved', ...(paid && { attempt: paid }), decision };
  }
  if (paid || unattributedPaid(facts).length > 0) return { kind: 'approved', ...(paid && { attempt: paid }) };
  const decisions = decisionsInForce(facts);
  const decidedPaid = decisions.find(({ kind }) => kind === 'paid');
  if (decidedPaid) return { kind: 'approved', decision: decidedPaid };
  if (heard[0] && isConfirmed(heard[0])) return ofHeard(heard[0]);
  if (unattributed || living.length > 0) return inDoubt(living);
  const end = endInForce(facts);
  const cancelled = decisions.find(({ kind }) => kind === 'cancel');
  if (cancelled && end?.reason !== 'cancelled') return { kind: 'ending', reason: 'cancelled', decision: cancelled };
  return end ? { kind: kindOf(end), end } : withoutEnd(facts, attempts);
}

/** The decision "paid" that saw all signs of life that these attempts have now, and all that belongs to none. */
function paidAsSeen(heard: readonly Attempt[], facts: Facts): Decision | undefined {
  const sign = unattributedSign(facts);
  return decisionsInForce(facts).find(
    ({ kind, saw, sawUnattributed }) =>
      kind === 'paid' && sawUnattributed === sign && heard.every((it) => saw[it.id] === signOfLife(it)),
  );
}

function ofHeard(attempt: Attempt): Status {
  if (attempt.unclear) return { kind: 'held', reason: 'inconclusive', attempts: [attempt] };
  if (attempt.overdue && attempt.amounts.length > 0)
    return { kind: 'held', reason: 'amount-differs', attempts: [attempt] };
  return { kind: 'accepted', attempt };
}

/** True where the last refusal proves nothing before the gateway was asked about it: nothing is sent until then. */
export function waitsForLook(facts: Facts): boolean {
  const status = fold(facts);
  return status.kind === 'submitting' && status.attempt.answer !== undefined;
}

function inDoubt(living: readonly Attempt[]): Status {
  // Reports of no attempt, while none lives, cause no inquiry: a person must know of them.
  if (!living[0] || living.some(({ overdue }) => overdue))
    return { kind: 'held', reason: 'unproven', attempts: living };
  const open = living.find((it) => it.lapsed || it.lost || signOfLife(it) !== '');
  if (open) return { kind: 'in-doubt', attempt: open };
  return { kind: 'submitting', attempt: living[0] };
}

function kindOf({ reason }: End): 'declined' | 'failed' | 'cancelled' {
  if (reason === 'cancelled') return 'cancelled';
  return reason === 'declined' ? 'declined' : 'failed';
}

/** The status without a living attempt and an end in force: the order is denied, is to be ended, or goes on. */
function withoutEnd(facts: Facts, attempts: readonly Attempt[]): Status {
  const last = attempts.at(-1);
  if (!last) return withoutAttempt(facts);
  const series = seriesOf(attempts, facts);
  const doubted = series.filter((it) => it.lapsed ?? it.overdue ?? it.lost);
  const denied = doubted.filter((it) => isClosedByDenialAlone(it, facts));
  if (denied.length > 0) return { kind: 'held', reason: 'not-at-gateway', attempts: denied };
  const decision = coveringDecision(last, facts);
  if (decision) return { kind: 'ending', reason: 'decided', last, decision };
  if (isRefusedOrder(last)) return { kind: 'ending', reason: 'declined', last };
  // An order that was in doubt or heard of is sent again only by its name, whatever has closed it since.
  const known = series.filter((it) => doubted.includes(it) || signOfLife(it) !== '');
  if (known.length > 0) return endingOf(known, last, facts);
  return goesOn(last, attempts, facts);
}

/** Reports of an order that nobody sent from here are for a person, whose decision ends it. */
function withoutAttempt(facts: Facts): Status {
  const decision = decisionsInForce(facts).find(({ kind }) => kind === 'not-paid');
  if (decision) return { kind: 'ending', reason: 'decided', decision };
  // A decision by one person alone, where two had to decide, is no reason to send the order.
  if (facts.unproven.length > 0) return { kind: 'held', reason: 'unproven', attempts: [] };
  return wasEnded(facts) ? { kind: 'ending', reason: 'refused' } : { kind: 'new' };
}

/** True where an end was written after this attempt, in force or not: then the order never goes on without a name. */
const wasEnded = ({ ends }: Facts, last?: Attempt): boolean =>
  Object.values(ends).some(({ number }) => !last || number > last.number);

/**
 * True where an end was written after this attempt, or more was reported since of what belonged to no attempt then, whatever has closed or
 * explained it: the order was held for that, and never goes on without a name.
 */
const needsName = (facts: Facts, last: Attempt): boolean =>
  wasEnded(facts, last) || Object.entries(facts.unattributed).some((entry) => isNewsSince(last.foreign ?? [], entry));

function isClosedByDenialAlone(attempt: Attempt, facts: Facts): boolean {
  const isProven = attempt.answer?.kind === 'refused' || attempt.reports.includes('declined');
  return !isProven && !coveringDecision(attempt, facts) && isDenied(attempt);
}

function endingOf(known: readonly Attempt[], last: Attempt, facts: Facts): Status {
  const declined = known.findLast(isRefusedOrder);
  if (declined) return { kind: 'ending', reason: 'declined', last: declined };
  const decision = known.map((it) => coveringDecision(it, facts)).find((it) => it !== undefined);
  return decision
    ? { kind: 'ending', reason: 'decided', last, decision }
    : { kind: 'ending', reason: 'refused', last: known.at(-1) ?? last };
}

function goesOn(last: Attempt, attempts: readonly Attempt[], facts: Facts): Status {
  if (needsName(facts, last)) return { kind: 'ending', reason: 'refused', last };
  if (last.cardKeyId !== undefined) return { kind: 'held', reason: 'card-data', attempts: [last] };
  const { decisions } = facts;
  return attempts.length >= attemptsAtMost || Object.keys(decisions).length >= decisionsAtMost
    ? { kind: 'held', reason: 'too-many', attempts: [last] }
    : { kind: 'ready', last };
}

/** True where the refusal is about the order itself, or the gateway declined it. */
const isRefusedOrder = ({ answer, reports }: Attempt): boolean =>
  reports.includes('declined') || (answer?.kind === 'refused' && answer.about === 'order');

/** The parts of a job that decide whether it may be sent. */
interface Ask {
  /** The end that the job's sender wants opened, by its name. */
  readonly resends?: string;
  /** The key of the single-use card data that the job bears. */
  readonly cardKeyId?: string;
}

/** Whether a claim may add an attempt. */
type MaySend =
  | { readonly kind: 'yes'; readonly reopens?: string }
  | { readonly kind: 'no'; readonly because: 'status' | 'name' };

/**
 * Whether an order may be sent once more. The order goes on by itself only after refusals that are not about it; after an end
 * only for a job that names this very end.
 */
export function maySend(facts: Facts, { resends, cardKeyId }: Ask): MaySend {
  const status = fold(facts);
  const attempts = attemptsOf(facts);
  const kept = attempts.length < attemptsAtMost && Object.keys(facts.decisions).length < decisionsAtMost;
  if (!kept) return { kind: 'no', because: 'status' };
  switch (status.kind) {
    case 'new':
      return resends === undefined ? { kind: 'yes' } : { kind: 'no', because: 'name' };
    case 'ready': {
      const { reopens } = status.last;
      if (resends !== undefined && resends !== reopens) return { kind: 'no', because: 'name' };
      return { kind: 'yes', ...(reopens !== undefined && { reopens }) };
    }
    case 'declined':
    case 'failed':
      return resends === status.end.id ? { kind: 'yes', reopens: resends } : { kind: 'no', because: 'name' };
    case 'held': {
      const isNew = cardKeyId !== undefined && !attempts.some((it) => it.cardKeyId === cardKeyId);
      const { reopens } = attempts.at(-1) ?? {};
      if (status.reason !== 'card-data' || !isNew) return { kind: 'no', because: 'status' };
      if (resends !== undefined && resends !== reopens) return { kind: 'no', because: 'name' };
      return { kind: 'yes', ...(reopens !== undefined && { reopens }) };
    }
    case 'submitting':
    case 'ending':
    case 'accepted':
    case 'approved':
    case 'in-doubt':
    case 'cancelled':
      return { kind: 'no', because: 'status' };
    default:
      return status satisfies never;
  }
}
