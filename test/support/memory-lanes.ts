// Lanes in memory, for tests and benchmarks; kept as text, so that no two callers share an object.
import type { Pacing } from '../../lib/payout/pace/pacing.ts';
import { laneOfName, type LaneState, nameOfLane, type Turn } from '../../lib/payout/pace/lane-state.ts';
import { type Lanes } from '../../lib/payout/pace/lane.ts';

/** Lanes over a map; callers with the same map see the same lanes. */
export function createMemoryLanes(items = new Map<string, string>()): Lanes {
  const stateOf = (text: string) => JSON.parse(text) as LaneState;
  const written = new Map<string, { readonly text: string; readonly version: number }>();
  /** A lane that was written here need not be read for its version. */
  const versionOf = (key: string, text: string) => {
    const last = written.get(key);
    return last?.text === text ? last.version : stateOf(text).version;
  };
  return {
    async read(lane) {
      const text = items.get(nameOfLane(lane));
      return text === undefined ? undefined : stateOf(text);
    },
    async write(lane, next) {
      const key = nameOfLane(lane);
      const text = items.get(key);
      if (text === undefined ? next.version !== 1 : versionOf(key, text) !== next.version - 1) {
        if (text === undefined) throw new Error('a lane that was never written is written as version 1');
        return stateOf(text);
      }
      const made = { text: JSON.stringify(next), version: next.version };
      items.set(key, made.text);
      written.set(key, made);
      return 'written';
    },
    isNamed: async () => true,
    all: async () => [...items].toSorted().map(([key, text]) => ({ ...laneOfName(key), state: stateOf(text) })),
  };
}

/** Leave to send at any time. */
export const anyTurn: Turn = { atMs: 0, ratePerSecond: 20, pressed: false };

/** Lanes that let everything go, for stories about many orders that all go wrong. */
export const openLanes: Pacing = {
  ask: async () => anyTurn,
  suits: () => true,
  learns: () => false,
  isNear: () => true,
  comes: async () => true,
  sends: () => () => {},
  unused: () => {},
  room: async () => ({ leader: 100, leaderAsks: 100 }),
  release: async (_lane, wanted) => wanted.map(() => anyTurn),
  settled: async () => {},
};
