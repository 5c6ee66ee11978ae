// How long orders take at their endpoints, in memory.
import {
  endBuckets,
  type EndsSeen,
  endsSeen,
  type EndTimes,
  halved,
  halvedFrom,
} from '../../lib/payout/accepted-rhythm.ts';

/** Nothing was seen yet. */
export function createMemoryEndTimes(): EndTimes {
  const seen = new Map<string, EndsSeen>();
  const keyOf = (merchant: string, endpointId: string) => `${merchant}/${endpointId}`;
  return {
    of: async (merchant, endpointId) => seen.get(keyOf(merchant, endpointId)),
    async saw(merchant, endpointId, { bucket, calledBack }) {
      const key = keyOf(merchant, endpointId);
      const before = seen.get(key) ?? { counts: Array.from({ length: endBuckets }, () => 0), calledBack: 0 };
      const counts = before.counts.map((count, at) => (at === bucket ? count + 1 : count));
      const ends = { counts, calledBack: before.calledBack + (calledBack ? 1 : 0) };
      seen.set(key, endsSeen(ends) < halvedFrom ? ends : halved(ends));
    },
  };
}
