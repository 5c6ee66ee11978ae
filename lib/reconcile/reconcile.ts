// One order as the three books have it: which class it is in, and the money on both sides.
import { minorUnitsOf, minorUnitsOfOthers } from '../gateway/money.ts';
import { operations } from '../gateway/operations.ts';
import { type Standing, standings } from '../payout/order/standing.ts';
import type { LedgerRecord } from './ledger-record.ts';
import {
  classOf,
  type GatewaySide,
  type LedgerSide,
  type Oddity,
  type ReconcileClass,
  type ResultSide,
} from './reconcile-classes.ts';

/** A result that was published about it. */
export interface ResultRecord {
  readonly revision: number;
  readonly status: string;
  readonly final: boolean;
  readonly amount?: string;
  readonly currency?: string;
  readonly batchId?: string;
  /** ISO 8601. */
  readonly at?: string;
}

/** A line of the gateway's report about it. */
export interface GatewayRecord {
  readonly meaning: 'paid' | 'unpaid' | 'filtered' | 'under-way' | 'unproven' | 'reversed';
  readonly status: string;
  /** As the gateway writes it; it has been read as an amount before. */
  readonly amount: string;
  readonly currency: string;
  readonly gatewayOrderId?: string;
  /** Of the transaction, where the report names one of ours. */
  readonly type?: string;
  /** As the report has it. */
  readonly date?: string;
}

/** All that is known of an order. */
export interface OrderInBooks {
  readonly ledger?: LedgerRecord;
  readonly results: readonly ResultRecord[];
  readonly gateway: readonly GatewayRecord[];
}

/** An order judged. */
export interface Judged {
  readonly name: ReconcileClass;
  /** What the results say of it. */
  readonly result: ResultSide;
  /** The result of the highest revision. */
  readonly newest?: ResultRecord;
  /** Money per currency, in minor units, on either side. */
  readonly money: readonly SidesOfMoney[];
}

/** One currency of an order. */
interface SidesOfMoney {
  readonly currency: string;
  /** Asked for. */
  readonly ledger: bigint;
  /** The paid amount; else the one under way; else the one refused. */
  readonly gateway: bigint;
}

/** Judges one order. */
export function judgeOrder({ ledger, results, gateway }: OrderInBooks): Judged {
  const lines = linesOnce(gateway, ledger);
  const newest = results.reduce<ResultRecord | undefined>(
    (best, it) => (best && best.revision >= it.revision ? best : it),
    undefined,
  );
  const result = resultSide(ledger, results, newest);
  const name = classOf({
    ledger: ledgerSide(ledger),
    result,
    // A refusal of another payment is not about what was sent.
    gateway: gatewaySide(lines.filter((line) => line.meaning !== 'unpaid' || !isOfAnother(line, ledger))),
    odd: odditiesOf(ledger, gateway, lines),
  });
  return { name, result, newest, money: moneyOf(ledger, lines) };
}

/**
 * A report may list an order again as it moves on, in whatever order: one gateway order id is one payment there. That it was
 * paid goes over everything, an end over none. A line that undoes a payment bears its id, and is counted beside it.
 */
export function linesOnce(
  lines: readonly GatewayRecord[],
  ledger: Pick<LedgerRecord, 'attempts' | 'mayHaveMore'> | undefined,
): readonly GatewayRecord[] {
  const records = lines.map((line): GatewayRecord => {
    if (line.meaning !== 'filtered') return line;
    return { ...line, meaning: ledger?.mayHaveMore || (ledger?.attempts ?? 1) > 1 ? 'unproven' : 'unpaid' };
  });
  if (records.length < 2) return records;
  const payments = new Map<string, GatewayRecord>();
  for (const [place, line] of records.entries()) {
    if (line.meaning === 'reversed') continue;
    const name = line.gatewayOrderId ?? `line ${place}`;
    const before = payments.get(name);
    if (!before || weight[line.meaning] > weight[before.meaning]) payments.set(name, line);
  }
  return [...payments.values(), ...records.filter(({ meaning }) => meaning === 'reversed')];
}

