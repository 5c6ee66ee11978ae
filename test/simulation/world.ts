// A WORLD IN A BOX: the real handlers (createSubmitHandler over runBatch) between simulated neighbours, in virtual time,
// with one source of chance. Whatever happens here happens again, to the millisecond, from the same seed or schedule.
//
// The model
//   timeline.ts        what will happen, by (time, sequence); after each event every promise runs as far as it can
//   worker.ts          receives, calls the handler, deletes what is done by Lambda's rule; restarts after a death
//   process.ts         one process: each effect (call of a port) has a boundary before it and one before its answer
//   queues.ts          jobs queue and dead-letter queue as SQS keeps them; results queue
//   ledger.ts          the real memory ledger behind faulty calls
//   gateway.ts         reads the signed form, commits orders, answers; gateway-moods.ts has one row per thing it may do
//   merchants.ts       contracts, secrets, rotation
//   weather.ts         the questions "what goes wrong here?"; schedules.ts answers by script, random-weather.ts by seed
//
// The ways to walk: exhaustive.ts takes every cut and every pair of cuts of one job; random-world.ts a whole job file by
// seed (`npm run simulate`); planted-bugs.ts proves that both would notice.
//
// The faults
//   processes: death at every boundary, freeze and thaw (the lease, the visibility and the function time-out over), slow
//   answers, function time-out, skewed clocks, several at once, an older and a newer version at once
//   jobs queue: duplicates, any order, deleted messages that come again, stale handles, batch calls refused in part or
//   whole or with their answer lost, dead letters after too many receives, redrive, the whole file sent again
//   ledger: throttled, answer lost, own write found by the SDK's second try, a write that lands when nobody waits for it
//   gateway: every row of the evidence table with the order committed never, at once, or late
//   secrets: outage, rotation, no secret at all
//
// The promises, checked after every event (truth.ts, ledger-rules.ts, result-rules.ts, balance.ts) and at the end
// (ending.ts): no order is paid twice and no second POST leaves without proof; the ledger and the results never say more
// than is true; nothing vanishes; the sums of money balance; every order comes to an end or stands in honest doubt.
//
// To add a function (inquire, sweep): give it a queue or a schedule in worker.ts, a row in `functions` below, its ports
// in `portsOf`, its faults in weather.ts, and what it may do to an order in ledger-rules.ts.
import { createMemoryControls } from '../../lib/adapters/memory-controls.ts';
import { createSubmitHandler, type QueueHandler } from '../../lib/composition.ts';
import type { BatchPorts } from '../../lib/app/sqs-batch.ts';
import type { Ledger } from '../../lib/app/ports.ts';
import type { LedgerEntry } from '../../lib/domain/ledger.ts';
import { defaultLimits, type Limits } from '../../lib/domain/limits.ts';
import { createBalance } from './balance.ts';
import { createGateway } from './gateway.ts';
import { type Contract, createMerchants, type Merchants } from './merchants.ts';
import type { JobLine } from './jobs.ts';
import { createLedger } from './ledger.ts';
import type { Process } from './process.ts';
import { createQueues, type Queues } from './queues.ts';
import { createStory, type Story } from './story.ts';
import { createTimeline, type Timeline } from './timeline.ts';
import { createTruth, type Truth } from './truth.ts';
import type { Weather } from './weather.ts';
import { startWorker, type WorkerTraits } from './worker.ts';

/** The code under test, one row a function. */
const functions = {
  submit: (ports: BatchPorts): QueueHandler => createSubmitHandler(ports),
};

/** A protocol bug switched on in this world alone; see planted-bugs.ts. */
export interface Sabotage {
  readonly store?: (ledger: Ledger, entries: Map<string, LedgerEntry>) => Ledger;
  readonly ports?: (ports: BatchPorts) => BatchPorts;
  readonly handler?: (handler: QueueHandler, queues: Queues) => QueueHandler;
}

