// Lives of an order drawn by chance and judged by the gateway's book; each has bounds and moves of its own, which its number decides.
import type { Kernel as Shipped } from './kernel.ts';
import { type ModelKernel as Kernel, modelOf } from './model-kernel.ts';
import { type Action, type Bounds, createWorld, isPast, start, type World } from './world.ts';

/** A promise that was broken, and the moves that led there. */
export interface BrokenLife {
  readonly life: number;
  readonly broken: string;
  readonly story: readonly string[];
}

/** The first of these lives that breaks a promise. */
export function firstBreach(
  kernel: Shipped,
  { from, lives }: { readonly from: number; readonly lives: number },
): BrokenLife | undefined {
  const k = modelOf(kernel);
  for (let life = from; life < from + lives; life += 1) {
    const r = chanceOf(life);
    const bounds = boundsOf(r);
    const { w, story } = live(k, bounds, r);
    if (!w.breach) finish(k, bounds, w);
    const broken = w.breach ?? (isUntold(k, w) ? 'paid is not told' : undefined);
    if (broken !== undefined) return { life, broken, story: story.map(shownMove) };
  }
  return undefined;
}

/** A move as a story tells it. */
export const shownMove = (move: Action): string => Object.values(move).join(' ');

/** A payment of an attempt that the ledger knows is told, or a person is asked. */
const isUntold = (k: Kernel, w: World): boolean =>
  w.book.some((it) => it.state === 'paid' && it.attempt !== undefined && !isForgotten(w, it)) &&
  !['approved', 'held'].includes(k.fold(w.order.facts).kind);

