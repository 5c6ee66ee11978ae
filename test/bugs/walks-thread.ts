// One thread that walks through simulated worlds with some lines of the sources changed, until a promise breaks. The modules of the
// worlds are loaded after the change, for this thread alone.
import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { installStandIns } from '../simulation/stand-ins.ts';
import { type TextEdit, type WalkKind, withEdits } from './planted.ts';

/** What is changed, and how long the walks are. */
export interface Walks {
  readonly edits: readonly TextEdit[];
  /** The kinds of walks, one after the other. */
  readonly kinds: readonly WalkKind[];
  readonly worlds: number;
  /** Random worlds in all, for what no other walk finds. */
  readonly most: number;
}

/** The promise that was broken, by which walk and after how many lives; empty if none was. */
export interface WalksEnd {
  readonly fault?: string;
  readonly by?: WalkKind;
  readonly lives?: number;
}

const { edits, kinds, worlds, most } = workerData as Walks;
const jobs = 20;
const root = new URL('../../', import.meta.url).href;

installStandIns();
registerHooks({
  load(url, context, next) {
    const file = url.slice(root.length);
    const loaded = next(url, context);
    if (!url.startsWith(root) || !edits.some((it) => it.file === file)) return loaded;
    return { ...loaded, source: withEdits(file, String(loaded.source), edits) };
  },
});

const { runSeed } = await import('../simulation/random-world.ts');
const { runLaneSeed } = await import('../simulation/lane-world.ts');
const { everyMood, everyScenario, everyScenarioOfARelease, walk } = await import('../simulation/exhaustive.ts');
const { everyPath, runPath, stubbornPaths, walkPath } = await import('../simulation/settlement-paths.ts');
const { runRestore } = await import('../simulation/restore.ts');

type Life = { readonly lives: number; readonly fault?: string | undefined };

async function* random(from: number, to: number): AsyncGenerator<Life> {
  for (let seed = from; seed <= to; seed += 1)
    yield runSeed(seed, { jobs }).catch((error: unknown) => ({
      lives: jobs,
      fault: `the world fell apart: ${String(error)}`,
    }));
}

const walks: Readonly<Record<WalkKind, () => AsyncGenerator<Life>>> = {
  seeds: () => random(1, worlds),
  async *lanes() {
    for (let seed = 1; seed <= 2 * worlds; seed += 1) yield runLaneSeed(seed);
  },
  async *cuts() {
    const undisturbed = await walk([...everyScenarioOfARelease(), ...everyMood()], 'undisturbed');
    yield { lives: undisturbed.schedules, fault: undisturbed.broken?.fault };
    const { schedules, broken } = await walk(everyScenario('payout'), 'single cuts');
    yield { lives: schedules, fault: broken?.fault };
  },
  async *paths() {
    for (const path of stubbornPaths) yield { lives: 1, fault: (await runPath(path, [])).fault };
    for (const path of everyPath) {
      const { fault, schedules } = await walkPath(path, { pairStride: Infinity });
      yield { lives: schedules, fault };
    }
  },
  async *restores() {
    for (let seed = 1; seed <= worlds; seed += 1)
      yield { lives: jobs, fault: (await runRestore(seed, { jobs })).fault };
  },
};

async function firstFault(): Promise<WalksEnd> {
  const all = [
    ...kinds.map((by) => ({ by, life: walks[by]() })),
    { by: 'seeds' as const, life: random(worlds + 1, most) },
  ];
  for (const { by, life } of all) {
    let lives = 0;
    for await (const it of life) {
      lives += it.lives;
      if (it.fault !== undefined) return { fault: it.fault, by, lives };
    }
  }
  return {};
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(await firstFault());
