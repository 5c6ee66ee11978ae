// Who imports whom, read from the sources: which files ship in a function, and which tests meet a file, the nearest first.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { parseSync } from 'oxc-parser';
import { longOnly } from '../vitest.config.ts';

/** Files that this one imports for their code, by their paths in the repository. */
function importsOf(root: string, file: string): readonly string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(
    file,
    readFileSync(join(root, file), 'utf8'),
  ).module;
  const source = readFileSync(join(root, file), 'utf8');
  const named = [
    ...staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => source.slice(start + 1, end - 1)),
  ];
  return named
    .filter((it) => it.startsWith('.'))
    .map((it) => join(dirname(file), it))
    .filter((it) => existsSync(join(root, it)) && it.endsWith('.ts'));
}

/** What the sources of this repository reach. */
export function reachOf(root: string) {
  const files = ['functions/*.ts', 'lib/**/*.ts', 'infra/*.ts', 'test/**/*.ts'].flatMap((it) =>
    globSync(it, { cwd: root }),
  );
  const imported = new Map(files.map((file) => [file, importsOf(root, file)]));
  const importers = new Map<string, string[]>();
  for (const [file, others] of imported)
    for (const other of others) importers.set(other, [...(importers.get(other) ?? []), file]);
  const isShort = (file: string) => file.endsWith('.test.ts') && !longOnly.some((it) => matchesGlob(file, it));
  return {
    /** What is bundled into the functions. */
    shipped: () => [...distances(globSync('functions/*.ts', { cwd: root }), imported).keys()].toSorted(),
    /** Tests of the short proof that reach any of these files, those with the fewest imports between first. */
    testsOf: (changed: readonly string[]): readonly string[] => {
      const mirrors = new Set(changed.map((it) => it.replace(/^(lib\/)?/, 'test/').replace(/\.ts$/, '.test.ts')));
      return [...distances(changed, importers)]
        .filter(([file]) => isShort(file) && !leftOut.has(file))
        .toSorted(
          ([a, near], [b, far]) => Number(mirrors.has(b)) - Number(mirrors.has(a)) || near - far || (a < b ? -1 : 1),
        )
        .map(([file]) => file);
    },
  };
}

/** They judge the text of the sources, or plant bugs themselves. */
const leftOut: ReadonlySet<string> = new Set([
  'test/house-rules.test.ts',
  'test/bugs/listed.test.ts',
  'test/bugs/bugs.test.ts',
]);

/** Steps from any of these to each file that they lead to. */
function distances(from: readonly string[], next: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, number> {
  const steps = new Map(from.map((file) => [file, 0]));
  for (const [file, step] of steps)
    for (const other of next.get(file) ?? []) if (!steps.has(other)) steps.set(other, step + 1);
  return steps;
}
