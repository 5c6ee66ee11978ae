// The classes of reconciliation over every combination of what three books can say: each order is in exactly one, and only
// what is the same everywhere agrees.
import { describe, expect, it } from 'vitest';
import { agrees, classOf, type ReconcileClass, reconcileClasses } from '../../lib/reconcile/reconcile-classes.ts';
import {
  gatewaySides,
  oddities,
  type Oddity,
  resultSides,
  type ThreeSides,
} from '../../lib/reconcile/reconcile-classes.ts';

/** A standing of each kind: no money, not sent, not known, taken, paid, declined. */
const ledgerSides = ['none', 'checked', 'failed', 'held', 'accepted', 'paid', 'declined'] as const;

/** Every choice of oddities, none among them. */
const choices = oddities.reduce<readonly ReadonlySet<Oddity>[]>(
  (sets, it) => [...sets, ...sets.map((set) => new Set([...set, it]))],
  [new Set<Oddity>()],
);

const everything: readonly ThreeSides[] = ledgerSides.flatMap((ledger) =>
  resultSides.flatMap((result) =>
    gatewaySides.flatMap((gateway) => choices.map((odd) => ({ ledger, result, gateway, odd }))),
  ),
);

/** Where no book says anything wrong, and the result is the ledger's. */
const byLedgerAndGateway: Readonly<Record<string, readonly ReconcileClass[]>> = {
  // gateway: none, paid, paid more than once, unpaid, under way, unproven
  none: [
    'result-unknown-here',
    'paid-unknown-here',
    'paid-more-than-once',
    'unpaid-unknown-here',
    'unfinished-unknown-here',
    'unproven-unknown-here',
  ],
  checked: [
    'agree-check',
    'paid-unknown-here',
    'paid-more-than-once',
    'unpaid-unknown-here',
    'unfinished-unknown-here',
    'unproven-unknown-here',
  ],
  failed: [
    'agree-not-sent',
    'paid-though-not-sent',
    'paid-more-than-once',
    'unpaid-though-not-sent',
    'unfinished-though-not-sent',
    'unproven-at-gateway',
  ],
  held: [
    'doubt-missing-at-gateway',
    'doubt-resolved-paid',
    'paid-more-than-once',
    'doubt-resolved-unpaid',
    'doubt-unfinished',
    'unproven-at-gateway',
  ],
  accepted: [
    'accepted-missing-at-gateway',
    'accepted-and-paid',
    'paid-more-than-once',
    'unpaid-though-accepted',
    'agree-under-way',
    'unproven-at-gateway',
  ],
  paid: [
    'approved-missing-at-gateway',
    'agree-paid',
    'paid-more-than-once',
    'unpaid-though-approved',
    'unfinished-though-approved',
    'unproven-at-gateway',
  ],
  declined: [
    'agree-refused',
    'paid-though-declined',
    'paid-more-than-once',
    'agree-declined',
    'unfinished-though-declined',
    'agree-declined',
  ],
};

/** Classes that hold whatever was told, and whatever the amount or what was taken back: the money comes first. */
const heavierThanAmount = new Set<ReconcileClass>([
  'paid-more-than-once',
  'paid-under-another-id',
  'paid-unknown-here',
  'unfinished-unknown-here',
  'unpaid-unknown-here',
  'unproven-unknown-here',
  'result-unknown-here',
  'paid-though-not-sent',
  'paid-though-declined',
  'unfinished-though-not-sent',
  'unfinished-though-declined',
]);
const heavierThanResult = new Set<ReconcileClass>([
  ...heavierThanAmount,
  'report-contradicts-itself',
  'reversed-unknown-here',
  'amount-differs',
  'unpaid-though-approved',
  'approved-missing-at-gateway',
  'unfinished-though-approved',
  'unproven-at-gateway',
  'unpaid-though-accepted',
  'accepted-missing-at-gateway',
]);

/** What the money says, worked out another way than by the table. */
function byMoneyOf({ ledger, gateway, odd }: ThreeSides): ReconcileClass | undefined {
  const plain = byLedgerAndGateway[ledger]?.[gatewaySides.indexOf(gateway)];
  if (!plain || plain === 'paid-more-than-once') return plain;
  if (odd.has('report contradicts itself')) return 'report-contradicts-itself';
  if (odd.has('another payment')) return 'paid-under-another-id';
  if (heavierThanAmount.has(plain)) return plain;
  if (odd.has('reversed there')) return 'reversed-unknown-here';
  const isListed = gateway === 'paid' || gateway === 'under way' || gateway === 'unproven';
  if (odd.has('amount differs') && isListed) return 'amount-differs';
  return plain === 'agree-paid' && odd.has('reversed here') ? 'agree-reversed' : plain;
}

function expected(sides: ThreeSides): ReconcileClass | undefined {
  const money = byMoneyOf(sides);
  if (!money || heavierThanResult.has(money)) return money;
  if (sides.result === 'other') return 'result-contradicts-ledger';
  if (!agrees(money)) return money;
  const told = { same: money, none: 'result-missing', behind: 'result-behind', ahead: 'result-ahead' } as const;
  return told[sides.result];
}

describe('the classes', () => {
  it('are what they should be, over all of the 6,720 combinations', () => {
    expect(everything).toHaveLength(6_720);
    for (const sides of everything) expect({ ...sides, is: classOf(sides) }).toEqual({ ...sides, is: expected(sides) });
  });

  it.each([
    ['failed', 'not-started', 'waiting', 'held-unpaid', 'cancelled'],
    ['held', 'sending', 'in-doubt'],
    ['accepted', 'confirming'],
  ] as const)('are those of %s for each standing of its kind', (known, ...alike) => {
    for (const sides of everything.filter(({ ledger }) => ledger === known))
      for (const ledger of alike) expect([ledger, classOf({ ...sides, ledger })]).toEqual([ledger, classOf(sides)]);
  });

  it('are each reached by some combination', () => {
    const reached = new Set(everything.map(classOf));
    expect([...reached].toSorted()).toEqual(Object.keys(reconcileClasses).toSorted());
  });

  it('agree only where no money is disputed and the result is the ledger’s', () => {
    const pairs = everything.filter((sides) => agrees(classOf(sides)));
    expect(new Set(pairs.map(({ result }) => result))).toEqual(new Set(['same']));
    expect([...new Set(pairs.map(({ ledger, gateway }) => `${ledger} / ${gateway}`))]).toEqual([
      'checked / none',
      'failed / none',
      'accepted / under way',
      'paid / paid',
      'declined / none',
      'declined / unpaid',
      'declined / unproven',
    ]);
    expect(pairs.filter(({ odd }) => odd.has('report contradicts itself') || odd.has('reversed there'))).toEqual([]);
    const differing = pairs.filter(({ odd }) => odd.has('amount differs'));
    expect(new Set(differing.map(({ gateway }) => gateway))).toEqual(new Set(['none', 'unpaid']));
  });

  it('say what they mean, in a sentence', () => {
    for (const { meaning } of Object.values(reconcileClasses)) expect(meaning).toMatch(/^[A-Z].+\.$/);
  });
});
