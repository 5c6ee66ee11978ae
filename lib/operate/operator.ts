// THE OPERATOR'S PORT: a person's views and actions, once, under the command line, the console, and other people's tools. Lists
// come from the index of open work, the lanes and the batches; no table is ever scanned. Decisions go through the
// ledger's own conditions, with the decider and the reason.
import { whyUndecided } from '../payout/order/decisions.ts';
import { isCancelled } from '../payout/order/fold.ts';
import { indexOf, type Payout, readBatch, type ReadBatchPorts } from '../batches/batch-payouts.ts';
import { createTally, type Tally } from '../batches/tally.ts';
import type { BatchHeaders } from '../batches/batch-ports.ts';
import { type Batch, isAbandoned } from '../batches/batch.ts';
import { type DeadLetterView, type DeadMessage, letterView, shownBody } from '../dead-letters/dead-letter.ts';
import { judgeDeadLetter, type JudgedDeadLetter } from '../dead-letters/judge-dead-letter.ts';
import { planRedrive, type Planned, type Redriven, redriveDeadLetters } from '../dead-letters/redrive-dead-letters.ts';
import {
  chosenBy,
  type DeadLetterFilter,
  scanDeadLetters,
  type WalkLimits,
} from '../dead-letters/scan-dead-letters.ts';
import { type Discarded, discardDeadLetter, type DiscardPorts } from '../dead-letters/discard-dead-letter.ts';
import { redact } from '../gateway/redact.ts';
import type { ControlsAdmin, Controls, Saying } from '../payout/operate/control.ts';
import { type Erased, eraseEnded, type ErasedCounts, eraseOrder } from '../payout/operate/erase.ts';
import type { AllOrders, DueWork } from '../payout/inquire/due-work.ts';
import { couldBear } from '../payout/message/job.ts';
import { isFarBelowUsual, type LaneName, type LaneState, newLane } from '../payout/pace/lane-state.ts';
import type { Lanes } from '../payout/pace/lane.ts';
import { pausedLane, probedNow, resumedLane } from '../payout/pace/brake.ts';
import { lanesNow, type LaneView, waitsForPerson } from '../payout/pace/lane-view.ts';
import {
  cancelOrder,
  type Operated,
  type OperatePorts,
  releaseOrder,
  type Seen,
  shownNow,
} from '../payout/operate/decide.ts';
import type { OpenWorkKind } from '../payout/order/open-work.ts';
import type { Order } from '../payout/order/order.ts';
import type { ReadOrder } from '../payout/order/orders.ts';
import { type OrderView, viewOf } from '../payout/order/projection.ts';
import { standings } from '../payout/order/standing.ts';
import { contractOf } from '../payout/order/time.ts';
import { waitOf } from '../payout/order/waits.ts';
import { broughtForward } from '../payout/wait/park.ts';
import type { ParkedHead, ParkedJobs } from '../payout/wait/parked-job.ts';
import { needsPerson } from '../payout/wait/reasons.ts';
import { beginLedger, type BeginningPorts, type LedgerBegun } from '../restore/known-tables.ts';
import {
  type ApprovableOrder,
  approvableOf,
  approveSeen,
  type SecondApproval,
  type SecondApprovalPorts,
  type ApprovalAsked,
} from './second-approval.ts';
import { checkNames } from '../files/usage-error.ts';

/** The ports of the operator. */
export interface OperatorPorts extends OperatePorts {
  readonly dueWork: DueWork;
  readonly controls: Controls;
  readonly controlsAdmin: ControlsAdmin;
  readonly lanes: Lanes;
  readonly waiting: { readonly jobs: Pick<ParkedJobs, 'ofOrder' | 'first' | 'length' | 'move' | 'all'> };
  readonly batches: ReadBatchPorts['batches'] & Pick<BatchHeaders, 'find' | 'openBatches' | 'registeredSince'>;
  readonly knownOrders: ReadBatchPorts['knownOrders'];
  readonly batchIndex: ReadBatchPorts['batchIndex'];
  readonly redrives: DiscardPorts;
  readonly allOrders: AllOrders;
  /** The approver's key and identity. */
  readonly approving: SecondApprovalPorts['approving'];
  /** The worker's tables and their record, and the approver's key. */
  readonly ledger: Omit<BeginningPorts, 'whoAmI' | 'clock'>;
  /** Whether there is a secret of the merchant. */
  readonly isKnown: (merchant: string) => Promise<boolean>;
  /** The person whom AWS names for these credentials. Rejects if it names no person: then nothing is decided. */
  readonly whoAmI: () => Promise<string>;
}

