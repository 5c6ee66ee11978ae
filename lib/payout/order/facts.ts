// An order is its facts. A fact is something that happened, and it stays true. Facts only grow: joined in any order and any number of
// times (join.ts), the same facts give the same record. What they mean is concluded (fold.ts), never kept. So a late, doubled or
// reordered answer needs no rule of its own.

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
      /** What must change before the order can be sent again: the order, the account, or nothing but time. */
      readonly about: 'order' | 'account' | 'pace';
      /** False only where it is proven that not a byte of the attempt left. */
      readonly connected: boolean;
      /** When its sender had it. */
      readonly atMs: number;
    } & Said)
  | { readonly kind: 'taken'; readonly atMs: number };

/**
 * What the gateway reported of a transaction. `said-paid`: a callback says "paid" and proves too little; it keeps "not paid" back and proves
 * nothing. `filtered`: the gateway's filter declined it, perhaps as the double of another attempt.
 */
export const reportLevels = ['seen', 'said-paid', 'filtered', 'declined', 'approved', 'reversed'] as const;
/** One report. */
export type ReportLevel = (typeof reportLevels)[number];

/** A later transaction that undid a payment, or tries to, by the gateway's names. */
export interface Reversal {
  readonly type: string;
  readonly status: string;
  /** Undone so far in all, in the order's currency, where the gateway names it. */
  readonly amount?: string;
  readonly atMs: number;
}

/** What was heard of one transaction. */
export interface TransactionReports {
  readonly reports: readonly ReportLevel[];
  /** Amounts with currency that are not the order's, from inquiries alone. Four at most. */
  readonly amounts: readonly string[];
  /** Epoch ms of the first moment at which we learnt that its money moved: the day of the books. */
  readonly approvedAtMs?: number;
  /** The transaction that undid the payment later, or a part of it. */
  readonly reversal?: Reversal;
}

/** An account knew no such attempt. */
export interface Absence {
  /** Epoch ms of the first answer that counts, and of the last question. */
  readonly firstMs?: number;
  readonly lastMs?: number;
  /** The account was asked long enough after the attempt's refusal. */
  readonly sinceRefusal?: true;
  /** The answers are a denial under the merchant's contract. */
  readonly denies?: true;
}

/** One POST of an order; or, where `lost`, all those that a restore of the table may have lost. */
export interface Attempt extends TransactionReports {
  /** Random; the claim's own. */
  readonly id: string;
  /** The version of the order that its claim wrote: attempts, ends and stops are ordered by it. */
  readonly number: number;
  /** Epoch ms of its claim, by the claimer's clock. For people and rhythms: no money depends on it. */
  readonly atMs: number;
  /** The accounts that it may have been sent to: one; of a lost attempt, every account that the merchant had. */
  readonly accounts: readonly string[];
  /** True where its account can be asked about orders. */
  readonly askable: boolean;
  /** Epoch ms by the claimer's clock: later no byte of it leaves. */
  readonly leaseUntilMs: number;
  /** The end that its claim opened by name. */
  readonly reopens?: string;
  readonly lost?: true;
  /** Digest of the message or the batch that its content came from. */
  readonly source?: string;
  /** The key of single-use card data that its claim spent. */
  readonly cardKeyId?: string;

  readonly answer?: Answer;
  /** The gateway's identities of it, and other names for them. Four of each at most. Two identities are two transactions. */
  readonly ids: readonly string[];
  readonly aliases: readonly string[];
  /** Its sender gave up, or its lease was over before any sign of life. */
  readonly lapsed?: Said;
  /** When; for people, as `approvedAtMs` is. */
  readonly lapsedAtMs?: number;
  /** Why the gateway declined or filtered it. */
  readonly declined?: Said;
  /** The gateway has the attempt, under a status that proves neither that money moved nor that none did. */
  readonly unclear?: Said;
  /** The time in which it should have been settled is over: a person must decide. */
  readonly overdue?: true;
  /** When that was seen first; for people. */
  readonly overdueAtMs?: number;
  /** By account. */
  readonly absent: Readonly<Record<string, Absence>>;
}

/**
 * A transaction under the order's id that no attempt bears. Without an id: reports that named none. Without an account: called back before
 * the order had a job. With `after` alone: all doubtful callbacks that named no attempt while the attempt of this number was the last; they
 * are one sign. With none of these: transactions beyond those that an order keeps.
 */
export interface Unknown extends TransactionReports {
  readonly account?: string;
  readonly id?: string;
  readonly after?: number;
  /** The version that first heard of it. */
  readonly since: number;
}

/** The approval of a second person (lib/batches/decision-approval.ts says what the MAC is over). */
export interface DecisionApproval {
  /** ARNs, as AWS named both. */
  readonly decider: string;
  readonly approver: string;
  /** When it was approved, epoch ms. */
  readonly atMs: number;
  /** The order's revision that both saw. Its version rises with each question to the gateway, and says less. */
  readonly revision: number;
  /** Base64url. */
  readonly mac: string;
}

