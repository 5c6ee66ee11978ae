// Lanes in memory, for tests and benchmarks; kept as text, so that no two callers share an object.
import type { Pacing } from '../../lib/payout/lanes/pacing.ts';
import type { LaneName, Lanes, LaneState, Slot } from '../../lib/payout/lanes/lane.ts';

/** Lanes over a map, whose store has this clock; callers with the same map see the same lanes. */
export function createMemoryLanes(nowMs: () => number, items = new Map<string, string>()): Lanes {
  const keyOf = ({ merchant, endpointId }: LaneName) => `${merchant}/${endpointId}`;
  const stateOf = (text: string) => JSON.parse(text) as LaneState;
  const written = new Map<string, { readonly text: string; readonly version: number }>();
  /** A lane that was written here need not be read for its version. */
  const versionOf = (key: string, text: string) => {
    const last = written.get(key);
    return last?.text === text ? last.version : stateOf(text).version;
  };
  const moment = () => ({ atMs: Math.floor(nowMs() / 1000) * 1000 });
  return {
    async read(lane) {
      const text = items.get(keyOf(lane));
      return { ...moment(), ...(text !== undefined && { state: stateOf(text) }) };
    },
    async write(lane, next) {
      const key = keyOf(lane);
      const text = items.get(key);
      if (text === undefined ? next.version !== 1 : versionOf(key, text) !== next.version - 1) {
        if (text === undefined) throw new Error('a lane that was never written is written as version 1');
        return { ...moment(), kind: 'lost', state: stateOf(text) };
      }
      const made = { text: JSON.stringify(next), version: next.version };
      items.set(key, made.text);
      written.set(key, made);
      return { ...moment(), kind: 'written' };
    },
    all: async () =>
      [...items].toSorted().map(([key, text]) => {
        const end = key.indexOf('/');
        return { merchant: key.slice(0, end), endpointId: key.slice(end + 1), state: stateOf(text) };
      }),
  };
}

/** Leave to send at any time. */
export const anySlot: Slot = { kind: 'slot', atMs: 0, untilMs: Infinity, generation: 0, pressed: false };

/** Lanes that let everything go, for stories about many orders that all go wrong. */
export const openLanes: Pacing = {
  ask: async () => anySlot,
  look: async () => ({ kind: 'known', decision: { kind: 'go' }, ratePerSecond: 100 }),
  slice: async (_lane, asks) => asks.map(() => ({ ...anySlot })),
  begin: async () => 'come',
  report: () => {},
  giveBack: () => {},
  settled: async () => {},
};