/** A dead letter, and what would become of it if it were sent again now. */
export interface LookedLetter extends DeadLetterView, Pick<JudgedDeadLetter, 'class' | 'because' | 'money'> {
  /** Without card data, and without what is never shown. */
  readonly body: string;
}

/** Something that waits for a person. */
export type Question =
  /** Its money may have moved. */
  | { readonly kind: 'held'; readonly entry: OrderView }
  /** The gateway gave an answer about it that fits nowhere. */
  | { readonly kind: 'surprise'; readonly entry: OrderView }
  /** Refused by the worker, or its receives used up. */
  | { readonly kind: 'dead-letter'; readonly letter: LookedLetter }
  /** Refusals have closed it, or a person has paused it. */
  | { readonly kind: 'lane'; readonly lane: LaneView }
  /** A message that was never claimed, and waits for an act of a person: to correct a secret, to end a pause. */
  | { readonly kind: 'waiting'; readonly row: ParkedHead }
  /** A second person must approve it, or it is half sent and was left. */
  | { readonly kind: 'batch'; readonly batch: Batch };

/** The questions for a person, and whether there may be more than were read. */
export interface Todo {
  readonly questions: readonly Question[];
  /** Money that has not come to its end. */
  readonly money: Tally;
  readonly mayBeMore: boolean;
  /** The parts and single items that could not be read, and why: the rest is shown all the same. */
  readonly notRead: readonly { readonly part: string; readonly error: unknown }[];
}

/** The decision of a release. */
interface ReleaseDecision {
  readonly as: 'paid' | 'not-paid';
  readonly reason: string;
  /** The gateway's order id, where the person knows it. */
  readonly gatewayOrderId?: string;
  /** Decides not paid although the gateway was asked and gave no clear answer. */
  readonly evenUnanswered?: boolean;
  /** What the person has seen: refused where the order shows anything else now. */
  readonly seen: Seen;
  /** The approver's token (`payouts approve`), where two persons must decide that it is not paid. */
  readonly approval?: string;
}

/** One lane or all of a merchant: the changes, and the remaining pauses. */
interface LanesChanged {
  /** Endpoints that were changed; empty if there was nothing to change. */
  readonly changed: readonly string[];
  /** Paused by their own name, and left so. */
  readonly stillPaused: readonly string[];
  /** The merchant, or all merchants, are paused. */
  readonly merchantPaused: boolean;
  /** All merchants are. */
  readonly allPaused: boolean;
}

/** The first jobs of the lines. */
interface WhoWaits {
  readonly rows: readonly ParkedHead[];
  /** There are others behind them. */
  readonly mayBeMore: boolean;
}

/** The jobs that may go first, by the index, which may show one that has gone meanwhile. Throws UsageError. */
async function whoWaits(
  { merchant, endpointId }: LaneName,
  atMost: number,
  waiting: Pick<ParkedJobs, 'first'>,
): Promise<WhoWaits> {
  checkNames({ merchant, endpointId });
  const lane = { merchant, endpointId };
  const lines = ['urgent', 'row', 'moments'] as const;
  const heads = (await Promise.all(lines.map((line) => waiting.first(lane, line, atMost + 1)))).flat();
  const first = heads.toSorted((a, b) => a.goAtMs - b.goAtMs).slice(0, atMost);
  return { rows: first, mayBeMore: heads.length > atMost };
}

