// The meaning of an order's facts: its status, and whether it may be sent. Pure, and without clock, profile or configuration, so that two
// workers, two versions and two clocks conclude alike. What time or a contract changes is first written as a fact (time.ts).
import {
  type Attempt,
  atMost,
  attemptsOf,
  type Decision,
  type End,
  type Facts,
  byVersion,
  isPaid,
  unknownAt,
  sentOf,
} from './facts.ts';
import { awaitsInquiry, isDenied, livingAttempts } from './living.ts';
import {
  covering,
  decisionsIn,
  heardOf,
  isConfirmed,
  isSame,
  signOf,
  signsOf,
  strangersOf,
  unexplained,
} from './signs.ts';
import type { EndReason, HoldReason } from './standing.ts';

/** The status of an order, concluded from its facts. */
export type Status =
  /** Nothing was sent yet. */
  | { readonly kind: 'new' }
  /** An attempt is under its lease. */
  | { readonly kind: 'sending'; readonly attempt: Attempt }
  /** Refused over a connection; this proves nothing until the account was asked afterwards. */
  | { readonly kind: 'verifying'; readonly attempt: Attempt }
  /** Every attempt is proven unprocessed, for reasons that are not about the order: the worker sends it again by itself. */
  | { readonly kind: 'ready'; readonly attempt: Attempt }
  | { readonly kind: 'accepted'; readonly attempt: Attempt }
  | { readonly kind: 'approved'; readonly attempt?: Attempt; readonly decision?: Decision }
  | { readonly kind: 'in-doubt'; readonly attempt: Attempt }
  | { readonly kind: 'held'; readonly reason: HoldReason; readonly attempts: readonly Attempt[] }
  /** No attempt lives and the order does not go on by itself. Without an end, the next writer writes one. */
  | Over;

interface Over {
  readonly kind: 'over';
  readonly reason: EndReason;
  readonly end?: End;
}

const held = (reason: HoldReason, attempts: readonly Attempt[] = []): Status => ({ kind: 'held', reason, attempts });
const over = (reason: EndReason, end?: End): Status => ({ kind: 'over', reason, end });

const concluded = new WeakMap<Facts, Status>();

/** The status of an order; concluded once per record. */
export function fold(facts: Facts): Status {
  const known = concluded.get(facts);
  if (known) return known;
  const status = conclude(facts);
  concluded.set(facts, status);
  return status;
}

function conclude(facts: Facts): Status {
  const signs = signsOf(facts);
  const living = livingAttempts(facts);
  const heard = living.filter((it) => signs[it.id] !== '');
  const strangers = strangersOf(facts);
  const several = [
    // Two identities are two transactions.
    ...heard.flatMap(({ id, ids }) => (ids.length > 1 ? [id, id] : [id])),
    ...strangers.filter(({ after }) => after === undefined).map((it) => unknownAt(it)),
  ];
  if (several.length > 1) {
    const decision = decisionsIn(facts).find(
      ({ kind, saw }) => kind === 'paid' && several.every((name) => saw[name] === signs[name]),
    );
    return decision ? approved(facts, decision) : held('several', heard);
  }
  const decision = decisionsIn(facts).find(({ kind }) => kind === 'paid');
  if (decision || paidOf(facts)) return approved(facts, decision);
  const [known] = heard;
  // While an attempt can be asked about, the answer may explain the unknown transaction.
  const isAsked = living.some(({ askable, overdue }) => askable && !overdue) && !strangers.some(isPaid);
  if (strangers.length > 0 && !known && !isAsked) return held('unknown-transaction', living);
  if (known && isConfirmed(known, facts)) return accepted(known, facts);
  if (living.some(({ overdue }) => overdue)) return held('unproven', living);
  const dubious = living.find((it) => it.lapsed !== undefined || it.lost === true || signs[it.id] !== '');
  if (dubious) return { kind: 'in-doubt', attempt: dubious };
  const [open] = living;
  if (open) return { kind: awaitsInquiry(open) ? 'verifying' : 'sending', attempt: open };
  return withoutLiving(facts);
}

/** True if a person cancelled the order or called its batch off, which is for good. */
export function isCancelled(facts: Facts): boolean {
  const status = fold(facts);
  return status.kind === 'over' && status.reason === 'cancelled';
}

const paidOf = (facts: Facts): Attempt | undefined => attemptsOf(facts).find((it) => isPaid(heardOf(it, facts)));

const approved = (facts: Facts, decision: Decision | undefined): Status => ({
  kind: 'approved',
  attempt: paidOf(facts),
  decision,
});

