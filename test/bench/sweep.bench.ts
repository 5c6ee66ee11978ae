// The sweeper in virtual time: a million orders a day that end after so long, and 400,000 doubtful
// ones at once. What young orders cost is not here: their looks come by messages, and only what waits for longer than a
// quarter of an hour is the sweeper's.
import { createOpenOrders, type KnownEnd } from './open-orders.ts';
import { type SweepPace, createSweepPace, resumeDue } from '../../lib/payout/inquire/resume-due.ts';
import { createMetricsRecorder } from '../../lib/payout/metrics-recorder.ts';
import type { Benchmark, Bound, Measurement } from './harness.ts';
import { prices } from './prices.ts';

type Orders = ReturnType<typeof createOpenOrders>;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** From this age on the plain rhythm waits for longer than SQS can. */
const sweptFromMs = 1_804_000;
const perDay = 1_000_000;
const measuredHours = 4;
/** `inquireConcurrency` 20: ten at a time, a quarter of a second each; what young orders need of it is left out. */
const checksAMinute = (20 * 10 * 60) / 0.25 - (perDay / 1440) * 13;

/** One minute of four sweepers side by side; the first has half of its time for this. */
function createSweeping(): (orders: Orders, nowMs: number) => Promise<void> {
  const paces: readonly SweepPace[] = [0, 1, 2, 3].map(() => createSweepPace());
  return async (orders, nowMs) => {
    const depth = orders.depth();
    for (const [part, pace] of paces.entries()) {
      const ports = orders.portsAt(nowMs);
      const deadlineMs = nowMs + 45_000 / (part === 0 ? 2 : 1);
      const asksAtMost = Math.ceil(pace.asksAtMost(depth) / 4);
      const recorder = createMetricsRecorder();
      const { isSpent } = await resumeDue({ asksAtMost, deadlineMs, part: { part, of: 4 }, recorder }, ports);
      pace.used(isSpent);
    }
  };
}

/** What happens: how long orders take, and how many are in doubt at the beginning. */
interface Scene {
  readonly endHours: number;
  readonly doubtful: number;
  /** Orders whose message got lost, one in so many; they alone come to the sweeper before they are half an hour old. */
  readonly lostOneIn?: number;
}

async function played({ endHours, doubtful, lostOneIn }: Scene) {
  const sweeping = createSweeping();
  const endMs = endHours * hourMs;
  const everyMs = (86_400_000 / perDay) * (lostOneIn ?? 1);
  const beforeMs = lostOneIn ? 0 : endMs;
  const accepted = Math.floor((measuredHours * hourMs + beforeMs) / everyMs);
  const orders = createOpenOrders(accepted + doubtful);
  // Ends of one kind differ by a tenth up or down.
  const ended = (at: number) => endMs * (0.9 + ((at * 0.618_033_988_75) % 1) / 5);
  for (let at = 0; at < doubtful; at += 1)
    orders.add('in-doubt', {
      sinceMs: -hourMs,
      endMs: (((at * 7919) % doubtful) / doubtful) * 3 * hourMs,
      dueMs: -1 - (at % 1000),
    });
  let next = 0;
  const firstDueMs = lostOneIn ? 125_000 : sweptFromMs;
  /** Those that come to the sweeper by then; older ones at the beginning as their rhythm had it. */
  function arrive(untilMs: number): void {
    for (; next < accepted; next += 1) {
      const sinceMs = next * everyMs - beforeMs;
      let dueMs = sinceMs + firstDueMs;
      if (dueMs > untilMs) return;
      while (dueMs < 0) dueMs += Math.min((dueMs - sinceMs) / 2, 6 * hourMs);
      if (sinceMs + ended(next) > 0) orders.add('accepted', { sinceMs, endMs: sinceMs + ended(next), dueMs });
    }
  }
  for (let nowMs = 0; nowMs < measuredHours * hourMs; nowMs += minuteMs) {
    arrive(nowMs);
    await sweeping(orders, nowMs);
    orders.inquire(nowMs + 5_000, checksAMinute);
  }
  return orders;
}

