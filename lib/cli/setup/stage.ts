// One stage instead of thirty exports: `--stage prod`, or PAYOUTS_STAGE. The outputs of its stack are read once, kept for an
// hour in a file of this user alone, and are the settings of the command.
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import * as v from 'valibot';
import { systemClock } from '../../aws/system.ts';
import { patientAwsCalls } from '../../payout/limits.ts';
import { newCloudFormationClient } from '../../doctor/watching-clients.ts';
import { UsageError } from '../../files/usage-error.ts';
import { isOwnAddress } from '../../local/own-hosts.ts';
import { keep, localStages, readKept, settingsOfLocalRun } from './local-stage.ts';

/** A stack's outputs change with a deployment, a restored ledger among them: no older answer is believed. */
const keptMs = 3_600_000;

const keptSchema = v.strictObject({ readAtMs: v.number(), settings: v.record(v.string(), v.string()) });

type Settings = Readonly<Record<string, string>>;

/** Makes the stack's outputs the settings of this process. Throws UsageError, naming the stack, where they can't be had. */
export async function useStage(stage: string): Promise<void> {
  if (isLocalStage(stage)) {
    // It is no stage of AWS: no alarm has its name, and none of its money is live.
    delete process.env['PAYOUTS_STAGE'];
    Object.assign(process.env, await settingsOfLocalRun(keptDirectory(), stage));
    return;
  }
  const settings = await settingsOfStage(stage);
  Object.assign(process.env, settings, ledgerNamed(stage, settings), { PAYOUTS_STAGE: stage });
}

const isLocalStage = (stage: string): stage is keyof typeof localStages => Object.hasOwn(localStages, stage);

/** While a ledger is restored, the shell names the table that takes over: one of the same stage; the command says so. */
function ledgerNamed(stage: string, { LEDGER_TABLE_NAME: ofStack }: Settings): Settings {
  const { LEDGER_TABLE_NAME: named } = process.env;
  if (named === undefined || named === ofStack || !named.startsWith(`payouts-${stage}-ledger`)) return {};
  process.stderr.write(`payouts: the ledger is ${named}, as LEDGER_TABLE_NAME says; the stack's is ${ofStack}\n`);
  return { LEDGER_TABLE_NAME: named };
}

/** The settings of a stage: as they were kept, or read anew. Throws UsageError. */
async function settingsOfStage(stage: string, isRenewed = false): Promise<Settings> {
  if (isLocalStage(stage)) return settingsOfLocalRun(keptDirectory(), stage);
  if (!/^[A-Za-z0-9-]{1,32}$/.test(stage)) throw new UsageError(`no stage could bear the name "${stage}"`);
  refuseLocalExports(stage);
  const file = fileOf(stage);
  const kept = isRenewed ? undefined : await keptIn(file);
  if (kept) return kept;
  const settings = await settingsOfStack(`payouts-${stage}`);
  // Best effort: a home that can only be read is no reason not to work.
  await keep(file, { readAtMs: systemClock.nowMs(), settings }).catch(() => {});
  return settings;
}

/** A shell that still has a local run's exports would ask one place for the stack, and another for its money. */
function refuseLocalExports(stage: string): void {
  const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_CLOUDFORMATION: stacks, AWS_ENDPOINT_URL_DYNAMODB: table } = process.env;
  if ((stacks ?? AWS_ENDPOINT_URL) === undefined && isOwnAddress(table))
    throw new UsageError(
      `--stage ${stage}: this shell has the exports of a local run (AWS_ENDPOINT_URL_DYNAMODB); open a new one`,
    );
}

async function settingsOfStack(stack: string): Promise<Settings> {
  const client = newCloudFormationClient({ limits: patientAwsCalls });
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    const settings = outputSettings(Stacks?.[0]?.Outputs ?? []);
    if (Object.keys(settings).length > 0) return settings;
    throw new UsageError(`the stack ${stack} has no outputs: look whether its deployment has ended`);
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    // An error of no name is the SDK's own about this machine, as "Region is missing".
    const name = error.name === 'Error' ? error.message : error.name;
    const code = 'code' in error && typeof error.code === 'string' ? error.code : name;
    const why = /does not exist/.test(error.message) ? 'there is no such stack' : code;
    throw new UsageError(
      `can't read the outputs of the stack ${stack}: ${why}; look at --stage, AWS_REGION and AWS_PROFILE`,
    );
  } finally {
    client.destroy();
  }
}

/** A digest of all that decides whose stack of that name is meant; the file's name reveals none of it. */
function fileOf(stage: string): string {
  const { AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL } = process.env;
  const whose = [stage, AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_REGION ?? AWS_DEFAULT_REGION, AWS_ENDPOINT_URL];
  const digest = createHash('sha256').update(JSON.stringify(whose)).digest('hex').slice(0, 16);
  return join(keptDirectory(), `stage-${stage}-${digest}.json`);
}

/** Where what is kept of stages is. */
export const keptDirectory = () => join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'payouts');

async function keptIn(file: string): Promise<Settings | undefined> {
  const read = await readKept(file, keptSchema);
  const ageMs = systemClock.nowMs() - (read?.readAtMs ?? Infinity);
  return ageMs >= 0 && ageMs < keptMs ? read?.settings : undefined;
}

// The outputs of a stack, as the settings of the tool.

/** An output of a stack. */
interface StackOutput {
  readonly OutputKey?: string | undefined;
  readonly OutputValue?: string | undefined;
}

/** The settings by name, `JobsQueueUrl` as `JOBS_QUEUE_URL`. A value is never touched. */
export function outputSettings(outputs: readonly StackOutput[]): Readonly<Record<string, string>> {
  const named = outputs.map(({ OutputKey = '', OutputValue = '' }) => [
    OutputKey.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase(),
    OutputValue,
  ]);
  return Object.fromEntries(named) as Readonly<Record<string, string>>;
}

/** A line for each, which any POSIX shell takes by `eval`, whatever the value is. */
export function exportLines(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`)
    .join('');
}

/** `payouts settings`: prints the settings of a stage; the exit code. */
export async function tellSettings({
  stage,
  json,
}: {
  readonly stage: string;
  readonly json: boolean;
}): Promise<number> {
  const settings = await settingsOfStage(stage, true);
  process.stdout.write(json ? `${JSON.stringify(settings)}\n` : exportLines(settings));
  return 0;
}
