// The ledger's export, line by line: what it is of, each order as a merchant may see it, and its end. Its facts stay
// in the ledger.
import * as v from 'valibot';
import { amountFields, formatMinorUnits } from '../gateway/money.ts';
import { meaningOfLine } from '../gateway/gateway-report.ts';
import { operationNames } from '../gateway/operations.ts';
import { isCancelledBeforehand, type OrderView } from '../payout/order/projection.ts';
import { type Standing, standingNames, standings } from '../payout/order/standing.ts';

const text = v.string();
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const time = v.pipe(
  text,
  v.check((it) => !Number.isNaN(Date.parse(it))),
);

/** The first line: which orders were asked for. Without batch, merchant and time: all of them. */
export const exportHeadSchema = v.object({
  version: v.literal(1),
  kind: v.literal('export'),
  madeAt: time,
  batch: v.exactOptional(text),
  merchant: v.exactOptional(text),
  /** Orders that have moved from this moment on. */
  since: v.exactOptional(time),
});

/** The last line, without which the file is cut off: how many orders are in it, and how many newer code wrote, which are not. */
export const exportEndSchema = v.object({
  version: v.literal(1),
  kind: v.literal('export-end'),
  orders: count,
  unreadable: count,
});

/** The first line of an export. */
export type ExportHead = v.InferOutput<typeof exportHeadSchema>;
/** The last line of an export. */
export type ExportEnd = v.InferOutput<typeof exportEndSchema>;

/** A line of the export. */
export const exportedOrderSchema = v.object({
  version: v.literal(1),
  /** `orderKey` of order.ts. */
  key: v.pipe(text, v.regex(/^[^/]+\/./)),
  operation: v.picklist(operationNames),
  /** What became of it. */
  standing: v.picklist(standingNames),
  final: v.boolean(),
  /** 0 while nothing was published of it. */
  revision: count,
  attempts: count,
  /** A restore of the table may have lost others, or the gateway has named an order that is none of these. */
  mayHaveMore: v.exactOptional(v.literal(true)),
  endpointId: v.exactOptional(text),
  amount: v.exactOptional(text),
  currency: v.exactOptional(text),
  gatewayOrderId: v.exactOptional(text),
  /** Every id by which the gateway may list a payment of it. */
  gatewayIds: v.exactOptional(v.array(text)),
  failureCode: v.exactOptional(text),
  failureMessage: v.exactOptional(text),
  note: v.exactOptional(text),
  batchId: v.exactOptional(text),
  /** So much of it was undone later, as a decimal. */
  reversed: v.exactOptional(text),
  /** The order has no result yet: it goes on by itself, or was cancelled before its job came. */
  withoutResult: v.exactOptional(v.literal(true)),
  /** Its result is not published yet. */
  unpublished: v.exactOptional(v.literal(true)),
  createdAt: time,
  /** When it was last sent. */
  sentAt: v.exactOptional(time),
  updatedAt: time,
});

/** A line of the export. */
export type ExportedOrder = v.InferOutput<typeof exportedOrderSchema>;

/** The line of an order. */
export function exportedOrder(entry: OrderView): ExportedOrder {
  const { key, operation, standing, final, revision, attempts, endpointId, money, failure } = entry;
  return {
    version: 1,
    key,
    operation,
    standing,
    final,
    revision,
    attempts,
    ...(entry.mayHaveMore && { mayHaveMore: true as const }),
    ...(endpointId !== '' && { endpointId }),
    ...(money && amountFields(money)),
    ...(entry.gatewayOrderId !== undefined && { gatewayOrderId: entry.gatewayOrderId }),
    ...gatewayIdsOf(entry),
    ...(failure && { failureCode: failure.code, failureMessage: failure.message }),
    ...(entry.note !== undefined && { note: entry.note }),
    ...(entry.batchId !== undefined && { batchId: entry.batchId }),
    ...reversedOf(entry),
    ...(isWithoutResult(entry) && { withoutResult: true as const }),
    ...(entry.unpublished && { unpublished: true as const }),
    createdAt: new Date(entry.createdAtMs).toISOString(),
    ...sentAtOf(entry),
    updatedAt: new Date(entry.updatedAtMs).toISOString(),
  };
}

// All that reconciliation knows of a ledger's entry is concluded here.

/** Each id by which the gateway may list a payment of the order. */
function gatewayIdsOf({
  gatewayOrderId,
  gatewayAlias,
  earlierAttempts = [],
}: OrderView): Pick<ExportedOrder, 'gatewayIds'> {
  const ids = [gatewayOrderId, gatewayAlias, ...earlierAttempts.map((it) => it.gatewayOrderId)];
  const known = ids.filter((id) => id !== undefined);
  return known.length === 0 ? {} : { gatewayIds: known };
}

/** A reversal that is not approved, or a mere dispute, has undone nothing yet. */
function reversedOf({ standing, reversal, money }: OrderView): Pick<ExportedOrder, 'reversed'> {
  if (!money || !reversal || standing !== 'paid') return {};
  if (meaningOfLine(reversal, new Map()) !== 'reversed') return {};
  return { reversed: reversal.amount ?? formatMinorUnits(money.minorUnits, money.currency) };
}

const isWithoutResult = (entry: OrderView): boolean =>
  standings[entry.standing].result === undefined || isCancelledBeforehand(entry);

function sentAtOf({ history }: OrderView): Pick<ExportedOrder, 'sentAt'> {
  const last = history.findLast(({ standing }) => standing === 'sending');
  return last ? { sentAt: new Date(last.atMs).toISOString() } : {};
}

// The states of one order's money in the three books: the ledger, the results that were published, and the
// gateway's own report.

/** The results' side. */
export const resultSides = [
  /** The newest agrees with the ledger, or there was nothing to publish yet. */
  'same',
  'none',
  /** The newest is of an earlier revision of the order. */
  'behind',
  /** The newest is of a later revision: the ledger was exported before it. */
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
  /** The report lists a payment under an id that the order does not bear. */
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
