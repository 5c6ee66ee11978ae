// The one place that wires the worker's functions to ports. A driver brings its clock, its gateway, its store and its queues: a story
// brings messages, callbacks, people and time; a simulation weather, and calls `world` once a process; `aWorld` below is driven by hand.
import type { SQSRecord } from 'aws-lambda';
import { expect } from 'vitest';
import { createCallback } from '../../functions/callback.ts';
import { createDoor } from '../../functions/door.ts';
import { createInquire } from '../../functions/inquire.ts';
import { createSubmit } from '../../functions/submit.ts';
import { createSweep } from '../../functions/sweep.ts';
import { type Approvals, createApprovals } from '../../lib/batches/approval.ts';
import type { Batches } from '../../lib/batches/batch-ports.ts';
import type { BatchResult } from '../../lib/batches/batch-result.ts';
import { batchesRound, type SettleBatchesPorts } from '../../lib/batches/settle-batches.ts';
import { cardKeysRound, type LeftCardKeys } from '../../lib/card-data/dynamodb-left-card-keys.ts';
import { createJoseCardDecrypter } from '../../lib/card-data/jose-card-decrypter.ts';
import { type CardDecrypter, createSingleUseCode } from '../../lib/card-data/open-card-data.ts';
import type { ClaimedCardKeys } from '../../lib/card-data/sealed-params.ts';
import { payneteasyCallbacks } from '../../lib/gateway/payneteasy-callbacks.ts';
import type { CallbackDialect, Credentials, Gateway, MerchantCredentials } from '../../lib/gateway/ports.ts';
import type { Profile } from '../../lib/gateway/profile.ts';
import type { DueWork } from '../../lib/payout/inquire/due-work.ts';
import type { CallbackPorts, ControlKeys } from '../../lib/payout/inquire/handle-callback.ts';
import type { OwnQueue } from '../../lib/payout/inquire/own-queue.ts';
import type { OwnWorkPorts } from '../../lib/payout/inquire/run-own-work.ts';
import { createDueQuestions } from '../../lib/payout/inquire/due-questions.ts';
import type { Lanes } from '../../lib/payout/pace/lane.ts';
import { createPacing, type Pacing } from '../../lib/payout/pace/pacing.ts';
import { defaultLimits, type Limits } from '../../lib/payout/limits.ts';
import type { LogFields } from '../../lib/payout/log-fields.ts';
import type { DoubtAlarm } from '../../lib/payout/metrics.ts';
import { countedTogether, type Spending } from '../../lib/payout/operate/caps.ts';
import type { Controls, ControlsAdmin } from '../../lib/payout/operate/control.ts';
import type { OperatePorts, SecondPerson } from '../../lib/payout/operate/decide.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import type { Orders } from '../../lib/payout/order/orders.ts';
import type { OrderView } from '../../lib/payout/order/projection.ts';
import type {
  Clock,
  Fingerprinting,
  JobsQueue,
  Log,
  Metrics,
  MetricValues,
  Random,
  Results,
} from '../../lib/payout/ports.ts';
import { type ClosedBatches, wakingBatches } from '../../lib/batches/closed-batches.ts';
import { type JobsPorts, runJobs, runReferences } from '../../lib/payout/submit/run-jobs.ts';
import type { DataKeys } from '../../lib/payout/wait/body-seal.ts';
import { lineFiguresRound } from '../../lib/payout/wait/line-figures.ts';
import { createKnownLanes } from '../../lib/payout/wait/park.ts';
import type { ParkedJob, ParkedJobs } from '../../lib/payout/wait/parked-job.ts';
import { type References, writeReference } from '../../lib/payout/wait/references.ts';
import { calledOffRound, lead, type Leader } from '../../lib/payout/wait/release.ts';
import type { KnownTables } from '../../lib/restore/known-tables.ts';
import { regionRound } from '../../lib/restore/dynamodb-ledger-region.ts';
import { controlsWhileKnown, dueWorkWhileKnown, ordersWhileKnown } from '../../lib/restore/while-known.ts';
import { anApprovalKey } from './approvals.ts';
import { createFakeCardKeys, type FakeCardKeys } from './card-keys.ts';
import { controlKeysBy } from './control-keys.ts';
import {
  createFakeCredentials,
  createFakeFingerprinting,
  type FakeCredentials,
  someControlKey,
  someCredentials,
} from './fake-credentials.ts';
import { createFakeGateway, type FakeGateway } from './fake-gateway.ts';
import {
  createFakeJobsQueue,
  createFakeOwnQueue,
  createFakeReferences,
  createFakeResults,
  type FakeJobsQueue,
  type FakeOwnQueue,
  type FakeReferences,
  type FakeResults,
} from './fake-queues.ts';
import { gateListOf, type GateListPorts } from './gate-list.ts';
import { createMemoryBatchIndex, createMemoryKnownOrders, rememberedOrders } from './memory-batch-index.ts';
import { createMemoryBatches } from './memory-batches.ts';
import { type CardKeysByOrder, createFaultyCardKeys, type FaultyCardKeys } from './memory-card-key-store.ts';
import { createMemoryControls } from './memory-controls.ts';
import { createMemoryLanes, openLanes } from './memory-lanes.ts';
import { createMemoryOrders } from './memory-orders.ts';
import { createMemoryTables, memoryRegion } from './memory-tables.ts';
import { createMemoryDataKeys, createMemoryWaiting } from './memory-waiting.ts';
import { viewsOver } from './order-views.ts';
import { breachOfContract } from './published-result.ts';
import { aRecord, redelivered } from './records.ts';
import { oneIsEnough } from './second-person.ts';
import { createSettling, type Settling } from './settling.ts';
import { createManualClock, createSeededRandom, type ManualClock, startMs } from './time-and-chance.ts';

