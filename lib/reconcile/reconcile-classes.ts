// Three books about one order held against each other: the ledger, the published results, the gateway's own report.
// Each order falls into exactly one class, by an ordered table: the first row that fits wins, and the last fits all. The
// heavier a disagreement is for the money, the earlier it comes.
import type { GatewaySide, LedgerSide, Oddity, ResultSide, ThreeSides } from './ledger-export.ts';

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
}

const disagreements = {
  'paid-more-than-once': {
    when: { gateway: ['paid more than once'] },
    meaning: 'The gateway lists several payments of one order: at least one too many. Have it taken back.',
  },
  'report-contradicts-itself': {
    when: { odd: 'report contradicts itself' },
    meaning:
      'The gateway lists one payment twice, with another amount or currency, or more taken back than paid. Ask which is true.',
  },
  'paid-unknown-here': {
    when: { ledger: ['none', 'no money'], gateway: ['paid'] },
    meaning:
      'The gateway paid an order that the ledger does not know: sent by somebody else, or the export is partial.',
  },
  'unfinished-unknown-here': {
    when: { ledger: ['none', 'no money'], gateway: ['under way'] },
    meaning: 'The gateway has an order under way that the ledger does not know.',
  },
  'unpaid-unknown-here': {
    when: { ledger: ['none', 'no money'], gateway: ['unpaid'] },
    meaning: 'The gateway refused an order that the ledger does not know. No money moved.',
  },
  'unproven-unknown-here': {
    when: { ledger: ['none', 'no money'], gateway: ['unproven'] },
    meaning: 'The gateway lists an order that the ledger does not know, under a status that proves nothing. Ask it.',
  },
  'result-unknown-here': {
    when: { ledger: ['none'] },
    meaning: 'A result speaks of an order that neither ledger nor gateway knows: the export is partial.',
  },
  'paid-though-not-sent': {
    when: { ledger: ['not sent'], gateway: ['paid'] },
    meaning: 'The ledger says that it was never sent, the gateway paid it. Do not send it again.',
  },
  'paid-though-declined': {
    when: { ledger: ['declined'], gateway: ['paid'] },
    meaning: 'The ledger says that no money moved, the gateway paid it. Do not pay it again.',
  },
  'unfinished-though-not-sent': {
    when: { ledger: ['not sent'], gateway: ['under way'] },
    meaning: 'The ledger says that it was never sent, the gateway has it under way. Do not send it again.',
  },
  'unfinished-though-declined': {
    when: { ledger: ['declined'], gateway: ['under way'] },
    meaning: 'The ledger says that it ended unpaid, the gateway has it under way.',
  },
  'reversed-unknown-here': {
    when: { odd: 'reversed there' },
    meaning: 'The gateway says that the payment was undone, and the ledger does not know it: the money came back.',
  },
  'amount-differs': {
    when: { gateway: ['paid', 'under way', 'unproven'], odd: 'amount differs' },
    meaning: 'The gateway names another amount or currency than was asked for.',
  },
  'unpaid-though-approved': {
    when: { ledger: ['approved'], gateway: ['unpaid'] },
    meaning: 'The ledger says that it is paid, the gateway that it is not: the payee waits.',
  },
  'approved-missing-at-gateway': {
    when: { ledger: ['approved'], gateway: ['none'] },
    meaning: "The ledger says that it is paid, the gateway's report does not have it.",
  },
  'unfinished-though-approved': {
    when: { ledger: ['approved'], gateway: ['under way'] },
    meaning: 'The ledger says that it is paid, the gateway that it is under way.',
  },
  'unproven-at-gateway': {
    when: { ledger: ['not sent', 'unknown', 'accepted', 'approved'], gateway: ['unproven'] },
    meaning:
      'The gateway lists it under a status that proves nothing, such as `error`. Ask it; release and repeat nothing by this.',
  },
  'unpaid-though-accepted': {
    when: { ledger: ['accepted'], gateway: ['unpaid'] },
    meaning: 'The gateway took it and did not pay it; nobody here knows yet. The payee waits.',
  },
  'accepted-missing-at-gateway': {
    when: { ledger: ['accepted'], gateway: ['none'] },
    meaning: 'The gateway took it, and its report does not have it: ask for it, or for a later report.',
  },
  'result-contradicts-ledger': {
    when: { result: ['other'] },
    meaning: 'A result says otherwise of the same revision than the ledger has it: one of the two files was changed.',
  },
  'doubt-resolved-paid': {
    when: { ledger: ['unknown'], gateway: ['paid'] },
    meaning: 'Nobody here knew; the gateway paid it. Release it as paid.',
  },
  'doubt-resolved-unpaid': {
    when: { ledger: ['unknown'], gateway: ['unpaid'] },
    meaning: 'Nobody here knew; the gateway did not pay it. Release it as not paid.',
  },
  'doubt-unfinished': {
    when: { ledger: ['unknown'], gateway: ['under way'] },
    meaning: 'Nobody here knows, and the gateway has it under way. Wait for its end.',
  },
  'doubt-missing-at-gateway': {
    when: { ledger: ['unknown'], gateway: ['none'] },
    meaning:
      "Nobody here knows, and the gateway's report does not have it: probably never taken. Ask before it is sent again.",
  },
  'unpaid-though-not-sent': {
    when: { ledger: ['not sent'], gateway: ['unpaid'] },
    meaning: 'The ledger says that it was never sent, the gateway has refused it. No money moved.',
  },
  'result-missing': {
    when: { result: ['none'] },
    meaning: 'Ledger and gateway agree; its result was never published, or is not in the file.',
  },
  'result-behind': {
    when: { result: ['behind'] },
    meaning: 'Ledger and gateway agree; the last result is of an earlier state.',
  },
  'result-ahead': {
    when: { result: ['ahead'] },
    meaning: 'The last result is of a later state than the export has: export the ledger again, after the results.',
  },
} as const satisfies Record<string, ClassRow>;

const agreements = {
  'agree-reversed': {
    when: { gateway: ['paid'], odd: 'reversed here' },
    meaning: 'Paid, and taken back since; the report may have the payment alone.',
  },
  'agree-paid': {
    when: { gateway: ['paid'] },
    meaning: 'Paid, and so says everybody; or taken here, and paid there.',
  },
  'agree-under-way': {
    when: { gateway: ['under way'] },
    meaning: 'Taken by the gateway, and under way there.',
  },
  'agree-refused': {
    when: { ledger: ['declined'], gateway: ['none'] },
    meaning: 'Refused at once, so that the report does not have it.',
  },
  'agree-declined': {
    when: { ledger: ['declined'] },
    meaning: 'Not paid, and so says everybody.',
  },
  'agree-check': {
    when: { ledger: ['no money'] },
    meaning: 'A check: no money in it.',
  },
  'agree-not-sent': {
    when: {},
    meaning: 'Never sent, and the gateway does not know it.',
  },
} as const satisfies Record<string, ClassRow>;

/** A class of orders. */
export type ReconcileClass = keyof typeof disagreements | keyof typeof agreements;

/** The classes in order of precedence, each with what it means. The table of infra/docs/procedures/reconcile-with-the-gateway.md is made from this. */
export const reconcileClasses: Readonly<Record<ReconcileClass, ClassRow>> = { ...disagreements, ...agreements };

/** True for a class in which the three books say the same. */
export function agrees(name: ReconcileClass): boolean {
  return name in agreements;
}

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
