// One world by seed in which the ledger is lost: in the middle of bad weather its table is restored to an earlier moment,
// so that orders which were sent meanwhile are lost. Then everything comes again: messages, dead letters, the whole
// file. Nothing may be paid a second time, and when the restore is settled new orders must go out again.
import type { TablesVerdict } from '../../lib/restore/known-tables.ts';
import { doubtHeld, doubtNamed, namedByResult } from '../../lib/restore/lost-orders.ts';
import type { Restored } from '../../lib/payout/order/restored.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { type Chance, createChance } from './chance.ts';
import { faultOfEnding } from './ending.ts';
import { type JobLine, jobLine } from './jobs.ts';
import type { Contract } from './merchants.ts';
import { createRandomWeather, drawClimate, stormLastsMs } from './random-weather.ts';
import { clearUpAfter, drawWorkers, operatorsVisit, releases, sendOverTime, type WorldReport } from './random-world.ts';
import type { Truth } from './truth.ts';
import { createWorld, type World } from './world.ts';

/** The acts of a restore, and those that are left out. */
export interface RestoreOptions {
  readonly jobs: number;
  /** False: neither the results since nor the gateway's report name the orders that the table does not know. */
  readonly isNamed?: boolean;
}

/** The result of one seed. */
export interface RestoreReport {
  readonly seed: number;
  readonly fault?: string;
  /** Orders of which the restored table knew nothing, or less than had happened. */
  readonly forgotten: number;
  /** POSTs after the restore was settled, of orders that came then for the first time. */
  readonly newlyPaid: number;
  readonly faults: WorldReport['faults'];
}

const contracts: Readonly<Record<string, Contract>> = {
  acme: { statusInquiry: false, duplicateOrderIds: 'accepted' },
  bern: { statusInquiry: true, duplicateOrderIds: 'accepted', resubmitUnknownOrders: true, doubtHorizonSeconds: 7_200 },
  dora: { statusInquiry: true, duplicateOrderIds: 'accepted', doubtHorizonSeconds: 7_200 },
};
const merchants = Object.keys(contracts);
const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Longer than a lease and a time-out together. */
const pauseLastsMs = 20 * minuteMs;

/** Runs the world of one seed to its end. */
export async function runRestore(seed: number, options: RestoreOptions): Promise<RestoreReport> {
  const { jobs } = options;
  const chance = createChance(seed);
  const isRelease = chance.happens(releases);
  let verdict: TablesVerdict = { kind: 'known' };
  const told: string[] = [];
  /** The results that the queue took. */
  const telling = (truth: Truth): Truth => ({
    ...truth,
    tells(result) {
      told.push(JSON.stringify(result));
      truth.tells(result);
    },
  });
  const world = createWorld({
    contracts,
    workers: drawWorkers(chance, 'worker', [1, 3], isRelease),
    inquirers: drawWorkers(chance, 'inquirer', [1, 2], isRelease),
    weather: createRandomWeather(chance, drawClimate(chance)),
    tables: { verdict: async () => verdict },
    witness: telling,
  });
  const lines = drawLines(chance, jobs, 'old');
  sendOverTime(world, lines, chance);
  const backupMs = chance.between(0, stormLastsMs / 2);
  const lossMs = chance.between(backupMs, stormLastsMs);
  let backup: ReadonlyMap<string, Order> = new Map();
  let forgotten: readonly string[] = [];
  world.timeline.after(backupMs, () => void (backup = new Map(world.items)));
  world.timeline.after(lossMs, () => {
    verdict = { kind: 'unknown', why: 'a restore was begun' };
    const restored = { pausedAtMs: world.timeline.nowMs() };
    world.timeline.after(pauseLastsMs, async () => {
      forgotten = [...world.items].flatMap(([key, order]) => (backup.get(key) === order ? [] : [key]));
      world.coverage.witness('the ledger is restored to an earlier moment');
      await restore(world, backup, { ...options, restored, told, forgotten, chance });
      verdict = { kind: 'known', restored };
    });
  });
  clearsUp(world, chance);
  await world.run();

  const fault = world.truth.broken() ?? (await drained(world)) ?? (await everythingAgain(world, lines, chance));
  const newlyPaid = [...world.truth.sentPosts.keys()].filter((order) => order.includes('/new-')).length;
  return {
    seed,
    ...(fault !== undefined && { fault }),
    forgotten: forgotten.length,
    newlyPaid,
    faults: world.coverage.faults,
  };
}

