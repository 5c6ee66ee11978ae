// ONE LEADER RELEASES. The sweeper starts once a minute, writes its name into one item, and stays while lanes are in use. Every two seconds
// it serves each lane: it moves the moment of each job that may go ahead (the lease), and sends a reference to the worker's own queue. A
// job whose worker died comes again when its lease is over. Two leaders overlap for a round: a job still goes once per lease.
import { type Controls, isAboveDoubtLimit } from '../operate/control.ts';
import { type LaneName, type LaneState, nameOfLane, type Turn } from '../pace/lane-state.ts';
import type { Lanes } from '../pace/lane.ts';
import type { Pacing, Released } from '../pace/pacing.ts';
import { longestWaitMs, sqsBatchSize } from '../limits.ts';
import { errorFields } from '../log-fields.ts';
import type { Clock, Log, NotTaken, Random } from '../ports.ts';
import { eachConcurrently } from '../run-records.ts';
import type { SweepRound } from '../inquire/due-work.ts';
import { createKnownLanes, moveForward, type Waiting } from './park.ts';
import type { Line, ParkedHead } from './parked-job.ts';
import type { ReferenceMessage } from './references.ts';

/** The item that holds the leader's name. */
export interface Leader {
  read(): Promise<string | undefined>;
  write(name: string): Promise<void>;
}

/** An order about which something is due. With `lane`: a question that needs a turn of this lane. */
export interface DueQuestion {
  readonly key: string;
  readonly dueAtMs: number;
  readonly lane?: LaneName;
}

/** A question that was released. */
interface ReleasedQuestion {
  readonly question: DueQuestion;
  readonly leaseMs: number;
  readonly turn?: Turn;
  readonly delaySeconds: number;
}

/** The orders that are due, and the queue of the function that asks. */
export interface Questions {
  /** The orders that are due now. Their number is bounded; if there are more, each call has others. */
  due(): Promise<readonly DueQuestion[]>;
  /** Moves the order's moment ahead, unless something has moved it meanwhile. */
  move(question: DueQuestion, leaseMs: number): Promise<unknown>;
  /** At most ten a call. */
  send(released: readonly ReleasedQuestion[]): Promise<NotTaken>;
}

/** The ports of the leader. */
export interface ReleasePorts {
  readonly waiting: Pick<Waiting, 'jobs' | 'references'>;
  readonly questions: Questions;
  readonly lanes: Pick<Lanes, 'all'>;
  readonly pacing: Pick<Pacing, 'room' | 'release'>;
  readonly controls: Pick<Controls, 'of'>;
  readonly leader: Leader;
  readonly clock: Pick<Clock, 'nowMs' | 'sleep'>;
  readonly random: Random;
  readonly log: Log;
}

const roundMs = 2_000;
const leadsAtMostMs = 90_000;
/** A lane that was last written this long ago is served once a minute. */
const lanesRestAfterMs = 600_000;
const lanesAtOnce = 20;
/** The lease: longer than a turn, a claim and an exchange. Chance spreads the jobs that one lost worker left behind. */
const [leaseLeastMs, leaseSpreadMs] = [180_000, 180_000];
/** Jobs that a lane releases without a turn in a round. Chance delays them, so that jobs that failed together do not meet again. */
const releasedAtMost = 100;
const spreadMs = 20_000;
/** Questions without a turn in a round. The index of orders is read every third round, and after a round in which all that was due went. */
const [askedAtMost, looksEach] = [500, 3];
/** Jobs that are brought forward in a round when a lane has opened. */
const broughtForwardAtMost = 1_000;
/** For this long the index may show a job at its old moment. */
const indexLateMs = 5_000;
/** A reference reaches its worker this long before its turn. */
const earlyMs = 1_000;

/** A new leader treats a lane that opened within this time as newly opened. */
const openedLatelyMs = 60_000;

/** What this leader remembers. */
interface Memory {
  /** What it has released lately, by place and moment. */
  readonly gone: Map<string, number>;
  /** The openings of lanes for which it has brought everything forward. */
  readonly opened: Set<string>;
  /** The questions that were due when it looked last, and were not released since. */
  due: readonly DueQuestion[];
}

