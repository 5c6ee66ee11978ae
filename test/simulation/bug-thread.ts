// One bug, planted into a copy of the worker's modules that lives in this thread alone, and hunted by all walks.
import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { type BugHunt, type BugReport, type LivesLived, nothingPlanted } from './bug-hunt.ts';
import { plantedBugs } from './planted-bugs.ts';
import { installStandIns } from './stand-ins.ts';

const { name, worlds, jobs, bases, most } = workerData as BugHunt;
/** Plants nothing where no bug has the name: then nothing may be found. */
const { steps = [], sabotage, foundBy = 'any walk' } = plantedBugs.find((it) => it.name === name) ?? {};

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

/** The seeds of one base are so far from those of the next. */
const seedsPerBase = 100_000;

/** The lives until one broke a promise, and the promise. */
interface Found {
  readonly lives: number;
  readonly fault: string;
}

async function huntByWorlds(base: number, isGuided: boolean, [from, to]: readonly [number, number]) {
  const guide = createCoverage();
  let lives = (from - 1) * jobs;
  for (let world = from; world <= to; world += 1) {
    const seed = base * seedsPerBase + world;
    const report = await runSeed(seed, { jobs, sabotage, ...(isGuided && { guide }) }).catch((error: unknown) => ({
      lives: jobs,
      fault: `the world fell apart: ${String(error)}`,
    }));
    lives += report.lives;
    if (report.fault !== undefined) return { lives, fault: report.fault };
  }
  return undefined;
}

async function huntByLanes(): Promise<Found | undefined> {
  const { runLaneSeed } = await load<typeof import('./lane-world.ts')>('./lane-world.ts');
  let lives = 0;
  for (let seed = 1; seed <= 2 * worlds; seed += 1) {
    const report = await runLaneSeed(seed, { sabotage });
    lives += report.lives;
    if (report.fault !== undefined) return { lives, fault: report.fault };
  }
  return undefined;
}

async function huntByCuts(): Promise<Found | undefined> {
  const { everyMood, everyScenario, everyScenarioOfARelease, walk } =
    await load<typeof import('./exhaustive.ts')>('./exhaustive.ts');
  const undisturbed = await walk([...everyScenarioOfARelease(), ...everyMood()], 'undisturbed', { sabotage });
  if (undisturbed.broken) return { lives: undisturbed.schedules, fault: undisturbed.broken.fault };
  const { schedules, broken } = await walk(everyScenario('payout'), 'single cuts', { sabotage });
  return broken && { lives: undisturbed.schedules + schedules, fault: broken.fault };
}

async function huntByPaths(): Promise<Found | undefined> {
  const { everyPath, runPath, stubbornPaths, walkPath } =
    await load<typeof import('./settlement-paths.ts')>('./settlement-paths.ts');
  let lives = 0;
  for (const path of stubbornPaths) {
    const { fault } = await runPath(path, [], { sabotage });
    lives += 1;
    if (fault !== undefined) return { lives, fault };
  }
  for (const path of everyPath) {
    const { fault, schedules } = await walkPath(path, { pairStride: Infinity, sabotage });
    lives += schedules;
    if (fault !== undefined) return { lives, fault };
  }
  return undefined;
}

async function huntByRestores(): Promise<Found | undefined> {
  const { runRestore } = await load<typeof import('./restore.ts')>('./restore.ts');
  let lives = 0;
  for (let seed = 1; seed <= worlds; seed += 1) {
    const report = await runRestore(seed, { jobs });
    lives += jobs;
    if (report.fault !== undefined) return { lives, fault: report.fault };
  }
  return undefined;
}

/** The walks beside random worlds, the one that is known to find the bug first. */
const otherWalks = [
  { kind: 'lanes', by: 'worlds of a lane', hunt: huntByLanes },
  { kind: 'cuts', by: 'cuts of one job', hunt: huntByCuts },
  { kind: 'paths', by: 'ways to the truth', hunt: huntByPaths },
  { kind: 'restores', by: 'worlds whose ledger was restored', hunt: huntByRestores },
].toSorted((a, b) => Number(b.kind === foundBy) - Number(a.kind === foundBy));
/** Worlds other than the random ones, which have no lanes that close. */
const isOfOtherWorlds = foundBy === 'lanes';

async function hunted(): Promise<BugReport> {
  const lives: LivesLived[] = [];
  let found: (Found & { readonly by: string }) | undefined;
  const basesWalked = isOfOtherWorlds ? 0 : bases;
  for (let base = 0; base < basesWalked; base += 1) {
    const uniform = await huntByWorlds(base, false, [1, worlds]);
    const guided = await huntByWorlds(base, true, [1, worlds]);
    lives.push({ ...(uniform && { uniform: uniform.lives }), ...(guided && { guided: guided.lives }) });
    if (uniform) found ??= { by: 'random worlds', ...uniform };
    if (guided) found ??= { by: 'guided worlds', ...guided };
  }
  for (const { by, hunt } of otherWalks) {
    if (found) break;
    const other = await hunt();
    if (other) found = { by, ...other };
  }
  if (!found && name !== nothingPlanted) {
    const late = await huntByWorlds(0, false, [worlds + 1, most]);
    if (late) found = { by: 'random worlds', ...late };
  }
  return found ? { lives, by: found.by, after: found.lives, fault: found.fault } : { lives };
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(await hunted());
