// Three books about one order, compared: the ledger, the published results, the gateway's own report.
// Each order falls into exactly one class, by an ordered table: the first row that fits wins, and the last fits all. The
// heavier a disagreement is for the money, the earlier it comes.
import type { Standing } from '../payout/order/standing.ts';

// The states of one order's money in the three books: the ledger, the results that were published, and the
// gateway's own report.

/** The results' side. */
export const resultSides = [
  /** The newest agrees with the ledger, or there was nothing to publish yet. */
  'same',
  'none',
  /** The newest is of an earlier revision of the order. */
  'behind',
  /** The newest is of a later revision: the ledger was read before it, or restored. */
  'ahead',
  /** The same revision was published with another content. */
  'other',
] as const;

/** The report's side; `unproven`: in terms that prove nothing. */
export const gatewaySides = ['none', 'paid', 'paid more than once', 'unpaid', 'under way', 'unproven'] as const;

/** Oddities of an order besides its state. */
export const oddities = [
  /** Ledger and gateway name another amount or currency. */
  'amount differs',
  /** The report lists one payment with two amounts or currencies, or more undone than was paid. */
  'report contradicts itself',
  /** The report lists a payment under an id that the order does not bear, or of another operation. */
  'another payment',
  /** The report says that the payment was undone, and the ledger does not know it. */
  'reversed there',
  /** The ledger says so. */
  'reversed here',
] as const;

/** The ledger's side: what became of the order. */
export type LedgerSide = 'none' | Standing;
/** One of {@link resultSides}. */
export type ResultSide = (typeof resultSides)[number];
/** One of {@link gatewaySides}. */
export type GatewaySide = (typeof gatewaySides)[number];

/** One of {@link oddities}. */
export type Oddity = (typeof oddities)[number];

/** One order in all three books. */
export interface ThreeSides {
  readonly ledger: LedgerSide;
  readonly result: ResultSide;
  readonly gateway: GatewaySide;
  readonly odd: ReadonlySet<Oddity>;
}

/** One of the given, or anything where nothing is given. */
interface Condition {
  readonly ledger?: readonly LedgerSide[];
  readonly result?: readonly ResultSide[];
  readonly gateway?: readonly GatewaySide[];
  readonly odd?: Oddity;
}

/** A row: when it fits, what it means for the money, and what to do. */
interface ClassRow {
  readonly when: Condition;
  readonly meaning: string;
  /** The ledger has no end, or none that it has proven, and the report contradicts nothing. */
  readonly open?: true;
}

/** No money moved by the order. */
const unsent = ['not-started', 'waiting', 'held-unpaid', 'failed', 'cancelled'] as const;
/** Money may have moved. */
const unknown = ['sending', 'in-doubt', 'held'] as const;
const taken = ['confirming', 'accepted'] as const;

