// `npm run package`: runs the packager of serverless.yml, osls, and leaves the parts of a release. It is a hundred megabytes that paying
// jobs does not need, so it is a package of its own (infra/osls), installed at first use into .local (ignored by git).
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { writeInventory } from './inventory.ts';
import { commitOf } from './template.ts';

const root = join(import.meta.dirname, '..');
const pins = ['package.json', 'package-lock.json', '.npmrc'];

/** The directory of the template, the zips and the inventory, relative to the repository. */
const packageDirectory = '.build/package';
/** The template in a package. */
export const templateFile = 'template.json';
/** The stack's policy in a package. */
export const stackPolicyFile = 'stack-policy.json';
const checksums = 'SHA256SUMS';

/** The registry could not be asked for the packager. */
export class PackagerMissing extends Error {}

/** Installs osls where it is missing. Two at once do no harm: each installs aside, and one rename wins. */
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

/** The options of osls. */
export interface PackagerOptions {
  /** The directory of serverless.yml; default the repository. */
  readonly serviceDirectory?: string;
  /** Returns its output instead of printing it. */
  readonly quiet?: boolean;
  /** Added to this process's own. */
  readonly environment?: Readonly<Record<string, string>>;
}

interface Ended {
  readonly code: number;
  readonly output: string;
}

/**
 * Packages into a directory, offline and reproducibly: the same input gives the same bytes. The directory then holds template.json, which
 * serves every stage, a zip per function, and its source maps. Throws {@link PackagerMissing} where osls is not installed and
 * can't be, and with its own message where it refuses.
 */
export async function packageStack(directory: string, options: PackagerOptions = {}): Promise<void> {
  const at = resolve(options.serviceDirectory ?? root, directory);
  await rm(at, { recursive: true, force: true });
  const { code, output } = await runPackager(['package', '--package', directory], options);
  if (code !== 0) throw new Error(output);
  const compiled = JSON.parse(await readFile(join(at, 'cloudformation-template-update-stack.json'), 'utf8')) as object;
  await writeFile(join(at, templateFile), `${JSON.stringify(compiled)}\n`);
  for (const it of ['cloudformation-template-update-stack', 'cloudformation-template-create-stack', 'serverless-state'])
    await rm(join(at, `${it}.json`), { force: true });
  await copyFile(join(import.meta.dirname, stackPolicyFile), join(at, stackPolicyFile));
}

/** Runs osls with these arguments. Throws as {@link packageStack} does. */
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
  if (given.length > 0)
    throw new Error('one package serves every stage: what a stage chooses is said to `npm run deploy`');
  await packageStack(packageDirectory, { quiet: true });
  const directory = join(root, packageDirectory);
  await writeInventory(directory);
  await writeFile(join(directory, 'commit.txt'), `${commitOf()}\n`);
  await copyFile(join(import.meta.dirname, 'deploy.sh'), join(directory, 'deploy.sh'));
  await writeChecksums(directory);
  return 0;
}

/** The checksums of the package, so that two who packaged the same commit can compare, and its deployer knows that it came whole. */
async function writeChecksums(directory: string): Promise<void> {
  const files = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((it) => it.isFile());
  const names = files.map((it) => relative(directory, join(it.parentPath, it.name))).filter((it) => it !== checksums);
  const lines = names.toSorted().map((it) => {
    const hash = createHash('sha256').update(readFileSync(join(directory, it)));
    return `${hash.digest('hex')}  ${it}\n`;
  });
  await writeFile(join(directory, checksums), lines.join(''));
  process.stdout.write(lines.filter((it) => /(template\.json|\.zip)$/.test(it.trim())).join(''));
}

if (import.meta.main) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