/** The rows that a list of questions reads of a lane's lines, and those that a look at the lane reads. */
const askedOfLane = 5;
const shownOfLane = 20;
/** Open orders that a list reads of each kind. */
const readAtMost = 1_000;
const recentDays = 7;
const batchesAtMost = 50;

/** The order as a person sees it who may decide about it: a decision names what was shown. */
async function lookedAt(order: Order, { credentials, clock }: OperatorPorts): Promise<OrderView> {
  const isCancellable = whyUndecided(order.facts, 'cancel') === undefined && !isCancelled(order.facts);
  const view = { ...viewOf(order), seen: isCancellable ? shownNow(order, clock.nowMs()) : undefined };
  if (standings[view.standing].isFinal) return view;
  const secret = await credentials.of(order.merchant);
  const profile = secret.kind === 'credentials' ? secret.credentials.profile : undefined;
  const isDecidable = standings[view.standing].needsPerson || view.standing === 'in-doubt';
  return {
    ...view,
    seen: isDecidable ? shownNow(order, clock.nowMs(), profile) : view.seen,
    waits: waitOf(order, profile && contractOf(profile)),
  };
}

/** An order that was read, and what is shown of it. */
type Looked =
  | Exclude<ReadOrder, { kind: 'found' }>
  | (Extract<ReadOrder, { kind: 'found' }> & { readonly view: OrderView });

interface OpenOrders {
  readonly entries: readonly OrderView[];
  readonly mayBeMore: boolean;
}

/** Called with an item of a list that this version cannot read; the list goes on behind it. */
type OnUnreadable = (item: string, error: unknown) => void;

const ofNewerCode = new Error('another version of the worker wrote it');

async function openOrders(
  ports: OperatorPorts,
  kinds: readonly OpenWorkKind[],
  onUnreadable: OnUnreadable = () => {},
): Promise<OpenOrders> {
  let mayBeMore = false;
  const entriesOf = async (kind: OpenWorkKind): Promise<OrderView[]> => {
    const entries: OrderView[] = [];
    const options = { onUnreadable: (key: string) => onUnreadable(`order ${key}`, ofNewerCode) };
    for await (const order of ports.dueWork.dueWork(kind, Number.MAX_SAFE_INTEGER, options)) {
      if (entries.length === readAtMost) {
        mayBeMore = true;
        break;
      }
      entries.push(await lookedAt(order, ports));
    }
    return entries;
  };
  // An order that moves from one kind to another meanwhile is seen twice: once counts.
  const all = (await Promise.all(kinds.map(entriesOf))).flat();
  return { entries: [...new Map(all.map((entry) => [entry.key, entry])).values()], mayBeMore };
}

/** Rows at the head of lines that only a person lets go on, where there is no question about the lane itself. */
async function waitingForPerson(lanes: readonly LaneView[], { waiting }: OperatorPorts): Promise<WhoWaits> {
  const asked = lanes.filter((lane) => lane.waiting > 0 && !waitsForPerson(lane));
  const found = await Promise.all(asked.map((lane) => whoWaits(lane, askedOfLane, waiting.jobs)));
  const rows = found.flatMap(({ rows }) => rows.filter(({ because }) => needsPerson(because)));
  return { rows, mayBeMore: found.some((it) => it.mayBeMore && it.rows.some(({ because }) => needsPerson(because))) };
}

async function deadLettersOf(
  { redrives }: OperatorPorts,
  choice: DeadLetterFilter = {},
): Promise<readonly LookedLetter[]> {
  const found: LookedLetter[] = [];
  const chooses = chosenBy(choice);
  await scanDeadLetters(async (letters) => {
    const looked = letters.filter(chooses).map(async (letter) => {
      const { class: name, because, money } = await judgeDeadLetter(letter, redrives);
      return { ...letterView(letter), class: name, because, body: shownBody(letter), money };
    });
    found.push(...(await Promise.all(looked)));
    return { enough: found.length >= readAtMost };
  }, redrives);
  return found.toSorted((a, b) => a.sentAtMs - b.sentAtMs);
}

