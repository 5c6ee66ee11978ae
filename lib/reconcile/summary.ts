// The money of a reconciliation, by currency: what was asked for, and what became of it by the ledger and by the gateway's
// report. Each side is added up twice, as a whole and by its parts, and the two must be the same to the last minor unit.
import type { LedgerRecord } from './ledger-record.ts';
import { minorUnitsOf } from '../gateway/money.ts';
import { operations } from '../gateway/operations.ts';
import { type Standing, standings } from '../payout/order/standing.ts';
import { type GatewayRecord, linesOnce, type OrderInBooks, unitsOf } from './reconcile.ts';

/** The parts of the money that was sent; `reversed`: paid, and taken back. */
export const moneyParts = ['paid', 'accepted', 'declined', 'in-doubt', 'reversed'] as const;

/** One of {@link moneyParts}. */
type MoneyPart = (typeof moneyParts)[number];

/** Minor units of one currency, on one side. */
export interface SideSums extends Readonly<Record<MoneyPart, bigint>> {
  /** Sent, or listed: what the parts add up to. */
  readonly sent: bigint;
}

/** One currency. */
export interface CurrencySummary {
  readonly currency: string;
  /** The ledger's orders: sent and not sent. */
  readonly asked: bigint;
  readonly notSent: bigint;
  readonly ledger: SideSums;
  /** The payments of the report, each once. */
  readonly gateway: SideSums;
}

type Sums = { -readonly [Name in keyof SideSums]: SideSums[Name] };
type Growing = { asked: bigint; notSent: bigint; ledger: Sums; gateway: Sums };

const nothing = (): Sums => ({ sent: 0n, paid: 0n, accepted: 0n, declined: 0n, 'in-doubt': 0n, reversed: 0n });

/** Adds orders up; nothing is added yet. */
export function createSummary() {
  const currencies = new Map<string, Growing>();
  const of = (currency: string): Growing => {
    const sums = currencies.get(currency) ?? { asked: 0n, notSent: 0n, ledger: nothing(), gateway: nothing() };
    currencies.set(currency, sums);
    return sums;
  };

  function addLedger({ amount, currency, operation, standing, reversed }: LedgerRecord): void {
    if (amount === undefined || currency === undefined || !operations[operation].movesMoney) return;
    const units = minorUnitsOf(amount, currency);
    const sums = of(currency);
    sums.asked += units;
    const part = partOfLedger(standing);
    if (part === 'notSent') {
      sums.notSent += units;
      return;
    }
    sums.ledger.sent += units;
    // No more can come back than was paid.
    const back = reversed === undefined ? 0n : smaller(minorUnitsOf(reversed, currency), units);
    sums.ledger.reversed += back;
    sums.ledger[part] += units - back;
  }

  function addGateway(lines: readonly GatewayRecord[]): void {
    for (const line of lines) {
      const sums = of(line.currency).gateway;
      const units = unitsOf(line);
      if (line.meaning === 'reversed') {
        // The order was paid before, whether or not that line is in the report.
        const isPaid = lines.some(({ meaning, currency }) => meaning === 'paid' && currency === line.currency);
        sums.reversed += units;
        if (isPaid) sums.paid -= units;
        else sums.sent += units;
        continue;
      }
      sums.sent += units;
      sums[partOfGateway[line.meaning]] += units;
    }
  }

  return {
    add({ ledger, gateway }: OrderInBooks): void {
      if (ledger) addLedger(ledger);
      addGateway(linesOnce(gateway, ledger));
    },
    /** By currency. */
    taken: (): readonly CurrencySummary[] =>
      [...currencies]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([currency, sums]) => ({ currency, ...sums })),
  };
}

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);

function partOfLedger(standing: Standing): MoneyPart | 'notSent' {
  if (standing === 'paid' || standing === 'declined') return standing;
  if (standing === 'confirming' || standing === 'accepted') return 'accepted';
  return standings[standing].moneyMayHaveMoved ? 'in-doubt' : 'notSent';
}

const partOfGateway: Readonly<Record<Exclude<GatewayRecord['meaning'], 'reversed'>, MoneyPart>> = {
  paid: 'paid',
  'under-way': 'accepted',
  unpaid: 'declined',
  filtered: 'declined',
  unproven: 'in-doubt',
};

/** True if the parts of every currency come to their whole, on both sides, to the last minor unit. */
export function addsUp(currencies: readonly CurrencySummary[]): boolean {
  const isWhole = (side: SideSums) => moneyParts.reduce((sum, part) => sum + side[part], 0n) === side.sent;
  return currencies.every(
    ({ asked, notSent, ledger, gateway }) => asked === notSent + ledger.sent && isWhole(ledger) && isWhole(gateway),
  );
}
