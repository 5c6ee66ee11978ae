// The simulation held against the model: whatever an order does in the ledger of a random world is a path of moves that the
// model allows, every action of the model is seen, and a life that nobody may live is told apart from all others.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ModelMove } from './moves.ts';
import type { Lives, Worlds } from './traces.ts';

/** How many worlds, of how many jobs. */
export interface ConformanceOptions {
  readonly worlds: number;
  readonly restoredWorlds: number;
  readonly jobs: number;
  readonly threads: number;
}

/** What came of it. */
export interface ConformanceReport {
  readonly orders: number;
  readonly moves: number;
  readonly differentLives: number;
  /** Moves that the model does not allow, with a life in which each was seen. */
  readonly strange: ReadonlyMap<string, string>;
  readonly unseenActions: readonly string[];
  readonly mutants: number;
  /** Mutated lives that the model allows all the same. */
  readonly unnoticed: readonly string[];
  /** A promise that a world broke by itself. */
  readonly fault?: string;
}

const stretch = 250;
const found = ' (found)';
/** Out of these no claim leads: a POST after them would be a second one. */
const neverSentAgain: ReadonlySet<string> = new Set(['accepted', 'approved', 'declined', 'in-doubt', 'cancelled']);

/** Lives the worlds, and holds them against the model. */
export async function conform(moves: readonly ModelMove[], options: ConformanceOptions): Promise<ConformanceReport> {
  const [plain, restored] = await Promise.all([
    liveAll(options.worlds, false, options),
    liveAll(options.restoredWorlds, true, options),
  ]);
  const fault = plain.fault ?? restored.fault;
  const allowed = new Set(moves.map(({ from, to }) => `${from} → ${to}`));
  const strange = new Map<string, string>();
  const seen = new Set([...restored.lives.keys()].flatMap(stepsOf));
  let [orders, count] = [0, 0];
  for (const [life, lived] of plain.lives) {
    const steps = stepsOf(life);
    orders += lived;
    count += lived * steps.length;
    for (const step of steps) {
      seen.add(step);
      if (!allowed.has(plainly(step))) strange.set(plainly(step), life);
    }
  }
  const mutated = [...plain.lives.keys()].flatMap(mutantsOf);
  return {
    orders,
    moves: count,
    differentLives: plain.lives.size,
    strange,
    unseenActions: unseenAmong(moves, seen),
    mutants: mutated.length,
    unnoticed: mutated.filter((life) => stepsOf(life).every((step) => allowed.has(plainly(step)))),
    ...(fault !== undefined && { fault }),
  };
}

const plainly = (step: string) => step.replaceAll(found, '');

function stepsOf(life: string): string[] {
  const states = life.split(' → ');
  return states.slice(1).map((to, at) => `${plainly(states[at] ?? '')} → ${to}`);
}

/** An action is seen by any of its moves; what an inquiry found is told from what an answer brought. */
function unseenAmong(moves: readonly ModelMove[], seen: ReadonlySet<string>): string[] {
  const isSeen = ({ action, from, to }: ModelMove) => seen.has(`${from} → ${to}${action === 'find' ? found : ''}`);
  const actions = [...new Set(moves.map(({ action }) => action))];
  return actions.filter((action) => !moves.some((move) => move.action === action && isSeen(move)));
}

/** The same life without its claim; and with one more POST at a moment after which there may be none. */
function mutantsOf(life: string): string[] {
  const states = life.split(' → ');
  const [, first, second] = states;
  const isBare =
    first === 'submitting' && second !== undefined && !['submitting', 'held', 'cancelled'].includes(second);
  return [
    ...(isBare ? [states.toSpliced(1, 1).join(' → ')] : []),
    ...states.flatMap((state, at) =>
      neverSentAgain.has(plainly(state)) ? [states.toSpliced(at + 1, 0, 'submitting').join(' → ')] : [],
    ),
  ];
}

async function liveAll(
  worlds: number,
  restored: boolean,
  { jobs, threads }: ConformanceOptions,
): Promise<{ readonly lives: ReadonlyMap<string, number>; readonly fault?: string }> {
  const lives = new Map<string, number>();
  let [next, fault] = [1, undefined as string | undefined];
  const work = async () => {
    const thread = new Worker(new URL('./traces.ts', import.meta.url));
    for (; next <= worlds && fault === undefined;) {
      const asked: Worlds = { from: next, to: Math.min(next + stretch - 1, worlds), jobs, restored };
      next = asked.to + 1;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      thread.postMessage(asked);
      const [answer] = (await once(thread, 'message')) as [Lives];
      fault ??= answer.fault;
      for (const [life, count] of answer.lives) lives.set(life, (lives.get(life) ?? 0) + count);
    }
    await thread.terminate();
  };
  await Promise.all(Array.from({ length: threads }, work));
  return { lives, ...(fault !== undefined && { fault }) };
}