/** The verbs of the store. Those of batches may be absent, if the driver knows no files. */
interface Store {
  readonly orders: Orders;
  readonly dueWork: DueWork;
  readonly controls: Controls & Pick<ControlsAdmin, 'recordDoubt'> & Spending;
  readonly lanes: Lanes;
  readonly jobs: ParkedJobs;
  readonly leader: Leader;
  readonly dataKeys: DataKeys;
  readonly cardKeys: ClaimedCardKeys & LeftCardKeys;
  readonly tables?: KnownTables;
  readonly files?: Pick<SettleBatchesPorts, 'knownOrders' | 'batchIndex' | 'controlsAdmin'> & {
    readonly batches: SettleBatchesPorts['batches'] & ClosedBatches;
  };
}

/** The verbs of the queues. */
interface Queues {
  readonly jobsQueue: JobsQueue;
  readonly ownQueue: OwnQueue;
  readonly references: References;
  readonly results: Results;
  readonly batchResults?: SettleBatchesPorts['batchResults'];
}

/** The secrets of merchants and worker, and what is judged by them. */
interface Secrets {
  readonly credentials: Credentials<MerchantCredentials>;
  readonly fingerprinting: Fingerprinting;
  readonly controlKeys: ControlKeys;
  readonly cardDecrypter: CardDecrypter;
  readonly approvals: Approvals;
  readonly secondPerson: SecondPerson;
}

/** What surrounds the worker. */
export interface Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly gateway: Gateway;
  /** Default: the dialect that ships. */
  readonly callbacks?: CallbackDialect;
  readonly secrets: Secrets;
  readonly store: Store;
  readonly queues: Queues;
  /** Takes the place of pace and brake as they ship. */
  readonly pacing?: (shipped: Pacing) => Pacing;
  /** Default: no request is late while it is under way. */
  readonly later?: (ms: number, run: () => void) => () => void;
  readonly limits?: Limits;
  /** The money in doubt that raises the alarm, by merchant. */
  readonly doubtAlarm?: DoubtAlarm;
  readonly log?: Log;
  readonly metrics?: Metrics;
}

