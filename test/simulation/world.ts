// A WORLD IN A BOX: the real handlers, wired by support/world.ts, between simulated neighbours, in virtual time,
// with one source of chance. Whatever happens here happens again, to the millisecond, from the same seed or schedule.
//
// The model
//   timeline.ts        the coming events, by (time, sequence); after each event every promise runs as far as it can
//   worker.ts          receives, calls the handler, deletes what is done by Lambda's rule; restarts after a death
//   process.ts         one process: each effect (call of a port) has a boundary before it and one before its answer
//   queues.ts          jobs queue and dead-letter queue as SQS keeps them; results queue
//   ledger.ts          the orders in memory behind faulty calls; seen.ts their views
//   checks-queue.ts    the worker's own queue, and that of callbacks; sweeper.ts the schedule; callbacks.ts the gateway calling back
//   cards.ts           senders who seal card data; the holder of a CVV's key over time
//   lanes.ts           pace and brake; desk.ts controls and caps; operators.ts people; batch-rows.ts payouts of batches
//   gateway-book.ts    the gateway's record of each order, and when it can be seen; gateway-looks.ts its answers
//   gateway.ts         reads the signed form over network.ts, commits, answers (gateway-moods.ts); merchants.ts secrets
//   weather.ts         the questions about faults; schedules.ts answers by script, random-weather.ts by seed
//
// The ways to walk: exhaustive.ts takes every cut and pair of cuts of one job; random-world.ts a whole job file by seed
// (`npm run simulate`); settlement-paths.ts the ways from doubt to truth; restore.ts a lost ledger; `npm run bugs` plants bugs.
// The faults, by name: fault-kinds.ts; their sources: test/world/facts.txt.
//
// The promises, checked after every event (truth.ts, ledger-rules.ts, result-rules.ts) and at the end
// (ending.ts, settled-ending.ts with settlement-rules.ts): no order is paid twice and no second POST leaves without proof;
// ledger and results never claim more than is true; nothing vanishes; each order is of the money that was asked for; doubt is honest.
import type { Pacing } from '../../lib/payout/pace/pacing.ts';
import { createMemoryControls } from '../support/memory-controls.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { defaultLimits, type Limits } from '../../lib/payout/limits.ts';
import { createRows, type Rows } from './batch-rows.ts';
import { createCards } from './cards.ts';
import { createCallbacks } from './callbacks.ts';
import { type Coverage, createCoverage, watched } from './fault-kinds.ts';
import { type Checks, createChecks } from './checks-queue.ts';
import { createDesk, type Desk } from './desk.ts';
import { createGateway } from './gateway.ts';
import { type Book, createBook } from './gateway-book.ts';
import { type Contract, createMerchants, type Merchants } from './merchants.ts';
import { asSent, type JobLine } from './jobs.ts';
import { createLanes } from './lanes.ts';
import { createLedger, type WorldLedger } from './ledger.ts';
import type { CodeVersion, Process } from './process.ts';
import type { KnownTables } from '../../lib/restore/known-tables.ts';
import { functionsOver, type WorkerPorts, world } from '../support/world.ts';
import { agreeing } from '../support/second-person.ts';
import { createOperators, type Operators } from './operators.ts';
import { createQueues, type Queues } from './queues.ts';
import { createStory, type Story } from './story.ts';
import { type SeenOrders, seenOver } from './seen.ts';
import { createSweeper } from './sweeper.ts';
import { createDueQuestions } from '../../lib/payout/inquire/due-questions.ts';
import { firstDueMs } from '../support/settling.ts';
import { createTimeline, runToRest, type Timeline } from './timeline.ts';
import { createTruth, type Truth } from './truth.ts';
import { heldToDesign } from './design-rules.ts';
import { createWaiting, type SimulatedWaiting } from './waiting.ts';
import type { Weather } from './weather.ts';
import { startWorker, type WorkerTraits } from './worker.ts';