/** Mulberry32 (Tommy Ettinger, public domain). */
function chanceOf(seed: number) {
  let state = Math.imul(seed, 7919) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
function boundsOf(r: () => number): Bounds {
  const focus = Math.floor(r() * 5);
  const upTo = (n: number) => Math.floor(r() * (n + 1));
  const yes = (p: number) => r() < p;
  // A gateway that refuses what it took and cannot be asked; a table that was restored; any transaction named by the desk.
  const askable = focus === 1 ? false : focus === 3 ? true : yes(0.6);
  const desk = focus === 3 ? 'any' : yes(0.6) ? 'newest' : yes(0.6) ? 'any' : 'away';
  return {
    askable,
    desk,
    trustsNewest: desk === 'newest' && yes(0.8),
    endsDenied: yes(0.3),
    attempts: 1 + upTo(5),
    callbacks: 1 + upTo(5),
    asks: upTo(8),
    looks: upTo(3),
    ticks: 2 + upTo(8),
    resends: upTo(4),
    restores: focus === 2 || yes(0.1) ? 1 : 0,
    strangers: yes(0.1) ? 1 : 0,
    cards: focus === 0 && yes(0.4),
    ambiguous: yes(0.15),
    erring: yes(0.4),
    doubles: yes(0.5),
    rich: true,
    honest: focus === 1 ? false : yes(0.5),
    steps: [1, 2, 4, 7, 10, 14, 33, 70],
    amounts: yes(0.2),
    hides: yes(0.5),
    contents: yes(0.15),
    draws: upTo(3) === 0 ? 1 : 0,
  };
}
const weight: Record<string, number> = {
  claim: 6,
  'write claim': 8,
  'unsure claim': 0.3,
  post: 5,
  die: 0.3,
  answer: 4,
  lose: 0.3,
  land: 2,
  gateway: 1,
  callback: 2,
  stranger: 0.5,
  door: 4,
  'door fails': 1.5,
  ask: 3,
  desk: 3,
  'write inquiry': 4,
  look: 2,
  decide: 2,
  read: 1,
  draw: 1,
  line: 2,
  tick: 1,
  sweep: 0.25,
  verdict: 0.05,
  'look cancel': 0.08,
  backup: 0.5,
  restore: 0.5,
};

function live(k: Kernel, b: Bounds, r: () => number, movesAtMost = 40) {
  const world = createWorld(k, b);
  const w = start(k);
  w.log = [];
  const story: Action[] = [];
  for (let i = 0; i < movesAtMost && !w.breach; i += 1) {
    const all = world.actions(w);
    if (all.every((it) => ['sweep', 'verdict', 'look cancel'].includes(it.do)) && i > 4) break;
    const kinds = new Map<string, number>();
    for (const { do: kind } of all) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const heavy = (it: Action) => (weight[it.do] ?? 1) / (kinds.get(it.do) ?? 1);
    let at = r() * all.reduce((sum, it) => sum + heavy(it), 0);
    const action = {
      do: 'sweep',
      ...(all.find((it) => (at -= heavy(it)) <= 0) ?? all[0]),
      offset: Math.floor(r() * 4) - 1,
    };
    story.push(action);
    world.act(w, action);
    if (!w.breach && i % 4 === 0) world.checkHorizon(w);
  }
  if (!w.breach) {
    world.checkHorizon(w);
    checkJoins(k, w, r);
  }
  return { w, story };
}

const canonical = (v: unknown): unknown =>
  v && typeof v === 'object' && !Array.isArray(v)
    ? Object.fromEntries(
        Object.keys(v)
          .toSorted()
          .map((key) => [key, canonical((v as Record<string, unknown>)[key])]),
      )
    : v;
/** L2: in any order and any number; and what was dropped changes nothing. */
function checkJoins(k: Kernel, w: World, r: () => number) {
  const log = w.log ?? [];
  const once = log.reduce((a, b) => k.join(a, b), k.noFacts);
  const shuffled = [...log, ...log]
    .map((it) => [r(), it] as const)
    .toSorted(([a], [b]) => a - b)
    .reduce((a, [, b]) => k.join(b, a), k.noFacts);
  if (JSON.stringify(canonical(once)) !== JSON.stringify(canonical(shuffled)))
    w.breach = 'the order of arrival matters';
  const whole = k.join(once, w.order.facts);
  const [a, b] = [k.fold(whole), k.fold(w.order.facts)];
  if (
    w.order.facts.dropped.believed + w.order.facts.dropped.proven > 0 &&
    a.kind !== b.kind &&
    k.attemptsOf(whole).length < k.atMost.attempts
  )
    w.breach = `dropped: ${a.kind} was ${b.kind}`;
}

const isForgotten = (w: World, it: World['book'][number]) =>
  it.stale && isPast(w) && !w.order.facts.attempts[it.attempt ?? ''];
/** Everybody does their work to the end: what is told then, against the book. */
function finish(k: Kernel, b: Bounds, w: World) {
  const wide = createWorld(k, {
    ...b,
    callbacks: 99,
    asks: 99,
    looks: 0,
    ticks: 99,
    resends: 0,
    attempts: 0,
    restores: 0,
    strangers: 0,
  });
  const drain = () => {
    for (let i = 0; i < 40 && !w.breach; i += 1) {
      const next =
        wide
          .actions(w)
          .find(
            ({ do: kind, what }) =>
              ['answer', 'land', 'door', 'desk', 'write inquiry'].includes(kind) && what === undefined,
          ) ??
        wide.actions(w).find(({ do: kind, what }) => kind === 'gateway' && what !== 'filtered') ??
        wide.actions(w).find(({ do: kind }) => kind === 'die');
      if (!next) return;
      wide.act(w, next);
    }
  };
  w.claims = [];
  drain();
  // No callback of before a restore comes after the time of `lost`.
  for (const [at, it] of w.book.entries()) if (!w.breach && !isForgotten(w, it)) wide.act(w, { do: 'callback', at });
  drain();
  for (const hours of [14, 14, 40, 70]) {
    if (b.askable && b.desk !== 'away' && !w.breach) wide.act(w, { do: 'ask' });
    drain();
    if (!w.breach) {
      wide.act(w, { do: 'tick', what: String(hours) });
      wide.act(w, { do: 'sweep' });
    }
  }
}
