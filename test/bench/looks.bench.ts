// How many looks at the gateway it takes to know how an accepted order ended, and how late its end is known: the worker's
// own rule (retry-policy.ts) walked in virtual time, learning included, beside the rhythm that the gateway publishes.
import { acceptedGapSeconds, type EndTimes, isScout, seenEnd } from '../../lib/payout/accepted-rhythm.ts';
import { createMemoryEndTimes } from '../support/memory-end-times.ts';
import { type Benchmark, median } from './harness.ts';

const day = 86_400;
/** Enough to learn from, and as many again to be measured. */
const orders = 4_000;

/** One order: how often it was looked at, and how long after its end that was known. */
interface Known {
  readonly endSeconds: number;
  readonly looks: number;
  readonly lateSeconds: number;
}

/** Ages at which orders end, evenly spread in their own measure; the same each time. */
type Ends = (share: number) => number;

const logUniform =
  (from: number, to: number): Ends =>
  (share) =>
    from * (to / from) ** share;
/** Half of them within a factor of two, the others anywhere. */
const halfWithin =
  (from: number): Ends =>
  (share) =>
    share < 0.5 ? logUniform(from, 2 * from)(share * 2) : logUniform(5, 3 * day)(share * 2 - 1);

/** A third each within seconds, a quarter of an hour, and the night. */
const inThreePlaces: Ends = (share) => {
  const from = [10, 600, 6 * 3_600][Math.floor(share * 3)] ?? 10;
  return logUniform(from, 2 * from)((share * 3) % 1);
};

/** Lives of orders at an endpoint, one after the other in a shuffled order that is always the same. */
async function lives(ends: Ends, calledBack: number, gap = acceptedGapSeconds): Promise<Known[]> {
  const endTimes = createMemoryEndTimes();
  const known: Known[] = [];
  for (let at = 0; at < 2 * orders; at += 1) {
    const life = await live(
      `acme-eu/INV-${at}`,
      ends((at * 0.618_033_988_75) % 1),
      (at * 7919) % 1000 < calledBack * 1000,
      {
        endTimes,
        gap,
      },
    );
    if (at >= orders) known.push(life);
  }
  return known;
}

async function live(
  key: string,
  endSeconds: number,
  isCalledBack: boolean,
  { endTimes, gap }: { readonly endTimes: EndTimes; readonly gap: typeof acceptedGapSeconds },
): Promise<Known> {
  const ends = await endTimes.of('acme-eu', '1');
  let [last, age, looks] = [0, 0, 0];
  while (age < endSeconds) {
    last = age;
    age += gap(key, age, ends);
    looks += 1;
  }
  // The callback is a hint to look: it comes a moment after the end, and the look that it leads to is the last.
  if (isCalledBack) age = Math.min(age, endSeconds + 1);
  if (isScout(key, ends)) await endTimes.saw('acme-eu', '1', seenEnd(last, age, isCalledBack));
  return { endSeconds, looks, lateSeconds: age - endSeconds };
}

/** The gateway's own advice: every 5 s for five minutes, every 5 minutes up to an hour; then hourly, as it names nothing. */
const published = (_key: string, ageSeconds: number) => (ageSeconds < 300 ? 5 : ageSeconds < 3_600 ? 300 : 3_600);

const inTime = ({ endSeconds, lateSeconds }: Known) => lateSeconds <= Math.max(10, endSeconds / 2);
const share = (known: readonly Known[], holds: (it: Known) => boolean) => known.filter(holds).length / known.length;
const looksOf = (known: readonly Known[]) => known.map(({ looks }) => looks);
const mean = (numbers: readonly number[]) => numbers.reduce((sum, it) => sum + it, 0) / numbers.length;

/** Card pushes within seconds, bank payouts within a day. */
const bandsSeconds = [5, 20, 60, 180, 600, 1_200, 3_600, 3 * 3_600, 6 * 3_600, 12 * 3_600, 36 * 3_600];