const weight: Readonly<Record<GatewayRecord['meaning'], number>> = {
  'under-way': 0,
  unproven: 1,
  filtered: 2,
  unpaid: 2,
  paid: 3,
  reversed: 4,
};

/** No money moves by a check, whatever became of it. */
function ledgerSide(ledger: LedgerRecord | undefined): LedgerSide {
  if (!ledger) return 'none';
  if (!operations[ledger.operation].movesMoney) return 'checked';
  // What was sent was refused before a person cancelled the order.
  return ledger.standing === 'cancelled' && ledger.attempts > 0 ? 'declined' : ledger.standing;
}

function resultSide(
  ledger: LedgerRecord | undefined,
  results: readonly ResultRecord[],
  newest: ResultRecord | undefined,
): ResultSide {
  if (!ledger) return newest ? 'same' : 'none';
  const hasResult = !ledger.withoutResult;
  if (!newest) return hasResult ? 'none' : 'same';
  if (newest.revision > ledger.revision) return 'ahead';
  if (newest.revision < ledger.revision) return hasResult ? 'behind' : 'same';
  const isAgain = standings[ledger.standing].result === undefined;
  const says = (it: ResultRecord) =>
    (isAgain ? ofBefore.has(it.status) : saysStatus(it.status, ledger.standing) && it.final === ledger.final) &&
    // An order that was cancelled before its job came knows no amount; its result has what the job asked for.
    (ledger.amount === undefined || (it.amount === ledger.amount && it.currency === ledger.currency));
  return results.filter((it) => it.revision === newest.revision).every(says) ? 'same' : 'other';
}

/** What is sent once more has no result of its own yet: its last one is of what stopped it before. */
const ofBefore: ReadonlySet<string> = new Set(['declined', 'failed', 'held']);

/** A check was approved by a callback, or accepted at once. */
const saysStatus = (status: string, standing: Standing): boolean =>
  status === standings[standing].result || (standing === 'checked' && status === 'approved');

function gatewaySide(lines: readonly GatewayRecord[]): GatewaySide {
  const count = (meaning: GatewayRecord['meaning']) => lines.filter((it) => it.meaning === meaning).length;
  const paid = count('paid');
  const alive = lines.filter((it) => it.meaning === 'paid' || it.meaning === 'under-way');
  const ids = new Set(alive.flatMap(({ gatewayOrderId }) => gatewayOrderId ?? []));
  if (paid > 1 || ids.size > 1) return 'paid more than once';
  // Only what was paid can be undone; the line of the payment may lie before the days of the report.
  if (paid === 1 || count('reversed') > 0) return 'paid';
  if (count('under-way') > 0) return 'under way';
  if (count('unproven') > 0) return 'unproven';
  return lines.length > 0 ? 'unpaid' : 'none';
}

function odditiesOf(
  ledger: LedgerRecord | undefined,
  all: readonly GatewayRecord[],
  lines: readonly GatewayRecord[],
): ReadonlySet<Oddity> {
  const odd = new Set<Oddity>();
  if (amountDiffers(ledger, lines)) odd.add('amount differs');
  // No money moves by a refusal.
  const moving = lines.filter(({ meaning }) => meaning !== 'unpaid' && meaning !== 'reversed');
  if (moving.some((line) => isOfAnother(line, ledger))) odd.add('another payment');
  if (isContradictory(all, lines)) odd.add('report contradicts itself');
  if (ledger?.reversed !== undefined) odd.add('reversed here');
  else if (lines.some(({ meaning }) => meaning === 'reversed')) odd.add('reversed there');
  return odd;
}

