// npm run bugs -- --seed N, or --edit FILE: bugs drawn by chance, planted one by one into a copy of the repository and met by
// the short tests that reach them, then by simulated worlds. Prints for each what found it, and which survived.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copyOfRepository } from './copy.ts';
import { drawn, type Edit, editsOf, planted } from './edits.ts';
import { reachOf } from './reach.ts';

/** What is asked of a run. */
export interface Hunt {
  /** Any text; a commit's hash is one. */
  readonly seed: string;
  /** Unified diffs, as `git diff` prints them: a bug each. */
  readonly edits: readonly string[];
  /** How many are drawn. */
  readonly count: number;
  /** Files and folders that they are drawn from; none: what ships in the functions. */
  readonly from: readonly string[];
  /** Simulated worlds for what the tests do not find; 0 leaves the simulation out. */
  readonly worlds: number;
  /** No further bug is begun after this. */
  readonly minutes: number;
}

/** The share that must be found. */
const leastFound = 0.95;
/** The nearest tests first: most bugs are found there, and the rest need not be loaded. */
const nearest = [8, 40, Infinity];

/** A bug, and how it comes into a copy and out of it again. */
interface Bug {
  readonly name: string;
  readonly files: readonly string[];
  plant(): void;
  takeOut(): void;
}

/** The texts of a file without the bug and with it; none where there is no such file. */
interface Change {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

function bugOf(name: string, folder: string, changes: readonly Change[]): Bug {
  const puts = (side: 'before' | 'after') => () => {
    for (const { file, [side]: text } of changes) {
      if (text === undefined) rmSync(join(folder, file), { force: true });
      else writeFileSync(join(folder, file), text);
    }
  };
  return { name, files: changes.map(({ file }) => file), plant: puts('after'), takeOut: puts('before') };
}

const root = resolve(import.meta.dirname, '../..');
const write = (line: string) => void process.stdout.write(`${line}\n`);
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });

/** Exit code: 0 where nineteen of twenty were found, 1 where not, 2 where it can't be tried. */
export async function huntDrawn(hunt: Hunt): Promise<number> {
  const absent = [...hunt.from, ...hunt.edits].filter((it) => !existsSync(join(root, it)) && !existsSync(it));
  if (absent.length > 0) {
    write(`no such file: ${absent.join(', ')}`);
    return 2;
  }
  const copy = copyOfRepository(root);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      copy.remove();
      write(`Stopped (${signal}). No file of yours was touched.`);
      process.exit(signal === 'SIGINT' ? 130 : 143);
    });
  try {
    return await hunted(hunt, copy);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    write(error.message);
    return 2;
  } finally {
    copy.remove();
  }
}

class Unusable extends Error {}