/** What was seen of each attempt and of each unknown transaction; '' where nothing was (signs.ts). */
export type Signs = Readonly<Record<string, string>>;

/** A person's decision. It closes what the person saw, and nothing that came since. It is not taken back. */
export interface Decision {
  readonly id: string;
  readonly kind: 'paid' | 'not-paid' | 'cancel';
  readonly by: string;
  readonly reason: string;
  readonly atMs: number;
  readonly saw: Signs;
  /** For a merchant whose money two persons release: both decide "not paid". */
  readonly approval?: DecisionApproval;
}

/** Why an order is over. */
export const endReasons = [
  'declined',
  'refused',
  'expired',
  'denied',
  'waited-too-long',
  'discarded',
  'cancelled',
  'decided',
] as const;
/** Why an order is over. */
export type EndReason = (typeof endReasons)[number];

/** An end, as its first writer saw it. Its id is the one name under which it opens again. */
export interface End extends Said {
  readonly id: string;
  /** The version of the order that wrote it. */
  readonly number: number;
  readonly reason: EndReason;
  readonly atMs: number;
  /** The signs that it was concluded from. */
  readonly saw: Signs;
}

/** All that happened to one order. */
export interface Facts {
  readonly attempts: Readonly<Record<string, Attempt>>;
  readonly unknown: Readonly<Record<string, Unknown>>;
  readonly decisions: Readonly<Record<string, Decision>>;
  /** Ids of decisions that a second person had to make too, and that bear no proof of one: they decide nothing. */
  readonly unproven: readonly string[];
  readonly ends: Readonly<Record<string, End>>;
  /** The last version at which the order was in doubt, held, accepted or over: what was sent before is followed only by name. */
  readonly stoppedAt: number;
  /**
   * Refused attempts whose records were dropped. A refusal that is only `believed` may be what a report is about. `lost`: so may attempts of
   * the same order that a restore has lost.
   */
  readonly dropped: { readonly believed: number; readonly proven: number; readonly lost?: true };
  /** Callbacks for a person to read; they conclude nothing. */
  readonly surprises: readonly string[];
}

/** The facts of an order before anything happened. */
export const noFacts: Facts = {
  attempts: {},
  unknown: {},
  decisions: {},
  unproven: [],
  ends: {},
  stoppedAt: 0,
  dropped: { believed: 0, proven: 0 },
  surprises: [],
};

/** What an order keeps at most. With 20 attempts of which a byte may have left it is held; with more unknown transactions too. */
export const atMost = { attempts: 20, unknown: 8, names: 4, ends: 2, decisions: 20, surprises: 8 };

/** In the order of their versions. */
export const byVersion = <T extends { readonly number: number; readonly id: string }>(
  all: Readonly<Record<string, T>>,
): readonly T[] => Object.values(all).toSorted((a, b) => a.number - b.number || (a.id < b.id ? -1 : 1));

/** The attempts in the order of their claims. */
export const attemptsOf = ({ attempts }: Pick<Facts, 'attempts'>): readonly Attempt[] => byVersion(attempts);

/** Facts about one attempt alone. */
export const ofAttempt = (attempt: Attempt): Facts => ({ ...noFacts, attempts: { [attempt.id]: attempt } });

/** True where its own answer proves that not a byte of it left: it counts neither for the bound nor as spending card data. */
export const isUnsent = ({ answer }: Pick<Attempt, 'answer'>): boolean =>
  answer?.kind === 'refused' && !answer.connected;

/** The attempts of which a byte may have left. */
export const sentOf = (facts: Pick<Facts, 'attempts'>): readonly Attempt[] =>
  attemptsOf(facts).filter((it) => !isUnsent(it));

/** Refused over a connection: the gateway has seen this POST. */
export const isRefusedByGateway = ({ answer }: Attempt): boolean => answer?.kind === 'refused' && answer.connected;

/** Where an unknown transaction is kept. */
export const unknownAt = ({ account, id, after }: Pick<Unknown, 'account' | 'id' | 'after'>): string =>
  JSON.stringify([account ?? null, id ?? null, after ?? null]);

/** True for unknown transactions beyond those that are kept: what a person has seen of them is unknown. */
export const isBeyond = ({ account, id, after }: Unknown): boolean =>
  account === undefined && id === undefined && after === undefined;

/** True where money moved, whatever became of it later: no decision and no later report undoes that. */
export const isPaid = ({ reports }: Pick<TransactionReports, 'reports'>): boolean =>
  reports.includes('approved') || reports.includes('reversed');

/** A question to the gateway: the attempt (its id), and the account that is asked about it. */
export interface Inquiry {
  readonly attempt: string;
  readonly account: string;
  /** It was put, and no answer came. */
  readonly tried?: true;
}
