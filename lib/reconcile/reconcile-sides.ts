// What each of three books can say about one order, as far as money goes: the ledger, the results that were told, and the
// gateway's own report.

/** What the ledger says, as far as money goes. */
export const ledgerSides = [
  'none',
  /** An eligibility check: it moves no money, and the gateway's report does not have it. */
  'no money',
  /** Never sent: waiting to be sent again, failed, cancelled, or held by a cap. */
  'not sent',
  /** Claimed, its answer not written yet; in doubt; or held after it was sent. */
  'unknown',
  'accepted',
  'approved',
  'declined',
] as const;

/** What the results say beside the ledger. */
export const resultSides = [
  /** The newest says what the ledger says, or there was nothing to tell yet. */
  'same',
  'none',
  /** The newest is of an earlier revision of the order. */
  'behind',
  /** The newest is of a later revision: the ledger was exported before it. */
  'ahead',
  /** The same revision was told otherwise. */
  'other',
] as const;

/** What the gateway's report says. */
export const gatewaySides = ['none', 'paid', 'paid more than once', 'unpaid', 'under way'] as const;

/** One of {@link ledgerSides}. */
export type LedgerSide = (typeof ledgerSides)[number];
/** One of {@link resultSides}. */
export type ResultSide = (typeof resultSides)[number];
/** One of {@link gatewaySides}. */
export type GatewaySide = (typeof gatewaySides)[number];

/** One order in all three books. */
export interface ThreeSides {
  readonly ledger: LedgerSide;
  readonly result: ResultSide;
  readonly gateway: GatewaySide;
  /** Ledger and gateway name another amount or currency; false where one of them names none. */
  readonly amountDiffers: boolean;
}
