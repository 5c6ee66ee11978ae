// One world of a lane by seed: many jobs of one merchant, several workers that share its lane, and a gateway with limits and
// streaks. Clocks differ in most worlds; in half of them processes freeze, and calls of the lane's item fail. Nothing here is about
// an order, so each must be paid in the end (promise 6).
import { createChance, type Chance } from './chance.ts';
import { faultOfEnding } from './ending.ts';
import { moods } from './gateway-moods.ts';
import { jobLine } from './jobs.ts';
import { faultOfLane, faultOfMoment, type LaneBook, type LaneRequest } from './lane-rules.ts';
import { moodsOf, type Spell } from './lane-spells.ts';
import { createCalm } from './random-weather.ts';
import { beginningMs } from './timeline.ts';
import type { Truth } from './truth.ts';
import type { LedgerFault, Weather } from './weather.ts';
import type { WorkerTraits } from './worker.ts';
import { createWorld, type World } from './world.ts';

const minuteMs = 60_000;
const merchant = 'acme';
const contract = { statusInquiry: false, duplicateOrderIds: 'accepted' } as const;
const laneFaults = ['throttled', 'answer lost', 'found own write', 'lands late'] as const satisfies LedgerFault[];

/** Runs the lane's world of one seed to its end: its lives, and the promise that was broken. */
export async function runLaneSeed(seed: number): Promise<{ readonly lives: number; readonly fault?: string }> {
  const chance = createChance(seed + 7_000_000);
  const isStill = chance.happens(0.5);
  const spells = drawSpells(chance);
  const caps = drawCaps(createChance(seed + 8_000_000));
  const workers = drawSharers(chance, isStill);
  const skewMs = Math.max(...workers.map((it) => Math.abs(it.skewMs)));
  const requests: (LaneRequest & { heardAtMs: number | undefined })[] = [];
  let freezes = 0;
  const poison = drawPoison(createChance(seed + 9_000_000), isStill);
  const now = () => world.timeline.nowMs();
  const world: World = createWorld({
    contracts: { [merchant]: { ...contract, ...caps } },
    workers,
    weather: weatherOf(spells, isStill, chance, {
      now,
      refused: (it) => requests.push(it),
      froze: () => (freezes += 1),
      poison,
    }),
    isFair: true,
    visibilityMs: 720_000,
    witness: (truth) => listening(truth, now, requests),
  });

  const moments = sendJobs(world, chance);
  const deliveries = watchedDeliveries(world);
  await world.run();
  const early = requests.map(({ order, atMs }) => faultOfMoment(order, atMs, moments.get(order), skewMs + 100));
  const fault =
    early.find((it) => it !== undefined) ??
    faultOfLane({ spells, requests, deliveries: deliveries.byOrigin, isStill, caps }) ??
    world.truth.broken() ??
    (await faultOfEnding(world)) ??
    faultOfPoison(world, poison) ??
    faultOfWaste(world, {
      mostReceives: isStill && poison.size === 0 ? deliveries.mostReceives() : 1,
      freezes,
      poison,
    });
  return { lives: moments.size, ...(fault !== undefined && { fault }) };
}

/** A limit, then trouble; or either. */
function drawSpells(chance: Chance): Spell[] {
  const limit = {
    kind: 'limit',
    fromMs: beginningMs,
    toMs: beginningMs + chance.pick([2, 5]) * minuteMs,
    perSecond: chance.pick([2, 5, 10]),
    ...(chance.happens(0.3) && { retryAfterSeconds: chance.pick([20, 40]) }),
  } as const;
  const fromMs = (chance.happens(0.7) ? limit.toMs : beginningMs) + chance.between(0, 5_000);
  const trouble = {
    kind: chance.pick(['port closed', 'key refused', 'account refused'] as const),
    fromMs,
    toMs: fromMs + chance.pick([1, 4, 10]) * minuteMs,
    perSecond: 0,
  };
  return fromMs < limit.toMs ? [trouble] : chance.pick([[limit], [limit, trouble], [limit, trouble]]);
}

/** Orders over whose claim every worker dies, in some worlds in which nothing else kills one; and how often one has. */
function drawPoison(chance: Chance, isStill: boolean): Map<string, number> {
  if (!isStill || chance.happens(0.5)) return new Map();
  return new Map([3, 7].map((number) => [`${merchant}/order-${number}`, 0]));
}

/** The caps of some profiles. */
const drawCaps = (chance: Chance): LaneBook['caps'] => ({
  ...(chance.happens(0.3) && { concurrency: chance.pick([2, 4]) }),
  ...(chance.happens(0.2) && { ratePerSecond: chance.pick([1, 3]) }),
});

function drawSharers(chance: Chance, isStill: boolean): WorkerTraits[] {
  const worstSkewMs = isStill ? chance.pick([0, 20_000, 200_000]) : chance.pick([500, 20_000, 200_000]);
  const batchSize = chance.pick([3, 10]);
  return Array.from({ length: chance.between(2, 4) }, (_, index) => ({
    name: `worker-${'abcd'[index]}`,
    version: 'newer',
    skewMs: chance.between(-worstSkewMs, worstSkewMs),
    host: 'lambda',
    batchSize,
  }));
}