/** The batches of the last week, and those that the sweeper looks after; the newest first. */
async function batchesOf(
  { batches, clock }: OperatorPorts,
  onUnreadable: OnUnreadable = () => {},
): Promise<readonly Batch[]> {
  const found = new Map<string, Batch>();
  const unreadable = new Set<string>();
  const leftOut = (id: string, error: unknown) => {
    if (!unreadable.has(id)) onUnreadable(`batch ${id}`, error);
    unreadable.add(id);
  };
  const open = batches.openBatches(Number.MAX_SAFE_INTEGER, (id) => leftOut(id, ofNewerCode));
  for await (const batch of open) {
    if (found.size >= batchesAtMost) break;
    found.set(batch.batchId, batch);
  }
  let read = 0;
  for await (const id of batches.registeredSince(clock.nowMs() - recentDays * 86_400_000)) {
    if (found.has(id)) continue;
    if (read === batchesAtMost) break;
    read += 1;
    const batch = await batches.find(id).catch((error: unknown) => leftOut(id, error));
    if (batch) found.set(id, batch);
  }
  return [...found.values()].toSorted((a, b) => b.createdAtMs - a.createdAtMs);
}

/** The views of a person. */
function looks(ports: OperatorPorts) {
  return {
    /** The questions for a person: money first, then refusals, then lanes and batches. */
    async todo(): Promise<Todo> {
      const notRead: { readonly part: string; readonly error: unknown }[] = [];
      const read = <T>(part: string, work: Promise<T>, none: T): Promise<T> =>
        work.catch((error: unknown) => {
          notRead.push({ part, error });
          return none;
        });
      const leftOut: OnUnreadable = (part, error) => notRead.push({ part, error });
      const kinds = ['held', 'overdue', 'unpublished', 'in-doubt', 'accepted', 'submitting'] as const;
      const [{ entries, mayBeMore }, letters, lanes, batches] = await Promise.all([
        read('orders', openOrders(ports, kinds, leftOut), { entries: [], mayBeMore: true }),
        read('dead letters', deadLettersOf(ports), []),
        read('lanes', lanesNow(ports, ports.clock.nowMs()), []),
        read('batches', batchesOf(ports, leftOut), []),
      ]);
      const nowMs = ports.clock.nowMs();
      const rows = await read('what waits', waitingForPerson(lanes, ports), { rows: [], mayBeMore: true });
      const waiting: Batch[] = [];
      for (const batch of batches)
        if (batch.state === 'awaiting-approval' || isAbandoned(batch, nowMs))
          if (!(await read('batches', ports.controlsAdmin.isCalledOff(batch.batchId), false))) waiting.push(batch);
      return {
        mayBeMore: mayBeMore || rows.mayBeMore,
        notRead,
        money: moneyOf(entries),
        questions: [
          ...questionsOf(entries),
          ...letters.map((letter): Question => ({ kind: 'dead-letter', letter })),
          ...lanes.filter(waitsForPerson).map((lane): Question => ({ kind: 'lane', lane })),
          ...rows.rows.map((row): Question => ({ kind: 'waiting', row })),
          ...waiting.map((batch): Question => ({ kind: 'batch', batch })),
        ],
      };
    },
    /** Held orders; the oldest first. */
    async held(): Promise<readonly OrderView[]> {
      // An order whose result is still to be published is in the index as that.
      const { entries } = await openOrders(ports, ['held', 'overdue', 'unpublished']);
      const its = entries.filter((entry) => standings[entry.standing].needsPerson);
      return its.toSorted((a, b) => a.updatedAtMs - b.updatedAtMs);
    },
    lanes: () => lanesNow(ports, ports.clock.nowMs()),
    /** Batches of the last week, and those that the sweeper looks after; the newest first. */
    batches: () => batchesOf(ports),
    /** A batch, what became of its payouts, and each of them in the order of the file; undefined if there is none. */
    async batch(
      batchId: string,
      each: (payout: Payout) => void = () => {},
    ): Promise<{ readonly batch: Batch; readonly tally: Tally } | undefined> {
      const batch = couldBear({ batchId }) ? await ports.batches.find(batchId) : undefined;
      if (!batch) return undefined;
      const tally = createTally();
      const shown = await indexOf(batchId, ports);
      for await (const payouts of readBatch(batch, ports, { shown }))
        for (const it of payouts) {
          tally.add({ ...it, money: it.row.money });
          each(it);
        }
      return { batch, tally: tally.taken() };
    },
  };
}

