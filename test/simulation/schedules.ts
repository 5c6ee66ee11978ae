// Schedules written out: one job, two workers, one mood of the gateway, and cuts at chosen boundaries. The boundaries of a
// schedule are counted by running it, so that "every single cut and every pair of cuts" is a loop over numbers.
import type { OperationName } from '../../lib/gateway/operations.ts';
import { faultOfEnding } from './ending.ts';
import { type Mood, moods } from './gateway-moods.ts';
import { type JobLine, jobLine } from './jobs.ts';
import type { Contract } from './merchants.ts';
import { type Cut, fairWeather, type Weather } from './weather.ts';
import type { WorkerTraits } from './worker.ts';
import { createWorld, type World } from './world.ts';

/** The time when the queue delivers the message a second time, whatever the outcome of the first delivery. */
export type Redelivery = 'at once' | 'during the POST' | 'afterwards';

/** The subject of a schedule. */
export interface Scenario {
  readonly operation: OperationName;
  /** The job bears a CVV, sealed under a key of its own order. */
  readonly withCode?: true;
  /** A release is under way: the second worker is of the older version, which can read nothing that the first one writes. */
  readonly isRelease?: true;
  readonly contract: Contract;
  readonly redelivery: Redelivery;
  /** The mood of the first POST; the gateway accepts every further one, so that a second POST is a second payment. */
  readonly mood: Mood;
}

/** A cut at the boundary of this number, counted over all processes from the beginning. */
export interface PlannedCut {
  readonly boundary: number;
  readonly cut: Cut;
}

/** One schedule. */
export interface Schedule extends Scenario {
  readonly cuts: readonly PlannedCut[];
}

/** The report of a schedule. */
export interface ScheduleReport {
  /**
   * The boundaries passed until all was quiet, before anything was done again. Of boundaries of one process between
   * which nothing changed outside it, only the first: a process that dies at the others leaves the same world behind.
   */
  readonly boundaries: readonly number[];
  readonly fault?: string;
  readonly story: readonly string[];
}

const secondDeliveryAfterMs: Readonly<Record<Redelivery, number | undefined>> = {
  'at once': 0,
  'during the POST': 600,
  afterwards: undefined,
};
const dayMs = 86_400_000;
/** A first receive, a middle one and a last: more of them only repeat the middle one. */
const limits = { maxReceiveCount: 3 };

/** Runs one schedule to its end, and then does everything again at a later day. */
export async function runSchedule(schedule: Schedule, keepsStory = false): Promise<ScheduleReport> {
  const { operation, contract, withCode, isRelease = false } = schedule;
  const script = scriptedWeather(schedule);
  // Cuts of inquirers, sweeper and operators are walked by settlement-paths.ts.
  const cut: Weather['cut'] = (at) => (/^(worker|leader)-/.test(at.process) ? script.weather.cut(at) : undefined);
  const weather = { ...script.weather, cut, newLayout: () => isRelease };
  const world = createWorld({
    contracts: { acme: contract },
    workers: workersFor(schedule),
    inquirers: [{ name: 'inquirer-a', version: 'newer', skewMs: 0, host: 'lambda', batchSize: 1 }],
    // Callbacks beside an answer are walked by settlement-paths.ts.
    calledBack: false,
    weather,
    limits,
    keepsStory,
  });
  if (!contract.statusInquiry) world.truth.losesHint('acme/order-1', 'end');
  script.watch(world.truth.changes);
  const card = withCode ? { card: 'number and CVV' as const } : {};
  const line = jobLine({ operation, merchant: 'acme', orderId: 'order-1', wholeUnits: 10, ...card });
  const messageId = world.send(line);
  // Once, while its message waits for a person.
  world.timeline.after(3 * 3_600_000, () => world.operators.releaseHeldOf(['acme']));
  await world.run();
  const boundaries = [...script.boundaries()];
  const fault = (await faultOfEnding(world)) ?? (await everythingAgain(world, messageId, line));
  return { boundaries, ...(fault !== undefined && { fault }), story: world.story.lines };
}

