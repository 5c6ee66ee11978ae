// `npm run package`: runs the packager of serverless.yml, osls, as `npm run deploy` (deploy.ts) does. It is a hundred megabytes that paying
// jobs does not need, so it is a package of its own (infra/osls), installed at first use into .local (ignored by git).
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readParameters, readStageFile, remembered, stageOf } from './arguments.ts';
import { writeInventory } from './inventory.ts';
import { unheard } from './subscriber.ts';

const root = join(import.meta.dirname, '..');
const pins = ['package.json', 'package-lock.json', '.npmrc'];

/** Where `npm run package` leaves the template, the zips and what they are made of, relative to the repository. */
const packageDirectory = '.build/package';

/** The registry could not be asked for the packager. */
export class PackagerMissing extends Error {}

/** Installs osls where it is not yet. Two at once do no harm: each installs aside, and one rename wins. */
async function installed(): Promise<string> {
  const hash = createHash('sha256');
  for (const pin of pins) hash.update(readFileSync(join(import.meta.dirname, 'osls', pin)));
  const directory = join(root, `.local/osls-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(directory)) return directory;
  const aside = `${directory}.${process.pid}`;
  await mkdir(aside, { recursive: true });
  for (const pin of pins) await copyFile(join(import.meta.dirname, 'osls', pin), join(aside, pin));
  process.stderr.write('installing osls, once\n');
  const { code, output } = await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: aside, quiet: true });
  if (code !== 0) {
    await rm(aside, { recursive: true, force: true });
    throw new PackagerMissing(`npm could not install osls: ${output.trim().split('\n').pop()}`);
  }
  await rename(aside, directory).catch(() => rm(aside, { recursive: true, force: true }));
  return directory;
}

/** How osls is run. */
export interface PackagerOptions {
  /** Where serverless.yml is; default the repository. */
  readonly serviceDirectory?: string;
  /** Keeps what it says for the answer instead of printing it. */
  readonly quiet?: boolean;
  /** Beside this process's own. */
  readonly environment?: Readonly<Record<string, string>>;
}

interface Ended {
  readonly code: number;
  readonly output: string;
}

/**
 * Packages into a directory, offline and reproducibly: the same input gives the same template and zips, to the byte. The
 * time that the framework would put into the template is that of SOURCE_DATE_EPOCH, by default a fixed one. Throws
 * {@link PackagerMissing} where osls is not installed and can't be.
 */
export function packageStack(args: readonly string[], directory: string, options: PackagerOptions = {}) {
  const epoch = { SOURCE_DATE_EPOCH: process.env['SOURCE_DATE_EPOCH'] ?? '1767225600' };
  const environment = { ...epoch, ...options.environment };
  return runPackager(['package', ...args, '--package', directory], { ...options, environment });
}

/** Runs osls with these arguments, `deploy` among them. Throws as {@link packageStack} does. */
export async function runPackager(args: readonly string[], options: PackagerOptions = {}): Promise<Ended> {
  const { serviceDirectory: cwd = root, quiet = false, environment = {} } = options;
  const entry = join(await installed(), 'node_modules/osls/bin/serverless.js');
  return run(process.execPath, [entry, ...args], { cwd, quiet, environment });
}

async function run(
  program: string,
  args: readonly string[],
  { cwd, quiet, environment = {} }: { cwd: string; quiet: boolean; environment?: Readonly<Record<string, string>> },
): Promise<Ended> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['inherit', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)));
  const [code] = await once(child, 'close');
  return { code: typeof code === 'number' ? code : 1, output: output.join('') };
}

async function main([command = 'package', ...given]: readonly string[]): Promise<number> {
  if (command !== 'package') return (await runPackager([command, ...given])).code;
  const known = readParameters();
  const args = remembered(given, readStageFile(stageOf(given)), known);
  const deaf = unheard(args, known);
  if (deaf !== undefined) {
    process.stderr.write(`${deaf}\n`);
    return 1;
  }
  const { code } = await packageStack(args, packageDirectory);
  if (code !== 0) return code;
  await writeInventory(join(root, packageDirectory));
  await tellHashes();
  return 0;
}

/** What was made, so that two who packaged the same commit can compare. */
async function tellHashes(): Promise<void> {
  const files = await readdir(join(root, packageDirectory));
  for (const file of files.filter((it) => /update-stack\.json$|\.zip$/.test(it)).toSorted()) {
    const hash = createHash('sha256').update(await readFile(join(root, packageDirectory, file)));
    process.stdout.write(`${hash.digest('hex')}  ${packageDirectory}/${file}\n`);
  }
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
