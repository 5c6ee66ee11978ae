// One world by seed: a job file goes through bad weather, then the weather clears. In the long ones, and some others,
// everything is done again at some age: dead letters redriven, the whole file sent again, old messages delivered again. No
// money may move again.
import { type Chance, createChance } from './chance.ts';
import { countStandings, faultOfEnding } from './ending.ts';
import type { JobLine } from './jobs.ts';
import { batches, contracts, contractsOfTwoPersons, drawLines, merchants, oddsOf } from './random-lines.ts';
import type { Fault } from './fault-kinds.ts';
import {
  type Climate,
  createCalm,
  createRandomWeather,
  type Outage,
  withOutage,
  drawClimate,
  drawNarrowClimate,
  stormLastsMs,
} from './random-weather.ts';
import { beginningMs } from './timeline.ts';
import type { WorkerTraits } from './worker.ts';
import type { Weather } from './weather.ts';
import { createWorld, type World } from './world.ts';

/** The report of one seed. */
export interface WorldReport {
  readonly seed: number;
  readonly lives: number;
  readonly standings: Readonly<Record<string, number>>;
  readonly paid: number;
  readonly posts: number;
  /** The promise that was broken. */
  readonly fault?: string;
  readonly story: readonly string[];
  /** How often each fault was injected. */
  readonly faults: ReadonlyMap<string, number>;
}

/** The options of a seed. */
export interface RandomOptions {
  readonly jobs: number;
  readonly keepsStory?: boolean;
}

/** Merchants whose submissions wait until somebody has looked after the held orders. */
const limited = ['fara'] as const;
/**
 * So many worlds are long: every kind of fault at once, then everything again. In the others one or two kinds happen, and
 * everything is done again in some: several of them take the time of a long one, and find as many planted bugs in it.
 */
const long = 1 / 8;
const again = 1 / 8;
/** In so many a release is under way: newer code writes orders in a layout of its own, and older code still works beside it. */
export const releases = 1 / 5;
/** In so many a part of AWS is out for hours. */
const outages = 1 / 25;
const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Runs the world of one seed to its end. */
export async function runSeed(seed: number, { jobs, keepsStory = false }: RandomOptions): Promise<WorldReport> {
  const chance = createChance(seed);
  const isLong = chance.happens(long);
  const climate = isLong ? drawClimate(chance) : drawNarrowClimate(chance);
  const visibilityMs = chance.pick([120_000, 180_000, 720_000]);
  const isRelease = chance.happens(releases);
  const workers = drawWorkers(chance, 'worker', [1, 4], isRelease);
  const inquirers = drawWorkers(chance, 'inquirer', [1, 2], isRelease);
  const weatherOf = (it: Climate) => createRandomWeather(chance, it);
  const versionOfOthers = isRelease && chance.happens(1 / 2) ? 'older' : 'newer';
  // Drawn by a chance of its own, as below.
  const odds = createChance(seed + 10_000_000);
  const twoPersons = odds.happens(0.15);
  const outage = odds.happens(outages) ? drawOutage(odds) : undefined;
  const stormMs = stormLastsMs + (outage?.ms ?? 0);
  const isOut = () => outage !== undefined && isWithin(outage, world.timeline.nowMs() - beginningMs);
  const weather = outage ? withOutage(weatherOf(climate), outage.what, isOut) : weatherOf(climate);
  const world: World = createWorld({
    contracts: twoPersons ? contractsOfTwoPersons : contracts,
    workers,
    inquirers,
    versionOfOthers,
    weather,
    visibilityMs,
    keepsStory,
  });
  if (workers.some(({ skewMs }) => Math.abs(skewMs) > 1_000)) world.coverage.witness('clocks differ');
  if (outage) world.coverage.witness('AWS is out for hours');
  const lines = drawLines(chance, jobs, { cards: true, oddsOf: oddsOf(world, odds) });

  const ids = sendOverTime(world, lines, chance);
  clearUpAfter(world, stormMs, chance);
  secretsChange(world, chance);
  operatorsAct(world, chance, stormMs);
  await world.run();

  const fault =
    world.truth.broken() ??
    (await faultOfEnding(world)) ??
    (isLong || chance.happens(again) ? await doEverythingAgain(world, lines, ids, chance, weatherOf) : undefined);
  return {
    seed,
    lives: lines.length,
    standings: countStandings(world.entries),
    paid: world.book.count(),
    posts: [...world.truth.sentPosts.values()].reduce((sum, posts) => sum + posts.length, 0),
    ...(fault !== undefined && { fault }),
    story: world.story.lines,
    faults: world.coverage.faults,
  };
}

/** An outage that begins in the storm. */
const drawOutage = (chance: Chance) => ({
  what: chance.pick<Outage>(['tables', 'queues', 'secrets', 'all']),
  fromMs: chance.between(0, stormLastsMs),
  ms: chance.between(60, 360) * minuteMs,
});

const isWithin = ({ fromMs, ms }: ReturnType<typeof drawOutage>, passedMs: number): boolean =>
  passedMs >= fromMs && passedMs < fromMs + ms;

