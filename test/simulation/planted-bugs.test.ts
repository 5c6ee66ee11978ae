// The prover is proved: each planted bug is found, by the same walks that the worker as it is passes (exhaustive.test.ts
// and random.test.ts). A few of them here; `npm run bugs` hunts all.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { lengthOf } from '../support/long-proof.ts';
import { handmadeBugs, plantedBugs } from './planted-bugs.ts';
import type { PlantedBug } from './planted-steps.ts';

afterEach(() => {
  vi.resetModules();
});

const othersFound = [
  'a result bears another revision when it goes out again',
  'the key of a CVV is read where it should be taken',
  'a worker does not ask whether its ledger was restored',
];
/** Each takes a minute to be found. */
const lateFound = [
  'whoever comes to a closed lane is a probe, whether one is under way or not',
  "each worker takes its own clock for the lanes' time, and sets right what lies ahead of it",
  'an inquiry whose connection was reset is taken for a denial',
];

/** The bugs that each kind of walk finds soonest. */
const soonFound: ReadonlySet<string> = new Set([
  'the first claim is written without its condition',
  'a reset is counted as not sent',
  'an order of a newer version is taken for none',
  ...lengthOf<readonly string[]>({ short: [], long: othersFound, whole: [...othersFound, ...lateFound] }),
]);

/** The bugs that are known to be found, with their walks; `npm run bugs` hunts all. */
const known = handmadeBugs.filter(({ foundBy }) => foundBy !== 'any walk');

describe('the prover finds', () => {
  it.each(known.filter(({ name }) => soonFound.has(name)))('$name', { timeout: 400_000 }, async (bug) => {
    expect(await promiseBrokenBy(bug)).toMatch(bug.breaks);
  });
});

it('each replaces something that its module has: a step that moved elsewhere would plant nothing', async () => {
  const all = handmadeBugs.flatMap(({ name, steps = [] }) => steps.map((step) => ({ name, step })));
  const planted = await Promise.all(
    all.map(async ({ name, step: { module, replace } }) => {
      const honest = (await vi.importActual(module)) as never;
      return { name, missing: Object.keys(replace(honest)).filter((it) => !(it in (honest as object))) };
    }),
  );
  expect(planted.filter(({ missing }) => missing.length > 0)).toEqual([]);
});

it('there are at least a hundred of them, each with a name of its own', () => {
  expect(known.filter(({ name }) => soonFound.has(name))).toHaveLength(soonFound.size);
  expect(new Set(plantedBugs.map(({ name }) => name)).size).toBe(plantedBugs.length);
  expect(plantedBugs.length).toBeGreaterThanOrEqual(100);
});

/** Plants the bug into fresh copies of the worker's modules and walks until a promise is broken. */
async function promiseBrokenBy({ steps = [], sabotage, foundBy }: PlantedBug): Promise<string | undefined> {
  vi.resetModules();
  for (const { module, replace } of steps) {
    vi.doMock(module, async (importHonest) => {
      const honest = await importHonest<never>();
      return { ...(honest as object), ...replace(honest) };
    });
  }
  try {
    const walks = {
      cuts: brokenByCuts,
      paths: brokenByPaths,
      seeds: brokenBySeeds,
      lanes: brokenByLanes,
      restores: brokenByRestores,
    };
    return foundBy === 'any walk' ? undefined : await walks[foundBy](sabotage);
  } finally {
    for (const { module } of steps) vi.doUnmock(module);
  }
}

async function brokenByCuts(sabotage: PlantedBug['sabotage']): Promise<string | undefined> {
  const { everyMood, everyScenario, everyScenarioOfARelease, walk } = await import('./exhaustive.ts');
  const undisturbed = await walk([...everyScenarioOfARelease(), ...everyMood()], 'undisturbed', { sabotage });
  if (undisturbed.broken) return undisturbed.broken.fault;
  return (await walk(everyScenario('payout'), 'pairs of cuts', { sabotage })).broken?.fault;
}

async function brokenByPaths(sabotage: PlantedBug['sabotage']): Promise<string | undefined> {
  const { everyPath, walkPath } = await import('./settlement-paths.ts');
  for (const path of everyPath) {
    const { fault } = await walkPath(path, { pairStride: Infinity, sabotage });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

async function brokenByLanes(sabotage: PlantedBug['sabotage']): Promise<string | undefined> {
  const { runLaneSeed } = await import('./lane-world.ts');
  for (let seed = 1; seed <= 240; seed += 1) {
    const { fault } = await runLaneSeed(seed, { sabotage });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

async function brokenByRestores(): Promise<string | undefined> {
  const { runRestore } = await import('./restore.ts');
  for (let seed = 1; seed <= 60; seed += 1) {
    const { fault } = await runRestore(seed, { jobs: 24 });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

async function brokenBySeeds(sabotage: PlantedBug['sabotage']): Promise<string | undefined> {
  const { runSeed } = await import('./random-world.ts');
  for (let seed = 1; seed <= 2_000; seed += 1) {
    const { fault } = await runSeed(seed, { jobs: 20, sabotage });
    if (fault !== undefined) return fault;
  }
  return undefined;
}
