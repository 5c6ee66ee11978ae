// Whether an attempt may still pay. No other code judges this. Three notions, each a part of the next:
// *Proven nowhere* blocks nothing.
// *Nowhere*, also by a refusal that is only believed, blocks every report but "paid".
// *Closed*, also ended by the gateway or by a person, blocks every report, but no claim.
import { type Attempt, attemptsOf, type Facts, isPaid, isUnsent, sentOf } from './facts.ts';
import { covering, heardOf, signOf } from './signs.ts';

/**
 * True for a refusal that a gateway may have sent although it took the order: about account or pace, over a connection. It proves nothing
 * until the account was asked afterwards, if it can be asked.
 */
export const awaitsInquiry = ({ answer, askable, absent }: Attempt): boolean =>
  answer?.kind === 'refused' &&
  answer.about !== 'order' &&
  answer.connected &&
  askable &&
  !Object.values(absent).some(({ sinceRefusal }) => sinceRefusal);

/** True if every account that it may have been sent to has denied it. */
export const isDenied = ({ accounts, absent }: Attempt): boolean =>
  accounts.length > 0 && accounts.every((account) => absent[account]?.denies);

/** True if the gateway never had it: refused by its own answer or denied by every account, and never heard of. */
export const isNowhere = (attempt: Attempt, facts: Facts): boolean =>
  signOf(attempt, facts) === '' &&
  ((attempt.answer?.kind === 'refused' && !awaitsInquiry(attempt)) || isDenied(attempt));

/**
 * True if more than its own answer proves it: no byte left, or the account was asked afterwards and knew none. A denial is not enough: if
 * an account shows an attempt late, its report would be taken for one about another attempt.
 */
export const isProvenNowhere = (attempt: Attempt, facts: Facts): boolean =>
  isNowhere(attempt, facts) &&
  (isUnsent(attempt) || Object.values(attempt.absent).some(({ sinceRefusal }) => sinceRefusal));

/** True if no money of the attempt can move any more. */
export function isClosed(attempt: Attempt, facts: Facts): boolean {
  const { reports } = heardOf(attempt, facts);
  if (isPaid({ reports })) return false;
  if (isNowhere(attempt, facts) || covering(facts, attempt.id, signOf(attempt, facts), 'not-paid')) return true;
  // Two identities are two transactions, and one report may be about either.
  if (attempt.ids.length > 1) return false;
  return reports.includes('declined') || isOnlyFiltered(attempt, facts);
}

/** True if a report may be about an attempt whose record is gone. */
export const mayHideAttempts = ({ dropped }: Pick<Facts, 'dropped'>): boolean =>
  dropped.believed > 0 || dropped.lost === true;

/**
 * True if a filter declined the only attempt that was ever sent. A filter declines a payment as a duplicate of another: without another one
 * it is a plain decline.
 */
export const isOnlyFiltered = (attempt: Attempt, facts: Facts): boolean =>
  heardOf(attempt, facts).reports.includes('filtered') &&
  attempt.ids.length < 2 &&
  !mayHideAttempts(facts) &&
  sentOf(facts).every((other) => other.id === attempt.id);

/** The attempts of which money may have moved. */
export const livingAttempts = (facts: Facts): readonly Attempt[] =>
  attemptsOf(facts).filter((attempt) => !isClosed(attempt, facts));
