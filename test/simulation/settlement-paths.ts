// The exhaustive mode of settlement: the ways from acceptance or doubt to the truth, each walked with no cut, with every
// single death and freeze of any process (worker, inquirer, sweeper, callback, operator), and with pairs of deaths.
import { faultOfEnding } from './ending.ts';
import type { Fate } from './gateway-book.ts';
import { inquiries, type LookMood } from './gateway-looks.ts';
import { oddPaths } from './odd-paths.ts';
import { type Mood, moods } from './gateway-moods.ts';
import { jobLine } from './jobs.ts';
import type { Contract } from './merchants.ts';
import { type PlannedCut, scriptedWeather, workersFor } from './schedules.ts';
import { beginningMs } from './timeline.ts';
import { type CallbackPost, fairWeather, type Weather } from './weather.ts';
import { createWorld, type World } from './world.ts';

/** One way to the truth. */
export interface Path {
  readonly name: string;
  readonly contract?: Partial<Contract>;
  readonly mood: Mood;
  readonly fate?: Fate;
  /** The gateway's answer to an inquiry so long after the beginning. */
  readonly lookAt?: (afterMs: number) => LookMood;
  /** The results queue takes nothing for so long. */
  readonly resultsDownMs?: number;
  /** The ledger takes no write over an existing item for so long. */
  readonly ledgerDownMs?: number;
  /** Lambda takes every copy away before its code sees it. */
  readonly stopsCopies?: true;
  /** The gateway never calls back, so that the looks alone must find out. */
  readonly silent?: true;
  /** The way of a callback that is due in the first minute; default: as all others, at once. */
  readonly firstCallback?: CallbackPost;
  /** The acts of people, in minutes after the beginning. */
  readonly people?: readonly (readonly [minute: number, act: (world: World) => void])[];
  /** The path must end here; otherwise it tests something else. */
  readonly ends: string;
}

const minuteMs = 60_000;
const order = 'acme/order-1';
const inquiry: Contract = { statusInquiry: true, duplicateOrderIds: 'accepted', doubtHorizonSeconds: 7_200 };
const answers500Until = (untilMs: number) => (afterMs: number) =>
  afterMs < untilMs ? inquiries['answers 500'] : inquiries.answers;

/** The ways to the truth. */
export const everyPath: readonly Path[] = [
  ...oddPaths,
  {
    name: 'accepted, asked twice, approved',
    mood: moods.accepts,
    fate: { ends: 'approved', afterMs: 5_000 },
    silent: true,
    ends: 'approved',
  },
  {
    name: 'accepted, declined by looks alone',
    mood: moods.accepts,
    fate: { ends: 'declined', afterMs: 5_000 },
    silent: true,
    ends: 'declined',
  },
  {
    name: 'in doubt, found, approved',
    mood: moods['stalls, order committed'],
    fate: { ends: 'approved', afterMs: 90_000 },
    silent: true,
    ends: 'approved',
  },
  {
    name: 'in doubt, undone before anybody asked: what was undone was paid',
    mood: moods['resets, order committed'],
    fate: { ends: 'approved', afterMs: 0 },
    lookAt: () => inquiries['answers about a reversal'],
    silent: true,
    ends: 'approved',
  },
  {
    name: 'in doubt, never at the gateway, failed, sent again by a new message',
    contract: { resubmitUnknownOrders: true },
    mood: moods['resets, nothing committed'],
    ends: 'failed',
  },
  {
    name: 'in doubt, hidden for almost the quiet period, found',
    contract: { resubmitUnknownOrders: true },
    mood: moods['resets, order committed'],
    fate: { ends: 'approved', afterMs: 0, visibleAfterLeaseMs: 1_799_000 },
    silent: true,
    ends: 'approved',
  },
  {
    name: 'in doubt, never at the gateway, held, released as not paid, sent again',
    mood: moods['resets, nothing committed'],
    people: [[90, ({ operators }) => operators.release(order)]],
    ends: 'failed',
  },
  {
    name: 'held past its horizon, released as not paid by mistake, and the gateway knows better',
    contract: { doubtHorizonSeconds: 600 },
    mood: moods['stalls, order committed'],
    fate: { ends: 'approved', afterMs: 0 },
    lookAt: answers500Until(30 * minuteMs),
    silent: true,
    people: [
      [40, ({ operators }) => operators.release(order, true)],
      [50, ({ operators }) => operators.release(order, true)],
    ],
    ends: 'approved',
  },
  {
    name: 'untold, told by the sweeper',
    mood: moods.accepts,
    resultsDownMs: minuteMs,
    silent: true,
    ends: 'approved',
  },
  {
    name: 'called back without inquiry',
    contract: { statusInquiry: false },
    mood: moods.accepts,
    fate: { ends: 'approved', afterMs: 500 },
    ends: 'approved',
  },
  {
    name: 'held without inquiry, called back about its one attempt: declined',
    contract: { statusInquiry: false },
    mood: moods['stalls, order committed'],
    fate: { ends: 'declined', afterMs: 60_000 },
    ends: 'declined',
  },
  {
    name: 'approved, and declined two hours later',
    mood: moods.accepts,
    fate: { ends: 'approved', afterMs: 1_000, change: { to: 'declined', afterMs: 120 * minuteMs } },
    ends: 'approved',
  },
  {
    name: 'without inquiry, declined two hours after it was approved, and called back about the first end last',
    contract: { statusInquiry: false },
    mood: moods.accepts,
    fate: { ends: 'approved', afterMs: 1_000, change: { to: 'declined', afterMs: 120 * minuteMs } },
    firstCallback: { delayMs: 200 * minuteMs },
    ends: 'approved',
  },
];

