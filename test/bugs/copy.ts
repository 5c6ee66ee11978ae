// A copy of the repository that bugs are planted into, and what its tests and its simulation say of each.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { floatingPromises } from '../support/floating-promises.ts';
import { walkKinds } from './planted.ts';
import { walked } from './walks.ts';
import type { Walks } from './walks-thread.ts';

/** CPU seconds of one process of a run: the whole short proof takes less, so what takes more goes round for ever. */
const cpuSecondsAtMost = 240;
/** Of the wall clock, for what neither works nor ends. */
const waitsAtMostMs = 900_000;
/** CPU seconds of the simulated worlds: they take less than half of it. */
const worldsCpuSecondsAtMost = 900;

/** The tests that failed first, by file and title. */
export interface Failure {
  readonly file: string;
  readonly title: string;
}

const isFailed = ({ status }: { readonly status: string }) => status === 'failed';

/** The copy holds what git would: the files as they are now, without what is ignored. */
export function copyOfRepository(root: string) {
  const folder = mkdtempSync(join(tmpdir(), 'bugs-'));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const files = git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
  for (const file of files.filter((it) => it !== '' && existsSync(join(root, it)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  /** Of the copy alone: a folder in a repository would take its git for its own. */
  execFileSync('git', ['init', '-q'], { cwd: folder });

  const runs = (command: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    new Promise<{ readonly code: number | null; readonly said: string }>((resolve) => {
      const shell = ['-c', `ulimit -t ${cpuSecondsAtMost}; exec "$@"`, 'bash', ...command];
      const child = spawn('bash', shell, { cwd: folder, env: { ...process.env, ...env }, timeout: waitsAtMostMs });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void (said += chunk));
      child.on('close', (code) => resolve({ code, said }));
    });

  return {
    folder,
    git: (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
    /** A bug that the compiler or a rule of the house refuses can't be landed; unused names are no reason. */
    compiles: async (): Promise<boolean> => {
      const shipped = ['lib', 'functions'].flatMap((it) => globSync(`${it}/**/*.ts`, { cwd: folder }));
      const sources = shipped.map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
      if (floatingPromises(sources).length > 0) return false;
      const tsc = ['node_modules/.bin/tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', '.types'];
      return (await runs([...tsc, '--noUnusedLocals', 'false', '--noUnusedParameters', 'false'])).code === 0;
    },
    /** The first test of these that fails; undefined where all pass. */
    failing: async (tests: readonly string[]): Promise<Failure | undefined> => {
      const report = join(folder, '.report.json');
      rmSync(report, { force: true });
      const vitest = [
        process.execPath,
        'node_modules/vitest/vitest.mjs',
        'run',
        '--config',
        'test/bugs/vitest.config.ts',
      ];
      const { code, said } = await runs([...vitest, '--reporter=json', `--outputFile=${report}`], {
        BUG_TESTS: tests.join(' '),
      });
      if (code === 0) return undefined;
      if (!existsSync(report)) return { file: '', title: `the tests did not end: ${said.trim().slice(-300)}` };
      const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
        readonly testResults: readonly {
          readonly name: string;
          readonly status: string;
          readonly message: string;
          readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
        }[];
      };
      const failedIn = (it: (typeof testResults)[number]) =>
        it.assertionResults.find(({ status }) => status === 'failed')?.fullName;
      // Files that were under way when the first test failed are called failed too.
      const failed = testResults.find((it) => failedIn(it) !== undefined) ?? testResults.find(isFailed);
      const title = failed && (failedIn(failed) ?? failed.message.split('\n', 1)[0]);
      return { file: failed?.name.slice(folder.length + 1) ?? '', title: title || 'an error outside of all tests' };
    },
    /** The promise that breaks in simulated worlds. */
    brokenPromise: async (worlds: number): Promise<string | undefined> => {
      const walks: Walks = { edits: [], kinds: walkKinds, worlds, most: 0 };
      try {
        const end = await walked(walks, { root: folder, cpuSeconds: worldsCpuSecondsAtMost });
        if (!end) return 'the worlds did not end';
        return end.fault === undefined ? undefined : `${end.by ?? 'worlds'}: ${end.fault}`;
      } catch (error) {
        return `the worlds fell apart: ${String(error)}`;
      }
    },
  };
}
