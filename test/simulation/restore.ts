// One world by seed in which the ledger is lost: in the middle of bad weather its table is restored to an earlier moment,
// so that orders which were sent meanwhile are lost. Then everything comes again: messages, dead letters, the whole
// file. Nothing may be paid a second time, and when the restore is settled new orders must go out again.
import { createMemoryRestoration } from '../support/memory-restoration.ts';
import { adoptLine, beginRestore } from '../../lib/restore/restore-ledger.ts';
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
  /** False: the worker does not learn that its table was restored. */
  readonly isDeclared?: boolean;
  /** False: neither the results of the gap nor the gateway's report of it are put back before the gap is ended. */
  readonly isAdopted?: boolean;
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

/** Runs the world of one seed to its end. */
export async function runRestore(seed: number, options: RestoreOptions): Promise<RestoreReport> {
  const { jobs, isDeclared = true, isAdopted = true } = options;
  const chance = createChance(seed);
  const isRelease = chance.happens(releases);
  const restoration = createMemoryRestoration();
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
    ...(isDeclared && { restoration }),
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
    forgotten = [...world.items].flatMap(([key, order]) => (backup.get(key) === order ? [] : [key]));
    world.coverage.witness('the ledger is restored to an earlier moment');
    void restore(world, backup, { restoration, told: isAdopted ? told : [], forgotten, toMs: backupMs });
  });
  clearsUp(world, chance);
  // By then no order that was sent in the gap may still be committed.
  world.timeline.after(stormLastsMs + 5 * minuteMs, () => void endsGap(world, restoration, { isDeclared, isAdopted }));
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

/** A message whose order the table has lost waits until a person ends the gap, having put back the orders of the gateway's own report. */
async function endsGap(
  world: World,
  restoration: ReturnType<typeof createMemoryRestoration>,
  { isDeclared, isAdopted }: { readonly isDeclared: boolean; readonly isAdopted: boolean },
): Promise<void> {
  if (isAdopted) for (const key of world.truth.orders.keys()) await adoptReport(world, key);
  if (isDeclared) await restoration.settle(saying(world));
}

async function adoptReport(world: World, key: string): Promise<void> {
  const booking = world.book.of(key).at(-1);
  if (world.items.has(key)) return;
  if (!booking) {
    // The report of these days has no such order, and none of them is under way any more: it may be sent.
    for (const sent of world.truth.sentPosts.get(key) ?? []) sent.disproved = true;
    return;
  }
  const { post, gatewayOrderId } = booking;
  const [merchant = '', orderId = ''] = key.split('/');
  await adoptLine(
    JSON.stringify({
      version: 1,
      resultId: `${key}/1`,
      operation: post.operation,
      merchant,
      endpointId: '39915',
      orderId,
      status: 'accepted',
      final: false,
      gatewayOrderId,
      payoutId: gatewayOrderId,
      amount: post.amount,
      currency: post.currency,
      attempts: 1,
      revision: 1,
      occurredAt: new Date(world.timeline.nowMs()).toISOString(),
    }),
    {
      orders: world.table(),
      clock: { nowMs: world.timeline.nowMs, uptimeMs: world.timeline.nowMs, sleep: async () => {} },
      random: randomOf(),
    },
  );
}

let ids = 0;
const randomOf = () => ({ id: () => `restored-${(ids += 1)}`, chance: () => 0.5 });

const saying = (world: World) => ({ by: 'anna', reason: 'the table was lost', atMs: world.timeline.nowMs() });

/** By the procedure: everybody stopped, published results put back, the table taken into service. */
async function restore(
  world: World,
  backup: ReadonlyMap<string, Order>,
  it: {
    restoration: ReturnType<typeof createMemoryRestoration>;
    told: readonly string[];
    forgotten: readonly string[];
    toMs: number;
  },
): Promise<void> {
  world.story.tell('operator', '', () => `restores the ledger to the state of ${it.toMs} ms`);
  const orders = world.restoreTo(backup);
  const clock = { nowMs: world.timeline.nowMs, uptimeMs: world.timeline.nowMs, sleep: async () => {} };
  const random = randomOf();
  await beginRestore({ toMs: it.toMs, tableId: 'restored' }, saying(world), {
    orders,
    restoreAdmin: it.restoration,
    controlsAdmin: { pause: async () => {} },
    clock,
    random,
  });
  for (const line of it.told) await adoptLine(line, { orders, clock, random });
  // An order that was put back from a result names no account: nobody is asked about it any more.
  // Where nobody can be asked, an end that only a callback brought, and no result yet, is known to nobody any more.
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
