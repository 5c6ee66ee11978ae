// The bill of a million payouts (price-model.ts), and beside a peer that keeps a ledger.
import type { Benchmark, Bound } from './harness.ts';
import {
  knownDollars,
  looksUntil,
  middy,
  monthlyDollars,
  monthlyNatDollars,
  ours,
  payingBill,
  powertools,
  publishedLooks,
  totalOf,
} from './price-model.ts';

const sendingOf = (way: typeof ours, latencyMs: number) => totalOf(payingBill(way, latencyMs));

/** Dollars per million payouts, and what a month costs whatever is paid. */
export const pricesBenchmarks: readonly Benchmark[] = [
  {
    name: 'prices',
    description: 'dollars per million payouts: calls, memory, looks, and log, item and backup for 400 days (a model)',
    async run() {
      const figures = {
        sending50Ms: sendingOf(ours, 50),
        sending200Ms: sendingOf(ours, 200),
        sending1000Ms: sendingOf(ours, 1000),
        powertoolsSending200Ms: sendingOf(powertools, 200),
        middySending200Ms: sendingOf(middy, 200),
        callsAlone200Ms: sendingOf(ours, 200) - payingBill(ours, 200).storage - payingBill(ours, 200).logs,
        knownAfterTenMinutes: knownDollars(ours, looksUntil(600, 600), 200),
        knownAfterTenMinutesUnsaid: knownDollars(ours, looksUntil(600), 200),
        powertoolsAskingAsPublished: knownDollars(powertools, publishedLooks(600), 200),
        aMonthWhateverIsPaid: monthlyDollars,
        aMonthWithNat: monthlyDollars + monthlyNatDollars,
      };
      const ratios = {
        ...figures,
        besidePeerThatKnowsEnds: figures.knownAfterTenMinutes / figures.powertoolsAskingAsPublished,
      };
      const bounds: Bound[] = [
        { kind: 'most', figure: 'besidePeerThatKnowsEnds', most: 0.5 },
        { kind: 'most', figure: 'sending200Ms', most: 9 },
        { kind: 'most', figure: 'knownAfterTenMinutes', most: 28 },
      ];
      return { figures: ratios, bounds };
    },
  },
];
