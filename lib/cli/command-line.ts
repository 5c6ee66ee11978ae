// The common part of all commands: options, the worker's settings, and the way to report an outcome.
import { ConfigurationError, readWorkerConfig, type WorkerConfig } from '../aws/env-config.ts';
import { reasonToFill, tool } from '../payout/operate/spelling.ts';
import { patientAwsCalls } from '../payout/limits.ts';
import { UsageError } from '../files/usage-error.ts';

/** Options that several commands share. */
export interface OperatorOptions {
  readonly json: boolean;
  readonly reason?: string;
}

/**
 * Ports made from the worker's settings; a wrong setting is a UsageError. Calls to AWS get the time that a person has: the worker's
 * own limits are those of a function whose time runs out.
 */
export function configured<T>(create: (config: WorkerConfig) => T): T {
  try {
    const config = readWorkerConfig();
    return create({ ...config, limits: { ...config.limits, ...patientAwsCalls } });
  } catch (error) {
    if (error instanceof ConfigurationError) throw new UsageError(faultText(error.message));
    throw error;
  }
}

/** Where no stage is named, most of the settings are missing: one sentence, the remedy first. */
function faultText(message: string): string {
  const missing = [...message.matchAll(/_(URL|NAME) is not set/g)].length;
  if (missing < 2) return message;
  return `no stage is named: add --stage NAME, or --stage local while \`${tool} local --keep\` runs; ${missing} settings are missing (infra/docs/settings.md)`;
}

/** The result of a command: a text for a person, or one line of JSON. Its exit code is 0. */
export function say({ json }: Pick<OperatorOptions, 'json'>, value: object, text: string): number {
  const line = json ? JSON.stringify(value) : text;
  process.stdout.write(line.endsWith('\n') ? line : `${line}\n`);
  return 0;
}

/** The same of what could not be done as asked: a person reads it on standard error. Its exit code is 1. */
export function notDone(options: Pick<OperatorOptions, 'json'>, value: object, text: string): number {
  if (options.json) say(options, value, text);
  else process.stderr.write(`payouts: ${text}\n`);
  return 1;
}

/** The batch is unknown: on standard error, as standard output is for rows. */
export function noBatch(batchId: string): number {
  process.stderr.write(`payouts: there is no batch ${batchId}\n`);
  return 1;
}

/** The same where the person at it said no. */
export const declined = (text: string): number => notDone({ json: false }, {}, text);

/** Why, as said; without it nothing is decided by hand. */
export function why({ reason }: OperatorOptions): string {
  if (!reason?.trim()) throw new UsageError("say why with --reason; it is kept in the order's history");
  if (reason.includes(reasonToFill))
    throw new UsageError(`--reason: write what you saw in the place of ${reasonToFill}`);
  return reason.trim();
}
