// The money of a reconciliation adds up: what was asked for is what was not sent and what became of the rest, by currency, to
// the last minor unit, on both sides, whatever the three books say.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatMinorUnits } from '../../lib/gateway/money.ts';
import { standingNames, standings } from '../../lib/payout/order/standing.ts';
import { addOrder, type GatewayRecord, judgeOrder, type OrderSums } from '../../lib/reconcile/reconcile.ts';
import type { LedgerRecord } from '../../lib/reconcile/ledger-record.ts';
import { addsUp, createSummary } from '../../lib/reconcile/summary.ts';

const base = {
  operation: 'payout',
  standing: 'paid',
  final: true,
  revision: 1,
  attempts: 1,
  atMs: Date.parse('2026-11-21T10:00:00.000Z'),
} as const;
const ledger = (changes: Partial<LedgerRecord>): LedgerRecord => ({
  ...base,
  amount: '10.42',
  currency: 'EUR',
  ...changes,
});
const currency = fc.constantFrom('EUR', 'JPY', 'KWD');
const money = currency.chain((code) =>
  fc
    .bigInt({ min: 1n, max: 10n ** 17n })
    .map((units) => ({ currency: code, amount: formatMinorUnits(units, code), units })),
);
const lines = fc.array(
  fc.record({
    meaning: fc.constantFrom('paid', 'unpaid', 'filtered', 'under-way', 'unproven', 'reversed'),
    money,
    gatewayOrderId: fc.constantFrom('1', '2', undefined),
  }),
  { maxLength: 4 },
);
const orders = fc.array(
  fc.record({
    standing: fc.constantFrom(...standingNames),
    operation: fc.constantFrom('payout' as const, 'pan-eligibility' as const),
    money,
    back: fc.option(fc.bigInt({ min: 1n, max: 10n ** 17n }), { nil: undefined }),
    attempts: fc.integer({ min: 1, max: 3 }),
    lines,
    isKnown: fc.boolean(),
  }),
  { maxLength: 30 },
);

it('to the last minor unit, whatever is in the books', () => {
  fc.assert(
    fc.property(orders, (drawn) => {
      // given orders of any kind, and what they asked for by a count of the test's own
      const asked = new Map<string, bigint>();
      const notSent = new Map<string, bigint>();
      const grow = (sums: Map<string, bigint>, it: { currency: string; units: bigint }) =>
        sums.set(it.currency, (sums.get(it.currency) ?? 0n) + it.units);
      const classes = new Map<string, OrderSums>();
      const summary = createSummary();
      let checks = new Map<string, bigint>();
      for (const { standing, operation, money: own, back, attempts, lines: drawnLines, isKnown } of drawn) {
        const reversed = standing === 'paid' &&
          back !== undefined && { reversed: formatMinorUnits(back, own.currency) };
        const entry = ledger({
          standing,
          operation,
          attempts,
          amount: own.amount,
          currency: own.currency,
          ...reversed,
        });
        const gateway = drawnLines.map(({ meaning, money: it, gatewayOrderId }): GatewayRecord => {
          const word = { meaning, status: 'x', amount: it.amount, currency: it.currency };
          return gatewayOrderId === undefined ? word : { ...word, gatewayOrderId };
        });
        const order = { ...(isKnown && { ledger: entry }), results: [], gateway };
        summary.add(order);
        const judged = judgeOrder(order);
        addOrder(classes, judged.name, judged.money);
        if (!isKnown) continue;
        if (operation === 'pan-eligibility') checks = grow(checks, own);
        else grow(asked, own);
        const wasSent = standing === 'declined' || standings[standing].moneyMayHaveMoved;
        if (operation === 'payout' && !wasSent) grow(notSent, own);
      }

      // then the summary has exactly these, its parts come to its wholes, and the classes come to the same
      const taken = summary.taken();
      expect(addsUp(taken)).toBe(true);
      for (const { currency: code, ...it } of taken) {
        expect(it.asked).toBe(asked.get(code) ?? 0n);
        expect(it.notSent).toBe(notSent.get(code) ?? 0n);
        const ofClasses = [...classes.values()].reduce((sum, one) => sum + (one.money.get(code)?.ledger ?? 0n), 0n);
        expect(ofClasses).toBe(it.asked + (checks.get(code) ?? 0n));
      }
      for (const code of asked.keys()) expect(taken.map((it) => it.currency)).toContain(code);
    }),
  );
});
