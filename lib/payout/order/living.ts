// Whether an attempt may still pay. Three notions, each a part of the next; no other code asks. *Proven nowhere*: it blocks nothing.
// *Nowhere*, also by a refusal that is only believed: it blocks every report but "paid". *Closed*, also ended by the gateway or by a
// person: it blocks every report, but no claim.
import { type Attempt, attemptsOf, type Facts, isPaid, isUnsent, sentOf } from './facts.ts';
import { covering, heardOf, signOf } from './signs.ts';

/**
 * A refusal that a gateway may have sent although it took the order: about account or pace, over a connection. It proves nothing until the
 * account was asked since, where it can be.
 */
export const awaitsInquiry = ({ answer, askable, absent }: Attempt): boolean =>
  answer?.kind === 'refused' &&
  answer.about !== 'order' &&
  answer.connected &&
  askable &&
  !Object.values(absent).some(({ sinceRefusal }) => sinceRefusal);

/** True where every account that it may have been sent to has denied it. */
export const isDenied = ({ accounts, absent }: Attempt): boolean =>
  accounts.length > 0 && accounts.every((account) => absent[account]?.denies);

/** The gateway never had it: refused by its own answer or denied by every account, and never heard of. */
export const isNowhere = (it: Attempt, facts: Facts): boolean =>
  signOf(it, facts) === '' && ((it.answer?.kind === 'refused' && !awaitsInquiry(it)) || isDenied(it));

/**
 * More than its own word for it: no byte left, or the account, asked since, knew none. A denial is no such proof: an account that shows an
 * attempt late, and then names it, would have another one ended by it.
 */
export const isProvenNowhere = (it: Attempt, facts: Facts): boolean =>
  isNowhere(it, facts) && (isUnsent(it) || Object.values(it.absent).some(({ sinceRefusal }) => sinceRefusal));

/** No money of it can move any more. */
export function isClosed(it: Attempt, facts: Facts): boolean {
  const { reports } = heardOf(it, facts);
  if (isPaid({ reports })) return false;
  if (isNowhere(it, facts) || covering(facts, it.id, signOf(it, facts), 'not-paid')) return true;
  // Two identities are two transactions, and one report may be about either.
  if (it.ids.length > 1) return false;
  return reports.includes('declined') || isOnlyFiltered(it, facts);
}

/** True where a report may be about an attempt whose record is gone. */
export const mayHideAttempts = ({ dropped }: Pick<Facts, 'dropped'>): boolean =>
  dropped.believed > 0 || dropped.lost === true;

/** A filter takes a payment for the double of another: where no other was ever sent, it is declined. */
export const isOnlyFiltered = (it: Attempt, facts: Facts): boolean =>
  heardOf(it, facts).reports.includes('filtered') &&
  it.ids.length < 2 &&
  !mayHideAttempts(facts) &&
  sentOf(facts).every((other) => other.id === it.id);

/** The attempts of which money may have moved. */
export const livingAttempts = (facts: Facts): readonly Attempt[] =>
  attemptsOf(facts).filter((attempt) => !isClosed(attempt, facts));
