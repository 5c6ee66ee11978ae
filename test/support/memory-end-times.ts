// How long orders take at their endpoints, in memory.
import { endBuckets, type EndsSeen, type EndTimes } from '../../lib/payout/accepted-rhythm.ts';

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
      seen.set(key, { counts, calledBack: before.calledBack + (calledBack ? 1 : 0) });
    },
  };
}