/** The plan of a world. */
export interface WorldPlan {
  readonly contracts: Readonly<Record<string, Contract>>;
  readonly workers: readonly WorkerTraits[];
  /** The workers of the checks queue; without them no sweeper and no callback comes, and acceptance and doubt are ends. */
  readonly inquirers?: readonly WorkerTraits[];
  /** The version of what is no worker, until the newer one is deployed: schedule, callbacks' door, operators' tool. Default: newer. */
  readonly versionOfOthers?: CodeVersion;
  /** False: the gateway never calls back. */
  readonly calledBack?: boolean;
  readonly weather: Weather;
  /** From the beginning on only planned faults happen. */
  readonly isFair?: boolean;
  readonly visibilityMs?: number;
  readonly limits?: Partial<Limits>;
  /** The table's record of itself, where it may be another one. */
  readonly tables?: KnownTables;
  readonly keepsStory?: boolean;
  /** Sees all calls of the referee. */
  readonly witness?: (truth: Truth) => Truth;
}

/** A world. */
export interface World {
  readonly timeline: Timeline;
  readonly story: Story;
  readonly truth: Truth;
  readonly coverage: Coverage;
  readonly queues: Queues;
  readonly waiting: SimulatedWaiting;
  readonly checks: Checks;
  readonly book: Book;
  readonly desk: Desk;
  readonly rows: Rows;
  readonly operators: Operators;
  readonly merchants: Merchants;
  readonly contracts: Readonly<Record<string, Contract>>;
  readonly settles: boolean;
  /** The view of each order, and the orders themselves. */
  readonly entries: SeenOrders;
  readonly items: ReadonlyMap<string, Order>;
  readonly onTurn: () => void;
  /** Replaces the weather. */
  changeWeather(weather: Weather): void;
  /** Takes the older version of the worker out of service. */
  deployNewer(): void;
  /** Replaces the ledger's table, and every process starts anew. */
  restoreTo(items: ReadonlyMap<string, Order>): ReturnType<WorldLedger['replaceBy']>;
  /** The present table, in the hands of a person in no hurry. */
  table(): ReturnType<WorldLedger['asPerson']>;
  /** A sender puts a message on the jobs queue; answers with its id. */
  send(line: JobLine): string;
  /** An operator redrives the dead letters. */
  redrive(): void;
  /** Runs events until nothing more will happen, or a promise is broken. */
  run(): Promise<void>;
}

const withFields = (body: string, more: object): string =>
  Object.keys(more).length === 0 ? body : JSON.stringify({ ...JSON.parse(body), ...more });

/** Queues of a world without settling: nothing is asked. */
const nobodysQueues = {
  ownQueue: { send: async () => new Set<number>() },
};

/** An answer of the table may still set a process's clock back by so much, between its turn and its POST. */
const clockKnownToMs = 1_100;

/** The schedule of leaders is the table's (waiting.ts). */
const leadingNothing = (ports: WorkerPorts): WorkerPorts => ({
  ...ports,
  lanes: { ...ports.lanes, all: async () => [] },
  leader: { read: async () => undefined, write: async () => {} },
});

