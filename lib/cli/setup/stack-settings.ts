// `payouts settings`: what a stack says of itself in its outputs, as the settings of the tool.

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
