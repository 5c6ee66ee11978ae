// The classes of reconciliation over every combination of what three books can say: each order is in exactly one, and only
// what is the same everywhere agrees.
import { describe, expect, it } from 'vitest';
import { agrees, classOf, type ReconcileClass, reconcileClasses } from '../../lib/reconcile/reconcile-classes.ts';
import { gatewaySides, ledgerSides, resultSides, type ThreeSides } from '../../lib/reconcile/ledger-export.ts';

const everything: readonly ThreeSides[] = ledgerSides.flatMap((ledger) =>
  resultSides.flatMap((result) =>
    gatewaySides.flatMap((gateway) =>
      [false, true].map((amountDiffers) => ({ ledger, result, gateway, amountDiffers })),
    ),
  ),
);

/** Where nobody says anything wrong, and the result is the ledger's. */
const byLedgerAndGateway: Readonly<Record<string, readonly ReconcileClass[]>> = {
  // gateway: none, paid, paid more than once, unpaid, under way
  none: [
    'result-unknown-here',
    'paid-unknown-here',
    'paid-more-than-once',
    'unpaid-unknown-here',
    'unfinished-unknown-here',
  ],
  'no money': [
    'agree-check',
    'paid-unknown-here',
    'paid-more-than-once',
    'unpaid-unknown-here',
    'unfinished-unknown-here',
  ],
  'not sent': [
    'agree-not-sent',
    'paid-though-not-sent',
    'paid-more-than-once',
    'unpaid-though-not-sent',
    'unfinished-though-not-sent',
  ],
  unknown: [
    'doubt-missing-at-gateway',
    'doubt-resolved-paid',
    'paid-more-than-once',
    'doubt-resolved-unpaid',
    'doubt-unfinished',
  ],
  accepted: [
    'accepted-missing-at-gateway',
    'agree-paid',
    'paid-more-than-once',
    'unpaid-though-accepted',
    'agree-under-way',
  ],
  approved: [
    'approved-missing-at-gateway',
    'agree-paid',
    'paid-more-than-once',
    'unpaid-though-approved',
    'unfinished-though-approved',
  ],
  declined: [
    'agree-declined',
    'paid-though-declined',
    'paid-more-than-once',
    'agree-declined',
    'unfinished-though-declined',
  ],
};

/** Classes that hold whatever was told and whatever the amount: the money comes first. */
const heavierThanAmount = new Set<ReconcileClass>([
  'paid-more-than-once',
  'paid-unknown-here',
  'unfinished-unknown-here',
  'paid-though-not-sent',
  'paid-though-declined',
  'unfinished-though-not-sent',
  'unfinished-though-declined',
]);
const heavierThanResult = new Set<ReconcileClass>([
  ...heavierThanAmount,
  'unpaid-unknown-here',
  'result-unknown-here',
  'amount-differs',
  'unpaid-though-approved',
  'approved-missing-at-gateway',
  'unfinished-though-approved',
  'unpaid-though-accepted',
  'accepted-missing-at-gateway',
]);

/** The class, worked out another way than by the table. */
function expected({ ledger, result, gateway, amountDiffers }: ThreeSides): ReconcileClass | undefined {
  const byMoney = byLedgerAndGateway[ledger]?.[gatewaySides.indexOf(gateway)];
  if (!byMoney) return undefined;
  const moves = gateway === 'paid' || gateway === 'under way';
  const money = amountDiffers && moves && !heavierThanAmount.has(byMoney) ? 'amount-differs' : byMoney;
  if (heavierThanResult.has(money)) return money;
  if (result === 'other') return 'result-contradicts-ledger';
  if (!agrees(money)) return money;
  const told = { same: money, none: 'result-missing', behind: 'result-behind', ahead: 'result-ahead' } as const;
  return told[result];
}

describe('the classes', () => {
  it('are what they should be, over all of the 350 combinations', () => {
    expect(everything).toHaveLength(350);
    for (const sides of everything) expect({ ...sides, is: classOf(sides) }).toEqual({ ...sides, is: expected(sides) });
  });

  it('are each reached by some combination', () => {
    const reached = new Set(everything.map(classOf));
    expect([...reached].toSorted()).toEqual(Object.keys(reconcileClasses).toSorted());
  });

  it('agree only where no money is disputed and the result is the ledger’s', () => {
    const pairs = everything.filter((sides) => agrees(classOf(sides)));
    expect(new Set(pairs.map(({ result }) => result))).toEqual(new Set(['same']));
    expect([...new Set(pairs.map(({ ledger, gateway }) => `${ledger} / ${gateway}`))]).toEqual([
      'no money / none',
      'not sent / none',
      'accepted / paid',
      'accepted / under way',
      'approved / paid',
      'declined / none',
      'declined / unpaid',
    ]);
    expect(
      pairs.filter(({ amountDiffers, gateway }) => amountDiffers && gateway !== 'none' && gateway !== 'unpaid'),
    ).toEqual([]);
  });

  it('say what they mean, in a sentence', () => {
    for (const { meaning } of Object.values(reconcileClasses)) expect(meaning).toMatch(/^[A-Z].+\.$/);
  });
});
