// Tools that the main install does not bring, each pinned by files of this repository, fetched once by its own package
// client into .local/conformance (ignored by git). What cannot be had here is a sentence, not a failure.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';

/** Something to be installed. */
export interface Tool {
  readonly name: string;
  /** Programs that must be on the PATH. */
  readonly needs: readonly string[];
  /** Files that decide what is installed; a changed one makes a new directory. */
  readonly pins: readonly string[];
  /** Fills the empty directory. */
  install(directory: string): Promise<void>;
}

/** Where a tool is, or why it can't be used on this machine. */
type Availability =
  | { readonly kind: 'ready'; readonly directory: string }
  | { readonly kind: 'missing'; readonly reason: string };

const cache = join(import.meta.dirname, '../../../.local/conformance');
const installTimeoutMs = 600_000;

/** Finds or installs a tool. Never rejects. */
export async function available(tool: Tool): Promise<Availability> {
  const absent = tool.needs.filter((program) => !directoriesOnPath().some((it) => existsSync(join(it, program))));
  if (absent.length > 0) return missing(tool, `not on the PATH: ${absent.join(', ')}`);
  const slug = tool.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const directory = join(cache, `${slug}-${fingerprintOf(tool)}`);
  const complete = join(directory, '.complete');
  if (existsSync(complete)) return { kind: 'ready', directory };
  try {
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true });
    await tool.install(directory);
    await writeFile(complete, '');
    return { kind: 'ready', directory };
  } catch (error) {
    return missing(tool, `the install failed: ${reasonIn(error)}`);
  }
}

/** Where programs are looked for. */
export const directoriesOnPath = (): string[] => (process.env['PATH'] ?? '').split(delimiter);

/** Runs a package client. */
export async function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<void> {
  const { cwd, env = {} } = options;
  await promisify(execFile)(program, args, {
    cwd,
    env: { ...process.env, ...env },
    timeout: installTimeoutMs,
    maxBuffer: 64 * 1024 * 1024,
  });
}

const missing = ({ name }: Tool, why: string): Availability => ({
  kind: 'missing',
  reason: `${name} is skipped: ${why}`,
});

function fingerprintOf({ pins }: Tool): string {
  const hash = createHash('sha256');
  for (const file of pins) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 12);
}

/** The first line in which the package client speaks of an error. */
function reasonIn(error: unknown): string {
  const { stderr = '', stdout = '', message = '' } = error as { stderr?: string; stdout?: string; message?: string };
  const lines = stripVTControlCharacters(`${stderr}\n${stdout}`).split('\n');
  return (lines.find((line) => /error/i.test(line)) ?? message).trim().slice(0, 300);
}
