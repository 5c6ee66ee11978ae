// The table of parked jobs, the queue of references and the leader, whose calls are cut, frozen, refused and late as the ledger's are;
// the leader itself dies as any process does. The table's index shows puts and moves up to three seconds later.
import type { Controls } from '../../lib/payout/operate/control.ts';
import { type LaneState, nameOfLane } from '../../lib/payout/pace/lane-state.ts';
import { type Lanes } from '../../lib/payout/pace/lane.ts';
import { createPacing } from '../../lib/payout/pace/pacing.ts';
import type { Waiting } from '../../lib/payout/wait/park.ts';
import { parkedLine, type ParkedHead, type ParkedJob, type ParkedJobs } from '../../lib/payout/wait/parked-job.ts';
import { writeReference } from '../../lib/payout/wait/references.ts';
import { type Leader, lead, type Questions } from '../../lib/payout/wait/release.ts';
import { createMemoryDataKeys, createMemoryLeader, createMemoryWaiting, placeName } from '../support/memory-waiting.ts';
import { createQueue, type ChecksSurroundings } from './checks-queue.ts';
import { underFault } from './ledger.ts';
import { createProcess, type Process, type Surroundings } from './process.ts';
import { batchCall, faultOfDelays } from './queue-calls.ts';
import type { Queues } from './queues.ts';

/** The parked jobs, for the world. */
export interface SimulatedWaiting {
  readonly references: Pick<Queues, 'receive' | 'delete' | 'onVisible'>;
  readonly jobs: ReadonlyMap<string, ParkedJob>;
  portFor(process: Process): Waiting & { readonly leader: Leader };
  /** An order was written. */
  considers(): void;
}

/** The surroundings of the parked jobs. */
interface WaitingSurroundings extends ChecksSurroundings, Omit<Surroundings, 'timeline' | 'weather' | 'story'> {
  readonly lanes: { portFor(process: Process): Lanes; states(): ReadonlyMap<string, LaneState> };
  readonly controls: Pick<Controls, 'of'>;
  readonly questionsOf: (process: Process) => Questions;
  /** When the first order is due. */
  readonly nextDueMs: () => number;
  /** What a process runs later, unless it is called off. */
  readonly laterOf: (process: Process) => (ms: number, run: () => void) => () => void;
  /** A job of this message is gone. */
  readonly onGone: (messageId: string) => void;
  /** A message of the very same text is parked already, and asks for the same. */
  readonly onReplaced: (messageId: string) => void;
}

const minuteMs = 60_000;
/** Jobs that wait for days without an event are led less often: nothing else differs. */
const quietLeaders = 5;
const quietMs = 15 * minuteMs;