const disagreements = {
  'paid-more-than-once': {
    when: { gateway: ['paid more than once'] },
    meaning: 'Several payments of one order, paid or under way: at least one too many. Have it returned.',
  },
  'report-contradicts-itself': {
    when: { odd: 'report contradicts itself' },
    meaning: 'One payment is listed twice with different amounts, or more was returned than paid. Ask the gateway.',
  },
  'paid-under-another-id': {
    when: { odd: 'another payment' },
    meaning: "Listed under a gateway id or type that is not the order's: another payment. Ask the gateway.",
  },
  'paid-unknown-here': {
    when: { ledger: ['none', 'checked'], gateway: ['paid'] },
    meaning: 'Paid, and unknown to the ledger: sent by others.',
  },
  'unfinished-unknown-here': {
    when: { ledger: ['none', 'checked'], gateway: ['under way'] },
    meaning: 'Under way, and unknown to the ledger.',
  },
  'unpaid-unknown-here': {
    when: { ledger: ['none', 'checked'], gateway: ['unpaid'] },
    meaning: 'Refused, and unknown to the ledger. No money moved.',
  },
  'unproven-unknown-here': {
    when: { ledger: ['none', 'checked'], gateway: ['unproven'] },
    meaning: 'Unknown to the ledger, under a status that proves nothing. Ask the gateway.',
  },
  'result-unknown-here': {
    when: { ledger: ['none'] },
    meaning: 'Only a result knows the order: the ledger has lost it.',
  },
  'paid-though-not-sent': {
    when: { ledger: unsent, gateway: ['paid'] },
    meaning: 'Not sent by the ledger, paid by the gateway. Do not send it again.',
  },
  'paid-though-declined': {
    when: { ledger: ['declined'], gateway: ['paid'] },
    meaning: 'Unpaid by the ledger, paid by the gateway. Do not pay it again.',
  },
  'unfinished-though-not-sent': {
    when: { ledger: unsent, gateway: ['under way'] },
    meaning: 'Not sent by the ledger, under way at the gateway. Do not send it again.',
  },
  'unfinished-though-declined': {
    when: { ledger: ['declined'], gateway: ['under way'] },
    meaning: 'Unpaid by the ledger, under way at the gateway.',
  },
  'reversed-unknown-here': {
    when: { odd: 'reversed there' },
    meaning: 'Reversed, which the ledger does not know: the money came back.',
  },
  'amount-differs': {
    when: { gateway: ['paid', 'under way', 'unproven'], odd: 'amount differs' },
    meaning: 'Another amount or currency than was asked for.',
  },
  'unpaid-though-approved': {
    when: { ledger: ['paid'], gateway: ['unpaid'] },
    meaning: 'Paid by the ledger, unpaid at the gateway: the payee waits.',
  },
  'approved-missing-at-gateway': {
    when: { ledger: ['paid'], gateway: ['none'] },
    meaning: 'Paid by the ledger, missing in the report.',
  },
  'unfinished-though-approved': {
    when: { ledger: ['paid'], gateway: ['under way'] },
    meaning: 'Paid by the ledger, under way at the gateway.',
  },
  'unproven-at-gateway': {
    when: { ledger: [...unsent, ...unknown, ...taken, 'paid'], gateway: ['unproven'] },
    meaning: 'A status that proves nothing, as `error`. Ask the gateway; do not release by this.',
    open: true,
  },
  'unpaid-though-accepted': {
    when: { ledger: taken, gateway: ['unpaid'] },
    meaning: 'Accepted, and then not paid: the payee waits. Apply the report.',
    open: true,
  },
  'accepted-missing-at-gateway': {
    when: { ledger: taken, gateway: ['none'] },
    meaning: 'Accepted, and missing in the report: ask the gateway, or use a later report.',
  },
  'result-contradicts-ledger': {
    when: { result: ['other'] },
    meaning: 'A result differs from the same revision of the ledger: one of the files was changed.',
  },
  'accepted-and-paid': {
    when: { ledger: taken, gateway: ['paid'] },
    meaning: 'Accepted, and paid at the gateway. Apply the report.',
    open: true,
  },
  'doubt-resolved-paid': {
    when: { ledger: unknown, gateway: ['paid'] },
    meaning: 'In doubt, and paid at the gateway. Release it as paid.',
    open: true,
  },
  'doubt-resolved-unpaid': {
    when: { ledger: unknown, gateway: ['unpaid'] },
    meaning: 'In doubt, and unpaid at the gateway. Release it as not paid.',
    open: true,
  },
  'doubt-unfinished': {
    when: { ledger: unknown, gateway: ['under way'] },
    meaning: 'In doubt, and under way at the gateway. Wait.',
    open: true,
  },
  'doubt-missing-at-gateway': {
    when: { ledger: unknown, gateway: ['none'] },
    meaning: 'In doubt, and missing in the report: probably never taken. Ask before it is sent again.',
    open: true,
  },
  'unpaid-though-not-sent': {
    when: { ledger: unsent, gateway: ['unpaid'] },
    meaning: 'Not sent by the ledger, refused by the gateway. No money moved.',
  },
  'result-missing': {
    when: { result: ['none'] },
    meaning: 'Ledger and gateway agree; the result is missing.',
  },
  'result-behind': {
    when: { result: ['behind'] },
    meaning: 'Ledger and gateway agree; the last result is older.',
  },
  'result-ahead': {
    when: { result: ['ahead'] },
    meaning: 'The last result is newer than the ledger: compare again. If it stays, the ledger was restored.',
  },
} as const satisfies Record<string, ClassRow>;

const agreements = {
  'agree-reversed': {
    when: { gateway: ['paid'], odd: 'reversed here' },
    meaning: 'Paid, and reversed since.',
  },
  'agree-paid': {
    when: { gateway: ['paid'] },
    meaning: 'Paid in all books.',
  },
  'agree-under-way': {
    when: { gateway: ['under way'] },
    meaning: 'Taken, and under way at the gateway.',
  },
  'agree-refused': {
    when: { ledger: ['declined'], gateway: ['none'] },
    meaning: 'Refused at once, so the report does not have it.',
  },
  'agree-declined': {
    when: { ledger: ['declined'] },
    meaning: 'Not paid in all books.',
  },
  'agree-check': {
    when: { ledger: ['checked'] },
    meaning: 'A check: no money.',
  },
  'agree-not-sent': {
    when: {},
    meaning: 'Never sent, and unknown to the gateway.',
  },
} as const satisfies Record<string, ClassRow>;

/** A class of orders. */
export type ReconcileClass = keyof typeof disagreements | keyof typeof agreements;

/** The classes in order of precedence, each with what it means. */
export const reconcileClasses: Readonly<Record<ReconcileClass, ClassRow>> = { ...disagreements, ...agreements };

/** True for a class in which the three books say the same. */
export function agrees(name: ReconcileClass): boolean {
  return name in agreements;
}

/** True for a class in which the report only says more than the ledger. */
export const isOpen = (name: ReconcileClass): boolean => reconcileClasses[name].open === true;

const names = Object.keys(reconcileClasses) as ReconcileClass[];

/** The one class of an order. */
export function classOf(sides: ThreeSides): ReconcileClass {
  const found = names.find((name) => fits(reconcileClasses[name].when, sides));
  if (!found) throw new RangeError('the table of classes leaves an order out');
  return found;
}

function fits(when: Condition, { ledger, result, gateway, odd }: ThreeSides): boolean {
  return (
    (when.ledger?.includes(ledger) ?? true) &&
    (when.result?.includes(result) ?? true) &&
    (when.gateway?.includes(gateway) ?? true) &&
    (when.odd === undefined || odd.has(when.odd))
  );
}
