// Two lengths of one proof. The short one is the developer's loop (`npm test`); the long one (`npm run test:long`) tells
// every story and walks every walk to its end, and decides whether a change lands. See test/README.md.
import { describe, it } from 'vitest';

/** True in the long proof. */
const isLong = process.env['PROOF'] === 'long';

/** Neither told nor counted as skipped: a story that the short proof does not know of. */
const untold: unknown = new Proxy(() => {}, { get: () => untold, apply: () => untold });

/** A story that only the long proof tells; used as `it` is. */
export const longIt = isLong ? it : (untold as typeof it);
/** Stories that only the long proof tells; used as `describe` is. */
export const longDescribe = isLong ? describe : (untold as typeof describe);

/** A length of a walk: how many worlds, every how manieth schedule. */
export const lengthOf = (walk: { readonly short: number; readonly long: number }): number =>
  isLong ? walk.long : walk.short;
