// Parked jobs in memory: the table, the leader's item, and the data keys. An index may be late, as that of DynamoDB.
import { createHash } from 'node:crypto';
import { nameOfLane } from '../../lib/payout/pace/lane-state.ts';
import type { DataKeys } from '../../lib/payout/wait/body-seal.ts';
import {
  isUnproven,
  type JobPlace,
  lineCountedTo,
  parkedLine,
  type ParkedHead,
  type ParkedJob,
  type ParkedJobs,
  parkedOfOrder,
  shownOfOrder,
  waitsSinceMs,
} from '../../lib/payout/wait/parked-job.ts';
import type { Leader } from '../../lib/payout/wait/release.ts';

/** The place of a job as one text, by which the map has it. */
export const placeName = ({ key, digest }: JobPlace) => `${key} ${digest}`;
const laneName = ({ lane }: Pick<ParkedHead, 'lane'>) => (lane ? nameOfLane(lane) : '');
const orderOf = (a: ParkedHead, b: ParkedHead) => a.goAtMs - b.goAtMs || (placeName(a) < placeName(b) ? -1 : 1);
const partOf = ({ key }: JobPlace, of: number) => createHash('sha256').update(key).digest().readUInt32BE(0) % of;

function headOf({ sealed: _1, begun: _2, messageId: _3, redrives: _4, groupId: _5, ...head }: ParkedJob): ParkedHead {
  return head;
}

/** Jobs over a map; `isShown`: the index shows the job as it is now. */
export function createMemoryWaiting(
  jobs = new Map<string, ParkedJob>(),
  isShown: (job: ParkedHead) => boolean = () => true,
): ParkedJobs {
  const shown = () => [...jobs.values()].map(headOf).filter(isShown).toSorted(orderOf);
  const under = (place: JobPlace, leaseMs: number) => {
    const job = jobs.get(placeName(place));
    return job?.goAtMs === leaseMs ? job : undefined;
  };
  /** The lease that each job was begun under last. */
  const begunUnder = new Map<string, number>();
  const set = (job: ParkedJob) => void jobs.set(placeName(job), job);
  return {
    async put(job) {
      const its = [...jobs.values()].filter((it) => it.key === job.key && !isUnproven(it));
      if (jobs.has(placeName(job))) return 'parked';
      if (!isUnproven(job) && its.length >= parkedOfOrder) return 'full';
      set(job);
      return 'parked';
    },
    async ofOrder(key) {
      const its = [...jobs.values()].filter((it) => it.key === key).map(headOf);
      return its.toSorted((a, b) => (a.digest < b.digest ? -1 : 1)).slice(0, shownOfOrder);
    },
    async begin(place, leaseMs) {
      const job = under(place, leaseMs);
      if (!job || begunUnder.get(placeName(place)) === leaseMs) return job;
      begunUnder.set(placeName(place), leaseMs);
      set({ ...job, begun: job.begun + 1 });
      return { ...job, begun: job.begun + 1 };
    },
    async move(place, leaseMs, to) {
      const job = under(place, leaseMs);
      if (job) {
        set({ ...job, ...to });
        begunUnder.delete(placeName(place));
      }
      return job !== undefined;
    },
    remove: async (place) => void jobs.delete(placeName(place)),
    async first(lane, line, atMost, untilMs = Infinity) {
      const its = shown().filter(
        (it) => laneName(it) === laneName({ ...(lane && { lane }) }) && parkedLine(it) === line,
      );
      return its.filter(({ goAtMs }) => goAtMs <= untilMs).slice(0, atMost);
    },
    async expired(lane, nowMs, atMost) {
      const its = shown().filter((it) => laneName(it) === nameOfLane(lane) && parkedLine(it) !== 'moments');
      return its.filter(({ expiresAtMs = Infinity }) => expiresAtMs <= nowMs).slice(0, atMost);
    },
    async length(lane, of) {
      const its = shown().filter(
        (it) => laneName(it) === nameOfLane(lane) && it.class === of && it.because !== 'undecided',
      );
      const rows = Math.min(its.length, lineCountedTo);
      if (its.length === 0) return { rows };
      return {
        rows,
        oldestSinceMs: Math.min(...its.map(waitsSinceMs)),
      };
    },
    async *all({ part, of } = { part: 0, of: 1 }) {
      for (const job of jobs.values())
        if (jobs.has(placeName(job)) && (of === 1 || partOf(job, of) === part)) yield headOf(job);
    },
  };
}

/** The leader's item. */
export function createMemoryLeader(): Leader {
  let leader: string | undefined;
  return {
    read: async () => leader,
    write: async (name) => void (leader = name),
  };
}

/** One data key for all hours, "wrapped" by its name. */
export function createMemoryDataKeys(): DataKeys {
  const plain = createHash('sha256').update('a data key of no KMS').digest();
  return {
    current: async () => ({ plain, wrapped: 'key-1' }),
    async unwrap(wrapped) {
      if (wrapped !== 'key-1') throw new Error('not a key of ours');
      return plain;
    },
  };
}