/** The views of one order, and of waiting rows. */
function orderLooks(ports: OperatorPorts) {
  return {
    /** One order by its key; of kind `none` where nothing is known of it. */
    async order(key: string): Promise<Looked> {
      const read = await ports.orders.read(key);
      return read.kind === 'found' ? { ...read, view: await lookedAt(read.order, ports) } : read;
    },
    /** The waiting rows of an order, beside its record in the ledger; their bodies stay sealed. */
    waitingOf: (key: string): Promise<readonly ParkedHead[]> => ports.waiting.jobs.ofOrder(key),
    /** The first rows in the lines of a lane. Throws UsageError for a name that no job could bear. */
    whoWaits: (lane: LaneName): Promise<WhoWaits> => whoWaits(lane, shownOfLane, ports.waiting.jobs),
  };
}

async function sayingOf({ whoAmI, clock }: OperatorPorts, reason: string): Promise<Saying> {
  return { by: await whoAmI(), reason: redact(reason, []), atMs: clock.nowMs() };
}

/** The actions on orders, batches and merchants. */
function acts(ports: OperatorPorts) {
  return {
    /** Ends a held or doubtful order. Where the contract offers inquiry, the gateway is asked first. */
    decide: async (key: string, decision: ReleaseDecision): Promise<Operated> =>
      releaseOrder(key, { ...decision, by: await ports.whoAmI() }, ports),
    /** The order that an approver looks at before two persons call it unpaid. */
    approvable: (key: string, gatewayOrderId?: string): Promise<ApprovableOrder> =>
      approvableOf(key, gatewayOrderId, ports),
    /** The second person's approval that an order is not paid, for the decider. Rejects for a caller who may not approve. */
    approveRelease: (key: string, its: ApprovalAsked): Promise<SecondApproval> => approveSeen(key, its, ports),
    /** Calls an order off that was not sent. */
    cancel: async (it: { merchant: string; orderId: string; reason: string; seen?: string }): Promise<Operated> =>
      cancelOrder({ ...it, by: await ports.whoAmI() }, ports),
    /**
     * Calls off every order of a batch that was not sent; true if no file was registered as that batch, which a job may name all
     * the same. Throws UsageError for a name that no batch could bear.
     */
    async cancelBatch(batchId: string, reason: string): Promise<boolean> {
      checkNames({ batchId });
      await ports.controlsAdmin.cancelBatch(batchId, await sayingOf(ports, reason));
      // It is called off, whether or not that can be read.
      return (await ports.batches.find(batchId).catch(() => 'unread')) === undefined;
    },
    /** Nothing new of a merchant, or of all, or that no more; `was-not`: it was not paused by that name. */
    async pause(
      merchant: string | undefined,
      isPaused: boolean,
      reason: string,
    ): Promise<'done' | 'was-not' | 'no-secret'> {
      if (merchant !== undefined) {
        // A person who mistypes a name must not believe that the merchant is paused.
        if (!couldBear({ merchant }) || !(await ports.isKnown(merchant))) return 'no-secret';
      }
      const wasPaused = isPaused || (await ports.controlsAdmin.pauseOf(merchant)) !== undefined;
      await ports.controlsAdmin.pause(merchant, isPaused, await sayingOf(ports, reason));
      return wasPaused ? 'done' : 'was-not';
    },
    /** Names the present tables as the worker's, for an approver who types the name of the ledger's. */
    beginLedger: (table: string): Promise<LedgerBegun> =>
      beginLedger(table, { ...ports.ledger, whoAmI: ports.whoAmI, clock: ports.clock }),
    /** The merchants with lanes that are paused by their own names. */
    async pausedByName(): Promise<readonly string[]> {
      const names = [...new Set((await ports.lanes.all()).map((lane) => lane.merchant))].toSorted();
      const pauses = await Promise.all(names.map((name) => ports.controlsAdmin.pauseOf(name)));
      return names.filter((_, at) => pauses[at] !== undefined);
    },
    /** The merchant of every row of a batch, where all are of one. */
    merchantOfBatch: async (batchId: string): Promise<string | undefined> =>
      couldBear({ batchId }) ? (await ports.batches.find(batchId))?.merchant : undefined,
    /** Takes texts and context out of an order that has ended. */
    async erase(key: string): Promise<Erased> {
      const erased = await eraseOrder(key, ports);
      // Another message of it may wait: it ends by the order's end, and its body goes.
      await broughtForward(key, ports);
      return erased;
    },
    /** The same of all orders that ended before then, by a scan of the ledger. */
    eraseEnded: (beforeMs: number): Promise<ErasedCounts> => eraseEnded(beforeMs, ports),
    nowMs: (): number => ports.clock.nowMs(),
  };
}

