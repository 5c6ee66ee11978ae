// Four workers over one queue of waiting jobs in virtual time, and what is between a job and its POST: our lanes, with
// the worker's own code.
import { createTimeline, type Timeline } from '../../simulation/timeline.ts';
import type { Lanes } from '../../../lib/payout/pace/lane.ts';
import { createMemoryLanes } from '../../support/memory-lanes.ts';
import { type Answer, createGateway, type Gateway, type Spell } from './gateways.ts';
import { createParkedStore, type ParkedStore } from './parked-store.ts';

/** One job. */
export interface Waiting {
  readonly order: string;
  readonly merchant: string;
  readonly isUrgent: boolean;
  readonly sentAtMs: number;
  end?: { readonly kind: 'accepted' | 'doubt'; readonly atMs: number };
}

/** What becomes of a delivery. */
type Delivered = NonNullable<Waiting['end']>['kind'] | 'parked';

/** How one worker takes a job to its gateway. */
export type Handling = (job: Waiting, post: () => Promise<Answer>) => Promise<Delivered>;

/** What a worker's handling is made with. */
export interface Place {
  readonly timeline: Timeline;
  readonly lanes: Lanes;
  readonly sleep: (ms: number) => Promise<void>;
  readonly chance: () => number;
  /** The table of parked jobs and the queue of references, which all workers share. */
  readonly parked: ParkedStore;
  readonly jobOf: (order: string) => Waiting | undefined;
  readonly post: (job: Waiting) => Promise<Answer>;
  /** A parked job has ended. */
  readonly ended: (job: Waiting, kind: NonNullable<Waiting['end']>['kind']) => void;
  readonly isOver: () => boolean;
}

/** What a run has come to. */
export interface Run {
  readonly jobs: readonly Waiting[];
  readonly gateways: ReadonlyMap<string, Gateway>;
  readonly deliveries: number;
  /** By the hour from the beginning. */
  readonly calls: readonly Calls[];
  readonly laneWritesAtMs: readonly number[];
}

const none = {
  deliveries: 0,
  batches: 0,
  laneReads: 0,
  laneWrites: 0,
  referenceSends: 0,
  referenceBatches: 0,
};

/** Calls of SQS and of the lane's item; a batch is one receive, and one call that deletes or hides it. */
export type Calls = typeof none;

/** A merchant's jobs, and its gateway. */
export interface Merchant {
  readonly name: string;
  readonly jobs: number;
  /** Of a merchant with the same limit; its own without. */
  readonly gatewayOf?: string;
  /** Ms between two urgent ones; they come one by one, all others are there at the beginning. */
  readonly urgentEachMs?: number;
  readonly spells: readonly Spell[];
}

const workers = 4;
const batchesAtOnce = 3;
const batchSize = 10;
const receiveMs = 10;
const tableMs = 8;

