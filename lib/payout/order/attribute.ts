// The attempt that a report belongs to (law L4 of the order's laws). A report under an id is about the attempt that has this
// id. Under an unknown id it is taken for the present attempt's only where no other attempt can be meant; otherwise it stays
// the order's own.
import {
  type Attempt,
  attemptsOf,
  type Facts,
  gatewayNamesOf,
  isAt,
  noFacts,
  placeAt,
  placeOfSign,
  type ReportLevel,
  type Reversal,
  type Said,
  unattributedSigns,
} from './facts.ts';

/** The gateway's report of one of its orders. */
export interface Report {
  /** The gateway's id, where it gives one, and other names for it. */
  readonly id?: string;
  readonly alias?: string;
  readonly level: ReportLevel;
  /** Epoch ms at which we learnt of it. */
  readonly atMs: number;
  /** Amount and currency that are not the order's. */
  readonly amount?: string;
  /** The account that was asked, or that signed the callback. */
  readonly account: string;
  /** Why it was declined. */
  readonly declined?: Said;
  /** The reason of a status that proves neither that money moved nor that none did. */
  readonly unclear?: Said;
  /** The transaction that undid the payment later, or a part of it. */
  readonly reversal?: Reversal;
}

/** The facts that the report adds, judged by what the order holds now; `mayHaveLost`: attempts of it may be missing. */
export function factsOfReport(facts: Facts, report: Report, mayHaveLost = false): Facts {
  const { id, alias, level, atMs, amount, declined, unclear, reversal } = report;
  const attempt = attemptOf(facts, report, mayHaveLost);
  const place = placeOf(facts, report);
  const ids = id === undefined ? [] : [id];
  const approved = (level === 'approved' || level === 'reversed') && { approvedAtMs: atMs };
  const known = attempt ?? facts.unattributed[place];
  const heard = {
    reports: [level],
    ...approved,
    ...(amount !== undefined && { amounts: [amount] }),
    ...(reversal && !isSaid(reversal, known?.reversal) && { reversal }),
  };
  if (!attempt) return { ...noFacts, unattributed: { [place]: heard } };
  const added: Attempt = {
    ...attempt,
    // Another name is no identity.
    ids: id !== undefined && attempt.aliases.includes(id) ? [] : ids,
    aliases: alias === undefined ? [] : [alias],
    amounts: [],
    ...heard,
    ...(declined && { declined }),
    ...(unclear && { unclear }),
  };
  return { ...noFacts, attempts: { [attempt.id]: added } };
}

/** The account's place of the id. What was called back before anything was sent names no account, and is the same. */
const placeOf = ({ unattributed }: Facts, { id = '', account }: Report): string =>
  Object.hasOwn(unattributed, id) ? id : placeAt(id, account);

/** True for a reversal that is known already, at whatever time. */
const isSaid = (it: Reversal, known: Reversal | undefined): boolean =>
  it.type === known?.type && it.status === known.status && it.amount === known.amount;

function attemptOf(facts: Facts, report: Report, mayHaveLost: boolean): Attempt | undefined {
  const attempts = attemptsOf(facts);
  return ofKnownId(attempts, report) ?? (mayHaveLost ? undefined : presentAttempt(facts, attempts, report));
}

/** True where the id is that of attempts of other accounts alone: ids of two gateways may be alike. */
const isBorneElsewhere = (attempts: readonly Attempt[], { id, account }: Report): boolean => {
  const bearers = attempts.filter((it) => id !== undefined && gatewayNamesOf(it).includes(id));
  return bearers.length > 0 && !bearers.some((it) => isAt(it, account));
};

/** The attempt that bears the id. */
function ofKnownId(all: readonly Attempt[], { id, alias, account }: Report): Attempt | undefined {
  const attempts = all.filter((it) => isAt(it, account));
  const named = attempts.findLast((it) => id !== undefined && it.ids.includes(id));
  // Callbacks may name the attempt by the alias that its answer gave.
  const other = id ?? alias;
  return named ?? attempts.findLast((it) => other !== undefined && it.aliases.includes(other));
}

/** The last attempt, where every other has its own id or never connected, and it has none as yet. */
function presentAttempt(facts: Facts, attempts: readonly Attempt[], report: Report): Attempt | undefined {
  const { account, id } = report;
  const present = attempts.at(-1);
  if (isBorneElsewhere(attempts, report)) return undefined;
  if (!present || present.lost || !present.accounts.includes(account)) return undefined;
  if (id !== undefined && (present.ids.length > 0 || isForeign(present, id, account))) return undefined;
  if (isUnconnected(present) || facts.dropped.connected > 0) return undefined;
  const others = attempts.slice(0, -1);
  return others.every((it) => it.ids.length > 0 || isUnconnected(it)) ? present : undefined;
}

const isForeign = ({ foreign = [] }: Attempt, id: string, account: string): boolean =>
  foreign.map(placeOfSign).some((place) => place === id || place === placeAt(id, account));

/** What a claim writes of what was reported before it. */
export function knownBefore(facts: Facts): Pick<Attempt, 'foreign'> {
  const foreign = unattributedSigns(facts);
  return foreign.length > 0 ? { foreign } : {};
}

/** True where its own answer proves that not a byte of it left. */
export const isUnconnected = ({ answer }: Attempt): boolean => answer?.kind === 'refused' && !answer.connected;

/** The number of lost records: they came before all that the table numbers. */
const beforeAll = 0;

/**
 * The facts that an answer adds. The answer belongs to the attempt whose record it bears. Of an attempt that the order does not
 * hold (its table was restored) a refusal adds nothing, as a refused attempt is proven to need no record.
 */
export function factsOfAnswer(facts: Facts, attempt: Attempt): Facts {
  const isKnown = facts.attempts[attempt.id] !== undefined;
  const isWorthKeeping = attempt.answer?.kind !== 'refused' || attempt.ids.length > 0;
  if (isKnown) return { ...noFacts, attempts: { [attempt.id]: attempt } };
  return isWorthKeeping ? { ...noFacts, attempts: { [attempt.id]: { ...attempt, number: beforeAll } } } : noFacts;
}
