// An order is its facts. A fact is something that happened, and it stays true; what the facts mean is concluded anew each
// time (fold.ts), never kept. Each record only grows: joined in any order and any number of times, the same facts give the
// same record. So a late, doubled or reordered answer needs no rule of its own.

/** A reason: a code of ours, a sentence for a person, and the gateway's own text beside it. */
export interface Said {
  readonly code: string;
  readonly message: string;
  readonly gatewayCode?: string;
  readonly httpStatus?: number;
}

/** How an attempt's own answer judged it. Grows: nothing, then refused, then taken. */
export type Answer =
  | ({
      readonly kind: 'refused';
      /** The scope of the refusal: this order, or what it shares with all others of its account. */
      readonly about: 'order' | 'account' | 'pace';
      /** False only where it is proven that not a byte of the attempt left. */
      readonly connected: boolean;
      readonly atMs: number;
    } & Said)
  | { readonly kind: 'taken'; readonly atMs: number };

/**
 * The gateway's reports of an attempt, in the order in which one outweighs the other. `said-paid`: a callback said "paid" that proves less:
 * its proof may be that of another order, or what it says contradicts the order.
 */
export const reportLevels = ['seen', 'said-paid', 'declined', 'approved', 'reversed'] as const;
/** One report. */
export type ReportLevel = (typeof reportLevels)[number];

/** The gateway did not know the order, asked at one account. */
export interface Negative {
  /** Epoch ms of the answer of the first such look after the attempt's lease, and of the last one's question; absent while there was none. */
  readonly firstMs?: number;
  readonly lastMs?: number;
  /** True once a look had read the attempt's refusal before it asked. */
  readonly sinceRefusal: boolean;
  /** True once the looks were judged to be a denial under the merchant's contract. */
  readonly denies: boolean;
}

/** One POST of an order, or the place of attempts that a restore of the table may have lost. */
export interface Attempt {
  /** Random; the claim's own. */
  readonly id: string;
  /** The version of the order that its claim wrote: attempts are ordered by it. */
  readonly number: number;
  /** Epoch ms of its claim, by the claimer's clock. For people and rhythms: no money depends on it. */
  readonly atMs: number;
  /**
   * The signs of what had been reported before its claim and belongs to no attempt ({@link unattributedSigns}): none of these ids is its
   * own by a mere report.
   */
  readonly foreign?: readonly string[];
  /** The accounts that it may have been sent to: one, or for attempts that a restore lost, all that the merchant had. */
  readonly accounts: readonly string[];
  /** True where its account can be asked about orders. */
  readonly askable: boolean;
  /** Epoch ms by the claimer's clock: later no byte of it leaves. */
  readonly leaseUntilMs: number;
  /** The end that opened the series of attempts to which it belongs. */
  readonly reopens?: string;
  /** True for the place of attempts that a restore may have lost: nothing is known of them. */
  readonly lost?: true;
  /** Digest of the message or the batch that its content came from. */
  readonly source?: string;
  /** The key of single-use card data that its claim spent: only a job with newly sealed data may be sent after it. */
  readonly cardKeyId?: string;

  readonly answer?: Answer;
  /** The gateway's identities of it, and other names for them. Four of each at most. */
  readonly ids: readonly string[];
  readonly aliases: readonly string[];
  readonly reports: readonly ReportLevel[];
  /** Epoch ms of the first moment at which we learnt that its money moved: the day of the books. */
  readonly approvedAtMs?: number;
  /** Amounts with currency that the gateway named and that are not the order's. Four at most. */
  readonly amounts: readonly string[];
  /** Its sender gave up, or its lease was over before any sign of life. */
  readonly lapsed?: Said;
  /** Why the gateway declined it, in an inquiry or a callback. */
  readonly declined?: Said;
  /** The gateway has the attempt, under a status that proves neither that money moved nor that none did. */
  readonly unclear?: Said;
  /** The transaction that undid the payment later, or a part of it. */
  readonly reversal?: Reversal;
  /** The time in which its account should have known is over: a person must decide. */
  readonly overdue?: true;
  /** The denials, by account. */
  readonly negatives: Readonly<Record<string, Negative>>;
}

/** A later transaction that undid a payment, or tries to, by the gateway's names. */
export interface Reversal {
  readonly type: string;
  readonly status: string;
  /** Undone so far in all, in the order's currency, where the gateway names it. */
  readonly amount?: string;
  readonly atMs: number;
}

