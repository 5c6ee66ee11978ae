// What an order forgets: records from which nothing is concluded any more.
import { type Attempt, atMost, attemptsOf, type Facts, byVersion, isRefusedByGateway } from './facts.ts';
import { isNowhere, isProvenNowhere } from './living.ts';

/**
 * The facts without records that change no conclusion: refused attempts that two later attempts have followed, and ends that two later ends
 * have followed. The last two attempts that the gateway refused stay, because they decide how long the order rests.
 */
export function drop(facts: Facts): Facts {
  const all = attemptsOf(facts);
  const resting = new Set(all.filter(isRefusedByGateway).slice(-2));
  const idle = all.slice(0, -2).filter((it) => !resting.has(it) && isIdle(it, facts));
  const ends = byVersion(facts.ends);
  // A cancellation is for good.
  const kept = ends.filter((it, at) => it.reason === 'cancelled' || at >= ends.length - atMost.ends);
  if (idle.length === 0 && kept.length === ends.length) return facts;
  const proven = idle.filter((it) => isProvenNowhere(it, facts)).length;
  return {
    ...facts,
    attempts: Object.fromEntries(all.filter((it) => !idle.includes(it)).map((it) => [it.id, it])),
    ends: Object.fromEntries(kept.map((it) => [it.id, it])),
    dropped: {
      ...facts.dropped,
      believed: facts.dropped.believed + idle.length - proven,
      proven: facts.dropped.proven + proven,
    },
  };
}

/** True if nothing is concluded from the attempt any more. An attempt with card data stays: spent card data is never sent again. */
function isIdle(attempt: Attempt, facts: Facts): boolean {
  if (attempt.answer?.kind !== 'refused' || !isNowhere(attempt, facts)) return false;
  return !attempt.lapsed && !attempt.overdue && !attempt.lost && attempt.cardKeyId === undefined;
}