/** A lane as it was read. */
type Served = LaneName & { readonly state?: LaneState };

/** Leads until another leader has begun, no lane is in use, or its time is over. */
export async function lead(ports: ReleasePorts): Promise<void> {
  const { leader, lanes, clock, random, log } = ports;
  const me = random.id();
  const memory: Memory = { gone: new Map(), opened: new Set(), due: [] };
  const { gone } = memory;
  // The first answer of the table sets the process's clock.
  await leader.write(me);
  const untilMs = clock.nowMs() + leadsAtMostMs;
  let all: Awaited<ReturnType<Lanes['all']>> | undefined;
  let round = 0;
  let hasBrought = false;
  for (let isFirst = true; clock.nowMs() < untilMs; isFirst &&= !all) {
    const nowMs = clock.nowMs();
    if ((await leader.read().catch(() => me)) !== me) return;
    all = await lanes.all().catch((error: unknown) => failed(error, log, all));
    const known = all ?? [];
    const live = known.filter(({ state }) => state && state.writtenAtMs > nowMs - lanesRestAfterMs);
    for (const [id, atMs] of gone) if (atMs < nowMs - indexLateMs) gone.delete(id);
    if (round % looksEach === 0 || (hasBrought && memory.due.length === 0)) {
      const due = await ports.questions.due().catch((error: unknown) => failed(error, log, []));
      memory.due = due.filter((it) => !gone.has(idOfQuestion(it)));
      hasBrought = memory.due.length > 0;
    }
    round += 1;
    const served = [undefined, ...withLanesOf(memory.due, isFirst ? known : live, known)];
    await eachConcurrently(served, lanesAtOnce, (lane) =>
      releaseLane(lane, { isFirst, memory }, ports).catch((error: unknown) => failed(error, log, undefined)),
    );
    if (all && live.length === 0) return;
    await clock.sleep(Math.max(roundMs - (clock.nowMs() - nowMs), 0));
  }
}

/** These lanes, and those of the due questions, which may have no item or be unused now. */
function withLanesOf(
  due: readonly DueQuestion[],
  lanes: readonly Served[],
  known: readonly Served[],
): readonly Served[] {
  const served = new Map(lanes.map((lane) => [nameOfLane(lane), lane]));
  for (const { lane } of due) {
    if (!lane) continue;
    const name = nameOfLane(lane);
    if (served.has(name)) continue;
    served.set(name, known.find((it) => nameOfLane(it) === name) ?? { ...lane });
  }
  return [...served.values()];
}

function failed<T>(error: unknown, log: Log, instead: T): T {
  log.write('warn', 'release-failed', errorFields(error));
  return instead;
}

async function releaseLane(
  lane: Served | undefined,
  { isFirst, memory }: { readonly isFirst: boolean; readonly memory: Memory },
  ports: ReleasePorts,
): Promise<void> {
  const { clock } = ports;
  const { jobs } = ports.waiting;
  const { gone } = memory;
  const nowMs = clock.nowMs();
  if (lane) await bringForward(lane, memory, ports);
  const isNews = (head: ParkedHead) => !gone.has(idOf(head));
  const room = lane ? await roomOf(lane, isFirst, ports) : { leader: 0, leaderAsks: 0 };
  const turns = room.leader;
  const most = releasedAtMost + gone.size;
  // In a closed lane only jobs are looked at that have waited too long.
  const old = (line: Line) =>
    lane && isFirst && turns === 0 ? jobs.first(lane, line, releasedAtMost, nowMs - longestWaitMs) : [];
  const [due, expired, ...overdue] = await Promise.all([
    jobs.first(lane, 'moments', most, nowMs),
    lane ? jobs.expired(lane, nowMs, most) : [],
    old('urgent'),
    old('row'),
  ]);
  const over = [...expired, ...overdue.flat()];
  const free = new Map([...due, ...over].filter(isNews).map((head) => [idOf(head), head]));
  const inLine = async (line: Line, atMost: number) =>
    (lane && atMost > 0 ? await jobs.first(lane, line, atMost + gone.size, nowMs) : []).filter(
      (head) => isNews(head) && !free.has(idOf(head)),
    );
  const urgent = await inLine('urgent', turns === 0 ? 0 : turns + 1);
  const isClosed = lane?.state?.closed !== undefined;
  const asks = memory.due.filter((it) => (it.lane && nameOfLane(it.lane)) === (lane && nameOfLane(lane)));
  const asked = asks.slice(0, lane ? room.leaderAsks - (isClosed ? 0 : Math.min(urgent.length, turns)) : askedAtMost);
  const rows = await inLine('row', turns - urgent.length - (isClosed ? 0 : asked.length));
  const first = urgent.slice(0, turns);
  const last = rows.slice(0, Math.max(turns - urgent.length - (isClosed ? 0 : asked.length), 0));
  const isUrgentLeft = urgent.length > turns;
  // A question, if one is due, probes a closed lane before an order does.
  const wanted = isClosed ? [...asked, ...first, ...last] : [...first, ...asked, ...last];
  const taken =
    lane && (wanted.length > 0 || isUrgentLeft)
      ? await ports.pacing.release(
          lane,
          wanted.map((it) => (isQuestion(it) ? 'leaderAsks' : 'leader')),
          isUrgentLeft,
        )
      : [];
  const released: Chosen[] = [
    ...wanted.flatMap((item, at) => (taken[at] ? [{ item, turn: taken[at] }] : [])),
    ...[...free.values()].slice(0, releasedAtMost).map((item) => ({ item })),
    ...(lane ? [] : asked.map((item) => ({ item }))),
  ];
  await send(released, new Set(over), memory, ports);
}