/** A table without jobs. Long: its calls, one after the other. */
export function createWaiting(surroundings: WaitingSurroundings): SimulatedWaiting {
  const { timeline, weather, story, truth, lanes, controls, laterOf, onGone, onReplaced } = surroundings;
  const { questionsOf, nextDueMs } = surroundings;
  const jobs = new Map<string, ParkedJob>();
  const table = createMemoryWaiting(jobs);
  const shownAtMs = new Map<string, number>();
  const changeOf = (job: ParkedHead) => `${placeName(job)}/${job.goAtMs}`;
  const index = createMemoryWaiting(jobs, (job) => (shownAtMs.get(changeOf(job)) ?? 0) <= timeline.nowMs());
  const leader = createMemoryLeader();
  const dataKeys = createMemoryDataKeys();
  const references = createQueue('references', surroundings);
  let plannedAtMs = Infinity;
  let leadersSinceChange = 0;
  let leaders = 0;

  /** The index shows each put and each move by its own lateness, up to three seconds. */
  function noteShown(): void {
    for (const job of jobs.values()) {
      const lateMs = 1_000 * ((job.goAtMs + job.key.length) % 4);
      if (!shownAtMs.has(changeOf(job))) shownAtMs.set(changeOf(job), timeline.nowMs() + lateMs);
    }
  }

  /** One leader a minute, while anything is parked or due. */
  function plans(): void {
    const nowMs = timeline.nowMs();
    const parkedMs = jobs.size === 0 ? Infinity : leadersSinceChange > quietLeaders ? quietMs : minuteMs;
    const dueMs = Math.ceil(Math.max(nextDueMs() - nowMs, minuteMs) / minuteMs) * minuteMs;
    const atMs = nowMs + Math.min(parkedMs, dueMs);
    if (atMs >= plannedAtMs) return;
    plannedAtMs = atMs;
    timeline.at(atMs, () => {
      if (plannedAtMs !== atMs) return;
      plannedAtMs = Infinity;
      leadersSinceChange += 1;
      plans();
      leads();
    });
  }

  function leads(): void {
    const process = createProcess(
      { name: `leader-${(leaders += 1)}`, version: 'newer', skewMs: 0 },
      { ...surroundings, onDeath: () => {} },
    );
    surroundings.onTurn();
    const log = { write: () => {} };
    const random = { id: process.newId, chance: () => weather().jitter() };
    const { nowMs } = process;
    const clock = { nowMs, sleep: (ms: number) => process.sleep(Math.max(ms, untilDueMs())) };
    const { waiting, leader: name } = ports(process);
    const port = lanes.portFor(process);
    const pacing = createPacing({ lanes: port, clock: { nowMs, sleep: process.sleep }, later: laterOf(process) });
    const questions = questionsOf(process);
    const given = { waiting, questions, leader: name, lanes: port, pacing, controls, clock, random, log };
    // The next minute's start goes on.
    lead(given).catch(() => {});
  }

  /** Rounds that would find nothing are slept over. */
  function untilDueMs(): number {
    const nowMs = timeline.nowMs();
    let next = nextDueMs();
    for (const job of jobs.values()) next = Math.min(next, dueAtMs(job, nowMs));
    return Math.min(Math.max(next - nowMs, 0), 120_000);
  }

  function dueAtMs(job: ParkedJob, nowMs: number): number {
    const { lane, goAtMs, expiresAtMs = Infinity } = job;
    const expires = parkedLine(job) === 'moments' || expiresAtMs <= nowMs ? Infinity : expiresAtMs;
    if (!lane || parkedLine(job) === 'moments') return Math.min(goAtMs, expires);
    const state = lanes.states().get(nameOfLane(lane));
    if (state?.paused) return expires;
    const freeMs = Math.max(state?.closed?.nextProbeAtMs ?? 0, state?.notBeforeMs ?? 0);
    return Math.min(Math.max(goAtMs, freeMs, nowMs), expires);
  }

  /** Runs a change, and records the fate of the messages whose jobs are gone. */
  async function changing<T>(change: () => Promise<T>): Promise<T> {
    const before = [...jobs.values()];
    const answer = await change();
    leadersSinceChange = 0;
    const after = new Set([...jobs.values()].map(({ messageId }) => messageId));
    for (const { messageId } of before) if (!after.has(messageId)) onGone(messageId);
    noteShown();
    plans();
    return answer;
  }

  function ports(process: Process): { readonly waiting: Waiting; readonly leader: Leader } {
    const call = <T>(key: string, perform: () => Promise<T>) =>
      process.askTable('waiting', key, () => underFault(weather().ledger('waiting'), timeline, perform));
    /** An index without anything of a lane is not asked, or each round would cost ten times the events. */
    const isAsked = (lane: ParkedHead['lane']) =>
      [...jobs.values()].some((it) => (it.lane && nameOfLane(it.lane)) === (lane && nameOfLane(lane)));
    const asked: ParkedJobs = {
      put: (job) =>
        call(job.key, () =>
          changing(() => {
            story.tell(process.name, job.key, () => `parks ${job.messageId}, ${job.because}`);
            const there = jobs.get(placeName(job));
            if (there && there.messageId !== job.messageId) onReplaced(job.messageId);
            return table.put(job);
          }),
        ),
      ofOrder: (key) => call(key, () => table.ofOrder(key)),
      begin: (place, leaseMs) =>
        call(place.key, async () => {
          const job = await table.begin(place, leaseMs);
          if (job && job.goAtMs !== leaseMs) truth.breaks(`a job of ${place.key} was begun under another's lease`);
          return job;
        }),
      move: (job, leaseMs, to) =>
        call(job.key, () =>
          changing(() => {
            story.tell(
              process.name,
              job.key,
              () => `moves it by ${(to.goAtMs - timeline.nowMs()) / 1000} s, ${to.because}`,
            );
            return table.move(job, leaseMs, to);
          }),
        ),
      remove: (place) =>
        call(place.key, () =>
          changing(() => {
            story.tell(process.name, place.key, () => 'removes what was parked');
            return table.remove(place);
          }),
        ),
      first: (lane, line, atMost, untilMs) =>
        isAsked(lane) ? call('', () => index.first(lane, line, atMost, untilMs)) : Promise.resolve([]),
      expired: (lane, nowMs, atMost) =>
        isAsked(lane) ? call('', () => index.expired(lane, nowMs, atMost)) : Promise.resolve([]),
      length: (lane, of) => call('', () => index.length(lane, of)),
      all: (part) => index.all(part),
    };
    return {
      waiting: {
        jobs: asked,
        dataKeys,
        references: {
          send: (messages) =>
            process.effect('references', '', () => {
              const fault = faultOfDelays(messages);
              if (fault !== undefined) truth.breaks(fault);
              return batchCall(weather().queue('references'), messages, ({ reference, delaySeconds }) =>
                references.put(writeReference(reference), delaySeconds),
              );
            }),
        },
      },
      leader: {
        read: () => call('', leader.read),
        write: (name) => call('', () => leader.write(name)),
      },
    };
  }

  return {
    references,
    jobs,
    considers: plans,
    portFor(process) {
      const { waiting, leader: name } = ports(process);
      return { ...waiting, leader: name };
    },
  };
}