/** The approval of a second person (lib/batches/decision-approval.ts says what the MAC is over). */
export interface DecisionApproval {
  /** ARNs, as AWS named both. */
  readonly decider: string;
  readonly approver: string;
  /** Until when it could be used, epoch ms. */
  readonly untilMs: number;
  /** Base64url. */
  readonly mac: string;
}

/** A person's decision. It closes what the person saw, and nothing that came since. */
export interface Decision {
  readonly id: string;
  readonly kind: 'paid' | 'not-paid' | 'cancel';
  readonly by: string;
  readonly reason: string;
  readonly atMs: number;
  /** The sign of life of each attempt as the person saw it ({@link signOfLife}), and of reports that belong to none. */
  readonly saw: Readonly<Record<string, string>>;
  readonly sawUnattributed: string;
  /** The decision that this one takes back. */
  readonly replaces?: string;
  /** For a merchant whose money two persons release: both decide "not paid". */
  readonly approval?: DecisionApproval;
}

/** Why an order ended. */
export type EndReason =
  | 'declined'
  | 'refused'
  | 'expired'
  | 'denied'
  | 'waited-too-long'
  | 'discarded'
  | 'cancelled'
  | 'decided';

/** An end, as its first writer saw it. Its id is the one name under which it opens again. */
export interface End extends Said {
  readonly id: string;
  /** The version of the order that wrote it: ends and attempts are ordered by it. */
  readonly number: number;
  readonly reason: EndReason;
  readonly atMs: number;
  /** The sign of life of each attempt that the end was concluded from. */
  readonly saw: Readonly<Record<string, string>>;
  readonly sawUnattributed: string;
}

/**
 * Reports under an id that could be that of more than one attempt, by this id and the account that named it ({@link placeAt}), or
 * the id alone where nobody knows the account; those without an id under '', those beyond eight ids under {@link beyondIds}. As
 * soon as an attempt of the account bears the id they are this attempt's.
 */
export type Unattributed = Readonly<Record<string, Heard>>;

/** The reports, the time since which it is known that money moved, and what else they said that an attempt keeps. */
type Heard = Pick<Attempt, 'reports' | 'approvedAtMs' | 'reversal'> & Partial<Pick<Attempt, 'amounts'>>;

/** No id has this shape. Nobody can tell what a person has seen of more ids than an order keeps: no decision covers them. */
export const beyondIds = '*';

/** The place of what an account reports under an id of its own: ids of two gateways may be alike. */
export const placeAt = (id: string, account: string): string => (id === '' ? '' : `${id} at ${account}`);

/**
 * The place of callbacks that may be about another transaction, while this attempt was the last: one sign, however many come. It keeps the
 * order back where nothing else was heard, and is no second transaction.
 */
export const placeOfSaid = (attempts: readonly Pick<Attempt, 'number'>[]): string => `?${attempts.at(-1)?.number ?? 0}`;
/** True for such a place. */
export const isSaidPlace = (place: string): boolean => place.startsWith('?');

/** The gateway's id of a place, as people and results show it. */
export const idAt = (place: string): string => place.split(' ', 1)[0] ?? '';

/** True for an id of the gateway's; false where the reports named none, or more than an order keeps. */
export const isNamed = (id: string): boolean => id !== '' && id !== beyondIds && !isSaidPlace(id);

/** All that happened to one order. */
export interface Facts {
  readonly attempts: Readonly<Record<string, Attempt>>;
  readonly decisions: Readonly<Record<string, Decision>>;
  /** Ids of decisions that a second person had to make too, and that bear no proof of one: they decide nothing. */
  readonly unproven: readonly string[];
  readonly ends: Readonly<Record<string, End>>;
  readonly unattributed: Unattributed;
  /** Reports that fit nowhere: eight different ones. */
  readonly surprises: readonly string[];
  /** Refused attempts whose records were dropped, by whether a byte of them may have left. */
  readonly dropped: { readonly connected: number; readonly unconnected: number };
}

/** The facts of an order before anything happened. */
export const noFacts: Facts = {
  attempts: {},
  decisions: {},
  unproven: [],
  ends: {},
  unattributed: {},
  surprises: [],
  dropped: { connected: 0, unconnected: 0 },
};

/** Attempts and decisions that an order keeps at most; then it is held, and a new id is needed. */
export const attemptsAtMost = 20;
/** See {@link attemptsAtMost}. */
export const decisionsAtMost = 20;
/** Ends that an order keeps: conclusions use the last one, the one before it is for people. */
export const endsAtMost = 2;
const keptOfEach = 4;
const unattributedIdsAtMost = 8;
/** Surprises that an order keeps; more are counted. */
export const surprisesAtMost = 8;

