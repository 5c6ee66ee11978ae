// How many looks at the gateway it takes to know how an accepted order ended, and how late its end is known: the worker's
// own rule (rhythm.ts) walked in virtual time, beside the rhythm that the gateway publishes.
import { acceptedGapSeconds } from './accepted-rhythm.ts';
import { type Benchmark, median } from './harness.ts';

const day = 86_400;
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

/** Lives of orders whose ends lie so, looked at by the rhythm. */
function lives(ends: Ends, gap: (ageSeconds: number) => number): Known[] {
  return Array.from({ length: orders }, (_, at) => {
    const endSeconds = ends((at * 0.618_033_988_75) % 1);
    let [age, looks] = [0, 0];
    while (age < endSeconds) {
      age += gap(age);
      looks += 1;
    }
    return { endSeconds, looks, lateSeconds: age - endSeconds };
  });
}

/** The gateway's own advice: every 5 s for five minutes, every 5 minutes up to an hour; then hourly, as it names nothing. */
const published = (ageSeconds: number) => (ageSeconds < 300 ? 5 : ageSeconds < 3_600 ? 300 : 3_600);

const inTime = ({ endSeconds, lateSeconds }: Known) => lateSeconds <= Math.max(10, endSeconds / 2);
const share = (known: readonly Known[], holds: (it: Known) => boolean) => known.filter(holds).length / known.length;
const looksOf = (known: readonly Known[]) => known.map(({ looks }) => looks);

/** Card pushes within seconds, bank payouts within a day: ages at which orders usually end. */
const usualSeconds = [10, 60, 600, 3_600, 6 * 3_600, day];

/** Looks of merchants whose profile says nothing of when orders end, and of such as say it. */
export const looksBenchmarks: readonly Benchmark[] = [
  {
    name: 'looks-unsaid',
    description: 'a profile that says nothing of ends: ends log-uniform between 5 s and 3 days',
    async run() {
      const ends = logUniform(5, 3 * day);
      const plain = lives(ends, (age) => acceptedGapSeconds(age));
      const asPublished = lives(ends, published);
      return {
        figures: {
          looksAtTheMedian: median(looksOf(plain)),
          knownWithinHalfTheirAgeShare: share(plain, inTime),
          publishedLooksAtTheMedian: median(looksOf(asPublished)),
        },
        bounds: [
          { kind: 'most', figure: 'looksAtTheMedian', most: 13 },
          { kind: 'least', figure: 'knownWithinHalfTheirAgeShare', least: 1 },
        ],
      };
    },
  },
  {
    name: 'looks-said',
    description: 'profiles that say when orders usually end, ends from half of that to twice it: the worst of them',
    async run() {
      const known = usualSeconds.map((usual) =>
        lives(logUniform(usual / 2, 2 * usual), (age) => acceptedGapSeconds(age, usual)),
      );
      return {
        figures: {
          looksAtTheMedianAtWorst: Math.max(...known.map((lived) => median(looksOf(lived)))),
          knownWithinHalfTheirAgeShareAtWorst: Math.min(...known.map((lived) => share(lived, inTime))),
        },
        bounds: [
          { kind: 'most', figure: 'looksAtTheMedianAtWorst', most: 5 },
          { kind: 'least', figure: 'knownWithinHalfTheirAgeShareAtWorst', least: 1 },
        ],
      };
    },
  },
];
