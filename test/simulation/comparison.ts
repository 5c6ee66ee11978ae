// The comparison: this worker and the ways in which teams do it today, in the same worlds. Same job file, same workers,
// same neighbours, and the same fault schedule: the n-th POST of an order meets the same mood of the gateway, the n-th
// receive the same duplicate, the n-th write the same throttle, the n-th boundary of a process the same death.
//
// Each world has two acts. In the first the file goes through bad weather, which clears up; all that is counted is
// counted then, but for one thing: a day later, in fair weather, an operator redrives the dead letters and a sender sends
// the whole file again. `npm run compare` prints the table (comparison-run.ts).
import type { BatchPorts } from '../../lib/payout/run-jobs.ts';
import { createChance } from './chance.ts';
import { rivals } from './comparison-rivals.ts';
import { createCalm, createRandomWeather, drawClimate, stormLastsMs } from './random-weather.ts';
import { drawLines, merchants } from './random-lines.ts';
import { drawWorkers, sendOverTime } from './random-world.ts';
import type { Truth } from './truth.ts';
import type { Effect, Weather } from './weather.ts';
import { createWorld, type World, type WorldPlan } from './world.ts';

/** What is counted. Orders are those that move money; eligibility checks can't be paid twice. */
export interface Tally {
  jobs: number;
  orders: number;
  posts: number;
  storeWrites: number;
  paidTwice: number;
  /** Accepted though the gateway never took the order, declined or failed though it did. */
  lies: number;
  /** A POST left, and neither a result nor a ledger tells what became of it: at best its message lies somewhere. */
  unknown: number;
  /** Of the unknown, those that the gateway paid. */
  unknownPaid: number;
  /** A result says that nobody can know yet, or a person is asked. */
  inDoubt: number;
  /** As `paidTwice`, after the second act. */
  paidTwiceAfterReplay: number;
}

/** Our worker's row. */
export const ours = 'this worker';

type Climate = ReturnType<typeof drawClimate>;

/** A bad day: one call of the gateway in ten goes wrong, and a little of everything else. */
const badDay: Climate = {
  death: 0.002,
  freeze: 0.001,
  ledger: 0.02,
  queue: 0.02,
  secrets: 0.01,
  gateway: 0.1,
  duplicate: 0.05,
  slow: 0.02,
  newLayout: 0.02,
};

/** The climates to choose from; a storm is that of `npm run simulate`, drawn for each world. */
export const climates = {
  'bad-day': () => badDay,
  storm: (seed: number) => drawClimate(createChance(seed)),
} as const satisfies Record<string, (seed: number) => Climate>;

/** What to run. */
export interface Comparison {
  readonly seeds: number;
  /** In each world. */
  readonly jobs: number;
  readonly weather: keyof typeof climates;
}

/** What infra/docs/comparison.md shows. */
export const published: Comparison = { seeds: 50, jobs: 20, weather: 'bad-day' };

const dayMs = 86_400_000;
const visibilitiesMs = [120_000, 180_000, 720_000] as const;

/** All rows. */
export async function compare({ seeds, jobs, weather }: Comparison): Promise<ReadonlyMap<string, Tally>> {
  const tallies = new Map<string, Tally>();
  for (const name of [...Object.keys(rivals), ours]) {
    const sum = emptyTally();
    for (let seed = 1; seed <= seeds; seed += 1) {
      addTo(sum, await tallyOf(seed, jobs, climates[weather](seed), rivals[name]?.()));
    }
    tallies.set(name, sum);
  }
  return tallies;
}

/** What the rivals know of a contract; settlement, caps and limits are nothing to them. Two refuse a known order id. */
const contracts: WorldPlan['contracts'] = Object.fromEntries(
  merchants.map((name, index) => [
    name,
    { statusInquiry: index % 2 === 1, duplicateOrderIds: index % 4 < 2 ? 'accepted' : 'refused' } as const,
  ]),
);

/** One world, with a rival in it or with our own worker. */
async function tallyOf(seed: number, jobs: number, climate: Climate, rival: WorldPlan['rival']): Promise<Tally> {
  const chance = createChance(seed);
  const weather = keyedWeather(seed, climate);
  const visibilityMs = chance.pick(visibilitiesMs);
  const counts = createCounts();
  const plan = {
    contracts,
    workers: drawWorkers(chance, 'worker', chance.between(1, 4)),
    weather: counts.watch(weather),
    visibilityMs,
  };
  // A rival's queue gives a message up after five receives, as AWS advises; ours waits by receives (infra/queues.yml).
  const limits = rival && { maxReceiveCount: 5 };
  const world = createWorld({ ...plan, rival, witness: counts.witness, ...(limits && { limits }) });
  const lines = drawLines(chance, jobs);

  return inVirtualTime(world, async () => {
    sendOverTime(world, lines, createChance(seed));
    world.timeline.after(stormLastsMs, () => {
      world.changeWeather(counts.watch(createCalm(createChance(seed))));
      world.deployNewer();
    });
    await world.run();
    const tally = { ...counts.tally(world), jobs: lines.length };

    world.timeline.skip(dayMs);
    world.redrive();
    sendOverTime(world, lines, createChance(-seed));
    await world.run();
    return { ...tally, paidTwiceAfterReplay: counts.tally(world).paidTwice };
  });
}

