// The bill of a million payouts (price-model.ts), and beside a peer that keeps a ledger.
import type { Benchmark, Bound } from './harness.ts';
import {
  knownDollars,
  looksUntil,
  middy,
  monthlyDollars,
  monthlyNetworkDollars,
  idleDollars,
  ours,
  payingBill,
  powertools,
  publishedLooks,
  sendingOf,
  type Together,
  totalOf,
} from './price-model.ts';

const sumOf = (way: typeof ours, latencyMs: number, jobs?: Together) => totalOf(payingBill(way, latencyMs, jobs));

/** Dollars per million payouts, and what a month costs whatever is paid. */
export const pricesBenchmarks: readonly Benchmark[] = [
  {
    name: 'prices',
    description: 'dollars per million payouts: calls, memory, looks, and log, item and backup for 400 days (a model)',
    async run() {
      const figures = {
        sending50Ms: sumOf(ours, 50),
        sending200Ms: sumOf(ours, 200),
        sending1000Ms: sumOf(ours, 1000),
        powertoolsSending200Ms: sumOf(powertools, 200),
        middySending200Ms: sumOf(middy, 200),
        sentAlone200Ms: sumOf(ours, 200, 1),
        powertoolsSentAlone200Ms: sumOf(powertools, 200, 1),
        sendingWithoutKeeping200Ms: sendingOf(payingBill(ours, 200)),
        knownAfterTenMinutes: knownDollars(ours, looksUntil(600, 600), 200),
        knownAfterTenMinutesUnsaid: knownDollars(ours, looksUntil(600), 200),
        powertoolsAskingAsPublished: knownDollars(powertools, publishedLooks(600), 200),
        aMonthWhateverIsPaid: monthlyDollars,
        aMonthWithNetwork: monthlyDollars + monthlyNetworkDollars,
        aMonthWithoutPayouts: idleDollars,
      };
      const ratios = {
        ...figures,
        besidePeerThatKnowsEnds: figures.knownAfterTenMinutes / figures.powertoolsAskingAsPublished,
      };
      const bounds: Bound[] = [
        { kind: 'most', figure: 'besidePeerThatKnowsEnds', most: 0.65 },
        { kind: 'most', figure: 'sending200Ms', most: 10 },
        { kind: 'most', figure: 'knownAfterTenMinutes', most: 33 },
      ];
      return { figures: ratios, bounds };
    },
  },
];
