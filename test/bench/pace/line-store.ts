// The table of what waits, the rights to drain and the queue of lines, in virtual time: what is called is counted. Heads lie in order,
// so that a line of a hundred thousand is cheap to walk.
import type { Timeline } from '../../simulation/timeline.ts';
import type { LineMessage, LineTask } from '../../../lib/payout/waiting/lines-queue.ts';
import type { DrainRights } from '../../../lib/payout/waiting/drain-right.ts';
import type { Waiting } from '../../../lib/payout/waiting/keep-waiting.ts';
import {
  type LinePlace,
  lineShards,
  type LineShard,
  type WaitingRow,
} from '../../../lib/payout/waiting/waiting-row.ts';
import { createMemoryDataKeys, createMemoryDrainRights } from '../../support/memory-waiting.ts';

/** What is counted. */
export type LineCalls =
  | 'lineMessages'
  | 'lineSends'
  | 'rowWrites'
  | 'rowMoves'
  | 'rowReads'
  | 'headReads'
  | 'rightReads'
  | 'rightWrites'
  | 'workMs';

/** All that workers share of what waits. */
export interface LineStore {
  readonly waiting: Waiting;
  /** A message that is there now. */
  receive(): LineTask | undefined;
  /** It comes again. */
  hide(word: LineTask, ms: number): void;
  /** A message was worked on for so long. */
  worked(ms: number): void;
}

interface Surroundings {
  readonly timeline: Timeline;
  readonly call: (ms: number) => Promise<void>;
  readonly count: (name: LineCalls, ones?: number) => void;
}

const tableMs = 8;
const nameOf = ({ lane, class: of, shard }: LineShard) => `${lane.merchant}|${of}|${shard}`;
const orderOf = (a: LinePlace, b: LinePlace) => a.goAtMs - b.goAtMs || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** In which shard an order stands. */
export const shardOf = (order: string): number =>
  [...order].reduce((sum, it) => sum + it.charCodeAt(0), 0) % lineShards;

/** Long: its calls, one after the other. */
export function createLineStore({ timeline, call, count }: Surroundings): LineStore {
  const lines = new Map<string, WaitingRow[]>();
  const rows = new Map<string, WaitingRow>();
  const store = createMemoryDrainRights(timeline.nowMs);
  const visible: LineTask[] = [];

  function placeIn(line: readonly WaitingRow[], at: LinePlace): number {
    let [low, high] = [0, line.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const it = line[middle];
      if (it && orderOf(it, at) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  function lineOf(shard: LineShard): WaitingRow[] {
    const line = lines.get(nameOf(shard)) ?? [];
    lines.set(nameOf(shard), line);
    return line;
  }
  function insert(row: WaitingRow): void {
    rows.set(row.key, row);
    const line = lineOf(row);
    line.splice(placeIn(line, row), 0, row);
  }
  function take(key: string): WaitingRow | undefined {
    const row = rows.get(key);
    if (!row) return undefined;
    rows.delete(key);
    const line = lineOf(row);
    line.splice(placeIn(line, row), 1);
    return row;
  }
  const show = (word: LineTask, ms: number) => timeline.after(ms, () => void visible.push(word));

  const rights: DrainRights = {
    async read(lane) {
      count('rightReads');
      await call(tableMs / 2);
      return store.read(lane);
    },
    async write(lane, next) {
      count('rightWrites');
      await call(tableMs);
      return store.write(lane, next);
    },
    name: (lane) => store.name(lane),
    all: () => store.all(),
  };

  return {
    receive: () => visible.shift(),
    hide: show,
    worked: (ms) => count('workMs', ms),
    waiting: {
      rights,
      dataKeys: createMemoryDataKeys(),
      lines: {
        async send(messages: readonly LineMessage[]) {
          count('lineSends');
          count('lineMessages', messages.length);
          await call(10);
          for (const { message, delaySeconds } of messages) show(message, delaySeconds * 1000);
          return new Set<number>();
        },
      },
      rows: {
        async put(row) {
          count('rowWrites');
          await call(tableMs);
          take(row.key);
          insert({ ...row, slot: 0 });
          return 'put';
        },
        async read({ key }) {
          count('rowReads');
          await call(tableMs / 2);
          return rows.get(key);
        },
        ofOrder: async (key) => [rows.get(key)].flatMap((it) => (it ? [it] : [])),
        async heads(shard, after, atMost) {
          count('headReads');
          await call(tableMs / 2);
          const line = lineOf(shard);
          let from = after ? placeIn(line, after) : 0;
          const first = line[from];
          if (after && first && orderOf(first, after) === 0) from += 1;
          return line.slice(from, from + atMost);
        },
        length: async () => ({ rows: 0 }),
        async move({ key }, to) {
          count('rowMoves');
          await call(tableMs);
          const row = take(key);
          if (row) insert({ ...row, ...to, waits: row.waits + 1 });
          return row !== undefined;
        },
        async remove({ key }) {
          count('rowWrites');
          await call(tableMs);
          return take(key) !== undefined;
        },
        async *all() {
          yield* rows.values();
        },
      },
    },
  };
}