/** A world in which nothing has happened yet. */
export function createWorld(plan: WorldPlan): World {
  const limits = { ...defaultLimits, ...plan.limits };
  const { contracts, inquirers = [], visibilityMs = limits.functionTimeoutMs } = plan;
  const settles = inquirers.length > 0;
  const coverage = createCoverage();
  const watch = (it: Weather) => watched(it, coverage.witness);
  let current = watch(plan.weather);
  const weather = () => current;
  const timeline = createTimeline();
  const story = createStory(plan.keepsStory ?? false, timeline.nowMs);
  const items = new Map<string, Order>();
  const entries = seenOver(items);
  const book = createBook(timeline, entries);
  const skewMs = 2 * Math.max(...[...plan.workers, ...inquirers].map((it) => Math.abs(it.skewMs)));
  const allKnowing = createTruth({ entries, book, timeline, story, contracts, skewMs });
  const truth = heldToDesign(plan.witness?.(allKnowing) ?? allKnowing, { entries, book, contracts, timeline, skewMs });
  if (plan.isFair) truth.weatherIs(true);
  const common = { timeline, weather, truth, story };
  let codeRuns = false;
  const onTurn = () => void (codeRuns = true);
  let { versionOfOthers = 'newer' } = plan;
  const version = () => versionOfOthers;
  const surroundings = {
    ...common,
    witness: coverage.witness,
    book,
    entries,
    version,
    onTurn,
    onDeath: truth.losesClaims,
  };
  const merchants = createMerchants(contracts, common);
  const isKept = (messageId: string) => [...waiting.jobs.values()].some((it) => it.messageId === messageId);
  const queues = createQueues({ ...common, visibilityMs, maxReceiveCount: limits.maxReceiveCount, isKept });
  const checks = createChecks({ ...common, visibilityMs });
  const desk = createDesk(common);
  const limited = new Set(Object.keys(contracts).filter((name) => contracts[name]?.doubtLimits));
  const onLeft = (orderKey: string) => settles && sweeper.looksAt(entries.get(orderKey));
  const cards = createCards({ ...common, entries, items, onLeft });
  const sweeps = { limited, keyOutlives: cards.outlivesClaim };
  const sweeper = createSweeper({
    ...surroundings,
    ...sweeps,
    handlerOf: (it) => functionsOver(leadingNothing(portsOf(it))).sweep,
  });
  const door = (it: Process) => functionsOver(portsOf(it)).door;
  const callsBack = createCallbacks({ ...surroundings, merchants, handlerOf: door });
  const gateway = createGateway({
    ...common,
    ...merchants,
    book,
    onPost: cards.posts,
    onBooking: settles && plan.calledBack !== false ? callsBack : () => {},
  });
  const onWrite: typeof sweeper.considers = (...written) => {
    if (!settles) return;
    sweeper.considers(...written);
    waiting.considers();
  };
  const ledger = createLedger({
    ...common,
    entries,
    items,
    cards,
    onWrite,
    witness: coverage.witness,
  });
  const operators = createOperators({
    ...surroundings,
    asksFirst: (merchant) => contracts[merchant]?.statusInquiry ?? false,
    portsOf,
  });
  const laterOf = (process: Process) => (ms: number, run: () => void) => {
    let isOff = false;
    timeline.after(ms, () => void (isOff || process.whenAwake(() => void (isOff || run()))));
    return () => void (isOff = true);
  };
  /** Every POST is held to its turn, by the clock of its process. */
  const inTurn = (shipped: Pacing, process: Process): Pacing => ({
    ...shipped,
    sends(lane, turn, order, how) {
      const earlyMs = turn.atMs - process.nowMs();
      if (earlyMs > clockKnownToMs) truth.breaks(`${order} was sent ${earlyMs} ms before its turn`);
      if (turn.isInquiry ?? how?.isInquiry) truth.takesTurn(order, process.name);
      return shipped.sends(lane, turn, order, how);
    },
  });
  const lanes = createLanes(common);
  const rows = createRows({ items });
  const quietControls = createMemoryControls();
  const waiting = createWaiting({
    ...common,
    visibilityMs,
    lanes,
    controls: settles ? desk.asSeen : quietControls,
    questionsOf: (process) =>
      createDueQuestions({
        dueWork: ledger.portFor(process),
        ownQueue: (settles ? checks.portFor(process) : nobodysQueues).ownQueue,
        clock: { nowMs: process.nowMs },
      }),
    nextDueMs: () => (settles ? firstDueMs(items.values()) : Infinity),
    laterOf,
    onGone: queues.leavesIfGone,
    onReplaced: truth.isReplaced,
    onTurn,
    onDeath: truth.losesClaims,
  });
  const linesByMessage = new Map<string, JobLine>();

  function portsOf(process: Process): WorkerPorts {
    const orders = ledger.portFor(process);
    const { references, ...kept } = waiting.portFor(process);
    return world({
      clock: { nowMs: process.nowMs, uptimeMs: process.nowMs, sleep: process.sleep },
      random: { id: process.newId, chance: () => current.jitter() },
      gateway: gateway.portFor(process),
      secrets: {
        ...merchants.portsFor(process),
        cardDecrypter: cards.vaultFor(process),
        secondPerson: agreeing((merchant) => contracts[merchant]?.twoPersonRelease ?? false),
      },
      store: {
        orders,
        dueWork: orders,
        controls: settles ? desk.portsFor(process) : quietControls,
        lanes: lanes.portFor(process),
        ...kept,
        cardKeys: cards.tableFor(process),
        ...(plan.tables && { tables: plan.tables }),
      },
      queues: {
        ...queues.portsFor(process),
        ...(settles ? checks.portFor(process) : nobodysQueues),
        references,
      },
      later: laterOf(process),
      pacing: (shipped) => inTurn(shipped, process),
      limits,
      doubtAlarm: new Map([['*', '10']]),
    });
  }

  function sends(messageId: string, line: JobLine | undefined): string {
    if (line) linesByMessage.set(messageId, line);
    rows.sends(messageId, line?.row);
    truth.sends(messageId, line?.order, /"resends":"([^"]*)"/.exec(line?.body ?? '')?.[1]);
    return messageId;
  }

  const { functionTimeoutMs } = limits;
  const submits = (it: Process) => functionsOver(portsOf(it)).submit;
  const inquires = (it: Process) => functionsOver(portsOf(it)).inquire;
  const workers = [
    ...plan.workers.map((it) =>
      startWorker(it, { ...surroundings, queue: queues, functionTimeoutMs, handlerOf: submits }),
    ),
    ...plan.workers
      .slice(0, 2)
      .map((it) => ({ ...it, name: `${it.name}-parked` }))
      .map((it) =>
        startWorker(it, { ...surroundings, queue: waiting.references, functionTimeoutMs, handlerOf: submits }),
      ),
    ...inquirers.map((it) =>
      startWorker(it, { ...surroundings, queue: checks.own, functionTimeoutMs, handlerOf: inquires }),
    ),
  ];

  return {
    timeline,
    story,
    truth,
    coverage,
    queues,
    waiting,
    checks,
    book,
    desk,
    rows,
    operators,
    merchants,
    contracts,
    settles,
    entries,
    items,
    onTurn,
    changeWeather: (next) => void (current = watch(next)),
    deployNewer() {
      versionOfOthers = 'newer';
      for (const worker of workers) worker.deployNewer();
    },
    restoreTo(others) {
      onTurn();
      for (const worker of workers) worker.restart();
      truth.restores();
      return ledger.replaceBy(others);
    },
    table() {
      onTurn();
      return ledger.asPerson();
    },
    send(line) {
      // A sender that repeats an order names its published end; but not where its gateway will change its mind, as then it is paid twice.
      const { key = '' } = line.order ?? {};
      const endId = truth.toldEnds.get(key);
      const resends = endId !== undefined && truth.isSafeToResend(key) ? { resends: endId } : {};
      const naming = { ...line, body: withFields(line.body, resends) };
      const body = cards.sealed(naming);
      return sends(queues.send(body), asSent(naming, body));
    },
    redrive() {
      if (queues.deadLetters.length > 0) coverage.witness('dead letters are redriven');
      for (const { messageId, origin } of queues.redriveDeadLetters()) {
        truth.isReplaced(origin);
        sends(messageId, linesByMessage.get(origin));
      }
    },
    run: () =>
      runToRest(timeline, {
        isOver: () => truth.broken() !== undefined,
        codeRuns: () => codeRuns,
        afterEach() {
          codeRuns = false;
          if (settles) truth.inquiriesAboutDoubt();
        },
        neverRests: () => truth.breaks('the world does not come to rest'),
      }),
  };
}
