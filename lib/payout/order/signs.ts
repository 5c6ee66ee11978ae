// Signs of life: anything by which the gateway shows that it has an attempt, or a transaction under the order's id that belongs to no
// attempt. A sign outweighs every refusal, every denial, and every decision that did not see it. The map of signs is what a person was
// shown.
import {
  type Attempt,
  attemptsOf,
  type Decision,
  type Facts,
  type TransactionReports,
  isBeyond,
  isPaid,
  unknownAt,
  type Signs,
  type Unknown,
} from './facts.ts';
import { joinHeard } from './join.ts';

/** True if the account gave the attempt this name. A lost attempt whose accounts are unknown is matched by the name alone. */
export function bears({ accounts, ids, aliases }: Attempt, account: string | undefined, name: string): boolean {
  const isThere = account === undefined || accounts.length === 0 || accounts.includes(account);
  return isThere && (ids.includes(name) || aliases.includes(name));
}

const isNamedBy = (it: Attempt, { account, id }: Unknown): boolean => id !== undefined && bears(it, account, id);

/** Everything that was heard of the attempt, also before its id was known. */
export const heardOf = (attempt: Attempt, { unknown }: Pick<Facts, 'unknown'>): TransactionReports =>
  Object.values(unknown).reduce<TransactionReports>(
    (all, more) => (isNamedBy(attempt, more) ? joinHeard(all, more) : all),
    attempt,
  );

/** The attempt's sign; empty while nothing was heard of it. */
export function signOf(attempt: Attempt, facts: Pick<Facts, 'unknown'>): string {
  const { reports, amounts } = heardOf(attempt, facts);
  const parts = [attempt.answer?.kind === 'taken' ? ['taken'] : [], attempt.ids, attempt.aliases, reports, amounts];
  return parts.every((part) => part.length === 0) ? '' : parts.map((part) => part.join(',')).join('|');
}

/** True if the gateway itself says that it has the attempt. An id in an answer that proves nothing is a sign of life, and no acceptance. */
export const isConfirmed = (attempt: Attempt, facts: Pick<Facts, 'unknown'>): boolean =>
  attempt.answer?.kind === 'taken' || heardOf(attempt, facts).reports.length > 0;

/** Transactions under the order's id that belong to no attempt. */
export const unexplained = ({ attempts, unknown }: Pick<Facts, 'attempts' | 'unknown'>): readonly Unknown[] =>
  Object.values(unknown).filter((it) => !Object.values(attempts).some((attempt) => isNamedBy(attempt, it)));

/**
 * The unexplained transactions that the gateway has not ended unpaid. A record with nothing but declines has ended. Beside other reports a
 * decline counts only if the record has an id: without one it may be about another transaction.
 */
export const unknownAlive = (facts: Pick<Facts, 'attempts' | 'unknown'>): readonly Unknown[] =>
  unexplained(facts).filter((it) => isPaid(it) || !isEnded(it));

function isEnded(transaction: Unknown): boolean {
  if (transaction.reports.every((level) => level === 'declined')) return true;
  return transaction.reports.includes('declined') && transaction.id !== undefined;
}

const signOfUnknown = ({ reports, amounts }: Unknown): string => `${reports.join(',')}|${amounts.join(',')}`;

/** All signs now. A decline alone is no sign that the transaction lives. */
export const signsOf = (facts: Pick<Facts, 'attempts' | 'unknown'>): Signs =>
  Object.fromEntries([
    ...attemptsOf(facts).map((it) => [it.id, signOf(it, facts)]),
    ...unexplained(facts)
      .filter((it) => it.reports.some((level) => level !== 'declined'))
      .map((it) => [unknownAt(it), signOfUnknown(it)]),
  ]);

/** True if both maps show the same. A missing sign counts as an empty one: nothing was ever heard of a dropped attempt. */
export const isSame = (a: Signs, b: Signs): boolean =>
  [...Object.keys(a), ...Object.keys(b)].every((name) => (a[name] ?? '') === (b[name] ?? ''));

/** The decisions that count. One that lacks its second person's proof decides nothing. */
export const decisionsIn = ({ decisions, unproven }: Pick<Facts, 'decisions' | 'unproven'>): readonly Decision[] =>
  Object.values(decisions).filter(({ id }) => !unproven.includes(id));

/** The decision of this kind that saw this very sign. */
export const covering = (
  facts: Facts,
  name: string,
  sign: string | undefined,
  kind: Decision['kind'],
): Decision | undefined =>
  sign === undefined ? undefined : decisionsIn(facts).find((it) => it.kind === kind && it.saw[name] === sign);

/** Living unknown transactions that no decision covers. A paid one is never covered. */
export const strangersOf = (facts: Facts): readonly Unknown[] =>
  unknownAlive(facts).filter(
    (it) => isPaid(it) || isBeyond(it) || !covering(facts, unknownAt(it), signOfUnknown(it), 'not-paid'),
  );