/** At any age: redrive, resubmission and redelivery, first in bad weather again, then in fair. */
async function doEverythingAgain(
  world: World,
  lines: readonly JobLine[],
  ids: string[],
  chance: Chance,
  weatherOf: (climate: Climate) => Weather,
): Promise<string | undefined> {
  const age = chance.pick([minuteMs, dayMs, 300 * dayMs]);
  world.timeline.skip(age);
  world.story.tell(
    'operator',
    '',
    () => 'redrives the dead letters, sends the whole file again, old messages come again',
  );
  world.changeWeather(weatherOf(drawClimate(chance)));
  world.truth.weatherIs(false);
  world.coverage.witness('the whole file is sent again');
  world.redrive();
  for (const id of ids) if (chance.happens(0.3)) world.queues.redeliver(id);
  sendOverTime(world, lines, chance);
  clearUpAfter(world, stormLastsMs, chance);
  operatorsAct(world, chance);
  await world.run();
  const fault = await faultOfEnding(world);
  if (fault) return fault;

  world.redrive();
  operatorsVisit(world, limited);
  await world.run();
  return faultOfEnding(world);
}

/** The senders send their file; answers with the messages' ids, as they are sent. */
export function sendOverTime(world: World, lines: readonly JobLine[], chance: Chance): string[] {
  const ids: string[] = [];
  const spreadMs = chance.pick([0, minuteMs, 10 * minuteMs]);
  for (const line of lines) world.timeline.after(chance.between(0, spreadMs), () => void ids.push(world.send(line)));
  return ids;
}

/** The faults stop, an older version of the worker included: every process is the newer one from then on. */
export function clearUpAfter(world: World, ms: number, chance: Chance): void {
  world.timeline.after(ms, () => {
    world.story.tell('weather', '', () => 'clears up');
    world.changeWeather(createCalm(chance));
    world.truth.weatherIs(true);
    world.deployNewer();
  });
}

/** In the middle of the storm, while orders are open: another key, another host, another contract. */
function secretsChange({ timeline, coverage, merchants: them }: World, chance: Chance): void {
  const inStorm = (share: number, fault: Fault, act: (merchant: string) => void) => {
    if (!chance.happens(share)) return;
    const merchant = chance.pick(merchants);
    timeline.after(chance.between(0, stormLastsMs), () => {
      coverage.witness(fault);
      act(merchant);
    });
  };
  inStorm(0.3, 'a key is rotated', them.rotate);
  inStorm(0.3, 'an account moves to another host and login', them.moves);
  inStorm(0.2, 'a profile changes', them.changesProfile);
}

/** Operators in the storm pause and resume, call off and cancel; after it they look after held orders. */
function operatorsAct(world: World, chance: Chance, stormMs = stormLastsMs): void {
  const inStorm = (act: () => void) => world.timeline.after(chance.between(0, stormLastsMs), act);
  if (chance.happens(0.3)) {
    const merchant = chance.pick(merchants);
    inStorm(() => {
      world.coverage.witness('a merchant is paused in the middle');
      world.desk.pause(merchant, true);
    });
    world.timeline.after(stormMs + 1, () => world.desk.pause(merchant, false));
  }
  if (chance.happens(0.2))
    inStorm(() => {
      world.coverage.witness('a batch is called off in the middle');
      world.desk.cancelBatch(chance.pick(batches));
    });
  for (let acts = chance.pick([0, 0, 1, 4]); acts > 0; acts -= 1) {
    const number = chance.between(0, 24);
    const merchant = merchants[number % merchants.length] ?? 'acme';
    inStorm(() => {
      world.coverage.witness('an order is called off in the middle');
      world.operators.cancel({ merchant, orderId: `order-${number}` });
    });
  }
  if (chance.happens(0.3))
    inStorm(() => {
      world.coverage.witness('the checks queue loses everything');
      world.checks.loseAll();
    });
  const whose = chance.happens(0.5) ? merchants : limited;
  world.timeline.after(stormMs + 10 * minuteMs, () => operatorsVisit(world, whose));
}

/** Visits again and again, as long as jobs may wait for it; in the end for all held orders, as their jobs wait until somebody decides. */
export function operatorsVisit(world: World, whose: readonly string[], visits = 40): void {
  world.operators.releaseHeldOf(visits < 30 ? merchants : whose);
  if (world.queues.jobs.length + world.waiting.jobs.size > 0 && visits > 0)
    world.timeline.after(visits < 30 ? dayMs : 20 * minuteMs, () => operatorsVisit(world, whose, visits - 1));
}

/** Workers of any nature, so many; in a release of both versions. */
export function drawWorkers(
  chance: Chance,
  kind: string,
  [least, most]: readonly [number, number],
  isRelease = false,
): WorkerTraits[] {
  const worstSkewMs = chance.pick([0, 500, 500, 20_000, 290_000]);
  const batchSize = chance.pick([1, 3, 10]);
  const count = chance.between(isRelease ? 2 : least, most);
  return Array.from({ length: count }, (_, index) => ({
    name: `${kind}-${'abcd'[index]}`,
    version: isRelease && (index === 1 || (index > 1 && chance.happens(0.5))) ? 'older' : 'newer',
    skewMs: chance.between(-worstSkewMs, worstSkewMs),
    host: chance.pick(['lambda', 'process']),
    batchSize,
  }));
}