/** The actions on dead letters. */
function letterActs(ports: OperatorPorts) {
  return {
    /** The dead letters of an order. */
    deadLettersOf: (order: string): Promise<readonly LookedLetter[]> => deadLettersOf(ports, { order }),
    /** The effect of each of these dead letters if it were sent again now. Nothing is moved. */
    planRedrive: (choice: DeadLetterFilter, limits?: WalkLimits): Promise<Planned> =>
      planRedrive(chosenBy(choice), ports.redrives, limits),
    /** Ends these dead letters in a result each, and deletes them. */
    async discard(
      messageIds: readonly string[],
      reason: string,
      limits?: WalkLimits,
    ): Promise<ReadonlyMap<string, Discarded>> {
      const saying = await sayingOf(ports, reason);
      const ends = new Map<string, Discarded>();
      const look = async (letters: readonly DeadMessage[]) => {
        const these = letters.filter(({ messageId }) => messageIds.includes(messageId));
        // One after the other: two letters of one order must not end it at once.
        for (const letter of these) ends.set(letter.messageId, await discardDeadLetter(letter, saying, ports.redrives));
        const gone = these.filter(({ messageId }) => ends.get(messageId)?.kind === 'discarded');
        return { gone, enough: ends.size === messageIds.length };
      };
      await scanDeadLetters(look, ports.redrives, limits);
      return ends;
    },
    /** Moves the dead letters for which the plan still holds. */
    redrive: (plan: Pick<Planned['plan'], 'deadLetters'>, limits?: WalkLimits): Promise<Redriven> =>
      redriveDeadLetters(plan, ports.redrives, limits),
  };
}

/** Merchants and endpoints that a person names. Throws UsageError for a name that no job could bear. */
async function lanesNamed(lanes: Lanes, merchant: string, endpointId?: string) {
  checkNames({ merchant, endpointId });
  const all = await lanes.all();
  const named = all.filter(
    (it) => it.merchant === merchant && (endpointId === undefined || it.endpointId === endpointId),
  );
  if (named.length > 0 || endpointId === undefined) return named;
  // The register may have had no room for it.
  const lane = { merchant, endpointId };
  const state = await lanes.read(lane);
  return state ? [{ ...lane, state }] : [];
}