/** All ports of all functions, and of the tools of people. */
export type WorkerPorts = Parameters<typeof createSubmit>[0] &
  OwnWorkPorts &
  Parameters<typeof createSweep>[0] &
  CallbackPorts &
  OperatePorts & { readonly clock: Clock; readonly dueWork: DueWork };

const neverLate = () => () => {};

/** Tables that are never missing. */
const everKnown: KnownTables = { verdict: async () => ({ kind: 'known' }) };

/** Wires the worker's ports to these surroundings. */
export function world({ store, queues, secrets, clock, random, gateway, ...more }: Surroundings): WorkerPorts {
  const { limits = defaultLimits, log = { write: () => {} }, metrics = { publish: () => {} } } = more;
  const { tables = everKnown, files, lanes, leader, jobs, dataKeys } = store;
  const { references, batchResults, ...sent } = queues;
  const orders = ordersWhileKnown(store.orders, tables);
  const controls = controlsWhileKnown(store.controls, tables);
  const dueWork = dueWorkWhileKnown(store.dueWork, tables);
  const waiting = { jobs, dataKeys, references };
  const shipped = createPacing({ lanes, clock, later: more.later ?? neverLate });
  const pacing = more.pacing?.(shipped) ?? shipped;
  const { cardDecrypter } = secrets;
  const { credentials } = secrets;
  const asking = { orders, credentials, gateway, pacing, clock, random };
  return {
    ...secrets,
    ...sent,
    ...(files && { results: wakingBatches(sent.results, files.batches) }),
    gates: gateListOf({
      ...secrets,
      orders,
      controls,
      clock,
      pacing,
      asking,
      spending: countedTogether(store.controls),
    }),
    singleUse: createSingleUseCode(cardDecrypter, store.cardKeys),
    callbacks: more.callbacks ?? payneteasyCallbacks,
    gateway,
    orders,
    dueWork,
    tables,
    controls,
    controlsAdmin: store.controls,
    waiting,
    knownLanes: createKnownLanes(lanes),
    lanes,
    leader,
    pacing,
    isReferencesQueue: (arn) => arn.endsWith(':references'),
    doubtAlarm: more.doubtAlarm ?? new Map(),
    questions: createDueQuestions({ dueWork, ownQueue: queues.ownQueue, clock }),
    rounds: [
      calledOffRound({ waiting, controls: store.controls, lanes, clock }),
      lineFiguresRound({ waiting, lanes, clock }),
      regionRound(memoryRegion, tables),
      cardKeysRound(store.cardKeys, clock.nowMs),
      ...(files && batchResults ? [batchesRound({ ...files, batchResults, clock, log })] : []),
    ],
    clock,
    random,
    limits,
    log,
    metrics,
  };
}

/** The functions over these ports, as they ship. */
export function functionsOver(ports: WorkerPorts) {
  const callback = createCallback(ports);
  return {
    submit: createSubmit(ports),
    inquire: createInquire(ports),
    sweep: createSweep(ports),
    callback,
    door: createDoor({ handOn: async (message) => callback(structuredClone(message)), log: ports.log }),
  };
}

/** A call of the orders' store and its fault: before the write, or after it (only the answer is lost). */
type StoreFault = 'down' | 'answer lost';

/** The orders in memory, with faults. */
interface FaultyOrders extends Orders, DueWork {
  /** The faults of the next calls of this verb, one each; `up` is no fault. */
  faults(verb: keyof Orders, ...faults: (StoreFault | 'up')[]): void;
  /** The fault of every call of these verbs until it is `up` again. */
  stays(state: StoreFault | 'up', ...verbs: (keyof Orders)[]): void;
}

/** One line of the log. */
interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly fields: LogFields;
}

