// An order is its facts. A fact is something that happened, and it stays true. Facts only grow: joined in any order and any number of
// times (join.ts), the same facts give the same record. What they mean is concluded (fold.ts), never kept. So a late, doubled or
// reordered answer needs no rule of its own.
import type {
  absenceSchema,
  answerSchema,
  attemptSchema,
  decisionSchema,
  droppedSchema,
  endSchema,
  inquirySchema,
  Read,
  reportLevels,
  reportsSchema,
  reversalSchema,
  saidSchema,
  unknownSchema,
} from './fact-schemas.ts';
import { whereSet } from '../where-set.ts';

/** A reason: a code of ours, a sentence for a person, and the gateway's own text beside it. */
export type Said = Read<typeof saidSchema>;
/** How an attempt's own answer judged it. Grows: nothing, then refused, then taken. */
export type Answer = Read<typeof answerSchema>;
/** One report. */
export type ReportLevel = (typeof reportLevels)[number];
/** A later transaction that undid a payment, or tries to. */
export type Reversal = Read<typeof reversalSchema>;
/** What was heard of one transaction. */
export type TransactionReports = Read<typeof reportsSchema>;
/** An account knew no such attempt. */
export type Absence = Read<typeof absenceSchema>;
/** One POST of an order; or, if `lost`, all those that a restore of the table may have lost. */
export type Attempt = Read<typeof attemptSchema>;
/** A transaction under the order's id that no attempt bears. */
export type Unknown = Read<typeof unknownSchema>;
/** A person's decision. It closes what the person saw, and nothing that came since. It is not taken back. */
export type Decision = Read<typeof decisionSchema>;
/** The approval of a second person. */
export type DecisionApproval = NonNullable<Decision['approval']>;
/** An end, as its first writer saw it. Its id is the one name under which it opens again. */
export type End = Read<typeof endSchema>;
/** What was seen of each attempt and of each unknown transaction; '' where nothing was (signs.ts). */
export type Signs = End['saw'];
/** A question to the gateway: the attempt (its id), and the account that is asked about it. */
export type Inquiry = Read<typeof inquirySchema>;

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
  readonly dropped: Read<typeof droppedSchema>;
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

/** Facts about one attempt alone, without its absent keys: with them, an order that is as it was would seem to have changed. */
export const ofAttempt = (attempt: Attempt): Facts => ({ ...noFacts, attempts: { [attempt.id]: whereSet(attempt) } });

/** An attempt of which nothing was heard yet. */
export const unheard = {
  ids: [],
  aliases: [],
  reports: [],
  amounts: [],
  absent: {},
} as const satisfies Partial<Attempt>;

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