/** A job or a question that goes now; without a turn if it needs none. */
interface Chosen {
  readonly item: ParkedHead | DueQuestion;
  readonly turn?: Turn;
}

/** Gives each job and question a lease by moving its moment, and sends them. */
async function send(
  released: readonly Chosen[],
  over: ReadonlySet<ParkedHead>,
  memory: Memory,
  ports: ReleasePorts,
): Promise<void> {
  const { waiting, questions, clock, random } = ports;
  const { gone } = memory;
  const nowMs = clock.nowMs();
  const leaseMs = () => clock.nowMs() + leaseLeastMs + Math.floor(leaseSpreadMs * random.chance());
  const secondsTo = (ms: number) => Math.max(0, Math.floor((ms - clock.nowMs()) / 1000));
  const messages: ReferenceMessage[] = [];
  const release = async (head: ParkedHead, turn: Turn | undefined) => {
    const { key, digest, goAtMs, sinceMs, lane, class: of } = head;
    gone.set(idOf(head), nowMs);
    const lease = leaseMs();
    // A job under its lease must not be brought forward when its lane opens.
    const because = over.has(head) || head.because === 'unsent' ? 'again' : head.because;
    // The answer of the move is not needed, because the worker compares the lease. It would be misleading: a repeated call whose first
    // answer was lost is answered with false.
    await waiting.jobs.move(head, goAtMs, { because, goAtMs: lease }).catch(() => {});
    const delaySeconds = secondsTo(turn ? turn.atMs - earlyMs : clock.nowMs() + spreadMs * random.chance());
    messages.push({ reference: { key, digest, leaseMs: lease, sinceMs, class: of, lane, turn }, delaySeconds });
  };
  const questionsSent: ReleasedQuestion[] = [];
  const ask = async (question: DueQuestion, turn: Turn | undefined) => {
    memory.due = memory.due.filter((it) => it !== question);
    gone.set(idOfQuestion(question), nowMs);
    const lease = leaseMs();
    await questions.move(question, lease).catch(() => {});
    const delaySeconds = turn ? secondsTo(turn.atMs - earlyMs) : 0;
    questionsSent.push({ question, leaseMs: lease, turn, delaySeconds });
  };
  await eachConcurrently(released, lanesAtOnce, ({ item, turn }) =>
    isQuestion(item) ? ask(item, turn) : release(item, turn),
  );
  for (let at = 0; at < messages.length; at += sqsBatchSize)
    await waiting.references.send(messages.slice(at, at + sqsBatchSize));
  for (let at = 0; at < questionsSent.length; at += sqsBatchSize)
    await questions.send(questionsSent.slice(at, at + sqsBatchSize));
}

const isQuestion = (it: ParkedHead | DueQuestion): it is DueQuestion => !('digest' in it);