/** The attempts in the order of their claims. */
export function attemptsOf({ attempts }: Pick<Facts, 'attempts'>): readonly Attempt[] {
  return Object.values(attempts).toSorted((a, b) => a.number - b.number || (a.id < b.id ? -1 : 1));
}

/**
 * The signs that the gateway has an attempt: an answer that took it, an id, a report, an amount. Empty while it was never heard
 * of. A sign outweighs every refusal and denial; a decision and an end cover it as they saw it and no further.
 */
export function signOfLife({ answer, ids, aliases, reports, amounts }: Attempt): string {
  const parts = [answer?.kind === 'taken' ? ['taken'] : [], ids, aliases, reports, amounts];
  return parts.every((it) => it.length === 0) ? '' : parts.map((it) => it.join(',')).join('|');
}

/**
 * True where the gateway itself reports that it has the attempt: by its answer, in an inquiry, or by a callback. An id in an
 * answer that proves nothing is a sign of life, and no acceptance.
 */
export const isConfirmed = ({ answer, reports }: Attempt): boolean => answer?.kind === 'taken' || reports.length > 0;

/** As {@link signOfLife}, for reports that belong to no attempt. A decline of some order is no sign that another one lives. */
export const unattributedSign = (facts: Pick<Facts, 'attempts' | 'unattributed'>): string =>
  unexplained(facts)
    .filter(([, heard]) => isSign(heard))
    .map(signOfEntry)
    .toSorted()
    .join(';');

/** True where this sign was part of what a person saw. */
export const isSeenIn = (sawUnattributed: string, entry: readonly [string, Heard]): boolean =>
  sawUnattributed.split(';').includes(signOfEntry(entry));

const signOfEntry = ([place, { reports, amounts = [] }]: readonly [string, Heard]): string =>
  [place, reports.join(','), ...(amounts.length > 0 ? [amounts.join(',')] : [])].join('|');

/** The sign of each report that belongs to no attempt, and of those that an attempt has explained. */
export const unattributedSigns = ({ unattributed }: Pick<Facts, 'unattributed'>): readonly string[] =>
  Object.entries(unattributed).map(signOfEntry);

/** The place that such a sign is about. */
export const placeOfSign = (sign: string): string => sign.split('|', 1)[0] ?? '';

/**
 * True where the reports of this place may have kept the order back since these signs were taken: something was heard there first, or more
 * than that the gateway ended it. What had ended before keeps nothing back.
 */
export function isNewsSince(signs: readonly string[], [place, { reports, amounts = [] }]: readonly [string, Heard]) {
  const open = (levels: readonly string[]) => levels.filter((level) => level !== 'declined').join(',');
  if (open(reports) === '') return false;
  const [, before = '', amountsBefore = ''] = signs.find((it) => placeOfSign(it) === place)?.split('|') ?? [];
  const levels = before.split(',');
  if (isNamed(place) && levels.includes('declined')) return false;
  return open(levels) !== open(reports) || amountsBefore !== amounts.join(',');
}

/** True for more than a decline. */
const isSign = ({ reports }: Pick<Heard, 'reports'>): boolean => reports.some((level) => level !== 'declined');

/** The signs of orders that may have moved money and belong to no attempt: none that the gateway has ended, where it named it. */
export const unattributedLiving = (facts: Pick<Facts, 'attempts' | 'unattributed'>) =>
  unexplained(facts).filter(([id, heard]) => {
    const isEnded = isNamed(id) && heard.reports.includes('declined') && !reportsPaid(heard);
    return isSign(heard) && !isEnded;
  });

/** True where money moved, whatever became of it later: no decision and no later report undoes that. */
export const reportsPaid = ({ reports }: Pick<Heard, 'reports'>): boolean =>
  reports.includes('approved') || reports.includes('reversed');

/** Reports under ids that no attempt bears. */
export const unexplained = ({ attempts, unattributed }: Pick<Facts, 'attempts' | 'unattributed'>) =>
  Object.entries(unattributed).filter(([id]) => !Object.values(attempts).some((it) => bears(it, id)));

/** Those of them by which money moved. */
export const unattributedPaid = (facts: Pick<Facts, 'attempts' | 'unattributed'>) =>
  unexplained(facts).filter(([, heard]) => reportsPaid(heard));