/** Looks of an endpoint that nobody knows, of such as are known, and of such as call back. */
export const looksBenchmarks: readonly Benchmark[] = [
  {
    name: 'looks-unknown',
    description: 'an endpoint that nobody knows: ends log-uniform between 5 s and 3 days',
    async run() {
      const ends = logUniform(5, 3 * day);
      const plain = await lives(ends, 0, (key, age) => acceptedGapSeconds(key, age, undefined));
      const asPublished = await lives(ends, 0, published);
      return {
        figures: {
          looksAtTheMedian: median(looksOf(plain)),
          looksOnAverage: mean(looksOf(plain)),
          knownWithinHalfTheirAgeShare: share(plain, inTime),
          publishedLooksAtTheMedian: median(looksOf(asPublished)),
          publishedLooksOnAverage: mean(looksOf(asPublished)),
          looksUntilTenMinutes: plain.find(({ endSeconds }) => endSeconds > 595 && endSeconds < 600)?.looks ?? 0,
          publishedLooksUntilTenMinutes: 61,
        },
        bounds: [
          { kind: 'most', figure: 'looksAtTheMedian', most: 13 },
          { kind: 'least', figure: 'knownWithinHalfTheirAgeShare', least: 1 },
        ],
      };
    },
  },
  {
    name: 'looks-learnt-scattered',
    description: 'endpoints that are known, and whose ends lie anywhere between 5 s and 3 days, or in three places',
    async run() {
      const [scattered, threefold] = await Promise.all([lives(logUniform(5, 3 * day), 0), lives(inThreePlaces, 0)]);
      return {
        figures: {
          looksAtTheMedian: median(looksOf(scattered)),
          looksOnAverage: mean(looksOf(scattered)),
          knownWithinHalfTheirAgeShare: share(scattered, inTime),
          threefoldLooksAtTheMedian: median(looksOf(threefold)),
          threefoldKnownWithinHalfTheirAgeShare: share(threefold, inTime),
        },
        bounds: [
          { kind: 'most', figure: 'looksAtTheMedian', most: 13 },
          { kind: 'least', figure: 'knownWithinHalfTheirAgeShare', least: 0.98 },
          { kind: 'most', figure: 'threefoldLooksAtTheMedian', most: 13 },
          { kind: 'least', figure: 'threefoldKnownWithinHalfTheirAgeShare', least: 0.98 },
        ],
      };
    },
  },
  {
    name: 'looks-learnt',
    description: 'endpoints half of whose ends lie within a factor of two, from 5 s to 36 hours: the worst of them',
    async run() {
      const known = await Promise.all(bandsSeconds.map((from) => lives(halfWithin(from), 0)));
      const within = known.map((lived, at) => {
        const from = bandsSeconds[at] ?? 0;
        return lived.filter(({ endSeconds }) => endSeconds >= from && endSeconds <= 2 * from);
      });
      return {
        figures: {
          looksAtTheMedianAtWorst: Math.max(...known.map((lived) => median(looksOf(lived)))),
          looksOnAverageAtWorst: Math.max(...known.map((lived) => mean(looksOf(lived)))),
          usualEndsKnownWithinHalfTheirAgeShareAtWorst: Math.min(...within.map((lived) => share(lived, inTime))),
          endsKnownWithinHalfTheirAgeShareAtWorst: Math.min(...known.map((lived) => share(lived, inTime))),
          medianLatenessOfAgeAtWorst: Math.max(
            ...known.map((lived) => median(lived.map((it) => it.lateSeconds / Math.max(it.endSeconds, 20)))),
          ),
        },
        bounds: [
          { kind: 'most', figure: 'looksAtTheMedianAtWorst', most: 6 },
          { kind: 'least', figure: 'usualEndsKnownWithinHalfTheirAgeShareAtWorst', least: 0.85 },
          { kind: 'most', figure: 'medianLatenessOfAgeAtWorst', most: 0.5 },
        ],
      };
    },
  },
  {
    name: 'looks-called-back',
    description: 'the same where the gateway calls back 19 of 20 ends',
    async run() {
      const known = await Promise.all(bandsSeconds.map((from) => lives(halfWithin(from), 0.95)));
      return {
        figures: {
          looksAtTheMedianAtWorst: Math.max(...known.map((lived) => median(looksOf(lived)))),
          looksOnAverageAtWorst: Math.max(...known.map((lived) => mean(looksOf(lived)))),
          endsKnownWithinHalfTheirAgeShareAtWorst: Math.min(...known.map((lived) => share(lived, inTime))),
        },
        bounds: [
          { kind: 'most', figure: 'looksAtTheMedianAtWorst', most: 5 },
          { kind: 'least', figure: 'endsKnownWithinHalfTheirAgeShareAtWorst', least: 0.95 },
        ],
      };
    },
  },
];
