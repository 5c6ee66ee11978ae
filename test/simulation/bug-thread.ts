// One bug, planted into a copy of the worker's modules that lives in this thread alone, and hunted by all walks.
import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { plantedBugs } from './planted-bugs.ts';
import { installStandIns } from './stand-ins.ts';

/** Which bug, and how many worlds of how many jobs each kind of walk may take. */
export interface BugHunt {
  readonly name: string;
  readonly worlds: number;
  readonly jobs: number;
  /** How often the worlds are walked, each time by other seeds. */
  readonly bases: number;
}

/** Lives that were lived until random, and until guided worlds found it. */
export interface LivesLived {
  readonly uniform?: number;
  readonly guided?: number;
}

/** What found it. */
export interface BugReport {
  /** By base. */
  readonly lives: readonly LivesLived[];
  /** What found it first: worlds, or another walk where they did not. */
  readonly by?: string;
  /** The promise that it broke. */
  readonly fault?: string;
}

const { name, worlds, jobs, bases } = workerData as BugHunt;
/** Where no bug bears the name, none is planted: then nothing may be found. */
const { steps = [], sabotage } = plantedBugs.find((it) => it.name === name) ?? {};

const root = new URL('../../', import.meta.url).href;
/** The list of bugs has loaded some of the modules before; the world lives in copies of its own. */
const [inWorld, honest] = ['?world', '?honest'];
const planted = new Map(steps.map((step) => [new URL(step.module, import.meta.url).href, step]));
const changes = new Map<string, Readonly<Record<string, unknown>>>();

installStandIns();
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    if (!resolved.url.startsWith(root) || resolved.url.includes('?') || resolved.url.includes('/node_modules/'))
      return resolved;
    return { ...resolved, url: resolved.url + inWorld };
  },
  load(url, context, next) {
    const path = url.endsWith(inWorld) ? url.slice(0, -inWorld.length) : undefined;
    const change = path === undefined ? undefined : changes.get(path);
    if (path === undefined || !change) return next(url, context);
    const lines = Object.keys(change).map((it) => `export const ${it} = plantedIn(${JSON.stringify(path)}).${it};`);
    const source = `export * from '${path}${honest}';\n${lines.join('\n')}`;
    return { format: 'module', source, shortCircuit: true };
  },
});
Object.assign(globalThis, { plantedIn: (path: string) => changes.get(path) });
for (const [url, { replace }] of planted) {
  const module = (await import(url + honest)) as never;
  changes.set(url, replace(module) as Record<string, unknown>);
}

const load = <Module>(path: string) => import(path) as Promise<Module>;
const { runSeed } = await load<typeof import('./random-world.ts')>('./random-world.ts');
const { createCoverage } = await load<typeof import('./coverage.ts')>('./coverage.ts');

/** Half of the bugs are of settlement. */
const settled = 0.6;

/** The seeds of one base lie so far from those of the next. */
const seedsPerBase = 100_000;

/** Lives until a world broke a promise, and which. */
async function huntByWorlds(
  base: number,
  isGuided: boolean,
): Promise<{ readonly lives: number; readonly fault: string } | undefined> {
  const guide = createCoverage();
  let lives = 0;
  for (let world = 1; world <= worlds; world += 1) {
    const seed = base * seedsPerBase + world;
    const report = await runSeed(seed, { jobs, sabotage, settled, ...(isGuided && { guide }) }).catch(
      (error: unknown) => ({
        lives: jobs,
        fault: `the world fell apart: ${String(error)}`,
      }),
    );
    lives += report.lives;
    if (report.fault !== undefined) return { lives, fault: report.fault };
  }
  return undefined;
}

async function huntByLanes(): Promise<string | undefined> {
  const { runLaneSeed } = await load<typeof import('./lane-world.ts')>('./lane-world.ts');
  for (let seed = 1; seed <= 2 * worlds; seed += 1) {
    const { fault } = await runLaneSeed(seed, { sabotage });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

async function huntByCuts(): Promise<string | undefined> {
  const { everyMood, everyScenario, walk } = await load<typeof import('./exhaustive.ts')>('./exhaustive.ts');
  const undisturbed = await walk(everyMood(), 'undisturbed', sabotage);
  if (undisturbed.broken) return undisturbed.broken.fault;
  return (await walk(everyScenario('payout'), 'single cuts', sabotage)).broken?.fault;
}

async function huntByPaths(): Promise<string | undefined> {
  const { everyPath, runPath, stubbornPaths, walkPath } =
    await load<typeof import('./settlement-paths.ts')>('./settlement-paths.ts');
  for (const path of stubbornPaths) {
    const { fault } = await runPath(path, [], { sabotage });
    if (fault !== undefined) return fault;
  }
  for (const path of everyPath) {
    const { fault } = await walkPath(path, { pairStride: Infinity, sabotage });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

async function huntBySteps(): Promise<string | undefined> {
  const { walkEveryStep } = await load<typeof import('./check-then-pay.ts')>('./check-then-pay.ts');
  return (await walkEveryStep()).fault;
}

async function huntByRestores(): Promise<string | undefined> {
  const { runRestore } = await load<typeof import('./restore.ts')>('./restore.ts');
  for (let seed = 1; seed <= worlds; seed += 1) {
    const { fault } = await runRestore(seed, { jobs });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

async function hunted(): Promise<BugReport> {
  const lives: LivesLived[] = [];
  let found: { readonly by: string; readonly fault: string } | undefined;
  for (let base = 0; base < bases; base += 1) {
    const [uniform, guided] = [await huntByWorlds(base, false), await huntByWorlds(base, true)];
    lives.push({ ...(uniform && { uniform: uniform.lives }), ...(guided && { guided: guided.lives }) });
    if (uniform) found ??= { by: 'random worlds', fault: uniform.fault };
    if (guided) found ??= { by: 'guided worlds', fault: guided.fault };
  }
  if (found) return { lives, ...found };
  const byLanes = await huntByLanes();
  if (byLanes !== undefined) return { lives, by: 'worlds of a lane', fault: byLanes };
  const byCuts = await huntByCuts();
  if (byCuts !== undefined) return { lives, by: 'cuts of one job', fault: byCuts };
  const byPaths = await huntByPaths();
  if (byPaths !== undefined) return { lives, by: 'ways to the truth', fault: byPaths };
  const bySteps = await huntBySteps();
  if (bySteps !== undefined) return { lives, by: 'a payout in two steps', fault: bySteps };
  const byRestores = await huntByRestores();
  return byRestores === undefined ? { lives } : { lives, by: 'worlds whose ledger was restored', fault: byRestores };
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(await hunted());