/** The gateway's names of an attempt: its answer may give one, and a callback another. */
export const gatewayNamesOf = ({ ids, aliases }: Attempt): readonly string[] => [...ids, ...aliases];

/** False for an attempt of another account; of what was put back from results no account is known. */
export const isAt = ({ accounts }: Pick<Attempt, 'accounts'>, account: string): boolean =>
  accounts.length === 0 || accounts.includes(account);

/** True where the place is that of the attempt: one of its names, and its account as far as either is known. */
function bears(attempt: Attempt, place: string): boolean {
  const [id = '', account] = place.split(' at ');
  return gatewayNamesOf(attempt).includes(id) && (account === undefined || isAt(attempt, account));
}

/** The least of both lists, each once: a bound that does not depend on who came first. */
function least<T extends string>(a: readonly T[], b: readonly T[], atMost: number): readonly T[] {
  return [...new Set([...a, ...b])].toSorted().slice(0, atMost);
}

function joinReports(a: readonly ReportLevel[], b: readonly ReportLevel[]): readonly ReportLevel[] {
  return reportLevels.filter((level) => a.includes(level) || b.includes(level));
}

const later = <T>(a: T, b: T): T => (JSON.stringify(a) >= JSON.stringify(b) ? a : b);

function joinAnswers(a: Answer | undefined, b: Answer | undefined): Answer | undefined {
  if (!a || !b) return a ?? b;
  if (a.kind !== b.kind) return a.kind === 'taken' ? a : b;
  if (a.kind === 'taken' || b.kind === 'taken') return later(a, b);
  const connected = a.connected || b.connected;
  return later<Answer>({ ...a, connected }, { ...b, connected });
}

const joinNegatives = (a: Negative, b: Negative): Negative => ({
  ...bounds([a.firstMs, b.firstMs].filter(isTime), [a.lastMs, b.lastMs].filter(isTime)),
  sinceRefusal: a.sinceRefusal || b.sinceRefusal,
  denies: a.denies || b.denies,
});

const isTime = (ms: number | undefined): ms is number => ms !== undefined;

const bounds = (firsts: readonly number[], lasts: readonly number[]): Pick<Negative, 'firstMs' | 'lastMs'> =>
  firsts.length === 0 || lasts.length === 0 ? {} : { firstMs: Math.min(...firsts), lastMs: Math.max(...lasts) };

const joinSaid = <T>(a: T | undefined, b: T | undefined): T | undefined =>
  a !== undefined && b !== undefined ? later(a, b) : (a ?? b);

/** The latest reversal: a reversal is under way before it is done, and a partial one goes further. */
const joinReversals = (a: Reversal | undefined, b: Reversal | undefined): Reversal | undefined =>
  a && b && a.atMs !== b.atMs ? (a.atMs > b.atMs ? a : b) : joinSaid(a, b);

/** Two records of one map, joined where both have the same key. */
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

function joinHeard(a: Heard, b: Heard): Heard {
  const approvals = [a.approvedAtMs, b.approvedAtMs].filter(isTime);
  const amounts = least(a.amounts ?? [], b.amounts ?? [], keptOfEach);
  const reversal = joinReversals(a.reversal, b.reversal);
  return {
    reports: joinReports(a.reports, b.reports),
    ...(approvals.length > 0 && { approvedAtMs: Math.min(...approvals) }),
    ...(amounts.length > 0 && { amounts }),
    ...(reversal && { reversal }),
  };
}

function joinAttempts(a: Attempt, b: Attempt): Attempt {
  const answer = joinAnswers(a.answer, b.answer);
  const lapsed = joinSaid(a.lapsed, b.lapsed);
  const declined = joinSaid(a.declined, b.declined);
  const unclear = joinSaid(a.unclear, b.unclear);
  const overdue = a.overdue ?? b.overdue;
  return {
    ...a,
    accounts: [...new Set([...a.accounts, ...b.accounts])].toSorted(),
    ...(answer && { answer }),
    ids: least(a.ids, b.ids, keptOfEach),
    aliases: least(a.aliases, b.aliases, keptOfEach),
    amounts: [],
    ...joinHeard(a, b),
    ...(lapsed && { lapsed }),
    ...(declined && { declined }),
    ...(unclear && { unclear }),
    ...(overdue && { overdue }),
    negatives: joinMaps(a.negatives, b.negatives, joinNegatives),
  };
}

