// The facts that a report adds: of a callback or of an inquiry. A report that names an attempt is about that attempt. Without a known name
// it belongs to an attempt only if nothing else can be meant. The report is judged against the very version of the order that it is joined
// to.
import {
  type Attempt,
  attemptsOf,
  type Facts,
  type TransactionReports,
  isPaid,
  noFacts,
  ofAttempt,
  unknownAt,
  type ReportLevel,
  type Reversal,
  type Reason,
  type Unknown,
} from './facts.ts';
import { isNowhere, isProvenNowhere, mayHideAttempts } from './living.ts';
import { bears, heardOf } from './signs.ts';
import { whereSet } from '../where-set.ts';

/** The gateway's report of one of its transactions. */
export interface Report {
  /** The account that was asked, or that signed the callback; unknown for an order without a job. */
  readonly account?: string;
  /** The gateway's id, if it gives one, and another name for it. */
  readonly id?: string;
  readonly alias?: string;
  readonly level: ReportLevel;
  /** Epoch ms at which we learnt of it. */
  readonly atMs: number;
  /** Amount and currency that are not the order's, as the account itself said when it was asked. */
  readonly amount?: string;
  /**
   * For a callback. `doubtful`: its proof can be cut in two ways, so that it may be another order's. `contradicting`: its type, amount or
   * currency is not the order's. Absent for an inquiry.
   */
  readonly callback?: 'proven' | 'contradicting' | 'doubtful';
  readonly declined?: Reason;
  readonly unclear?: Reason;
  readonly reversal?: Reversal;
}

/** The facts that the report adds to an order of this version. */
export function factsOfReport(facts: Facts, report: Report, version: number): Facts {
  const { id, alias, atMs, amount, callback, reversal } = report;
  const supported = levelOf(facts, report);
  const attempt = attemptOf(facts, { ...report, level: supported });
  const at = placeIn(facts, report);
  const level = !attempt && at.after !== undefined ? weakened(supported) : supported;
  const known = attempt ? heardOf(attempt, facts) : facts.unknown[unknownAt(at)];
  if (isReplay(level, report, known)) return noFacts;
  const isNew = reversal && !isSameReversal(reversal, known?.reversal);
  const heard = whereSet<TransactionReports>({
    reports: [level],
    amounts: amount === undefined || callback ? [] : [amount],
    approvedAtMs: isPaid({ reports: [level] }) ? atMs : undefined,
    reversal: isNew ? reversal : undefined,
  });
  if (!attempt) return { ...noFacts, unknown: { [unknownAt(at)]: { ...at, ...heard, since: version } } };
  const { declined, unclear } = report;
  const isNamed = callback === undefined || callback === 'proven';
  return ofAttempt({
    ...attempt,
    ...heard,
    // A known alias is no second identity.
    ids: !isNamed || id === undefined || attempt.aliases.includes(id) ? [] : [id],
    aliases: !isNamed || alias === undefined ? [] : [alias],
    declined: level === report.level ? declined : undefined,
    unclear,
  });
}

/**
 * The key of a report that names no attempt. A report that came before the order had a job keeps its key. A callback that proves too little
 * gives no id once there are attempts: all these callbacks are one sign, of the last attempt.
 */
function placeIn(facts: Facts, { account, id, alias, callback }: Report): Pick<Unknown, 'account' | 'id' | 'after'> {
  const name = id ?? alias;
  const last = attemptsOf(facts).at(-1);
  const bare = name === undefined ? {} : { id: name };
  const full = { ...(account !== undefined && { account }), ...bare };
  const known = name === undefined ? undefined : [bare, full].find((it) => facts.unknown[unknownAt(it)]);
  if (known && callback !== 'doubtful') return known;
  const isProven = callback === undefined || !last || (callback === 'proven' && name !== undefined);
  const isNamed = callback !== 'doubtful' && isProven && (account !== undefined || name !== undefined);
  return isNamed ? full : { after: last?.number ?? 0 };
}

/**
 * The level that the report supports. Only a proven report about an attempt of this ledger ends or approves. Any other shows only that the
 * gateway has it, or says "paid".
 */
function levelOf(facts: Facts, { level, amount, callback }: Report): ReportLevel {
  const isOurs = attemptsOf(facts).some(({ lost }) => !lost);
  const isFull = amount === undefined && (callback === undefined || callback === 'proven');
  return isOurs && isFull ? level : weakened(level);
}

const weakened = (level: ReportLevel): ReportLevel =>
  level === 'said-paid' || isPaid({ reports: [level] }) ? 'said-paid' : 'seen';

/** True if the callback says nothing new. Its proof covers id and status alone: repeated with another amount or type, it is no new sign. */
function isReplay(level: ReportLevel, { callback }: Report, known: TransactionReports | undefined): boolean {
  if (callback === undefined || callback === 'proven' || !known) return false;
  return level === 'seen' ? known.reports.length > 0 : known.reports.includes('said-paid') || isPaid(known);
}

/** True if this reversal is known already, at whatever time. */
const isSameReversal = (reversal: Reversal, known: Reversal | undefined): boolean =>
  reversal.type === known?.type && reversal.status === known.status && reversal.amount === known.amount;

function attemptOf(facts: Facts, report: Report): Attempt | undefined {
  const { account, id, alias, callback } = report;
  const all = attemptsOf(facts);
  const named = (name: string | undefined) =>
    name === undefined ? undefined : all.findLast((it) => bears(it, account, name));
  const bearer = named(id) ?? named(alias);
  if (bearer || (callback !== undefined && callback !== 'proven')) return bearer;
  // "Paid" passes over an attempt whose refusal is only believed, if another attempt can have paid.
  const saysPaid = report.level === 'approved' || report.level === 'reversed';
  return (saysPaid && onlyOneMeant(facts, report, isNowhere)) || onlyOneMeant(facts, report, isProvenNowhere);
}

/** The attempt that the report must be about, because no other attempt, lost POST or unknown transaction can be meant. */
function onlyOneMeant(facts: Facts, { account, id }: Report, isExcluded: typeof isNowhere): Attempt | undefined {
  if (mayHideAttempts(facts) && isExcluded === isProvenNowhere) return undefined;
  const all = attemptsOf(facts);
  const [only, ...others] = all.filter((it) => (id === undefined || it.ids.length === 0) && !isExcluded(it, facts));
  if (!only || others.length > 0 || account === undefined || !only.accounts.includes(account)) return undefined;
  if (only.lost || only.ids.length > 0 || only.reports.includes('declined')) return undefined;
  const isStrange = (transaction: Unknown) => {
    // A callback that proves too little names no transaction.
    if (transaction.after !== undefined) return false;
    if (all.some((attempt) => transaction.id !== undefined && bears(attempt, transaction.account, transaction.id)))
      return false;
    const isThis = id !== undefined && transaction.id === id && (transaction.account ?? account) === account;
    return !isThis || transaction.since < only.number;
  };
  return Object.values(facts.unknown).some(isStrange) ? undefined : only;
}

/** The number of an attempt whose record the table has lost: below all numbers that the table gives. */
const beforeAll = 0;

/**
 * The facts that an answer adds: the whole record of its attempt. If the order does not hold the attempt (its table was restored), a
 * refusal adds nothing, because a refused attempt needs no record.
 */
export function factsOfAnswer(facts: Facts, attempt: Attempt): Facts {
  if (facts.attempts[attempt.id]) return ofAttempt(attempt);
  const isWorthKeeping = attempt.answer?.kind !== 'refused' || attempt.ids.length > 0;
  return isWorthKeeping ? ofAttempt({ ...attempt, number: beforeAll }) : noFacts;
}