/** The world of one story. */
export interface World extends Settling {
  readonly clock: ManualClock;
  readonly gateway: FakeGateway;
  readonly orders: FaultyOrders;
  /** The items of the orders, by order key. */
  readonly items: Map<string, Order>;
  /** The view of each order, by order key. */
  readonly entries: ReadonlyMap<string, OrderView>;
  readonly credentials: FakeCredentials;
  readonly cardKeys: FakeCardKeys;
  /** The keys of single-use card data that are left, by order key, and the store where senders leave them. */
  readonly cardKeysLeft: CardKeysByOrder;
  readonly cardKeyStore: FaultyCardKeys;
  readonly fingerprinting: ReturnType<typeof createFakeFingerprinting>;
  readonly results: FakeResults;
  readonly jobsQueue: FakeJobsQueue;
  readonly ownQueue: FakeOwnQueue;
  readonly controls: ReturnType<typeof createMemoryControls>;
  readonly batches: Batches & ClosedBatches;
  /** The key of approvals. */
  readonly approvalKey: ReturnType<typeof anApprovalKey>;
  /** Batch results that the results queue took. */
  readonly batchResults: readonly BatchResult[];
  readonly log: LogLine[];
  /** The figures of invocations and sweeps, one each. */
  readonly figures: readonly MetricValues[];
  readonly ports: WorkerPorts &
    SettleBatchesPorts &
    Required<Omit<GateListPorts, 'asking' | 'spending'>> & {
      readonly lanes: Lanes;
      readonly secondPerson: SecondPerson;
    };
  /** What `ports` are wired to: for a driver that puts faults between both. */
  readonly surroundings: Surroundings;
  /** The worker's tables, as a person may delete them or make them anew. */
  readonly tables: ReturnType<typeof createMemoryTables>;
  /** Delivers a batch; answers with the ids of the messages that stay on the queue. */
  deliver(
    records: SQSRecord | readonly SQSRecord[],
    remainingMs?: number,
    otherPorts?: Partial<JobsPorts>,
  ): Promise<string[]>;
  /** References to parked jobs. */
  readonly references: FakeReferences;
  /** The parked jobs, by their places. */
  readonly parked: Map<string, ParkedJob>;
  /** All waits: messages that stay on the queue, and parked jobs. */
  waits(): readonly Wait[];
  /** Tries all waits once more now: messages are delivered again, parked jobs are begun. */
  again(remainingMs?: number): Promise<void>;
  /** Delivers references to these parked jobs; by default to all. */
  begin(jobs?: readonly ParkedJob[], remainingMs?: number): Promise<void>;
}

/** A message or parked job that waits. */
interface Wait {
  readonly where: 'queue' | 'table';
  readonly messageId: string;
  /** The time until it may go or is seen again; absent where the queue's own visibility time-out decides. */
  readonly inSeconds?: number;
  readonly because?: string;
}

/** The values that a story may choose. */
export interface WorldChoices {
  /** The profile of the merchant `acme-eu`; the default is the interface document alone. */
  readonly profile?: Partial<Profile>;
  readonly merchants?: Readonly<Record<string, MerchantCredentials>>;
  readonly limits?: Partial<Limits>;
  /** Another gateway, of another dialect; `gateway` of the world is idle then. */
  readonly speaks?: Pick<CallbackPorts, 'callbacks'> & { readonly gateway: Gateway };
  /** How late the index of batches is. */
  readonly indexLagMs?: number;
  /** `open`: everything goes, whatever the gateway answers. Default: pace and brake are the real ones. */
  readonly lanes?: 'open';
}