/** The actions on lanes. */
function laneActs(ports: OperatorPorts) {
  return {
    /** Nothing new at one endpoint; true if nothing was ever sent there. */
    async pauseLane(lane: LaneName, reason: string): Promise<boolean> {
      await lanesNamed(ports.lanes, lane.merchant, lane.endpointId);
      const said = await sayingOf(ports, reason);
      let isNew = false;
      await changeLane(ports, lane, (state) => {
        isNew = state === undefined;
        return pausedLane(state ?? newLane({}), said);
      });
      return isNew;
    },
    /** Lets lanes go on that a pause or the brake has stopped; undefined if there is none. */
    async resumeLanes(merchant: string, endpointId?: string): Promise<LanesChanged | undefined> {
      const chosen = await lanesNamed(ports.lanes, merchant, endpointId);
      if (chosen.length === 0 && endpointId !== undefined) return undefined;
      const isKept = ({ state }: { readonly state?: LaneState }) =>
        endpointId === undefined && state?.paused !== undefined;
      const isStopped = ({ state }: { readonly state?: LaneState }) =>
        state && (state.paused ?? state.closed ?? (isFarBelowUsual(state) || undefined)) !== undefined;
      const changed = chosen.filter((it) => !isKept(it) && isStopped(it));
      for (const lane of changed) await changeLane(ports, lane, (state, nowMs) => state && resumedLane(state, nowMs));
      return {
        changed: changed.map((it) => it.endpointId),
        stillPaused: chosen.filter(isKept).map((it) => it.endpointId),
        merchantPaused: (await ports.controls.of(merchant)).paused,
        allPaused: (await ports.controlsAdmin.pauseOf(undefined)) !== undefined,
      };
    },
    /** Lets the next order of a closed lane try it now; undefined if there is no lane. */
    async probeLanes(merchant: string, endpointId?: string): Promise<LanesChanged | undefined> {
      const chosen = await lanesNamed(ports.lanes, merchant, endpointId);
      if (chosen.length === 0) return undefined;
      const closed = chosen.filter(({ state }) => state?.closed);
      for (const lane of closed) await changeLane(ports, lane, (state, nowMs) => state && probedNow(state, nowMs));
      return {
        changed: closed.map((it) => it.endpointId),
        stillPaused: chosen.filter(({ state }) => state?.paused).map((it) => it.endpointId),
        merchantPaused: false,
        allPaused: false,
      };
    },
  };
}

/** The port, over these ports. */
export function createOperator(ports: OperatorPorts) {
  return { ...looks(ports), ...orderLooks(ports), ...acts(ports), ...letterActs(ports), ...laneActs(ports) };
}

/** The port. */
export type Operator = ReturnType<typeof createOperator>;

/** The oldest first, each order once, by the first of the reasons for which it waits. */
function questionsOf(entries: readonly OrderView[]): Question[] {
  const questions = entries.flatMap((entry): Question[] => {
    if (standings[entry.standing].needsPerson) return [{ kind: 'held', entry }];
    return (entry.surprises ?? []).length > 0 ? [{ kind: 'surprise', entry }] : [];
  });
  const rank = { held: 0, surprise: 1 } as Readonly<Record<string, number>>;
  const sinceMs = (it: Question) => ('entry' in it ? it.entry.updatedAtMs : 0);
  return questions.toSorted((a, b) => (rank[a.kind] ?? 0) - (rank[b.kind] ?? 0) || sinceMs(a) - sinceMs(b));
}

/** Money that may have moved, or waits for a person. */
function moneyOf(entries: readonly OrderView[]): Tally {
  const tally = createTally();
  for (const { standing, money } of entries) {
    const { isFinal, moneyMayHaveMoved, needsPerson } = standings[standing];
    if (money && !isFinal && (moneyMayHaveMoved || needsPerson)) tally.add({ standing, money, elsewhere: false });
  }
  return tally.taken();
}

/** Workers write all the time: a slower writer takes the present state, and writes again. */
const roundsAtMost = 10;

async function changeLane(
  { lanes, clock }: Pick<OperatorPorts, 'lanes' | 'clock'>,
  { merchant, endpointId }: LaneName,
  change: (state: LaneState | undefined, nowMs: number) => LaneState | undefined,
): Promise<void> {
  const lane = { merchant, endpointId };
  let stored = await lanes.read(lane);
  for (let round = 0; round < roundsAtMost; round += 1) {
    const writtenAtMs = clock.nowMs();
    const next = change(stored, writtenAtMs);
    if (!next) return;
    const written = await lanes.write(lane, { ...next, version: (stored?.version ?? 0) + 1, writtenAtMs });
    if (written === 'written') return;
    stored = written;
  }
  throw new Error(`${merchant} at ${endpointId}: too many workers write at once; say it again`);
}
