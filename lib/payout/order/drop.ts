// What an order forgets: records from which nothing is concluded any more.
import { type Attempt, atMost, attemptsOf, type Facts, byVersion, isRefusedByGateway } from './facts.ts';
import { isNowhere, isProvenNowhere } from './living.ts';

/**
 * Without refused attempts that prove nothing any more and that two others have followed, and without ends that two later ones have followed.
 * The last two that the gateway saw stay: they decide how long the order rests. Conclusions from the rest stay the same.
 */
export function drop(facts: Facts): Facts {
  const all = attemptsOf(facts);
  const resting = new Set(all.filter(isRefusedByGateway).slice(-2));
  const idle = all.slice(0, -2).filter((it) => !resting.has(it) && isIdle(it, facts));
  const ends = byVersion(facts.ends);
  // Called off is for good.
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

/** Spent card data stays known: it is never sent again. */
function isIdle(it: Attempt, facts: Facts): boolean {
  if (it.answer?.kind !== 'refused' || !isNowhere(it, facts)) return false;
  return !it.lapsed && !it.overdue && !it.lost && it.cardKeyId === undefined;
}
