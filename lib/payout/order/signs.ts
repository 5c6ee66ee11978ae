// Signs of life: by what the gateway shows that it has an attempt, or a transaction under the order's id that no attempt bears. A sign
// outweighs every refusal, every denial, and every decision that did not see it. One map of signs is what a person was shown.
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

/** True if the account names the attempt so. A lost attempt whose accounts are unknown is told by its name alone. */
export function bears({ accounts, ids, aliases }: Attempt, account: string | undefined, name: string): boolean {
  const isThere = account === undefined || accounts.length === 0 || accounts.includes(account);
  return isThere && (ids.includes(name) || aliases.includes(name));
}

const isNamedBy = (it: Attempt, { account, id }: Unknown): boolean => id !== undefined && bears(it, account, id);

/** Everything that was heard of the attempt, also before it was known to bear the id. */
export const heardOf = (it: Attempt, { unknown }: Pick<Facts, 'unknown'>): TransactionReports =>
  Object.values(unknown).reduce<TransactionReports>(
    (all, more) => (isNamedBy(it, more) ? joinHeard(all, more) : all),
    it,
  );

/** Empty while the gateway was never heard of the attempt. */
export function signOf(it: Attempt, facts: Pick<Facts, 'unknown'>): string {
  const { reports, amounts } = heardOf(it, facts);
  const parts = [it.answer?.kind === 'taken' ? ['taken'] : [], it.ids, it.aliases, reports, amounts];
  return parts.every((part) => part.length === 0) ? '' : parts.map((part) => part.join(',')).join('|');
}

/**
 * True where the gateway itself says that it has the attempt. An id in an answer that proves nothing is a sign of life, and no
 * acceptance.
 */
export const isConfirmed = (it: Attempt, facts: Pick<Facts, 'unknown'>): boolean =>
  it.answer?.kind === 'taken' || heardOf(it, facts).reports.length > 0;

/** Transactions under the order's id that no attempt bears. */
export const unexplained = ({ attempts, unknown }: Pick<Facts, 'attempts' | 'unknown'>): readonly Unknown[] =>
  Object.values(unknown).filter((it) => !Object.values(attempts).some((attempt) => isNamedBy(attempt, it)));

/**
 * Those of them that the gateway has not ended unpaid. A decline ends the transaction that it names; one without an id, or of those beyond
 * the kept, may be about another.
 */
export const unknownAlive = (facts: Pick<Facts, 'attempts' | 'unknown'>): readonly Unknown[] =>
  unexplained(facts).filter((it) => isPaid(it) || !isEnded(it));

function isEnded(it: Unknown): boolean {
  if (it.reports.every((level) => level === 'declined')) return true;
  return it.reports.includes('declined') && it.id !== undefined;
}

const signOfUnknown = ({ reports, amounts }: Unknown): string => `${reports.join(',')}|${amounts.join(',')}`;

/** What is seen now. A decline of some transaction is no sign that one lives. */
export const signsOf = (facts: Pick<Facts, 'attempts' | 'unknown'>): Signs =>
  Object.fromEntries([
    ...attemptsOf(facts).map((it) => [it.id, signOf(it, facts)]),
    ...unexplained(facts)
      .filter((it) => it.reports.some((level) => level !== 'declined'))
      .map((it) => [unknownAt(it), signOfUnknown(it)]),
  ]);

/** A dropped attempt is as one that was never heard of. */
export const isSame = (a: Signs, b: Signs): boolean =>
  [...Object.keys(a), ...Object.keys(b)].every((name) => (a[name] ?? '') === (b[name] ?? ''));

/** Decisions that count: one without its second person's proof decides nothing. */
export const decisionsIn = ({ decisions, unproven }: Pick<Facts, 'decisions' | 'unproven'>): readonly Decision[] =>
  Object.values(decisions).filter(({ id }) => !unproven.includes(id));

/** The decision of this kind that saw this very sign. What a person has seen beyond what an order keeps is unknown. */
export const covering = (
  facts: Facts,
  name: string,
  sign: string | undefined,
  kind: Decision['kind'],
): Decision | undefined =>
  sign === undefined ? undefined : decisionsIn(facts).find((it) => it.kind === kind && it.saw[name] === sign);

/** Unknown transactions that live, as far as no person has covered them: a paid one is never covered. */
export const strangersOf = (facts: Facts): readonly Unknown[] =>
  unknownAlive(facts).filter(
    (it) => isPaid(it) || isBeyond(it) || !covering(facts, unknownAt(it), signOfUnknown(it), 'not-paid'),
  );