/** Joined by id; reports beyond the bound lose their id and nothing else. */
function joinUnattributed(a: Unattributed, b: Unattributed): Unattributed {
  const all = joinMaps(a, b, joinHeard);
  const kept = new Set([
    '',
    ...Object.keys(all).filter(isSaidPlace),
    ...Object.keys(all).filter(isNamed).toSorted().slice(0, unattributedIdsAtMost),
  ]);
  return Object.entries(all).reduce<Unattributed>(
    (joined, [id, it]) => joinMaps(joined, { [kept.has(id) ? id : beyondIds]: it }, joinHeard),
    {},
  );
}

/** A report under an id that an attempt bears is about this attempt, whichever of them came first. */
function explained(facts: Facts): Facts {
  const { attempts, unattributed } = facts;
  if (Object.keys(unattributed).length === 0) return facts;
  const heard = (attempt: Attempt): Attempt =>
    Object.entries(unattributed)
      .filter(([place]) => bears(attempt, place))
      .reduce((it, [, reported]) => ({ ...it, ...joinHeard(it, reported) }), attempt);
  return { ...facts, attempts: Object.fromEntries(Object.entries(attempts).map(([id, it]) => [id, heard(it)])) };
}

/**
 * Both facts together: associative, commutative, idempotent. Counts of dropped attempts are the larger ones, as a writer that
 * drops has read the item that it writes.
 */
export function join(a: Facts, b: Facts): Facts {
  return explained({
    attempts: joinMaps(a.attempts, b.attempts, joinAttempts),
    decisions: joinMaps(a.decisions, b.decisions, later),
    unproven: least(a.unproven, b.unproven, decisionsAtMost),
    ends: joinMaps(a.ends, b.ends, later),
    unattributed: joinUnattributed(a.unattributed, b.unattributed),
    surprises: least(a.surprises, b.surprises, surprisesAtMost),
    dropped: {
      connected: Math.max(a.dropped.connected, b.dropped.connected),
      unconnected: Math.max(a.dropped.unconnected, b.dropped.unconnected),
    },
  });
}

/** Facts about one attempt alone. */
export const ofAttempt = (attempt: Attempt): Facts => ({ ...noFacts, attempts: { [attempt.id]: attempt } });

/** Refused over a connection: the gateway has seen this POST. */
export const isRefusedByGateway = ({ answer }: Attempt): boolean => answer?.kind === 'refused' && answer.connected;

/**
 * The facts without attempts that prove nothing any more: refused by their own answer before the gateway had given them an
 * id, looked for where they had to be, and followed by two others. The last two that the gateway saw stay: they decide how
 * long the order rests. Ends that later ones have followed go too. Conclusions from the rest stay the same, whatever comes
 * later.
 */
export function drop(facts: Facts): Facts {
  const all = attemptsOf(facts);
  const seen = new Set(all.filter(isRefusedByGateway).slice(-2));
  const droppable = all.slice(0, -2).filter((it) => isDroppable(it) && !seen.has(it));
  const ends = Object.values(facts.ends).toSorted((a, b) => a.number - b.number || (a.id < b.id ? -1 : 1));
  if (droppable.length === 0 && ends.length <= endsAtMost) return facts;
  const connected = droppable.filter(isRefusedByGateway).length;
  return {
    ...facts,
    attempts: Object.fromEntries(all.filter((it) => !droppable.includes(it)).map((it) => [it.id, it])),
    ends: Object.fromEntries(ends.slice(-endsAtMost).map((it) => [it.id, it])),
    dropped: {
      connected: facts.dropped.connected + connected,
      unconnected: facts.dropped.unconnected + droppable.length - connected,
    },
  };
}

function isDroppable(attempt: Attempt): boolean {
  const { answer, lapsed, overdue, lost } = attempt;
  if (lost || lapsed || overdue || signOfLife(attempt) !== '') return false;
  return answer?.kind === 'refused' && !awaitsLook(attempt);
}

/**
 * True for a refusal that a gateway may have sent although it took the order: about account or pace, over a connection, where
 * the account can be asked and no look since has found that it knows none. Until then the refusal proves nothing.
 */
export function awaitsLook({ answer, askable, negatives }: Attempt): boolean {
  if (answer?.kind !== 'refused' || answer.about === 'order' || !answer.connected || !askable) return false;
  return !Object.values(negatives).some((it) => it.sinceRefusal);
}

/** True where all accounts that an attempt may have been sent to have denied it. */
export const isDenied = ({ accounts, negatives }: Attempt): boolean =>
  accounts.length > 0 && accounts.every((account) => negatives[account]?.denies === true);
