// Three lengths of one proof. The short one is the developer's loop (`npm test`); the long one (`npm run test:long`) runs
// every story and decides whether a change lands; the whole one (`PROOF=whole npm run test:long`) walks the longest walks
// further than a landing has time for. See test/README.md.
import { describe, it } from 'vitest';

const proof = process.env['PROOF'];
/** True in the long proof, and in the whole one. */
const isLong = proof === 'long' || proof === 'whole';

/** Neither run nor counted as skipped: a story that the short proof does not know of. */
const untold: unknown = new Proxy(() => {}, { get: () => untold, apply: () => untold });

/** A story of the long proof alone; used as `it` is. */
export const longIt = isLong ? it : (untold as typeof it);
/** Stories of the long proof alone; used as `describe` is. */
export const longDescribe = isLong ? describe : (untold as typeof describe);

/** A story of the whole proof alone: one that takes long, and whose like a landing tells. */
export const wholeIt = proof === 'whole' ? it : (untold as typeof it);

/** A length of a walk: how many worlds, every how manieth schedule, how deep. Where no `whole` is named, the long one is the whole. */
export const lengthOf = <Length>(walk: {
  readonly short: Length;
  readonly long: Length;
  readonly whole?: Length;
}): Length => {
  if (!isLong) return walk.short;
  return proof === 'whole' ? (walk.whole ?? walk.long) : walk.long;
};