/** A line under an id that the order does not bear, or of another operation, is about another payment. */
export const isOfAnother = (
  { gatewayOrderId: id, type }: GatewayRecord,
  ledger: Pick<LedgerRecord, 'gatewayIds' | 'operation' | 'amount'> | undefined,
): boolean =>
  (id !== undefined && ledger?.gatewayIds?.includes(id) === false) ||
  // Of an order that is known by name alone the operation is not known.
  (type !== undefined && ledger?.amount !== undefined && !operations[ledger.operation].transactionTypes.includes(type));

/** Lines by which money moved, or may still move. */
function amountDiffers(ledger: LedgerRecord | undefined, lines: readonly GatewayRecord[]): boolean {
  const { amount, currency } = ledger ?? {};
  if (amount === undefined || currency === undefined) return false;
  return lines
    .filter(({ meaning }) => meaning !== 'unpaid' && meaning !== 'reversed')
    .some((it) => !isSameMoney(it, { amount, currency }));
}

type Priced = Pick<GatewayRecord, 'amount' | 'currency'>;

/** True for the same sum, however either is written. */
export const isSameMoney = (one: Priced, other: Priced): boolean =>
  one.currency === other.currency && (one.amount === other.amount || unitsOf(one) === unitsOf(other));

/** One id with two amounts, whatever the lines say of it; or more taken back than was paid. */
function isContradictory(all: readonly GatewayRecord[], lines: readonly GatewayRecord[]): boolean {
  const first = new Map<string, GatewayRecord>();
  for (const line of all) {
    if (line.gatewayOrderId === undefined || line.meaning === 'reversed') continue;
    const before = first.get(line.gatewayOrderId);
    if (before && !isSameMoney(line, before)) return true;
    first.set(line.gatewayOrderId, before ?? line);
  }
  const paid = lines.filter(({ meaning }) => meaning === 'paid');
  if (paid.length === 0) return false;
  const undone = lines.filter(({ meaning }) => meaning === 'reversed');
  return undone.some(({ currency }) => sumOf(undone, currency) > sumOf(paid, currency));
}

const sumOf = (lines: readonly GatewayRecord[], currency: string): bigint =>
  lines.reduce((sum, line) => (line.currency === currency ? sum + unitsOf(line) : sum), 0n);

/** In minor units, of what has been read as an amount before. */
export const unitsOf = ({ amount, currency }: Priced): bigint => minorUnitsOfOthers(amount, currency) ?? 0n;

function moneyOf(ledger: LedgerRecord | undefined, lines: readonly GatewayRecord[]): SidesOfMoney[] {
  const sums = new Map<string, { ledger: bigint; gateway: bigint }>();
  const sumIn = (currency: string) => {
    const sum = sums.get(currency) ?? { ledger: 0n, gateway: 0n };
    sums.set(currency, sum);
    return sum;
  };
  if (ledger?.amount !== undefined && ledger.currency !== undefined)
    sumIn(ledger.currency).ledger += minorUnitsOf(ledger.amount, ledger.currency);
  const counts = (['paid', 'under-way', 'unproven', 'unpaid', 'reversed'] as const).find((meaning) =>
    lines.some((it) => it.meaning === meaning),
  );
  for (const line of lines) if (line.meaning === counts) sumIn(line.currency).gateway += unitsOf(line);
  return [...sums].map(([currency, sum]) => ({ currency, ...sum }));
}

/** Orders, and their money per currency. */
export interface OrderSums<Name extends string = string> {
  readonly name: Name;
  orders: number;
  readonly money: Map<string, { ledger: bigint; gateway: bigint }>;
}

/** Adds an order to the sums of its name. */
export function addOrder<Name extends string>(
  sums: Map<Name, OrderSums<Name>>,
  name: Name,
  money: readonly SidesOfMoney[],
): void {
  const sum = sums.get(name) ?? { name, orders: 0, money: new Map() };
  sums.set(name, sum);
  sum.orders += 1;
  for (const { currency, ledger, gateway } of money) {
    const own = sum.money.get(currency) ?? { ledger: 0n, gateway: 0n };
    sum.money.set(currency, { ledger: own.ledger + ledger, gateway: own.gateway + gateway });
  }
}