function weatherOf(
  spells: readonly Spell[],
  isStill: boolean,
  chance: Chance,
  {
    now,
    refused,
    froze,
    poison,
  }: { now: () => number; refused: (it: LaneRequest) => void; froze: () => void; poison: Map<string, number> },
): Weather {
  const calm = createCalm(chance);
  const moodAt = moodsOf(spells);
  const freeze = isStill ? 0 : chance.pick([0, 0.002, 0.01]);
  const laneFault = isStill ? 0 : chance.pick([0, 0.1, 0.4]);
  return {
    ...calm,
    cut({ effect, order, when }) {
      const deaths = poison.get(order);
      if (deaths !== undefined && effect === 'put' && when === 'before') {
        poison.set(order, deaths + 1);
        return { kind: 'dies' };
      }
      if (!chance.happens(freeze)) return undefined;
      froze();
      const ms = chance.pick([5_000, 60_000, 100_000]);
      return chance.happens(0.1) ? { kind: 'dies' } : { kind: 'freezes', ms };
    },
    ledger: (effect) => (effect === 'lane' && chance.happens(laneFault) ? chance.pick(laneFaults) : 'none'),
    latencyMs: (effect) => Math.ceil(calm.latencyMs(effect) * (0.5 + chance.next())),
    mood(post) {
      const mood = moodAt(now());
      // Nothing comes to a closed port, so only the sender that knocked knows of it.
      if (mood.connectionFails) refused({ order: post.order, atMs: now(), heardAtMs: now() + 200 });
      return mood;
    },
  };
}

/** Records each request that leaves, and when its sender heard the answer. */
function listening(truth: Truth, now: () => number, requests: { heardAtMs: number | undefined }[]): Truth {
  const open = new Map<unknown, { heardAtMs: number | undefined }>();
  const { posts, hears } = truth;
  return Object.assign(truth, {
    posts: (...asked: Parameters<Truth['posts']>) => {
      const sent = posts(...asked);
      const [{ order }, { name }] = asked;
      const request = { order, atMs: now(), heardAtMs: undefined, isSlowed: name === moods['asks to slow down'].name };
      open.set(sent, request);
      requests.push(request);
      return sent;
    },
    hears: (...asked: Parameters<Truth['hears']>) => {
      const request = open.get(asked[0]);
      if (request) request.heardAtMs = now();
      hears(...asked);
    },
  });
}

/** Sends the jobs: most at the beginning, others meanwhile; some name a moment. Answers with each order's moment. */
function sendJobs(world: World, chance: Chance): ReadonlyMap<string, number | undefined> {
  const moments = new Map<string, number | undefined>();
  const jobs = chance.pick([40, 120]);
  for (let number = 0; number < jobs; number += 1) {
    const notBeforeMs = chance.happens(0.1) ? beginningMs + chance.between(1, 20) * minuteMs : undefined;
    const line = jobLine({
      operation: 'payout',
      merchant,
      orderId: `order-${number}`,
      wholeUnits: 10,
      ...(chance.happens(0.5) && { batchId: 'monday' }),
      ...(notBeforeMs !== undefined && { notBefore: new Date(notBeforeMs).toISOString() }),
    });
    moments.set(line.order?.key ?? '', notBeforeMs);
    const atMs = number < jobs / 2 ? 0 : chance.between(0, 10 * minuteMs);
    world.timeline.after(atMs, () => void world.send(line));
  }
  return moments;
}

/** The times of every delivery of every message. */
function watchedDeliveries({ queues, timeline }: World) {
  const { receive } = queues;
  const byOrigin = new Map<string, number[]>();
  let receives = 1;
  Object.assign(queues, {
    receive: (...asked: Parameters<typeof receive>) => {
      const records = receive(...asked);
      for (const { messageId, attributes, messageAttributes } of records) {
        const origin = messageAttributes['originMessageId']?.stringValue ?? messageId;
        byOrigin.set(origin, [...(byOrigin.get(origin) ?? []), timeline.nowMs()]);
        receives = Math.max(receives, Number(attributes.ApproximateReceiveCount));
      }
      return records;
    },
  });
  return { byOrigin, mostReceives: () => receives };
}

/** The first receive, and five beginnings; a wait for anything but the pace, which comes between in a world like this, counts anew. */
const deathsAtMost = 20;

/** What kills its worker is laid aside after five beginnings, and what was beside it never is. */
function faultOfPoison({ queues }: World, poison: ReadonlyMap<string, number>): string | undefined {
  for (const [order, deaths] of poison) {
    const { length } = queues.deadLetters.filter(({ body }) => isAbout(body, order));
    if (deaths > deathsAtMost) return `${deaths} workers died over ${order}, which kills each`;
    if (length !== 1) return `${order}, which kills its workers, is ${length} dead letters`;
  }
  return undefined;
}

const isAbout = (body: string, order: string) => body.includes(`"${order.slice(order.indexOf('/') + 1)}"`);

/** A short wait is a receive: a job alone comes back a few times within its first minute; a longer wait is kept, and received no more. */
const receivesAtMost = 6;

/** No failure here was about an order; only a message over which processes froze or died, five times in a row, may be a dead letter. */
function faultOfWaste(
  { entries, queues }: World,
  {
    mostReceives,
    freezes,
    poison,
  }: { readonly mostReceives: number; readonly freezes: number; readonly poison: ReadonlyMap<string, number> },
): string | undefined {
  const ended = [...entries.values()].find(({ state }) => state === 'failed' || state === 'declined');
  if (ended) return `${ended.key} is ${ended.state} (${ended.failure?.code}) for what was not about it`;
  // No person decides here about a doubt that a frozen worker has left: in the end its message is laid aside.
  const isDoubt = (body: string) =>
    [...entries.values()].some(({ orderId, state }) => state === 'held' && body.includes(`"${orderId}"`));
  const letters = queues.deadLetters.filter(
    ({ body, attributes }) =>
      ![...poison.keys()].some((order) => isAbout(body, order)) &&
      (freezes < 5 || !body.includes('WORKER_CRASHED')) &&
      !(attributes['reasonCode']?.startsWith('HELD_') && isDoubt(body)),
  );
  if (letters.length > 0) return `${letters.length} dead letters for what was not about them`;
  return mostReceives > receivesAtMost ? `a message that only waited was received ${mostReceives} times` : undefined;
}
