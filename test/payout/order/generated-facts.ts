// Facts drawn by chance: every record that a writer could join to an order's, in any combination.
import * as fc from 'fast-check';
import {
  type Attempt,
  type Facts,
  noFacts,
  ofAttempt,
  type Unknown,
  unknownAt,
} from '../../../lib/payout/order/facts.ts';
import { reportLevels } from '../../../lib/payout/order/fact-schemas.ts';
import { join } from '../../../lib/payout/order/join.ts';
import { signsOf } from '../../../lib/payout/order/signs.ts';

const names = ['a1', 'a2', 'a3'] as const;
/** Some of the values, in their order, as a list of facts keeps them. */
const some = <T extends string>(values: readonly T[]) =>
  fc.subarray([...values], { maxLength: Math.min(2, values.length) });

const answer = fc.option(
  fc.oneof(
    fc.constant({ kind: 'taken' as const, atMs: 5 }),
    fc.record({
      kind: fc.constant('refused' as const),
      about: fc.constantFrom('order' as const, 'account' as const, 'pace' as const),
      connected: fc.boolean(),
      code: fc.constantFrom('HTTP_403', 'RATE_LIMITED'),
      message: fc.constant('refused'),
      atMs: fc.constant(5),
    }),
  ),
  { nil: undefined },
);

const absence = fc.record(
  {
    firstMs: fc.integer({ min: 1, max: 5 }),
    lastMs: fc.integer({ min: 5, max: 9 }),
    sinceRefusal: fc.constant(true as const),
    denies: fc.constant(true as const),
  },
  { requiredKeys: ['firstMs', 'lastMs'] },
);

/** What the claim fixes is a function of the attempt's name; the rest is drawn. */
export const someAttempt: fc.Arbitrary<Attempt> = fc
  .record({
    id: fc.constantFrom(...names),
    answer,
    ids: some(['9001', '9002']),
    aliases: some(['77']),
    reports: some(reportLevels),
    amounts: some(['10.00 EUR']),
    lapsed: fc.boolean(),
    overdue: fc.boolean(),
    absent: fc.dictionary(fc.constant('account'), absence, { maxKeys: 1 }),
  })
  .map(({ answer: given, lapsed, overdue, ...drawn }) => ({
    ...drawn,
    number: Number(drawn.id.slice(1)) * 10,
    accounts: ['account'],
    askable: drawn.id !== 'a3',
    atMs: 1,
    leaseUntilMs: 1,
    ...(drawn.id === 'a3' && { reopens: 'e25' }),
    ...(given && { answer: given }),
    // Of its own draws: several moments for one attempt, and only where its money moved.
    ...((drawn.reports.includes('approved') || drawn.reports.includes('reversed')) && {
      approvedAtMs: 5 + (lapsed ? 1 : 0) + (overdue ? 2 : 0),
    }),
    ...(lapsed && { lapsed: { code: 'NO_ANSWER', message: 'no answer' } }),
    ...(overdue && { overdue: true as const }),
  }));

const seenSigns = fc
  .array(someAttempt, { maxLength: 3 })
  .map((seen) => signsOf(seen.map(ofAttempt).reduce((all, it) => join(all, it), noFacts)));

const decision = fc
  .record({
    id: fc.constantFrom('d1', 'd2'),
    kind: fc.constantFrom('paid' as const, 'not-paid' as const, 'cancel' as const),
    saw: seenSigns,
  })
  .map((drawn): Facts => ({
    ...noFacts,
    decisions: { [drawn.id]: { ...drawn, by: 'a person', reason: 'asked the bank', atMs: 7 } },
  }));

/** An end, concluded from whatever was known. */
export const someEnd = fc
  .record({
    number: fc.constantFrom(15, 25, 35),
    reason: fc.constantFrom('declined' as const, 'denied' as const, 'cancelled' as const, 'decided' as const),
    saw: seenSigns,
  })
  .map(({ number, ...drawn }): Facts => ({
    ...noFacts,
    ends: { [`e${number}`]: { id: `e${number}`, number, ...drawn, code: 'DECLINED', message: '', atMs: 8 } },
  }));

/** A transaction at any place. */
const someUnknown = fc
  .record({
    at: fc.constantFrom<Pick<Unknown, 'account' | 'id' | 'after'>>(
      { account: 'account' },
      { account: 'account', id: '9001' },
      { account: 'account', id: '9002' },
      { account: 'account', id: '9003' },
      { account: 'elsewhere', id: '9001' },
      { id: '9002' },
      { after: 10 },
    ),
    reports: some(reportLevels).filter((reports) => reports.length > 0),
    since: fc.constantFrom(5, 15, 25),
  })
  .map(({ at, reports, since }): Facts => {
    // An ambiguous proof says no more.
    const said =
      at.after === undefined ? reports : [reports.includes('approved') ? ('said-paid' as const) : ('seen' as const)];
    return { ...noFacts, unknown: { [unknownAt(at)]: { ...at, reports: said, since, amounts: [] } } };
  });

/** One fact, as a writer joins it. */
export const someFact: fc.Arbitrary<Facts> = fc.oneof(
  { weight: 6, arbitrary: someAttempt.map(ofAttempt) },
  { weight: 1, arbitrary: decision },
  { weight: 1, arbitrary: someEnd },
  { weight: 1, arbitrary: someUnknown },
  { weight: 1, arbitrary: fc.constantFrom(0, 12, 22, 32).map((stoppedAt): Facts => ({ ...noFacts, stoppedAt })) },
);

/** Facts as they were joined, one after the other. */
export const someFacts: fc.Arbitrary<Facts> = fc
  .array(someFact, { maxLength: 8 })
  .map((facts) => facts.reduce((all, it) => join(all, it), noFacts));
