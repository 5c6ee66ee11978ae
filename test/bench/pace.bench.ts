// Pace and brake in virtual time: a hundred thousand jobs of three merchants, four workers, limits that step, an outage,
// a refused key, an empty account; the same to the millisecond for the same seed, which is the chance in the order
// of events. It is judged by the worst of several.
import type { Benchmark, Bound, Measurement } from './harness.ts';
import type { Gateway } from './pace/gateways.ts';
import { ours } from './pace/handlings.ts';
import { between, otherGateways, worstOf } from './pace/other-gateways.ts';
import { stand } from './pace/stand.ts';
import { type Merchant, type Run, run } from './pace/workers.ts';

const minutes = 60_000;

const merchants: readonly Merchant[] = [
  {
    name: 'steps',
    jobs: 84_000,
    urgentEachMs: 10_000,
    spells: [
      { fromMs: 0, perSecond: 5 },
      { fromMs: 20 * minutes, perSecond: 50 },
      { fromMs: 40 * minutes, perSecond: 2 },
      { fromMs: 60 * minutes, perSecond: 500 },
    ],
  },
  {
    name: 'outage',
    jobs: 8_000,
    spells: [
      { fromMs: 0, perSecond: 20 },
      { fromMs: 3 * minutes, perSecond: 20, says: 'not-connected' },
      { fromMs: 8 * minutes, perSecond: 20, says: 'no-answer' },
      { fromMs: 13 * minutes, perSecond: 20 },
    ],
  },
  {
    name: 'refusals',
    jobs: 8_000,
    spells: [
      { fromMs: 0, perSecond: 20 },
      { fromMs: 3 * minutes, perSecond: 20, says: 'credentials' },
      { fromMs: 8 * minutes, perSecond: 20 },
      { fromMs: 23 * minutes, perSecond: 20, says: 'account' },
      { fromMs: 28 * minutes, perSecond: 20 },
    ],
  },
];
const untilMs = 80 * minutes;

const bounds: readonly Bound[] = [
  { kind: 'most', figure: 'stillWaiting', most: 0 },
  { kind: 'least', figure: 'leastShareOfLimitUsed', least: 0.95 },
  { kind: 'most', figure: 'shareAnswered429', most: 0.004 },
  { kind: 'most', figure: 'mostOfLimitInTenSeconds', most: 1.1 },
  { kind: 'most', figure: 'mostRequestsWhileClosed', most: 12 },
  { kind: 'most', figure: 'doubts', most: 45 },
  { kind: 'most', figure: 'urgentP99Seconds', most: 4 },
  { kind: 'most', figure: 'laneWritesPerJobAboveFivePerSecond', most: 0.1 },
];

/** All benchmarks of this file. */
export const paceBenchmarks: readonly Benchmark[] = [
  {
    name: 'pace-ours',
    description: '100,000 jobs, three merchants, limits 5, 50, 2, 500 a second, an outage, 401, no funds; virtual time',
    run: async ({ seeds = 3 }): Promise<Measurement> => {
      const all: Record<string, number>[] = [];
      for (let seed = 1; seed <= seeds; seed += 1) all.push(figuresOf(await run(merchants, ours, untilMs, seed)));
      return { figures: worstOf(all, bounds), bounds };
    },
  },
  {
    name: 'pace-stand',
    description: '100,000 jobs before a gateway that is closed for three hours: calls an hour; virtual time',
    run: stand,
  },
  ...otherGateways,
];

function figuresOf({ jobs, gateways, deliveries, laneWritesAtMs }: Run): Record<string, number> {
  const ended = (kind: string) => jobs.filter(({ end }) => end?.kind === kind).length;
  const requests = [...gateways.values()].flatMap((gateway) => gateway.requests);
  const waits = jobs.flatMap(({ isUrgent, end, sentAtMs }) => (isUrgent && end ? [end.atMs - sentAtMs] : []));
  const steps = gateways.get('steps');
  const fastMs = [35, 40].map((minute) => minute * minutes);
  const [fromMs = 0, toMs = 0] = fastMs;
  const fastJobs = steps ? between(steps, fromMs, toMs, 'accepted') : 0;
  const fastWrites = laneWritesAtMs.filter((atMs) => atMs >= fromMs && atMs < toMs).length;
  return {
    accepted: ended('accepted'),
    stillWaiting: jobs.filter(({ end, sentAtMs }) => !end && sentAtMs < untilMs - minutes).length,
    doubts: ended('doubt'),
    leastShareOfLimitUsed: steps ? Math.min(...[15, 35, 55].map((minute) => shareUsed(steps, minute))) : 0,
    shareAnswered429: requests.filter(({ reply }) => reply === 'slow-down').length / requests.length,
    mostOfLimitInTenSeconds: steps ? Math.max(...[15, 35, 55].map((minute) => mostOfLimit(steps, minute))) : 0,
    mostRequestsWhileClosed: Math.max(...closedWindows(gateways)),
    urgentP99Seconds: (waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0) / 1000,
    laneWritesPerJobAboveFivePerSecond: fastWrites / Math.max(fastJobs, 1),
    laneWritesPerJob: laneWritesAtMs.length / jobs.length,
    deliveriesPerJob: deliveries / jobs.length,
    doneAfterMinutes: Math.max(...jobs.map(({ end, isUrgent }) => (isUrgent ? 0 : (end?.atMs ?? untilMs)))) / minutes,
  };
}

const limitAt = ({ spells }: Gateway, atMs: number) => spells.findLast(({ fromMs }) => fromMs <= atMs)?.perSecond ?? 1;

/** Of what the gateway would take in the five minutes from a quarter of an hour after a step. */
function shareUsed(gateway: Gateway, minute: number): number {
  const fromMs = minute * minutes;
  const taken = between(gateway, fromMs, fromMs + 5 * minutes, 'accepted');
  return taken / (limitAt(gateway, fromMs) * 300);
}

/** The fullest ten seconds of these five minutes, beside the limit. */
function mostOfLimit(gateway: Gateway, minute: number): number {
  let most = 0;
  for (let second = minute * 60; second < (minute + 5) * 60 - 10; second += 1)
    most = Math.max(most, between(gateway, second * 1000, second * 1000 + 10_000));
  return most / (limitAt(gateway, minute * minutes) * 10);
}

/** Requests in each spell in which nothing goes, once five have failed and the lane could know. */
function closedWindows(gateways: ReadonlyMap<string, Gateway>): readonly number[] {
  return [...gateways.values()].flatMap((gateway) =>
    gateway.spells.flatMap(({ fromMs, says }, index) =>
      says ? [afterTheFifth(gateway, fromMs, gateway.spells[index + 1]?.fromMs ?? untilMs)] : [],
    ),
  );
}

/** An answer, and the write that closes the lane. */
const knownMs = 100;

function afterTheFifth(gateway: Gateway, fromMs: number, toMs: number): number {
  const isClosedAlready = before(gateway, fromMs)?.says !== undefined;
  const fifth = gateway.requests.filter(({ atMs }) => atMs >= fromMs)[isClosedAlready ? 0 : 4];
  return fifth ? between(gateway, isClosedAlready ? fromMs : fifth.atMs + knownMs, toMs) : 0;
}

const before = ({ spells }: Gateway, fromMs: number) => spells.findLast((spell) => spell.fromMs < fromMs);