/** What a world is made of. */
export interface WorldPlan {
  readonly contracts: Readonly<Record<string, Contract>>;
  readonly workers: readonly WorkerTraits[];
  readonly weather: Weather;
  readonly visibilityMs?: number;
  readonly limits?: Partial<Limits>;
  readonly sabotage?: Sabotage | undefined;
  readonly keepsStory?: boolean;
}

/** A world. */
export interface World {
  readonly timeline: Timeline;
  readonly story: Story;
  readonly truth: Truth;
  readonly queues: Queues;
  readonly merchants: Merchants;
  readonly entries: ReadonlyMap<string, LedgerEntry>;
  /** From now on this is the weather. */
  changeWeather(weather: Weather): void;
  /** The older version of the worker is taken out of service. */
  deployNewer(): void;
  /** A sender puts a message on the jobs queue; answers with its id. */
  send(line: JobLine): string;
  /** An operator redrives the dead letters. */
  redrive(): void;
  /** Lets everything happen until nothing more will, or a promise is broken. */
  run(): Promise<void>;
}

/** A world in which nothing has happened yet. */
export function createWorld(plan: WorldPlan): World {
  const limits = { ...defaultLimits, ...plan.limits };
  const { visibilityMs = limits.functionTimeoutMs, sabotage } = plan;
  let current = plan.weather;
  const weather = () => current;
  const timeline = createTimeline();
  const story = createStory(plan.keepsStory ?? false, timeline.nowMs);
  const entries = new Map<string, LedgerEntry>();
  const truth = createTruth(entries, story);
  const balance = createBalance(truth, entries);
  const common = { timeline, weather, truth, story };
  const merchants = createMerchants(plan.contracts, common);
  const { knownLogin, refusesDuplicates } = merchants;
  const gateway = createGateway({ ...common, knownLogin, refusesDuplicates });
  const ledger = createLedger({ ...common, entries, sabotage: sabotage?.store });
  const queues = createQueues({ ...common, visibilityMs, maxReceiveCount: limits.maxReceiveCount });
  const controls = createMemoryControls();
  const linesByMessage = new Map<string, JobLine>();

  function portsOf(process: Process): BatchPorts {
    return {
      ...merchants.portsFor(process),
      ...queues.portsFor(process),
      ledger: ledger.portFor(process),
      gateway: gateway.portFor(process),
      checksQueue: { send: async () => new Set() },
      controls,
      spending: controls,
      clock: { nowMs: process.nowMs, sleep: process.sleep },
      random: { id: process.newId, chance: () => current.jitter() },
      log: { write: () => {} },
      limits,
    };
  }

  function handlerOf(process: Process): QueueHandler {
    const ports = portsOf(process);
    const handler = functions.submit(sabotage?.ports?.(ports) ?? ports);
    return sabotage?.handler?.(handler, queues) ?? handler;
  }

  function sends(messageId: string, line: JobLine | undefined): string {
    if (line) linesByMessage.set(messageId, line);
    truth.sends(messageId, line?.order);
    return messageId;
  }

  const { functionTimeoutMs } = limits;
  const onDeath = truth.losesClaims;
  let codeRuns = false;
  const onTurn = () => void (codeRuns = true);
  const workers = plan.workers.map((traits) =>
    startWorker(traits, { ...common, queues, functionTimeoutMs, handlerOf, onDeath, onTurn }),
  );

  return {
    timeline,
    story,
    truth,
    queues,
    merchants,
    entries,
    changeWeather: (next) => void (current = next),
    deployNewer() {
      for (const worker of workers) worker.deployNewer();
    },
    send: (line) => sends(queues.send(line.body), line),
    redrive() {
      for (const { messageId, origin } of queues.redriveDeadLetters()) {
        truth.isReplaced(origin);
        sends(messageId, linesByMessage.get(origin));
      }
    },
    async run() {
      while (truth.broken() === undefined && timeline.step()) {
        if (codeRuns) await everyPromise();
        codeRuns = false;
        const imbalance = balance.fault();
        if (imbalance) truth.breaks(imbalance);
      }
    },
  };
}

/** The event loop turns only when every promise has run as far as it can. */
function everyPromise(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