/** Ends that were to be known by the end of the play, and were. */
function figuresOf(orders: Orders) {
  const endedAndOpen = orders.endedAndOpen(measuredHours * hourMs);
  const all = [...orders.known, ...endedAndOpen];
  const beyond = ({ lateMs, rhythmMs }: KnownEnd) => lateMs / rhythmMs;
  const inTime = (kind: string) => {
    const some = all.filter((it) => it.kind === kind);
    return some.length === 0 ? 1 : some.filter((it) => beyond(it) <= 2).length / some.length;
  };
  const worst = (some: readonly KnownEnd[]) => some.reduce((most, it) => Math.max(most, beyond(it)), 0);
  const ofShard = [0, 1, 2, 3].map((shard) => worst(all.filter((it) => it.shard === shard)));
  const waits = [...orders.waitsMs, ...orders.waitingMs(measuredHours * hourMs)].toSorted((a, b) => a - b);
  const [longestMs = 0, medianMs = 0] = [waits.at(-1), waits[waits.length >> 1]];
  const waited = { longestWaitSeconds: longestMs / 1000, medianWaitSeconds: medianMs / 1000 };
  return {
    inTime,
    waited,
    worst: worst(all),
    shardsApart: Math.max(...ofShard) / Math.max(0.01, Math.min(...ofShard)),
  };
}

/** What the sweep of a look costs: its write in the table and twice in the index, its part of a call to SQS, and the time. */
function dollarsPerMillionLooks({ tally }: Orders): number {
  const { writes, sends, pages, looks } = tally;
  const gbSeconds = ((writes * 1.4 + sends * 1.8 + pages * 15) / 1000) * 0.5;
  const units = (3 * writes * prices.dynamoDbMillionWrites + sends * prices.sqsMillionRequests) / 1e6;
  return ((units + gbSeconds * prices.lambdaGbSecond) / looks) * 1e6;
}

/** How long an order that is due may wait at most. */
export const longestWaitSeconds = ({ doubtful }: Scene): number => (doubtful > 0 ? 1_200 : 300);
/** A day's brownout of the gateway. */
export const doubtScene: Scene = { endHours: 6, doubtful: 400_000 };

async function measured(scene: Scene): Promise<Measurement> {
  const mine = await played(scene);
  const my = figuresOf(mine);
  const bounds: Bound[] = [
    { kind: 'least', figure: 'acceptedKnownWithinTwiceTheirRhythmShare', least: 1 },
    { kind: 'least', figure: 'doubtKnownWithinTwiceItsRhythmShare', least: 1 },
    { kind: 'most', figure: 'shardsApart', most: 2 },
    // The queue is worked off as fast as ever: what lies longest in it is what the four hundred thousand take.
    { kind: 'most', figure: 'longestWaitSeconds', most: longestWaitSeconds(scene) },
  ];
  return {
    figures: {
      openOrders: mine.open(),
      acceptedKnownWithinTwiceTheirRhythmShare: my.inTime('accepted'),
      doubtKnownWithinTwiceItsRhythmShare: my.inTime('in-doubt'),
      longestWaitSeconds: my.waited.longestWaitSeconds,
      medianWaitSeconds: my.waited.medianWaitSeconds,
      worstLatenessOfRhythm: my.worst,
      shardsApart: my.shardsApart,
      looksBroughtBySweepPerSecond: mine.tally.looks / (measuredHours * 3600),
      sweepDollarsPerMillionLooks: dollarsPerMillionLooks(mine),
    },
    bounds,
  };
}

const benchmark = (name: string, description: string, scene: Scene): Benchmark => ({
  name: `sweep-${name}`,
  description: `a million orders a day in virtual time, ${description}`,
  run: () => measured(scene),
});

/** Four hours of each. */
export const sweepBenchmarks: readonly Benchmark[] = [
  benchmark('ten-minutes', 'that end after ten minutes, one message in a hundred lost', {
    endHours: 1 / 6,
    doubtful: 0,
    lostOneIn: 100,
  }),
  benchmark('six-hours', 'that end after six hours', { endHours: 6, doubtful: 0 }),
  benchmark('three-days', 'that end after three days', { endHours: 72, doubtful: 0 }),
  benchmark('doubt', 'that end after six hours, and 400,000 doubtful ones at once', doubtScene),
];
