// ONE LEADER RELEASES. The sweeper starts once a minute, writes its name into one item, and stays while lanes are in use. Every two
// seconds it serves each lane: it moves the moment of what may go ahead (the lease), and sends a reference to the worker's own
// queue. A job whose worker died comes again when its lease is over. Two leaders overlap for a round: a job still goes once a lease.
import { type Controls, isAboveDoubtLimit } from '../operate/control.ts';
import { type LaneName, type LaneState, nameOfLane, type Turn } from '../pace/lane-state.ts';
import type { Lanes } from '../pace/lane.ts';
import type { Pacing } from '../pace/pacing.ts';
import { longestWaitDays, sqsBatchSize } from '../limits.ts';
import { errorFields } from '../log-fields.ts';
import type { Clock, Log, Random } from '../ports.ts';
import { eachConcurrently } from '../run-records.ts';
import type { SweepRound } from '../inquire/due-work.ts';
import { moveForward, type Waiting } from './park.ts';
import type { Line, ParkedHead } from './parked-job.ts';
import type { ReferenceMessage } from './references.ts';

/** The name of who leads, in one item. */
export interface Leader {
  read(): Promise<string | undefined>;
  write(name: string): Promise<void>;
}

/** The ports of the leader. */
export interface ReleasePorts {
  readonly waiting: Pick<Waiting, 'jobs' | 'references'>;
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
/** A lane that was written so long ago is served once a minute. */
const lanesRestAfterMs = 600_000;
const lanesAtOnce = 20;
/** Longer than a turn, a claim and an exchange; jobs that one death left behind part ways. */
const [leaseLeastMs, leaseSpreadMs] = [180_000, 180_000];
/** Of a lane in a round, without a turn; delayed by chance, so that jobs that died together do not meet again. */
const releasedAtMost = 100;
const spreadMs = 20_000;
/** In a round, of a lane that has opened. */
const broughtForwardAtMost = 1_000;
/** The index may show a job at its old moment for so long. */
const indexLateMs = 5_000;
/** A reference is with its worker so long before its turn. */
const earlyMs = 1_000;

/** A lane that opened so long ago is news to a leader that has just begun. */
const openedLatelyMs = 60_000;

/** What this leader remembers. */
interface Memory {
  /** What it has released lately, by place and moment. */
  readonly gone: Map<string, number>;
  /** The openings of lanes for which it has brought everything forward. */
  readonly opened: Set<string>;
}

/** A lane as it was read. */
type Served = LaneName & { readonly state?: LaneState };

/** Leads until another leader has begun, no lane is in use, or its time is over. */
export async function lead(ports: ReleasePorts): Promise<void> {
  const { leader, lanes, clock, random, log } = ports;
  const me = random.id();
  const memory: Memory = { gone: new Map(), opened: new Set() };
  const { gone } = memory;
  // The table's first answer sets the clock.
  await leader.write(me);
  const untilMs = clock.nowMs() + leadsAtMostMs;
  let all: Awaited<ReturnType<Lanes['all']>> | undefined;
  for (let isFirst = true; clock.nowMs() < untilMs; isFirst &&= !all) {
    const nowMs = clock.nowMs();
    if ((await leader.read().catch(() => me)) !== me) return;
    all = await lanes.all().catch((error: unknown) => failed(error, log, all));
    const known = all ?? [];
    const live = known.filter(({ state }) => state && state.writtenAtMs > nowMs - lanesRestAfterMs);
    for (const [id, atMs] of gone) if (atMs < nowMs - indexLateMs) gone.delete(id);
    const served = [undefined, ...(isFirst ? known : live)];
    await eachConcurrently(served, lanesAtOnce, (lane) =>
      releaseLane(lane, { isFirst, memory }, ports).catch((error: unknown) => failed(error, log, undefined)),
    );
    if (all && live.length === 0) return;
    await clock.sleep(Math.max(roundMs - (clock.nowMs() - nowMs), 0));
  }
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
  const { waiting, clock, random } = ports;
  const { jobs } = waiting;
  const { gone } = memory;
  const nowMs = clock.nowMs();
  if (lane) await bringForward(lane, memory, ports);
  const isNews = (head: ParkedHead) => !gone.has(idOf(head));
  const turns = lane ? await turnsOf(lane, isFirst, ports) : 0;
  const most = releasedAtMost + gone.size;
  // In a lane that stands still only those are looked at that have waited for as long as any may.
  const old = (line: Line) =>
    lane && isFirst && turns === 0 ? jobs.first(lane, line, releasedAtMost, overdueAt(nowMs)) : [];
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
  const rows = await inLine('row', turns - urgent.length);
  const paced = [...urgent, ...rows].slice(0, turns);
  const isUrgentLeft = urgent.length > turns;
  const taken =
    lane && (paced.length > 0 || isUrgentLeft) ? await ports.pacing.release(lane, paced.length, isUrgentLeft) : [];
  const messages: ReferenceMessage[] = [];
  const isOver = new Set(over);
  const release = async (head: ParkedHead, turn: Turn | undefined) => {
    const { key, digest, goAtMs, sinceMs, class: of } = head;
    gone.set(idOf(head), nowMs);
    const leaseMs = clock.nowMs() + leaseLeastMs + Math.floor(leaseSpreadMs * random.chance());
    // What is under a lease is not brought forward when its lane opens.
    const because = isOver.has(head) || head.because === 'unsent' ? 'again' : head.because;
    // Whether it was moved, and by this call, the worker sees by the lease: a call that is made again because its answer was lost is told no.
    await jobs.move(head, goAtMs, { because, goAtMs: leaseMs }).catch(() => {});
    const delayMs = turn ? turn.atMs - clock.nowMs() - earlyMs : spreadMs * random.chance();
    messages.push({
      reference: {
        key,
        digest,
        leaseMs,
        sinceMs,
        class: of,
        ...(head.lane && { lane: head.lane }),
        ...(turn && { turn }),
      },
      delaySeconds: Math.max(0, Math.floor(delayMs / 1000)),
    });
  };
  const released = [
    ...paced.slice(0, taken.length).map((head, at) => () => release(head, taken[at])),
    ...[...free.values()].slice(0, releasedAtMost).map((head) => () => release(head, undefined)),
  ];
  await eachConcurrently(released, lanesAtOnce, (run) => run());
  for (let at = 0; at < messages.length; at += sqsBatchSize)
    await waiting.references.send(messages.slice(at, at + sqsBatchSize));
}

/**
 * How many jobs of the lane may go until the next round. Above its merchant's limit of doubt one a leader, whose worker reads what the
 * limit is now.
 */
async function turnsOf(lane: Served, isFirst: boolean, { controls, pacing }: ReleasePorts): Promise<number> {
  const control = await controls.of(lane.merchant).catch(() => undefined);
  if (!control || control.paused) return 0;
  const room = await pacing.room(lane).catch(() => 0);
  const { doubtLimits } = lane.state?.caps ?? {};
  return doubtLimits && isAboveDoubtLimit(control, { doubtLimits }) ? Math.min(room, isFirst ? 1 : 0) : room;
}

/** Once a lane has opened, what was proven not sent goes back to its line: its wait may have grown to a quarter of an hour. */
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

const overdueAt = (nowMs: number) => nowMs - longestWaitDays * 86_400_000;
const idOf = ({ key, digest, goAtMs }: ParkedHead) => `${key} ${digest} ${goAtMs}`;

/** So few are looked through each minute; of more, a part of the index by the clock: so any process may take its turn. */
const [fewJobs, walkedParts] = [2_000, 60];
const calledOffAtMost = 2_000;

/** Brings forward what waits of batches that were called off, a bounded number a minute: their lanes may be closed. */
export const calledOffRound = (ports: {
  readonly waiting: Pick<Waiting, 'jobs'>;
  readonly controls: Pick<Controls, 'of'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}): SweepRound => ({
  name: 'called-off',
  async run(deadlineMs) {
    const { waiting, controls, clock } = ports;
    let moved = 0;
    for await (const head of await fewOrPart(waiting.jobs, clock.nowMs())) {
      if (clock.nowMs() >= deadlineMs || moved >= calledOffAtMost) break;
      const { batchId, lane, because } = head;
      // A call-off ends no order of which nobody knows whether it was taken.
      if (batchId === undefined || !lane || because === 'again' || because === 'undecided') continue;
      if (!(await controls.of(lane.merchant, batchId)).batchCancelled) continue;
      if (await moveForward(head, waiting.jobs, clock.nowMs())) moved += 1;
    }
    return {};
  },
});

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