/** Runs it until `untilMs` (from the beginning). */
export async function run(
  merchants: readonly Merchant[],
  handlingOf: (place: Place) => Handling,
  untilMs: number,
  seed: number,
): Promise<Run> {
  const timeline = createTimeline();
  const beganMs = timeline.nowMs();
  const chance = chanceOf(seed);
  const sleep = (ms: number) => new Promise<void>((resolve) => timeline.after(ms, () => resolve()));
  /** Calls take now less, now more. */
  const call = (ms: number) => sleep(ms * (0.7 + 0.6 * chance()));
  const gateways = new Map(merchants.map(({ name, spells }) => [name, createGateway(timeline, spells, chance)]));
  for (const { name, gatewayOf } of merchants) {
    const shared = gatewayOf === undefined ? undefined : gateways.get(gatewayOf);
    if (shared) gateways.set(name, shared);
  }
  const jobs: Waiting[] = [];
  const visible = { urgent: [] as Waiting[], rows: [] as Waiting[] };
  let deliveries = 0;
  const laneWritesAtMs: number[] = [];
  const calls: Calls[] = [];
  function count(name: keyof Calls, ones = 1): void {
    const its = (calls[Math.floor((timeline.nowMs() - beganMs) / 3_600_000)] ??= { ...none });
    its[name] += ones;
  }
  const store = createMemoryLanes();
  const lanes: Lanes = {
    ...store,
    async read(lane) {
      count('laneReads');
      await call(tableMs / 2);
      return store.read(lane);
    },
    async write(lane, next) {
      count('laneWrites');
      await call(tableMs);
      laneWritesAtMs.push(timeline.nowMs() - beganMs);
      return store.write(lane, next);
    },
  };

  const parked = createParkedStore({ timeline, call, count });
  const byOrder = new Map<string, Waiting>();
  const isOver = () => timeline.nowMs() - beganMs >= untilMs;

  const queueOf = ({ isUrgent }: Waiting) => (isUrgent ? visible.urgent : visible.rows);
  function send(job: Waiting, afterMs: number): void {
    if (afterMs <= 0) queueOf(job).push(job);
    else timeline.after(afterMs, () => void queueOf(job).push(job));
  }

  const post = async ({ merchant }: Waiting) => gateways.get(merchant)?.post() ?? { reply: 'not-connected' as const };

  async function deliver(job: Waiting, handling: Handling): Promise<void> {
    deliveries += 1;
    const delivered = await handling(job, () => post(job));
    if (delivered === 'parked') return call(tableMs);
    job.end = { kind: delivered, atMs: timeline.nowMs() - beganMs };
    await call(tableMs);
  }

  /** One event source: a batch at a time, as soon as there is one. */
  async function poll(queue: Waiting[], handling: Handling): Promise<void> {
    while (!isOver()) {
      const batch = queue.splice(0, batchSize);
      await (batch.length === 0 ? sleep(200) : call(receiveMs));
      if (batch.length > 0) count('batches');
      count('deliveries', batch.length);
      await Promise.all(batch.map((job) => deliver(job, handling)));
    }
  }

  for (const { name, jobs: count } of merchants)
    for (let n = 0; n < count; n += 1)
      jobs.push({ order: `${name}-${n}`, merchant: name, isUrgent: false, sentAtMs: 0 });
  shuffle(jobs, chance);
  visible.rows = [...jobs];
  for (const { name, urgentEachMs } of merchants) {
    if (urgentEachMs === undefined) continue;
    for (let atMs = urgentEachMs; atMs < untilMs; atMs += urgentEachMs) {
      const job = { order: `${name}-urgent-${atMs}`, merchant: name, isUrgent: true, sentAtMs: atMs };
      jobs.push(job);
      send(job, atMs);
    }
  }
  for (const job of jobs) byOrder.set(job.order, job);
  const jobOf = (order: string) => byOrder.get(order);
  const ended: Place['ended'] = (job, kind) => void (job.end = { kind, atMs: timeline.nowMs() - beganMs });
  for (let worker = 0; worker < workers; worker += 1) {
    const handling = handlingOf({ timeline, lanes, sleep, chance, parked, jobOf, post, ended, isOver });
    void poll(visible.urgent, handling);
    for (let batch = 0; batch < batchesAtOnce; batch += 1) void poll(visible.rows, handling);
  }
  while (!isOver() && jobs.some(({ end }) => !end)) {
    for (let events = 0; events < 20_000; events += 1) {
      if (!timeline.step()) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { jobs, gateways, deliveries, calls, laneWritesAtMs };
}

/** The same numbers from 0 to 1 for the same seed. */
function chanceOf(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

function shuffle(jobs: Waiting[], chance: () => number): void {
  for (let at = jobs.length - 1; at > 0; at -= 1) {
    const other = Math.floor(chance() * (at + 1));
    const [a, b] = [jobs[at], jobs[other]];
    if (a && b) [jobs[at], jobs[other]] = [b, a];
  }
}