/**
 * How many jobs and questions of the lane may go until the next round. None of a paused merchant's jobs. Above the merchant's limit of
 * doubt one job per leader: its worker reads the present limit.
 */
async function roomOf(
  lane: Served,
  isFirst: boolean,
  { controls, pacing }: ReleasePorts,
): Promise<Readonly<Record<Released, number>>> {
  const none = { leader: 0, leaderAsks: 0 };
  const [control, room] = await Promise.all([
    controls.of(lane.merchant).catch(() => undefined),
    pacing.room(lane).catch(() => none),
  ]);
  if (!control || control.paused) return { ...room, leader: 0 };
  const { doubtLimits } = lane.state?.caps ?? {};
  const isAbove = doubtLimits && isAboveDoubtLimit(control, { doubtLimits });
  return isAbove ? { ...room, leader: Math.min(room.leader, isFirst ? 1 : 0) } : room;
}

/** Once a lane has opened, jobs that are proven not sent go back to its line: their wait may have grown to a quarter of an hour. */
async function bringForward(
  lane: Served,
  { opened }: Memory,
  { waiting: { jobs }, clock }: ReleasePorts,
): Promise<void> {
  const { openedAtMs = 0, closed } = lane.state ?? {};
  const opening = `${nameOfLane(lane)} ${openedAtMs}`;
  if (closed || openedAtMs < clock.nowMs() - openedLatelyMs || opened.has(opening)) return;
  const heads = await jobs.first(lane, 'moments', broughtForwardAtMost);
  if (heads.length < broughtForwardAtMost) opened.add(opening);
  const unsent = heads.filter(({ because, goAtMs }) => because === 'unsent' && goAtMs > clock.nowMs());
  await eachConcurrently(unsent, lanesAtOnce, async (head) => {
    await jobs.move(head, head.goAtMs, { because: 'pace', goAtMs: head.sinceMs }).catch(() => {});
  });
}

const idOfQuestion = ({ key, dueAtMs }: DueQuestion) => `${key} ${dueAtMs}`;
const idOf = ({ key, digest, goAtMs }: ParkedHead) => `${key} ${digest} ${goAtMs}`;

/**
 * Up to this many jobs are all looked through each minute. Of more, each minute has one part of the index, chosen by the clock, so that any
 * process may run it.
 */
const [fewJobs, walkedParts] = [2_000, 60];
const calledOffAtMost = 2_000;

/**
 * Looks through all parked jobs. Jobs of batches that were called off are brought forward, a bounded number a minute, because their lanes
 * may be closed. A lane whose item is missing gets one again, because the leader looks only at lanes that have one.
 */
export const calledOffRound =
  (ports: {
    readonly waiting: Pick<Waiting, 'jobs'>;
    readonly controls: Pick<Controls, 'of'>;
    readonly lanes: Lanes;
    readonly clock: Pick<Clock, 'nowMs'>;
  }): SweepRound =>
  async (deadlineMs) => {
    const { waiting, controls, lanes, clock } = ports;
    const made = createKnownLanes(lanes);
    const known = new Set((await lanes.all()).map(nameOfLane));
    let moved = 0;
    for await (const head of await fewOrPart(waiting.jobs, clock.nowMs())) {
      if (clock.nowMs() >= deadlineMs || moved >= calledOffAtMost) break;
      const { batchId, lane, because } = head;
      if (lane && !known.has(nameOfLane(lane))) await made(lane);
      // A call-off ends no order that is in doubt or held.
      if (batchId === undefined || !lane || because === 'again' || because === 'undecided') continue;
      if (!(await controls.of(lane.merchant, batchId)).batchCancelled) continue;
      if (await moveForward(head, waiting.jobs, clock.nowMs())) moved += 1;
    }
    return {};
  };

async function fewOrPart(
  jobs: Waiting['jobs'],
  nowMs: number,
): Promise<readonly ParkedHead[] | AsyncIterable<ParkedHead>> {
  const few: ParkedHead[] = [];
  for await (const head of jobs.all()) {
    if (few.length === fewJobs) return jobs.all({ part: Math.floor(nowMs / 60_000) % walkedParts, of: walkedParts });
    few.push(head);
  }
  return few;
}