/**
 * An order that the gateway has paid, or has never seen, while every inquiry is answered in the same way that proves
 * nothing: however often it comes, nothing follows from it.
 */
export const stubbornPaths: readonly Omit<Path, 'ends'>[] = Object.values(inquiries)
  .filter((look: LookMood) => look.isTrue !== true && look !== inquiries['answers about a reversal'])
  .flatMap((look) =>
    (['resets, order committed', 'resets, nothing committed'] as const).map((mood) => ({
      name: `${mood}, and each inquiry ${look.name}`,
      contract: { resubmitUnknownOrders: true },
      mood: moods[mood],
      fate: { ends: 'approved' as const, afterMs: 0 },
      lookAt: () => look,
      silent: true as const,
    })),
  );

/** The report of one walk. */
export interface PathReport {
  readonly boundaries: readonly number[];
  readonly end: string;
  readonly fault?: string;
  readonly story: readonly string[];
}

/** The options of a path. */
export interface PathOptions {
  readonly keepsStory?: boolean;
}

/** Runs one path to its end, and then does everything again at a later day. */
export async function runPath(
  path: Omit<Path, 'ends'>,
  cuts: readonly PlannedCut[],
  it: PathOptions = {},
): Promise<PathReport> {
  const script = scriptedWeather({ mood: path.mood, redelivery: 'afterwards', cuts });
  const contract = { ...inquiry, ...path.contract };
  const weather = weatherOf(path, script.weather, () => world.timeline.nowMs());
  const world: World = createWorld({
    contracts: { acme: contract },
    workers: workersFor({ cuts }),
    inquirers: workersFor({ cuts }, 'inquirer'),
    weather,
    isFair: true,
    calledBack: !path.silent,
    ...(it.keepsStory && { keepsStory: true }),
  });
  script.watch(world.truth.changes);
  const line = jobLine({ operation: 'payout', merchant: 'acme', orderId: 'order-1', wholeUnits: 10 });
  const messageId = world.send(line);
  for (const [minute, act] of path.people ?? []) world.timeline.after(minute * minuteMs, () => act(world));
  await world.run();
  const boundaries = [...script.boundaries()];
  const end = world.entries.get(order)?.state ?? 'nothing';
  const fault = (await faultOfEnding(world)) ?? (await everythingAgain(world, messageId, () => world.send(line)));
  return { boundaries, end, ...(fault !== undefined && { fault }), story: world.story.lines };
}

function weatherOf(
  { fate, lookAt, firstCallback, resultsDownMs = 0, ledgerDownMs = 0, stopsCopies }: Omit<Path, 'ends'>,
  script: Weather,
  nowMs: () => number,
): Weather {
  const passed = () => nowMs() - beginningMs;
  let orders = 0;
  return {
    ...script,
    // Every further order would be approved at once: a second payment.
    fate: (post) => ((orders += 1) === 1 && fate ? fate : fairWeather.fate(post)),
    callback: () => (passed() < minuteMs && firstCallback ? firstCallback : script.callback()),
    look: () => lookAt?.(passed()) ?? inquiries.answers,
    ledger: (effect) => (effect === 'write' && passed() < ledgerDownMs ? 'throttled' : 'none'),
    loopStops: () => stopsCopies ?? false,
    queue: (effect) => (effect === 'results' && passed() < resultsDownMs ? 'down' : 'none'),
  };
}

async function everythingAgain(world: World, messageId: string, sendAgain: () => string): Promise<string | undefined> {
  world.timeline.skip(24 * 60 * minuteMs);
  world.changeWeather(fairWeather);
  world.queues.redeliver(messageId);
  world.redrive();
  sendAgain();
  await world.run();
  return faultOfEnding(world);
}

/** The depth of a walk along a path. */
export interface PathWalk {
  /** The stride through all pairs of deaths. */
  readonly pairStride: number;
  /** The stride through the moments of single cuts. All by default. */
  readonly cutStride?: number;
}

/** Walks a path with no cut, with each single cut and with pairs of cuts, until a promise is broken. */
export async function walkPath(
  path: Path,
  { pairStride, cutStride = 1 }: PathWalk,
): Promise<{
  readonly schedules: number;
  readonly end?: string;
  readonly fault?: string;
  readonly cuts?: readonly PlannedCut[];
}> {
  let schedules = 0;
  let fault: string | undefined;
  let faulty: readonly PlannedCut[] = [];
  async function run(...cuts: PlannedCut[]): Promise<PathReport> {
    schedules += 1;
    const report = await runPath(path, cuts);
    if (report.fault !== undefined) [fault, faulty] = [report.fault, cuts];
    return report;
  }
  const { boundaries, end } = await run();
  let pairs = 0;
  const firsts = boundaries.slice(0, boundariesAtMost).filter((_, at) => at % cutStride === 0);
  for (const first of firsts) {
    if (fault === undefined) await run(freezes(first));
    if (fault !== undefined) break;
    const after = await run(dies(first));
    for (const second of after.boundaries.filter((it) => it > first).slice(0, boundariesAtMost)) {
      if (fault !== undefined) break;
      if ((pairs += 1) % pairStride === 0) await run(dies(first), dies(second));
    }
  }
  return fault === undefined ? { schedules, end } : { schedules, end, fault, cuts: faulty };
}

/** Boundaries of a path: where it goes in circles, the later rounds are as the first. */
const boundariesAtMost = 40;
const dies = (boundary: number): PlannedCut => ({ boundary, cut: { kind: 'dies' } });
/** Longer than lease, function time-out and visibility together. */
const freezes = (boundary: number): PlannedCut => ({ boundary, cut: { kind: 'freezes', ms: 1_000_000 } });
