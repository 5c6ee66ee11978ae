// The sources of functions/ and lib/ as text: the imports of each, and the files that each reaches.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const root = `${import.meta.dirname}/../..`;

/** One import or re-export. */
export interface Import {
  readonly from: string;
  readonly typeOnly: boolean;
}

/** One file, its path relative to the repository. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  /** Without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

/** The files below a folder with one of these endings, sorted. */
export const filesBelow = (folder: string, ...endings: string[]): string[] =>
  readdirSync(`${root}/${folder}`, { recursive: true })
    .map((name) => `${folder}/${name.toString()}`)
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .toSorted();

/** Reads one file. */
export function sourceOf(path: string): Source {
  const text = readFileSync(`${root}/${path}`, 'utf8');
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');
  const statements = code.matchAll(/^(?:import|export)(?<type> type)? (?:[^;']*? from )?'(?<from>[^']+)'/gm);
  const dynamic = code.matchAll(/\bimport\('(?<from>[^']+)'\)/g);
  const imports = [...statements, ...dynamic].map(({ groups }) => ({
    from: targetOf(path, groups?.['from'] ?? ''),
    typeOnly: groups?.['type'] !== undefined,
  }));
  return { path, text, lines: text.trimEnd().split('\n'), code, imports };
}

function targetOf(path: string, from: string): string {
  return from.startsWith('.') ? normalize(join(dirname(path), from)) : from;
}

/** All of functions/ and lib/. */
export const sources: readonly Source[] = [...filesBelow('functions', '.ts'), ...filesBelow('lib', '.ts')].map(
  sourceOf,
);

/** The same by path. */
export const byPath: ReadonlyMap<string, Source> = new Map(sources.map((source) => [source.path, source]));

/** The functions' files. */
export const functionFiles = filesBelow('functions', '.ts');

/** All files reached by imports, those of types included: what a reader may have to know. */
export function reachableFrom(entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { from } of byPath.get(path)?.imports ?? []) if (byPath.has(from)) visit(from);
  };
  for (const entry of entries) visit(entry);
  return reached;
}

/** `functions`, or the folder of lib/ that holds the file. */
export const roomOf = (path: string): string =>
  path.startsWith('functions/') ? 'functions' : (path.split('/')[1] ?? '');
