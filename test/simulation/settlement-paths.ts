// The exhaustive mode of settlement: the ways from acceptance or doubt to the truth, each walked with no cut, with every
// single death and freeze of any process (worker, inquirer, sweeper, callback, operator), and with pairs of deaths.
import { faultOfEnding } from './ending.ts';
import type { Fate } from './gateway-book.ts';
import { inquiries, type LookMood } from './gateway-looks.ts';
import { type Mood, moods } from './gateway-moods.ts';
import { jobLine } from './jobs.ts';
import type { Contract } from './merchants.ts';
import { everythingAgain, type PlannedCut, scriptedWeather, walkCuts, workersFor } from './schedules.ts';
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
  // A service does something that emulators do not show: an account moves, a connection is reset, a copy is taken away.
  {
    name: 'declined, after looks that spoke of another amount',
    mood: moods.accepts,
    fate: { ends: 'declined', afterMs: 5_000 },
    lookAt: (afterMs) => (afterMs < minuteMs ? inquiries['answers with another amount'] : inquiries.answers),
    silent: true,
    ends: 'declined',
  },
  {
    name: 'in doubt, found after more than an hour of looks by connections that were reset',
    contract: { resubmitUnknownOrders: true },
    mood: moods['resets, order committed'],
    fate: { ends: 'approved', afterMs: 0 },
    lookAt: (afterMs) => (afterMs < 85 * minuteMs ? inquiries.resets : inquiries.answers),
    silent: true,
    ends: 'approved',
  },
  {
    name: "accepted, its answer on a copy that Lambda's loop detection takes away, redriven",
    contract: { statusInquiry: false },
    mood: moods.accepts,
    ledgerDownMs: 2 * minuteMs,
    stopsCopies: true,
    people: [[30, (world) => world.redrive()]],
    ends: 'approved',
  },
  {
    name: 'refused, and its answer on the own queue until the ledger takes it',
    contract: { statusInquiry: false },
    mood: moods['refuses the order'],
    ledgerDownMs: 2 * minuteMs,
    ends: 'declined',
  },
  {
    name: 'in doubt at a host that the account has left, where it is asked about and found',
    contract: { resubmitUnknownOrders: true },
    mood: moods['resets, order committed'],
    fate: { ends: 'approved', afterMs: 0 },
    lookAt: (afterMs) => (afterMs < 10 * minuteMs ? inquiries['answers 500'] : inquiries.answers),
    silent: true,
    people: [[5, ({ merchants }) => merchants.moves('acme')]],
    ends: 'approved',
  },
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

/** The report of one run. */
interface PathReport {
  readonly boundaries: readonly number[];
  readonly end: string;
  readonly fault?: string;
  readonly story: readonly string[];
}

/** Runs one path to its end, and then does everything again at a later day. */
export async function runPath(
  path: Omit<Path, 'ends'>,
  cuts: readonly PlannedCut[],
  keepsStory = false,
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
    keepsStory,
  });
  script.watch(world.truth.changes);
  const line = jobLine({ operation: 'payout', merchant: 'acme', orderId: 'order-1', wholeUnits: 10 });
  const messageId = world.send(line);
  for (const [minute, act] of path.people ?? []) world.timeline.after(minute * minuteMs, () => act(world));
  await world.run();
  const boundaries = [...script.boundaries()];
  const end = world.entries.get(order)?.state ?? 'nothing';
  const fault = (await faultOfEnding(world)) ?? (await everythingAgain(world, messageId, line));
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

/** Walks a path with no cut, with each single cut and with every so many-th pair of cuts, until a promise is broken. */
export async function walkPath(path: Path, { pairStride, cutStride = 1 }: { pairStride: number; cutStride?: number }) {
  const { schedules, undisturbed, broken } = await walkCuts((...cuts) => runPath(path, cuts), {
    atMost: [40, 40],
    isCut: (at) => at % cutStride === 0,
    pairStride,
  });
  return { schedules, end: undisturbed.end, ...broken };
}
