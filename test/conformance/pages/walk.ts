// A page as somebody follows it: its commands, word for word, in one plain shell, and how each of them ended.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleFunction, functionNames } from '../../../infra/bundle.ts';

/** One command that was run. */
interface Walked {
  readonly words: string;
  readonly code: number | null;
  readonly stderr: string;
}

/** How a page went. */
export interface PageEnd {
  /** Of the last command. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly commands: readonly Walked[];
}

/** Where a page is followed. */
export interface WalkingPlace {
  readonly directory: string;
  /** Beside PATH and HOME, nothing else of this process. */
  readonly env: Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, '../../..');

/** A directory as a fresh clone, and a PATH on which the programs of the pages are those of the walk. */
export async function prepareWalk(directory: string, awsCli: string): Promise<Record<string, string>> {
  const programs = join(directory, '.programs');
  await mkdir(programs, { recursive: true });
  for (const name of ['node_modules', 'lib', 'functions']) await symlink(join(root, name), join(directory, name));
  // A page may edit the stage's file.
  for (const name of ['package.json', 'serverless.yml', 'infra'])
    await cp(join(root, name), join(directory, name), { recursive: true });
  for (const name of functionNames()) await bundleFunction(name, join(directory, 'dist'));
  for (const name of ['aws', 'node', 'npm', 'git']) {
    const file = join(programs, name);
    const script = join(root, 'test/conformance/pages/programs.ts');
    await writeFile(file, `#!/bin/sh\nexec '${process.execPath}' '${script}' ${name} "$@"\n`);
    await chmod(file, 0o755);
  }
  return { PATH: `${programs}:${process.env['PATH'] ?? ''}`, WALKED_AWS: awsCli };
}

/** Runs a script in a plain shell to its end. A command that fails stops nothing; a name without a value does. */
export async function follow(script: string, { directory, env }: WalkingPlace): Promise<PageEnd> {
  const log = join(directory, `.walked-${process.hrtime.bigint()}`);
  await writeFile(log, '');
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('sh', ['-uc', script], {
    cwd: directory,
    // To the command line a profile without a name is one that is not there.
    env: { PATH, HOME, ...env, AWS_PROFILE: undefined, AWS_SESSION_TOKEN: undefined, WALKED_LOG: log },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
  return { code, stdout, stderr, commands: lines.map((line) => JSON.parse(line) as Walked) };
}

/** The commands of a page in their order: its blocks, and (unless these alone) those that stand whole in its sentences. */
export function commandsOf(text: string, which: 'all' | 'blocks' = 'all'): readonly string[] {
  const pieces = text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$|`((?:node .|aws|npm run) [^`…]+)`/gm);
  return [...pieces]
    .filter(([, , block]) => block !== undefined || which === 'all')
    .map(([, , block, inline = '']) => (block ?? inline.replaceAll('\n', ' ')).trim());
}