/** The library asks `Date.now`, which is the world's while the world runs; nothing else in it knows of time. */
async function inVirtualTime<T>(world: World, run: () => Promise<T>): Promise<T> {
  const { now } = Date;
  Date.now = world.timeline.nowMs;
  try {
    return await run();
  } finally {
    Date.now = now;
  }
}

/** Weather that has a chance of its own for each question, so that one worker's questions do not shift another's. */
function keyedWeather(seed: number, climate: Climate): Weather {
  const streams = new Map<string, Weather>();
  const on = (question: string): Weather => {
    const known = streams.get(question);
    if (known) return known;
    const stream = createRandomWeather(createChance(seed * 2 ** 32 + hashOf(question)), climate);
    streams.set(question, stream);
    return stream;
  };
  return {
    cut: (boundary) => on(`cut ${boundary.process} ${boundary.when} ${boundary.effect}`).cut(boundary),
    latencyMs: (effect) => on(`latency ${effect}`).latencyMs(effect),
    ledger: (effect) => on(`ledger ${effect}`).ledger(effect),
    queue: (effect) => on(`queue ${effect}`).queue(effect),
    secretsDown: () => on('secrets').secretsDown(),
    cardKey: () => on('card key').cardKey(),
    ahead: () => on('ahead').ahead(),
    mood: (post) => on(`mood ${post.order}`).mood(post),
    fate: (post) => on(`fate ${post.order}`).fate(post),
    look: () => on('look').look(),
    callback: () => on('callback').callback(),
    checkTwiceAfterMs: () => on('check twice').checkTwiceAfterMs(),
    checkLost: () => on('check lost').checkLost(),
    sweep: () => on('sweep').sweep(),
    deliveredTwiceAfterMs: () => on('twice').deliveredTwiceAfterMs(),
    survivesDeletionForMs: () => on('survives').survivesDeletionForMs(),
    staleHandleWorks: () => on('stale').staleHandleWorks(),
    newLayout: (entry) => on('layout').newLayout(entry),
    staleRead: () => on('stale read').staleRead(),
    staleIndex: () => on('stale index').staleIndex(),
    loopStops: () => on('loop').loopStops(),
    nextOf: (messages) => on('next').nextOf(messages),
    jitter: () => on('jitter').jitter(),
  };
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}

interface Counts {
  /** Counts what is written to the store, ours or the library's. */
  watch(weather: Weather): Weather;
  /** Counts payments and hears results; a broken promise stops nobody here. */
  witness(truth: Truth): Truth;
  tally(world: World): Tally;
}

type LastWord = Pick<Parameters<BatchPorts['results']['send']>[0][number], 'status' | 'revision'>;

function createCounts(): Counts {
  const payments = new Map<string, number>();
  const lastWords = new Map<string, LastWord>();
  let storeWrites = 0;

  return {
    watch: (weather) => ({
      ...weather,
      ledger(effect: Effect) {
        if (effect !== 'read') storeWrites += 1;
        return weather.ledger(effect);
      },
    }),
    witness: (truth) => ({
      ...truth,
      broken: () => undefined,
      breaks: () => {},
      commits(post, gatewayOrderId) {
        if (post.movesMoney) payments.set(post.order, (payments.get(post.order) ?? 0) + 1);
        truth.commits(post, gatewayOrderId);
      },
      tells(result) {
        const order = result.resultId.slice(0, result.resultId.lastIndexOf('/'));
        const superseded = (lastWords.get(order)?.revision ?? 0) > (result.revision ?? 0);
        if (!superseded) lastWords.set(order, result);
        truth.tells(result);
      },
    }),
    tally({ truth, entries }) {
      const tally = { ...emptyTally(), storeWrites };
      for (const order of truth.orders.keys()) {
        if (order.includes('~check/')) continue;
        const posts = truth.sentPosts.get(order)?.length ?? 0;
        const paid = payments.get(order) ?? 0;
        const status = lastWords.get(order)?.status;
        tally.orders += 1;
        tally.posts += posts;
        if (paid > 1) tally.paidTwice += 1;
        if (status && isLie(status, paid)) tally.lies += 1;
        const isUnknown = posts > 0 && !status && !entries.has(order);
        if (isUnknown) tally.unknown += 1;
        if (isUnknown && paid > 0) tally.unknownPaid += 1;
        if (status === 'in-doubt' || status === 'held') tally.inDoubt += 1;
      }
      return tally;
    },
  };
}

function isLie(status: LastWord['status'], payments: number): boolean {
  switch (status) {
    case 'accepted':
    case 'approved':
      return payments === 0;
    case 'declined':
    case 'failed':
    case 'cancelled':
      return payments > 0;
    case 'in-doubt':
    case 'held':
      return false;
  }
}

function emptyTally(): Tally {
  return {
    jobs: 0,
    orders: 0,
    posts: 0,
    storeWrites: 0,
    paidTwice: 0,
    lies: 0,
    unknown: 0,
    unknownPaid: 0,
    inDoubt: 0,
    paidTwiceAfterReplay: 0,
  };
}

function addTo(sum: Tally, more: Tally): void {
  const names = Object.keys(sum) as (keyof Tally)[];
  for (const name of names) sum[name] += more[name];
}
