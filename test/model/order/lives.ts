// Lives of an order drawn by chance, by the hundred thousand: each has bounds and moves of its own, which its number decides.
import type { Kernel } from './kernel.ts';
import { type Breach, live } from './explore.ts';
import type { Bounds } from './world.ts';

/** A life that broke a promise, and how to see it again. */
export interface BrokenLife extends Breach {
  readonly life: number;
  readonly bounds: Bounds;
}

const movesAtMost = 60;

/** The first of these lives that breaks a promise, cut down to the moves that it takes. */
export function firstBreach(
  kernel: Kernel,
  { from, lives }: { readonly from: number; readonly lives: number },
): BrokenLife | undefined {
  for (let life = from; life < from + lives; life += 1) {
    const chance = chanceOf(life);
    const bounds = boundsOf(chance);
    const choices = Array.from({ length: movesAtMost }, chance);
    const breach = live(kernel, bounds, choices);
    if (breach) return { life, bounds, ...shortest(kernel, bounds, choices.slice(0, breach.story.length), breach) };
  }
  return undefined;
}

/** Without each move that the breach does not need, until none can be left out. */
function shortest(kernel: Kernel, bounds: Bounds, choices: readonly number[], breach: Breach): Breach {
  for (let at = 0; at < choices.length; at += 1) {
    const without = choices.toSpliced(at, 1);
    const again = live(kernel, bounds, without);
    if (again) return shortest(kernel, bounds, without.slice(0, again.story.length), again);
  }
  return breach;
}

function boundsOf(chance: () => number): Bounds {
  const upTo = (most: number) => Math.floor(chance() * (most + 1));
  return {
    canAsk: upTo(1) === 1,
    endsDenied: upTo(1) === 1,
    attempts: 2 + upTo(2),
    messages: 1 + upTo(1),
    resends: upTo(2),
    callbacks: upTo(2),
    decisions: upTo(2),
    restores: upTo(2) === 0 ? 1 : 0,
    hours: 1 + upTo(4),
    moves: upTo(2),
  };
}

/** Numbers from 0 to 1, the same for the same life (mulberry32, Tommy Ettinger, public domain). */
function chanceOf(life: number): () => number {
  let state = Math.imul(life, 7919);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