function accepted(attempt: Attempt, facts: Facts): Status {
  const { reports, amounts } = heardOf(attempt, facts);
  if (attempt.unclear || reports.includes('filtered')) return held('inconclusive', [attempt]);
  const hasUnclearDecline = unexplained(facts).some((it) => it.reports.includes('declined'));
  if (!attempt.askable && hasUnclearDecline) return held('unclear-decline', [attempt]);
  if (attempt.overdue && attempt.askable) return held(amounts.length > 0 ? 'amount-differs' : 'no-end', [attempt]);
  return { kind: 'accepted', attempt };
}

function withoutLiving(facts: Facts): Status {
  const signs = signsOf(facts);
  const attempts = attemptsOf(facts);
  const last = attempts.at(-1);
  const end = byVersion(facts.ends).at(-1);
  // Cancelling is for good, also by a call-off of the batch.
  const calledOff = byVersion(facts.ends).findLast(({ reason }) => reason === 'cancelled');
  if (calledOff || decisionsIn(facts).some(({ kind }) => kind === 'cancel')) return over('cancelled', calledOff);
  if (end && (last?.number ?? 0) <= end.number && isSame(end.saw, signs)) return over(end.reason, end);
  if (!last) return withoutAttempt(facts);
  // At the bound no end comes by itself: a person cancels.
  if (sentOf(facts).length >= atMost.attempts) return held('too-many', [last]);
  const denied = attempts.filter(
    (it) => isClosedByDenial(it, facts) && !wasKnownTo(facts.ends[last.reopens ?? ''], it),
  );
  if (denied.length > 0) return held('not-at-gateway', denied);
  if (covering(facts, last.id, signs[last.id], 'not-paid')) return over('decided');
  if (isRefusedOrder(last, facts)) return over('declined');
  // Judged before `stoppedAt`: a hold raises it too, and must not read as an end.
  if (last.cardKeyId !== undefined) return held('card-data', [last]);
  return last.number <= facts.stoppedAt ? over('refused') : { kind: 'ready', attempt: last };
}

/** True if only the account's denial says that the attempt moved no money. */
const isClosedByDenial = (attempt: Attempt, facts: Facts): boolean =>
  isDenied(attempt) &&
  attempt.answer?.kind !== 'refused' &&
  !isRefusedOrder(attempt, facts) &&
  !covering(facts, attempt.id, signOf(attempt, facts), 'not-paid');

/** True if this end, which was opened by name, was concluded from the attempt too. */
const wasKnownTo = (end: End | undefined, { id }: Attempt): boolean => end !== undefined && id in end.saw;

/** An order without attempts. What callbacks reported of it ends only by a decision. */
function withoutAttempt(facts: Facts): Status {
  if (facts.stoppedAt === 0) return { kind: 'new' };
  // A decision that lacks its second person must not open the order.
  if (facts.unproven.length > 0) return held('unproven');
  return over(decisionsIn(facts).length > 0 ? 'decided' : 'refused');
}

/** True if the refusal is about the order itself, or if the gateway declined the attempt. */
const isRefusedOrder = (attempt: Attempt, facts: Facts): boolean =>
  (attempt.answer?.kind === 'refused' && attempt.answer.about === 'order') ||
  heardOf(attempt, facts).reports.some((level) => level === 'declined' || level === 'filtered');

/** The parts of a job that decide whether it may be sent. */
interface Wish {
  /** The id of the end that the job's sender wants to open. */
  readonly resends?: string;
  /** The key of the job's single-use card data. */
  readonly cardKeyId?: string;
}

/**
 * Whether a claim may add an attempt, and the end that it opens; undefined if it may not. The order goes on by itself only after refusals
 * that are not about it. Only its id opens an end. Only newly sealed card data replaces spent card data.
 */
export function maySend(facts: Facts, { resends, cardKeyId }: Wish = {}): Pick<Attempt, 'reopens'> | undefined {
  const sent = sentOf(facts);
  const isSpent = cardKeyId !== undefined && attemptsOf(facts).some((it) => it.cardKeyId === cardKeyId);
  if (isSpent || sent.length >= atMost.attempts) return undefined;
  const status = fold(facts);
  const { reopens } = attemptsOf(facts).at(-1) ?? {};
  const goesOn = resends === undefined || resends === reopens;
  switch (status.kind) {
    case 'new':
      return resends === undefined ? {} : undefined;
    case 'ready':
      return goesOn ? opening(reopens) : undefined;
    case 'held':
      return status.reason === 'card-data' && cardKeyId !== undefined && goesOn ? opening(reopens) : undefined;
    case 'over':
      return status.reason !== 'cancelled' && status.end && status.end.id === resends ? opening(resends) : undefined;
    case 'sending':
    case 'verifying':
    case 'accepted':
    case 'approved':
    case 'in-doubt':
      return undefined;
    default:
      return status satisfies never;
  }
}

const opening = (reopens: string | undefined): Pick<Attempt, 'reopens'> => (reopens === undefined ? {} : { reopens });
