// Commands that need AWS: what it means when AWS does not answer.
import { isRefusalName } from '../console/part.ts';
import { SecretFault } from '../aws/secret-schemas.ts';
import { FileWriteError } from '../files/file-failure.ts';
import { ForeignLedgerError } from '../restore/while-known.ts';

/** Runs a command and sets the exit code; a failure of AWS or on the way to it is one line, with exit code 1. */
export async function runAgainstAws(work: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    if (error instanceof ForeignLedgerError || error instanceof SecretFault) {
      process.stderr.write(`payouts: ${error.message}\n`);
      process.exitCode = 1;
      return;
    }
    // A disk that is full while AWS was at work: its own words, and no guess about what AWS has done.
    if (error instanceof FileWriteError) throw error;
    const failure = awsFailureOf(error);
    if (failure === undefined) throw error;
    for (const line of await missingLines(failure)) process.stderr.write(`payouts: ${line}\n`);
    process.stderr.write(`payouts: ${wordsOf(failure)}; nothing is known to have changed\n`);
    process.exitCode = 1;
  }
}

type Commands<Name extends string> = Readonly<Record<Name, (...given: never[]) => Promise<number>>>;

/** The action of a command: the function of that name, loaded when the command runs, as the rest of the tool needs no AWS. */
export const runs =
  <Name extends string>(load: () => Promise<Commands<Name>>, name: Name) =>
  (...given: readonly unknown[]): Promise<void> =>
    // Last comes the command itself, which none of them needs.
    runAgainstAws(async () => (await load())[name](...(given.slice(0, -1) as never[])));

/** The meaning of AWS's own names of failures for the operator, and the remedy. */
function wordsOf(failure: string): string {
  if (/^(ECONN|ENOTFOUND|EHOST|ENET|ETIMEDOUT|EAI_)|Timeout/.test(failure))
    return `AWS could not be reached (${failure}); look at the network, AWS_REGION and the endpoints`;
  if (isRefusalName(failure)) return `AWS refused it (${failure}): these credentials have no right to it`;
  if (/ExpiredToken/.test(failure)) return `AWS refused it (${failure}): sign in again, the credentials have run out`;
  if (/CredentialsProvider/.test(failure)) return 'there are no AWS credentials: set AWS_PROFILE, or sign in';
  return `AWS answered with a failure (${failure})`;
}

/** The name of a failure on the way to AWS or there; anything else is a mistake of ours, and shows where it happened. */
function awsFailureOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // A connection that was never made bears both, and its code says more.
  if ('code' in error && error.code !== undefined) return String(error.code);
  return '$metadata' in error || error.name === 'CredentialsProviderError' ? error.name : undefined;
}

/** The resource that AWS does not have, where that is its answer: by the setting that names it, with what makes it. */
async function missingLines(failure: string): Promise<string[]> {
  if (!/NotFound|DoesNotExist|NonExistentQueue|InvalidAddress/.test(failure)) return [];
  const [{ readWorkerConfig }, { missingOf, missingText, resourceClients, resourcesOf }] = await Promise.all([
    import('../aws/env-config.ts'),
    import('./setup/resources.ts'),
  ]);
  try {
    const config = readWorkerConfig();
    return (await missingOf(resourcesOf(config), resourceClients(config))).map(missingText);
  } catch {
    return [];
  }
}
