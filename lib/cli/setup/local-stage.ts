// `--stage local`: the settings of a local run that is kept, in a file of this user alone, for as long as the run lives.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { tool } from '../../payout/operate/spelling.ts';
import { UsageError } from '../../files/usage-error.ts';

/** The stages that a kept local run serves, and whose commands each runs: two persons can be tried on one machine. */
export const localStages = { local: 'first', 'local-second': 'second' } as const;

/** The settings of a kept run, by person. */
interface KeptRun {
  readonly first: Readonly<Record<string, string>>;
  readonly second: Readonly<Record<string, string>>;
}

const settings = v.record(v.string(), v.string());
const keptSchema = v.strictObject({ pid: v.number(), first: settings, second: settings });
const fileIn = (directory: string) => join(directory, 'stage-local.json');

/** Keeps them; the returned function takes them away, where they are still this run's. */
export async function keepLocalStage(directory: string, run: KeptRun): Promise<() => Promise<void>> {
  const file = fileIn(directory);
  await keep(file, { pid: process.pid, ...run });
  return async () => {
    if ((await readKept(file, keptSchema))?.pid === process.pid) await rm(file, { force: true });
  };
}

/** The settings of the kept run. Throws UsageError if none is kept. */
export async function settingsOfLocalRun(
  directory: string,
  stage: keyof typeof localStages,
): Promise<Readonly<Record<string, string>>> {
  const kept = await readKept(fileIn(directory), keptSchema);
  if (kept && isAlive(kept.pid)) return kept[localStages[stage]];
  throw new UsageError(`--stage ${stage}: no local run is kept; start one: \`${tool} local --keep\``);
}

/** Keeps a value in a file of this user alone. */
export async function keep(file: string, value: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, JSON.stringify(value), { mode: 0o600 });
}

/** What is kept there; undefined if nothing is, or something else. */
export async function readKept<T>(file: string, schema: v.GenericSchema<unknown, T>): Promise<T | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);
  return read.success ? read.output : undefined;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