async function hunted(hunt: Hunt, copy: ReturnType<typeof copyOfRepository>): Promise<number> {
  const endsMs = performance.now() + hunt.minutes * 60_000;
  const reach = reachOf(root);
  const bugs = bugsOf(hunt, reach, copy);
  if (!(await copy.compiles())) throw new Unusable('The compiler refuses the repository as it is: npm run check:types');
  const atMost = hunt.edits.length > 0 ? hunt.edits.length : hunt.count;
  /** Tests that fail with nothing planted find nothing. */
  const sound = new Map<string, boolean>();
  const isSound = async (test: string) => {
    if (!sound.has(test)) sound.set(test, (await copy.failing([test])) === undefined);
    return sound.get(test) === true;
  };
  let [found, refused] = [0, 0];
  const survivors: string[] = [];
  for (const bug of bugs) {
    if (found + survivors.length >= atMost || performance.now() > endsMs) break;
    bug.plant();
    if (!(await copy.compiles())) {
      bug.takeOut();
      refused += 1;
      if (hunt.edits.length > 0) write(`refused by the compiler or a rule of the house: ${bug.name}`);
      continue;
    }
    const by = (await foundByTests(bug)) ?? (hunt.worlds > 0 ? await copy.brokenPromise(hunt.worlds) : undefined);
    bug.takeOut();
    if (by === undefined) survivors.push(bug.name);
    else found += 1;
    write(`${by === undefined ? 'SURVIVED' : 'found'}  ${bug.name}${by === undefined ? '' : `\n       by ${by}`}`);
  }
  const tried = found + survivors.length;
  if (tried === 0) {
    write(`No bug was tried (${refused} were refused by the compiler or a rule of the house).`);
    return hunt.edits.length > 0 && refused === hunt.edits.length ? 0 : 2;
  }
  const share = found / tried;
  write(
    `${found} of ${tried} found (${(100 * share).toFixed(1)} %); ${refused} others are refused by the compiler or a rule of the house.`,
  );
  if (hunt.edits.length === 0) write(`Seed ${hunt.seed}.`);
  for (const it of survivors) write(`survived: ${it}`);
  return share >= leastFound ? 0 : 1;

  async function foundByTests(bug: Bug): Promise<string | undefined> {
    let left = reach.testsOf(bug.files);
    for (const atOnce of nearest) {
      const [these, others] = [left.slice(0, atOnce), left.slice(atOnce)];
      left = others;
      let trusted = these.filter((it) => sound.get(it) !== false);
      while (trusted.length > 0) {
        const failure = await copy.failing(trusted);
        if (!failure) break;
        bug.takeOut();
        // Nor do tests find anything by taking too long on a machine on which they do without the bug.
        if (failure.file === '') {
          if ((await copy.failing(trusted)) === undefined) return failure.title;
          bug.plant();
          break;
        }
        const counts = await isSound(failure.file);
        if (counts) return `${failure.file}: ${failure.title}`;
        bug.plant();
        trusted = trusted.filter((it) => it !== failure.file);
      }
    }
    return undefined;
  }
}

/** Given ones are read at once: one that can't be applied is said before anything is tried. */
function bugsOf(hunt: Hunt, reach: ReturnType<typeof reachOf>, copy: ReturnType<typeof copyOfRepository>) {
  if (hunt.edits.length > 0) return hunt.edits.map((it) => givenBug(resolve(it), copy));
  return drawnBugs(hunt, reach, copy.folder);
}

function* drawnBugs(hunt: Hunt, reach: ReturnType<typeof reachOf>, folder: string) {
  for (const it of drawn(candidates(hunt, reach), hunt.seed)) yield drawnBug(it, folder);
}

function drawnBug(edit: Edit, folder: string): Bug {
  const source = readFileSync(join(folder, edit.file), 'utf8');
  const line = source.slice(0, edit.start).split('\n').length;
  const shown = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 100) || '(nothing)';
  const name = `${edit.file}:${line} ${edit.kind}: ${shown(source.slice(edit.start, edit.end))} → ${shown(edit.text)}`;
  return bugOf(name, folder, [{ file: edit.file, before: source, after: planted(source, edit) }]);
}

function givenBug(diff: string, copy: ReturnType<typeof copyOfRepository>): Bug {
  const apply = (...how: string[]) => copy.git('apply', '--recount', '--unidiff-zero', ...how, diff);
  const textOf = (file: string) => {
    const path = join(copy.folder, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  try {
    const files = apply('--numstat').trim().split('\n');
    const before = files.map((it) => it.split('\t')[2] ?? '').map((file) => ({ file, before: textOf(file) }));
    apply();
    const bug = bugOf(
      diff,
      copy.folder,
      before.map((it) => ({ ...it, after: textOf(it.file) })),
    );
    bug.takeOut();
    return bug;
  } catch (error) {
    throw new Unusable(
      `${diff} can't be applied; give it as git diff prints it. ${String((error as Error).message).trim()}`,
    );
  }
}

function candidates({ from }: Hunt, reach: ReturnType<typeof reachOf>): readonly Edit[] {
  const named = from.flatMap((it) =>
    statSync(join(root, it)).isDirectory() ? git('ls-files', it).trim().split('\n') : [it.replace(/^\.\//, '')],
  );
  return (from.length > 0 ? named : reach.shipped())
    .filter((file) => /^(lib|functions)\/.*\.ts$/.test(file) && !file.endsWith('.d.ts'))
    .flatMap((file) => editsOf(file, readFileSync(join(root, file), 'utf8')));
}