/** A world in which all is well. */
export function aWorld({
  profile = {},
  merchants,
  limits: chosen = {},
  lanes: as,
  speaks,
  indexLagMs = 0,
}: WorldChoices = {}): World {
  const clock = createManualClock();
  const gateway = createFakeGateway(clock);
  const { items, shown } = rememberedOrders(clock.nowMs, indexLagMs);
  const entries = viewsOver(items);
  const cardKeysLeft: CardKeysByOrder = new Map();
  const orders = createFaultyOrders(items);
  const cardKeyStore = createFaultyCardKeys(cardKeysLeft, items);
  const known = merchants ?? { 'acme-eu': someCredentials({ profile }) };
  const credentials = createFakeCredentials(known);
  const cardKeys = createFakeCardKeys();
  const fingerprinting = createFakeFingerprinting();
  const results = createFakeResults();
  const jobsQueue = createFakeJobsQueue();
  const ownQueue = createFakeOwnQueue(clock);
  const references = createFakeReferences(clock);
  const parked = new Map<string, ParkedJob>();
  const lines: LogLine[] = [];
  const figures: MetricValues[] = [];
  const limits = { ...defaultLimits, ...chosen };
  const tables = createMemoryTables(clock);
  const controls = createMemoryControls(clock.nowMs);
  const batches = createMemoryBatches(clock.nowMs);
  const batchResults: BatchResult[] = [];
  const lanes = createMemoryLanes();
  const cardDecrypter = createJoseCardDecrypter({ keys: cardKeys });
  const approvalKey = anApprovalKey();
  const approvals = createApprovals({ credentials, batches, macs: approvalKey });
  const knownOrders = createMemoryKnownOrders(items);
  const batchIndex = createMemoryBatchIndex(items, shown);
  const files = { batches, knownOrders, batchIndex, controlsAdmin: controls };
  const sendBatchResult = async (result: BatchResult) => {
    expect.soft(breachOfContract(result)).toBeUndefined();
    batchResults.push(result);
  };
  const surroundings: Surroundings = {
    clock,
    random: createSeededRandom(),
    gateway: speaks?.gateway ?? gateway,
    callbacks: speaks?.callbacks ?? payneteasyCallbacks,
    secrets: {
      credentials,
      fingerprinting,
      controlKeys: controlKeysBy(credentials, Object.keys(known)),
      cardDecrypter,
      approvals,
      secondPerson: oneIsEnough,
    },
    store: {
      orders,
      dueWork: orders,
      controls,
      lanes,
      jobs: createMemoryWaiting(parked),
      leader: ledForOneRound(),
      dataKeys: createMemoryDataKeys(),
      cardKeys: cardKeyStore,
      tables: tables.comparison(),
      files,
    },
    queues: {
      jobsQueue,
      ownQueue,
      references,
      results,
      batchResults: { sendBatchResult },
    },
    ...(as && { pacing: () => openLanes }),
    limits,
    doubtAlarm: new Map([['*', '20']]),
    log: { write: (level, event, fields) => void lines.push({ level, event, fields }) },
    metrics: { publish: (these) => void figures.push(these) },
  };
  const ports: World['ports'] & { readonly clock: ManualClock } = {
    ...world(surroundings),
    ...files,
    batchResults: { sendBatchResult },
    lanes,
    approvals,
    cardDecrypter,
    clock,
  };
  const sentAtMs = new Map<string, number>();
  /** A message is sent when the story brings it for the first time, unless it names another time. */
  const sent = (record: SQSRecord): SQSRecord => {
    if (record.attributes.SentTimestamp !== String(startMs)) return record;
    const atMs = sentAtMs.get(record.messageId) ?? clock.nowMs();
    sentAtMs.set(record.messageId, atMs);
    return { ...record, attributes: { ...record.attributes, SentTimestamp: String(atMs) } };
  };
  /** The messages by id, as they were delivered last. */
  const onQueue = new Map<string, SQSRecord>();
  const deliver: World['deliver'] = async (records, remainingMs = limits.functionTimeoutMs, otherPorts = {}) => {
    const batch = ('body' in records ? [records] : records).map(sent);
    const deadlineMs = clock.nowMs() + remainingMs;
    // An invocation that throws leaves all of them.
    const all = { batchItemFailures: batch.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    const { batchItemFailures } = await runJobs(batch, deadlineMs, { ...ports, ...otherPorts }).catch(() => all);
    const stays = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    for (const record of batch) {
      if (stays.includes(record.messageId)) onQueue.set(record.messageId, record);
      else onQueue.delete(record.messageId);
    }
    return stays;
  };
  const begin: World['begin'] = async (jobs = [...parked.values()], remainingMs = limits.functionTimeoutMs) => {
    const bodies = jobs.map(({ key, digest, goAtMs, class: its, sinceMs, lane }) =>
      writeReference({ key, digest, leaseMs: goAtMs, class: its, sinceMs, ...(lane && { lane }) }),
    );
    if (bodies.length > 0)
      await runReferences(
        bodies.map((it) => aRecord(it)),
        clock.nowMs() + remainingMs,
        ports,
      );
  };
  const again: World['again'] = async (remainingMs) => {
    const jobs = [...parked.values()];
    // Messages that stay are put back meanwhile.
    const held = [...onQueue.values()];
    for (const record of held) await deliver(redelivered(record), remainingMs);
    await begin(jobs, remainingMs);
  };
  const inSeconds = (atMs: number) => Math.ceil((atMs - clock.nowMs()) / 1000);
  const waits = (): readonly Wait[] => [
    ...[...onQueue.values()].map(({ messageId }): Wait => ({ where: 'queue', messageId })),
    ...[...parked.values()].map(({ messageId, goAtMs, because }): Wait => ({
      where: 'table',
      messageId,
      inSeconds: inSeconds(goAtMs),
      because,
    })),
  ];
  return {
    references,
    parked,
    begin,
    waits,
    again,
    ...createSettling(ports, { items, ownQueue, callbackKey: someControlKey }),
    figures,
    clock,
    gateway,
    orders,
    items,
    entries,
    credentials,
    cardKeys,
    cardKeysLeft,
    cardKeyStore,
    fingerprinting,
    results,
    jobsQueue,
    ownQueue,
    controls,
    batches,
    approvalKey,
    batchResults,
    tables,
    surroundings,
    ports,
    log: lines,
    deliver,
  };
}

/** The leader comes, and makes one round, which takes no time. */
export const oneRound = (ports: WorkerPorts): Promise<void> =>
  lead({ ...ports, leader: ledForOneRound(), clock: { nowMs: ports.clock.nowMs, sleep: async () => {} } });

/** Time is the story's: a leader makes one round, and finds another name. */
function ledForOneRound(): Leader {
  let names: string[] = [];
  return {
    read: async () => names.shift() ?? 'another',
    write: async (name) => void (names = [name]),
  };
}

function createFaultyOrders(items: Map<string, Order>): FaultyOrders {
  const orders = createMemoryOrders(items);
  const coming = new Map<keyof Orders, (StoreFault | 'up')[]>();
  const lasting = new Map<keyof Orders, StoreFault | 'up'>();
  async function attempt<T>(verb: keyof Orders, call: () => Promise<T>): Promise<T> {
    const fault = coming.get(verb)?.shift() ?? lasting.get(verb) ?? 'up';
    if (fault === 'up') return call();
    if (fault === 'answer lost') await call();
    throw new Error(`the ledger did not answer (${verb})`);
  }
  return {
    read: (key) => attempt('read', () => orders.read(key)),
    write: (before, next) => attempt('write', () => orders.write(before, next)),
    markPublished: (order) => attempt('markPublished', () => orders.markPublished(order)),
    restored: orders.restored,
    dueWork: (...asked) => orders.dueWork(...asked),
    measured: (...asked) => orders.measured(...asked),
    move: (...asked) => attempt('write', () => orders.move(...asked)),
    faults: (verb, ...faults) => void coming.set(verb, faults),
    stays: (state, ...verbs) => {
      for (const verb of verbs) lasting.set(verb, state);
    },
  };
}
