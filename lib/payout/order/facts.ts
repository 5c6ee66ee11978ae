// An order is its facts. A fact is something that happened, and it stays true. Facts only grow: joined in any order and any number of times
// (join.ts), the same facts give the same record. Their meaning is concluded each time (fold.ts), never stored. So a late, doubled or
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
  reasonSchema,
  unknownSchema,
} from './fact-schemas.ts';
import { whereSet } from '../where-set.ts';

/** The types of the schemas in fact-schemas.ts, where each is explained. */
export type Reason = Read<typeof reasonSchema>;
export type Answer = Read<typeof answerSchema>;
export type ReportLevel = (typeof reportLevels)[number];
export type Reversal = Read<typeof reversalSchema>;
export type TransactionReports = Read<typeof reportsSchema>;
export type Absence = Read<typeof absenceSchema>;
export type Attempt = Read<typeof attemptSchema>;
export type Unknown = Read<typeof unknownSchema>;
export type Decision = Read<typeof decisionSchema>;
export type DecisionApproval = NonNullable<Decision['approval']>;
export type End = Read<typeof endSchema>;
export type Signs = End['saw'];
export type Inquiry = Read<typeof inquirySchema>;

/** All that happened to one order. */
export interface Facts {
  readonly attempts: Readonly<Record<string, Attempt>>;
  readonly unknown: Readonly<Record<string, Unknown>>;
  readonly decisions: Readonly<Record<string, Decision>>;
  /** Ids of decisions that lack the proof of a second person, whom the merchant demands. They decide nothing. */
  readonly unproven: readonly string[];
  readonly ends: Readonly<Record<string, End>>;
  /**
   * The last version at which the order was in doubt, held, accepted or over. If no attempt is newer, only the id of its end sends it
   * again.
   */
  readonly stoppedAt: number;
  readonly dropped: Read<typeof droppedSchema>;
  /** Callbacks for a person to read; nothing is concluded from them. */
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

/**
 * The most that an order keeps. It is held with 20 attempts of which a byte may have left, and with more unknown transactions than it
 * keeps.
 */
export const atMost = { attempts: 20, unknown: 8, names: 4, ends: 2, decisions: 20, surprises: 8 };

/** The records by their versions, oldest first. */
export const byVersion = <T extends { readonly number: number; readonly id: string }>(
  all: Readonly<Record<string, T>>,
): readonly T[] => Object.values(all).toSorted((a, b) => a.number - b.number || (a.id < b.id ? -1 : 1));

/** The attempts in the order of their claims. */
export const attemptsOf = ({ attempts }: Pick<Facts, 'attempts'>): readonly Attempt[] => byVersion(attempts);

/** Facts about one attempt alone. Undefined keys are removed: with them, an unchanged order would seem to have changed. */
export const ofAttempt = (attempt: Attempt): Facts => ({ ...noFacts, attempts: { [attempt.id]: whereSet(attempt) } });

/** The fields of an attempt of which nothing was heard yet. */
export const unheard = {
  ids: [],
  aliases: [],
  reports: [],
  amounts: [],
  absent: {},
} as const satisfies Partial<Attempt>;

/** True if its own answer proves that no byte of it left. It counts neither towards the bound nor as spending card data. */
export const isUnsent = ({ answer }: Pick<Attempt, 'answer'>): boolean =>
  answer?.kind === 'refused' && !answer.connected;

/** The attempts of which a byte may have left. */
export const sentOf = (facts: Pick<Facts, 'attempts'>): readonly Attempt[] =>
  attemptsOf(facts).filter((it) => !isUnsent(it));

/** Refused over a connection: the gateway has seen this POST. */
export const isRefusedByGateway = ({ answer }: Attempt): boolean => answer?.kind === 'refused' && answer.connected;

/** The key of an unknown transaction. */
export const unknownAt = ({ account, id, after }: Pick<Unknown, 'account' | 'id' | 'after'>): string =>
  JSON.stringify([account ?? null, id ?? null, after ?? null]);

/**
 * True for the record of the transactions beyond the kept ones. No decision covers it, because we cannot say which of them the person saw.
 */
export const isBeyond = ({ account, id, after }: Unknown): boolean =>
  account === undefined && id === undefined && after === undefined;

/** True if the gateway reported that money moved. No decision and no later report undoes that. */
export const isPaid = ({ reports }: Pick<TransactionReports, 'reports'>): boolean =>
  reports.includes('approved') || reports.includes('reversed');
