// The table of parked jobs and the queue of references, in virtual time. Jobs lie in order, so that a line
// of a hundred thousand is cheap to walk.
import { nameOfLane, type LaneName } from '../../../lib/payout/pace/lane-state.ts';
import type { Waiting } from '../../../lib/payout/wait/park.ts';
import { type Line, parkedLine, type ParkedJob } from '../../../lib/payout/wait/parked-job.ts';
import type { Reference } from '../../../lib/payout/wait/references.ts';
import type { Leader } from '../../../lib/payout/wait/release.ts';
import type { Timeline } from '../../simulation/timeline.ts';
import { createMemoryDataKeys, createMemoryLeader } from '../../support/memory-waiting.ts';

/** All that workers share of what waits. */
export interface ParkedStore {
  readonly waiting: Waiting;
  readonly leader: Leader;
  /** References that are there now, at most ten. */
  receive(): readonly Reference[];
}

interface Surroundings {
  readonly timeline: Timeline;
  readonly call: (ms: number) => Promise<void>;
  readonly count: (name: 'referenceSends' | 'referenceBatches') => void;
}

const tableMs = 8;
const nameOf = (lane: LaneName | undefined, line: Line) => `${lane ? nameOfLane(lane) : ''}|${line}`;
const orderOf = (a: ParkedJob, b: ParkedJob) => a.goAtMs - b.goAtMs || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** Long: its calls, one after the other. */
export function createParkedStore({ timeline, call, count }: Surroundings): ParkedStore {
  const lines = new Map<string, ParkedJob[]>();
  const jobs = new Map<string, ParkedJob>();
  const leader = createMemoryLeader();
  const visible: Reference[] = [];

  function placeIn(line: readonly ParkedJob[], at: ParkedJob): number {
    let [low, high] = [0, line.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const it = line[middle];
      if (it && orderOf(it, at) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  function lineNamed(name: string): ParkedJob[] {
    const line = lines.get(name) ?? [];
    lines.set(name, line);
    return line;
  }
  function insert(job: ParkedJob): void {
    jobs.set(job.key, job);
    const line = lineNamed(nameOf(job.lane, parkedLine(job)));
    line.splice(placeIn(line, job), 0, job);
  }
  function take(key: string): ParkedJob | undefined {
    const job = jobs.get(key);
    if (!job) return undefined;
    jobs.delete(key);
    const line = lineNamed(nameOf(job.lane, parkedLine(job)));
    line.splice(placeIn(line, job), 1);
    return job;
  }

  return {
    receive() {
      const batch = visible.splice(0, 10);
      if (batch.length > 0) count('referenceBatches');
      return batch;
    },
    leader: {
      async read() {
        await call(tableMs / 2);
        return leader.read();
      },
      async write(name) {
        await call(tableMs);
        return leader.write(name);
      },
    },
    waiting: {
      dataKeys: createMemoryDataKeys(),
      references: {
        async send(messages) {
          count('referenceSends');
          await call(10);
          for (const { reference, delaySeconds } of messages)
            timeline.after(delaySeconds * 1000 + 30, () => void visible.push(reference));
          return new Set<number>();
        },
      },
      jobs: {
        async put(job) {
          await call(tableMs);
          if (!jobs.has(job.key)) insert(job);
          return 'parked';
        },
        ofOrder: async (key) => [jobs.get(key)].flatMap((it) => it ?? []),
        async begin({ key }, leaseMs) {
          await call(tableMs);
          const job = jobs.get(key);
          if (job?.goAtMs !== leaseMs) return undefined;
          const begun = { ...job, begun: job.begun + 1 };
          jobs.set(key, begun);
          return begun;
        },
        async move({ key }, leaseMs, to) {
          await call(tableMs);
          if (jobs.get(key)?.goAtMs !== leaseMs) return false;
          const job = take(key);
          if (job) insert({ ...job, ...to });
          return job !== undefined;
        },
        async remove({ key }) {
          await call(tableMs);
          take(key);
        },
        async first(lane, line, atMost, untilMs = Infinity) {
          await call(tableMs / 2);
          return lineNamed(nameOf(lane, line))
            .slice(0, atMost)
            .filter(({ goAtMs }) => goAtMs <= untilMs);
        },
        async expired() {
          await call(tableMs / 2);
          return [];
        },
        length: async () => ({ rows: 0 }),
        async *all() {
          yield* jobs.values();
        },
      },
    },
  };
}