let ids = 0;
const randomOf = () => ({ id: () => `restored-${(ids += 1)}`, chance: () => 0.5 });

/** By the page: the older table is filled by the tool, which is killed half way and said again until nothing is left. */
async function restore(
  world: World,
  backup: ReadonlyMap<string, Order>,
  it: RestoreOptions & {
    readonly restored: Restored;
    readonly told: readonly string[];
    readonly forgotten: readonly string[];
    readonly chance: Chance;
  },
): Promise<void> {
  const { restored, isNamed = true } = it;
  world.story.tell('operator', '', () => 'restores the ledger to an earlier state');
  const orders = world.restoreTo(backup);
  let writesLeft = it.chance.between(0, backup.size);
  const killed: typeof orders = {
    ...orders,
    async write(before, next) {
      if (writesLeft === 0) throw new Error('the tool was killed');
      writesLeft -= 1;
      return orders.write(before, next);
    },
  };
  const ports = {
    orders,
    allOrders: {
      async *scan() {
        yield [...world.items.values()].map((order) => ({ kind: 'found', order }) as const);
      },
    },
    credentials: world.merchants.stored,
    clock: { nowMs: world.timeline.nowMs },
    random: randomOf(),
  };
  await doubtHeld(restored, { ...ports, orders: killed }).catch(() => {});
  await doubtHeld(restored, ports);
  const again = await doubtHeld(restored, ports);
  if (again.open + again.ended + again.raised > 0) throw new Error('a second run finds something to do');
  if (isNamed) {
    const named = it.told.flatMap((line) => namedByResult(line) ?? []);
    for (const key of world.truth.orders.keys()) {
      if (world.book.of(key).length > 0) named.push({ key });
      // The report of these days has no such order, and none of them is under way any more: it may be sent.
      else for (const sent of world.truth.sentPosts.get(key) ?? []) sent.disproved = true;
    }
    for (const one of named) await doubtNamed(one, restored, ports);
  }
  // If the gateway cannot be asked, an end that only a callback brought, and no result yet, is lost.
  // Nor a payment undone after its end, which the gateway reported once: results report ends.
  for (const key of it.forgotten) world.truth.losesHint(key, 'undoing');
  for (const key of it.forgotten) world.truth.losesHint(key, 'end');
}

/** Everything that was on a queue when the table was lost has come through: its orders are in the ledger again. */
async function drained(world: World): Promise<string | undefined> {
  for (let rounds = 0; rounds < 3; rounds += 1) {
    world.redrive();
    world.operators.releaseHeldOf(merchants);
    await world.run();
  }
  return world.truth.broken();
}

/** A day later the restore is settled, the whole file comes again, and with it orders that are really new. */
async function everythingAgain(world: World, lines: readonly JobLine[], chance: Chance): Promise<string | undefined> {
  world.timeline.skip(dayMs);
  world.changeWeather(createRandomWeather(chance, drawClimate(chance)));
  world.truth.weatherIs(false);
  world.redrive();
  sendOverTime(world, [...lines, ...drawLines(chance, 10, 'new')], chance);
  clearsUp(world, chance);
  await world.run();
  await drained(world);
  return faultOfEnding(world);
}

function clearsUp(world: World, chance: Chance): void {
  clearUpAfter(world, stormLastsMs, chance);
  world.timeline.after(stormLastsMs + 10 * minuteMs, () => operatorsVisit(world, merchants));
}

/** Payouts, each order once. */
function drawLines(chance: Chance, jobs: number, name: string): JobLine[] {
  return Array.from({ length: jobs }, (_, index) =>
    jobLine({
      operation: chance.pick(['payout', 'payout', 'transfer-by-ref'] as const),
      merchant: merchants[index % merchants.length] ?? 'acme',
      orderId: `${name}-${index}`,
      wholeUnits: 10 + (index % 7),
    }),
  );
}
