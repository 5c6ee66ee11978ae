// One order as the three books have it: which class it is in, and the money on both sides.
import type { ExportedOrder, GatewaySide, LedgerSide, ResultSide } from './ledger-export.ts';
import { isAmountOf, minorUnitsOf, minorUnitsOfOthers } from '../gateway/money.ts';
import { operations } from '../gateway/operations.ts';
import { classOf, type ReconcileClass } from './reconcile-classes.ts';

/** The ledger's word on an order, as far as it is compared. */
export type LedgerWord = Pick<
  ExportedOrder,
  'operation' | 'state' | 'final' | 'revision' | 'amount' | 'currency' | 'gatewayOrderId' | 'failureCode' | 'beforehand'
>;

/** A result that was told of it. */
export interface ResultWord {
  readonly revision: number;
  readonly status: string;
  readonly final: boolean;
  readonly amount?: string;
  readonly currency?: string;
}

/** A line of the gateway's report about it. */
export interface GatewayWord {
  readonly meaning: 'paid' | 'unpaid' | 'under-way';
  readonly status: string;
  /** As the gateway writes it; it has been read as an amount before. */
  readonly amount: string;
  readonly currency: string;
  readonly gatewayOrderId?: string;
}

/** All that is known of an order. */
export interface OrderInBooks {
  readonly ledger?: LedgerWord;
  readonly results: readonly ResultWord[];
  readonly gateway: readonly GatewayWord[];
}

/** An order judged. */
export interface Judged {
  readonly name: ReconcileClass;
  /** The result of the highest revision. */
  readonly newest?: ResultWord;
  /** Money per currency, in minor units, on either side. */
  readonly money: readonly SidesOfMoney[];
}

/** One currency of an order. */
interface SidesOfMoney {
  readonly currency: string;
  readonly ledger: bigint;
  readonly gateway: bigint;
}

/** Judges one order. */
export function judgeOrder({ ledger, results, gateway: lines }: OrderInBooks): Judged {
  const gateway = withoutRepeats(lines);
  const newest = results.reduce<ResultWord | undefined>(
    (best, it) => (best && best.revision >= it.revision ? best : it),
    undefined,
  );
  const name = classOf({
    ledger: ledgerSide(ledger),
    result: resultSide(ledger, results, newest),
    gateway: gatewaySide(gateway),
    amountDiffers: amountDiffers(ledger, gateway),
  });
  return { name, ...(newest && { newest }), money: moneyOf(ledger, gateway) };
}

/**
 * A report may list an order again as it moves on, in whatever order: one gateway order id is one order there. That it was
 * paid goes over everything, an end over none.
 */
function withoutRepeats(lines: readonly GatewayWord[]): readonly GatewayWord[] {
  if (lines.length < 2) return lines;
  const words = new Map<string, GatewayWord>();
  for (const [place, line] of lines.entries()) {
    const name = line.gatewayOrderId ?? `line ${place}`;
    const before = words.get(name);
    if (!before || weight[line.meaning] > weight[before.meaning]) words.set(name, line);
  }
  return [...words.values()];
}

const weight: Readonly<Record<GatewayWord['meaning'], number>> = { 'under-way': 0, unpaid: 1, paid: 2 };

function ledgerSide(ledger: LedgerWord | undefined): LedgerSide {
  if (!ledger) return 'none';
  if (!operations[ledger.operation].movesMoney) return 'no money';
  switch (ledger.state) {
    case 'retryable':
    case 'failed':
    case 'cancelled':
      return 'not sent';
    case 'held':
      return ledger.failureCode === 'CAP_EXCEEDED' ? 'not sent' : 'unknown';
    case 'submitting':
    case 'in-doubt':
      return 'unknown';
    case 'accepted':
    case 'approved':
    case 'declined':
      return ledger.state;
  }
}

function resultSide(
  ledger: LedgerWord | undefined,
  results: readonly ResultWord[],
  newest: ResultWord | undefined,
): ResultSide {
  if (!ledger) return newest ? 'same' : 'none';
  const isTold = ledger.state !== 'submitting' && ledger.state !== 'retryable' && !ledger.beforehand;
  if (!newest) return isTold ? 'none' : 'same';
  if (newest.revision > ledger.revision) return 'ahead';
  if (newest.revision < ledger.revision) return isTold ? 'behind' : 'same';
  const says = (it: ResultWord) =>
    it.status === ledger.state &&
    it.final === ledger.final &&
    // An order that was cancelled before its job came knows no amount; its result tells what the job asked for.
    (ledger.amount === undefined || (it.amount === ledger.amount && it.currency === ledger.currency));
  return results.filter((it) => it.revision === newest.revision).every(says) ? 'same' : 'other';
}

function gatewaySide(lines: readonly GatewayWord[]): GatewaySide {
  const count = (meaning: GatewayWord['meaning']) => lines.filter((it) => it.meaning === meaning).length;
  const paid = count('paid');
  if (paid > 1) return 'paid more than once';
  if (paid === 1) return 'paid';
  if (count('under-way') > 0) return 'under way';
  return lines.length > 0 ? 'unpaid' : 'none';
}

/** Only lines by which money moved, or may still move. */
function amountDiffers(ledger: LedgerWord | undefined, lines: readonly GatewayWord[]): boolean {
  const { amount, currency } = ledger ?? {};
  if (amount === undefined || currency === undefined) return false;
  return lines
    .filter((it) => it.meaning !== 'unpaid')
    .some(
      (it) =>
        it.currency !== currency ||
        (it.amount !== amount && !isAmountOf(it.amount, { currency, minorUnits: minorUnitsOf(amount, currency) })),
    );
}

/** What was paid; else what is under way; else what was refused. */
function moneyOf(ledger: LedgerWord | undefined, lines: readonly GatewayWord[]): SidesOfMoney[] {
  const sums = new Map<string, { ledger: bigint; gateway: bigint }>();
  const sumOf = (currency: string) => {
    const sum = sums.get(currency) ?? { ledger: 0n, gateway: 0n };
    sums.set(currency, sum);
    return sum;
  };
  if (ledger?.amount !== undefined && ledger.currency !== undefined)
    sumOf(ledger.currency).ledger += minorUnitsOfOthers(ledger.amount, ledger.currency) ?? 0n;
  const counts = (['paid', 'under-way', 'unpaid'] as const).find((meaning) =>
    lines.some((it) => it.meaning === meaning),
  );
  for (const { meaning, currency, amount } of lines)
    if (meaning === counts) sumOf(currency).gateway += minorUnitsOfOthers(amount, currency) ?? 0n;
  return [...sums].map(([currency, sum]) => ({ currency, ...sum }));
}

/** Orders, and their money per currency, by class. */
export interface ClassSums {
  readonly name: ReconcileClass;
  orders: number;
  readonly money: Map<string, { ledger: bigint; gateway: bigint }>;
}

/** Adds a judged order to the sums of its class. */
export function addJudged(sums: Map<ReconcileClass, ClassSums>, { name, money }: Judged): void {
  const sum = sums.get(name) ?? { name, orders: 0, money: new Map() };
  sums.set(name, sum);
  sum.orders += 1;
  for (const { currency, ledger, gateway } of money) {
    const own = sum.money.get(currency) ?? { ledger: 0n, gateway: 0n };
    sum.money.set(currency, { ledger: own.ledger + ledger, gateway: own.gateway + gateway });
  }
}
