// The sweeper's round over keys that outlive their claims, where there are more than one sweep can look at.
import { expect, it } from 'vitest';
import { cardKeysRound, type LeftCardKeys } from '../../lib/card-data/dynamodb-left-card-keys.ts';
import { startMs } from '../support/time-and-chance.ts';

/** A table of keys without end, each read of which takes so long. */
function endlessKeys(readTakesMs: number) {
  let [nowMs, reads] = [startMs, 0];
  const keys: LeftCardKeys = {
    async next() {
      nowMs += readTakesMs;
      reads += 1;
      return { keys: [], isLast: false };
    },
    ordersOf: async () => new Map(),
    destroy: async () => {},
  };
  return { round: cardKeysRound(keys, () => nowMs), reads: () => reads };
}

it('a slow table takes the time of the sweep and no more, so that the rounds after it have their turn', async () => {
  const { round, reads } = endlessKeys(1_000);
  await round(startMs + 5_000);
  expect(reads()).toBe(5);
});
