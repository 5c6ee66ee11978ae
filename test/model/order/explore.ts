// Small worlds of one order, explored by breadth: every interleaving, the shortest stories first.
import type { Kernel as Shipped } from './kernel.ts';
import { shownMove } from './lives.ts';
import { modelOf } from './model-kernel.ts';
import { clone, createWorld, start, type Action, type Bounds, type World } from './world.ts';

/** What a walk found. */
export interface Explored {
  readonly states: number;
  /** False where the walk was cut off. */
  readonly whole: boolean;
  readonly breach?: { readonly broken: string; readonly story: readonly string[] };
}

const base: Bounds = {
  askable: true,
  desk: 'newest',
  trustsNewest: true,
  endsDenied: false,
  attempts: 2,
  callbacks: 0,
  asks: 0,
  looks: 0,
  ticks: 1,
  resends: 1,
  restores: 0,
  strangers: 0,
  steps: [14],
  outcomes: ['taken', 'taken-silent', 'taken-refused', 'pace', 'order', 'silent'],
};
export const worlds: Record<string, Bounds> = {
  called: { ...base, askable: false, callbacks: 2 },
  asked: { ...base, asks: 2, ticks: 2 },
  person: {
    ...base,
    askable: false,
    callbacks: 1,
    looks: 1,
    ticks: 2,
    outcomes: ['taken', 'taken-silent', 'taken-refused', 'silent'],
  },
  erring: {
    ...base,
    askable: false,
    callbacks: 1,
    looks: 2,
    ticks: 2,
    erring: true,
    outcomes: ['taken-silent', 'silent'],
  },
  both: { ...base, callbacks: 1, asks: 1, outcomes: ['taken', 'taken-silent', 'taken-refused', 'pace'] },
  any: {
    ...base,
    desk: 'any',
    trustsNewest: false,
    asks: 2,
    attempts: 3,
    ticks: 1,
    steps: [7],
    outcomes: ['taken', 'taken-refused', 'pace'],
  },
  late: {
    ...base,
    endsDenied: true,
    asks: 2,
    ticks: 3,
    steps: [1, 10],
    attempts: 1,
    resends: 0,
    outcomes: ['late', 'silent'],
  },
  restored: {
    ...base,
    askable: false,
    looks: 1,
    callbacks: 1,
    ticks: 2,
    restores: 1,
    backs: 'known',
    outcomes: ['taken', 'taken-silent', 'order'],
  },
  filtered: {
    ...base,
    askable: false,
    rich: true,
    ticks: 0,
    resends: 0,
    callbacks: 1,
    outcomes: ['taken-refused', 'taken'],
  },
  ambiguous: {
    ...base,
    askable: false,
    attempts: 1,
    callbacks: 1,
    looks: 1,
    ticks: 2,
    ambiguous: true,
    erring: true,
    outcomes: ['taken-silent'],
  },
  lost: {
    ...base,
    askable: false,
    looks: 1,
    callbacks: 1,
    ticks: 2,
    restores: 1,
    backs: 'known',
    outcomes: ['taken-silent'],
  },
  failing: {
    ...base,
    askable: false,
    callbacks: 2,
    fails: true,
    ticks: 0,
    outcomes: ['taken', 'taken-refused', 'pace'],
  },
  unknown: {
    ...base,
    askable: false,
    callbacks: 1,
    fails: true,
    restores: 1,
    backs: 'absent',
    verdicts: true,
    ticks: 1,
    outcomes: ['taken', 'taken-silent', 'order'],
  },
  signs: {
    ...base,
    askable: false,
    attempts: 3,
    callbacks: 2,
    looks: 1,
    ticks: 1,
    steps: [33],
    ambiguous: true,
    proofs: 'none',
    outcomes: ['taken-refused'],
  },
  hidden: { ...base, asks: 2, ticks: 2, steps: [3, 4], outcomes: ['refused-hidden', 'pace'] },
  lines: { ...base, askable: false, draws: 1, ticks: 2, outcomes: ['taken', 'taken-silent', 'silent'] },
  races: { ...base, askable: false, looks: 1, races: true, ticks: 1, resends: 1, outcomes: ['taken-silent', 'order'] },
  contents: {
    ...base,
    askable: false,
    contents: true,
    verdicts: true,
    ticks: 0,
    callbacks: 1,
    restores: 1,
    backs: 'absent',
    outcomes: ['taken-silent', 'order'],
  },
  cards: {
    ...base,
    askable: false,
    cards: true,
    ticks: 0,
    attempts: 3,
    resends: 0,
    outcomes: ['pace', 'unconnected', 'taken-silent'],
  },
  old: {
    ...base,
    askable: false,
    restores: 1,
    backs: 'absent',
    ticks: 2,
    steps: [60],
    callbacks: 1,
    races: true,
    outcomes: ['taken-silent', 'order'],
  },
  foreign: {
    ...base,
    askable: false,
    strangers: 1,
    amounts: true,
    callbacks: 2,
    attempts: 1,
    ticks: 1,
    outcomes: ['taken-silent', 'taken-refused'],
  },
};

/** Versions count only by their order; what was published, and when, judges and decides nothing. */
function keyOf({ told, order, doors, claims, workers, carried, looks, ...world }: World): string {
  const { results: _results, log: _log, ...rest } = world;
  // Of what was read before, a write under the version needs only whether it is still so.
  const isNow = ({ version }: World['order']) => (version === order.version ? 'now' : 'stale');
  const text = JSON.stringify([
    rest,
    order.job,
    order.facts,
    `v${order.version}`,
    told,
    [...doors, ...claims].map(({ read, ...it }) => [it, isNow(read)]),
    looks.map(({ read, ...it }) => [it, read && isNow(read)]),
    [...workers, ...carried].map(({ written: _written, ...it }) => it),
  ]);
  const versions = /(?<="(?:number|since|stoppedAt|version|base|after)":|"[ved?]|\\"e)\d+/g;
  const ranks = [...new Set(text.match(versions))].map(Number).toSorted((a, b) => a - b);
  return text.replace(versions, (it) => String(ranks.indexOf(Number(it))));
}

/** Every interleaving, the shortest stories first. */
export function explore(kernel: Shipped, bounds: Bounds, statesAtMost: number): Explored {
  const k = modelOf(kernel);
  const world = createWorld(k, bounds);
  const first = start(k);
  const parents = new Map<string, readonly [from: string, move: Action] | undefined>([[keyOf(first), undefined]]);
  let layer = [first];
  while (layer.length > 0 && parents.size < statesAtMost) {
    const following: World[] = [];
    for (const before of layer) {
      const from = keyOf(before);
      for (const move of world.actions(before)) {
        const after = clone(before);
        world.act(after, move);
        if (!after.breach) world.checkHorizon(after);
        const key = keyOf(after);
        if (parents.has(key)) continue;
        parents.set(key, [from, move]);
        if (after.breach !== undefined)
          return { states: parents.size, whole: false, breach: { broken: after.breach, story: storyOf(key, parents) } };
        following.push(after);
      }
    }
    layer = following;
  }
  return { states: parents.size, whole: layer.length === 0 };
}

function storyOf(last: string, parents: ReadonlyMap<string, readonly [string, Action] | undefined>): string[] {
  const story: string[] = [];
  for (let at = parents.get(last); at; at = parents.get(at[0])) story.unshift(shownMove(at[1]));
  return story;
}