/** A day later the message is delivered again, the dead letters are redriven, and the sender sends the job once more. */
export async function everythingAgain(world: World, messageId: string, line: JobLine): Promise<string | undefined> {
  world.timeline.skip(dayMs);
  world.changeWeather(fairWeather);
  world.deployNewer();
  world.queues.redeliver(messageId);
  world.redrive();
  world.send(line);
  await world.run();
  return faultOfEnding(world);
}

/** How many of the cuts are walked. */
interface CutWalk {
  /** Of the boundaries of a run, the first and the second cuts at most: where a run goes in circles, later rounds are as the first. */
  readonly atMost: readonly [firsts: number, seconds: number];
  readonly isCut: (at: number) => boolean;
  /** The stride through the pairs of deaths; none at Infinity. */
  readonly pairStride: number;
}

/** A run without a cut, with single deaths and freezes, and with pairs of deaths, until one breaks a promise. */
export async function walkCuts<T extends Pick<ScheduleReport, 'boundaries' | 'fault'>>(
  runs: (...cuts: PlannedCut[]) => Promise<T>,
  { atMost: [firsts, seconds], isCut, pairStride }: CutWalk,
): Promise<{
  readonly schedules: number;
  readonly undisturbed: T;
  readonly broken?: { readonly fault: string; readonly cuts: readonly PlannedCut[] };
}> {
  let [schedules, pairs] = [0, 0];
  let broken: { readonly fault: string; readonly cuts: readonly PlannedCut[] } | undefined;
  async function run(...cuts: PlannedCut[]): Promise<T> {
    schedules += 1;
    const report = await runs(...cuts);
    if (report.fault !== undefined) broken ??= { fault: report.fault, cuts };
    return report;
  }
  const undisturbed = await run();
  for (const first of undisturbed.boundaries.slice(0, firsts).filter((_, at) => isCut(at))) {
    if (!broken) await run(freezes(first));
    if (broken) break;
    const after = await run(dies(first));
    for (const second of after.boundaries.filter((it) => it > first).slice(0, seconds)) {
      if (broken) break;
      if ((pairs += 1) % pairStride === 0) await run(dies(first), dies(second));
    }
  }
  return { schedules, undisturbed, ...(broken && { broken }) };
}

const dies = (boundary: number): PlannedCut => ({ boundary, cut: { kind: 'dies' } });
/** Longer than lease, function time-out and visibility together. */
const freezes = (boundary: number): PlannedCut => ({ boundary, cut: { kind: 'freezes', ms: 1_000_000 } });

/** Two workers of a kind. A freeze is a matter of worker processes; Lambda would have killed the function. */
export function workersFor({ cuts, isRelease }: Pick<Schedule, 'cuts' | 'isRelease'>, kind = 'worker'): WorkerTraits[] {
  const host = cuts.some(({ cut }) => cut.kind === 'freezes') ? 'process' : 'lambda';
  const common = { skewMs: 0, host, batchSize: 1 } as const;
  return [
    { ...common, name: `${kind}-a`, version: 'newer' },
    { ...common, name: `${kind}-b`, version: isRelease ? 'older' : 'newer' },
  ];
}

interface Script {
  readonly weather: Weather;
  boundaries(): readonly number[];
  watch(changes: () => number): void;
}

/** Fair weather but for the schedule's own answers. */
export function scriptedWeather({ mood, redelivery, cuts }: Pick<Schedule, 'mood' | 'redelivery' | 'cuts'>): Script {
  const told: number[] = [];
  let passed = 0;
  let posts = 0;
  let deliveries = 0;
  let changes = () => 0;
  let last = { process: '', changes: -1 };
  const weather: Weather = {
    ...fairWeather,
    cut({ process }) {
      const boundary = passed;
      passed += 1;
      const here = { process, changes: changes() };
      if (here.process !== last.process || here.changes !== last.changes) told.push(boundary);
      last = here;
      return cuts.find((it) => it.boundary === boundary)?.cut;
    },
    mood() {
      posts += 1;
      return posts === 1 ? mood : moods.accepts;
    },
    deliveredTwiceAfterMs() {
      deliveries += 1;
      return deliveries === 1 ? secondDeliveryAfterMs[redelivery] : undefined;
    },
  };
  return { weather, boundaries: () => told, watch: (count) => void (changes = count) };
}
