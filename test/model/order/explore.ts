// Walks of the world: every interleaving by breadth, or lives drawn by chance.
import type { Kernel } from './kernel.ts';
import { begin, type Bounds, breach, keyOf, moves, type World } from './world.ts';

/** A promise that was broken, and the moves that led there. */
export interface Breach {
  readonly broken: string;
  readonly story: readonly string[];
}

/** What a walk found. */
export interface Explored {
  readonly states: number;
  /** False where the walk was cut off. */
  readonly whole: boolean;
  readonly breach?: Breach;
}

/** Every interleaving, the shortest stories first. */
export function explore(kernel: Kernel, bounds: Bounds, statesAtMost: number): Explored {
  const start = begin(kernel, bounds);
  const parents = new Map<string, readonly [string, string]>();
  const startKey = keyOf(start);
  const known = new Set([startKey]);
  let layer: (readonly [string, World])[] = [[startKey, start]];
  while (layer.length > 0 && known.size < statesAtMost) {
    const following: (readonly [string, World])[] = [];
    for (const [from, world] of layer)
      for (const [name, after] of moves(kernel, bounds, world)) {
        const next = after();
        const key = keyOf(next);
        if (known.has(key)) continue;
        known.add(key);
        parents.set(key, [from, name]);
        const broken = breach(next);
        if (broken !== undefined)
          return { states: known.size, whole: false, breach: { broken, story: storyOf(key, parents) } };
        following.push([key, next]);
      }
    layer = following;
  }
  return { states: known.size, whole: layer.length === 0 };
}

function storyOf(last: string, parents: ReadonlyMap<string, readonly [string, string]>): string[] {
  const story: string[] = [];
  for (let at = parents.get(last); at; at = parents.get(at[0])) story.unshift(at[1]);
  return story;
}

/**
 * One life: at each moment the choice, from 0 to 1, picks a kind of move (the first word of its name), then one of that kind, so
 * that what is rare is tried as often as what is always possible.
 */
export function live(kernel: Kernel, bounds: Bounds, choices: Iterable<number>): Breach | undefined {
  let world = begin(kernel, bounds);
  const story: string[] = [];
  for (const choice of choices) {
    const kinds = Map.groupBy(moves(kernel, bounds, world), ([name]) => name.split(' ', 1)[0]);
    const among = [...kinds.values()][Math.floor(choice * kinds.size)] ?? [];
    const move = among[Math.floor(((choice * kinds.size) % 1) * among.length)];
    if (!move) break;
    story.push(move[0]);
    world = move[1]();
    const broken = breach(world);
    if (broken !== undefined) return { broken, story };
  }
  return undefined;
}
