// `payouts settings`: what a stack says of itself in its outputs, as the settings of the tool.
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { patientAwsCalls } from '../../payout/limits.ts';
import { newCloudFormationClient } from '../doctor/cloudformation-client.ts';

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

/** A line for each, which any POSIX shell takes by `eval`, whatever stands in the value. */
export function exportLines(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`)
    .join('');
}

/** Prints the settings of a stack; the exit code. Rejects with AWS's own error where it is not there. */
export async function tellSettings({
  stack,
  json,
}: {
  readonly stack: string;
  readonly json: boolean;
}): Promise<number> {
  const client = newCloudFormationClient({ limits: patientAwsCalls });
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
  const settings = outputSettings(Stacks?.[0]?.Outputs ?? []);
  if (Object.keys(settings).length === 0) {
    process.stderr.write(`payouts: the stack ${stack} has no outputs: look whether its deployment has ended\n`);
    return 1;
  }
  process.stdout.write(json ? `${JSON.stringify(settings)}\n` : exportLines(settings));
  return 0;
}
