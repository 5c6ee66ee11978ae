// The secrets that `payouts local` is given, read by the rule of the worker before anything starts: a merchant whose secret
// can't be used would make its jobs wait, and its person too.
import { contractSchema, keysSchema, readContract, readKeys, withKeys } from '../../aws/merchant-secret.ts';
import { SecretFault } from '../../aws/secret-schemas.ts';
import type { MerchantCredentials } from '../../gateway/ports.ts';
import { profileSchema } from '../../gateway/profile.ts';
import type { MerchantSecrets } from '../../local/sample-merchants.ts';
import { parseJob } from '../../payout/message/job.ts';
import { createInputFaults } from '../../files/csv.ts';
import { nearestName } from '../../files/nearest-name.ts';

/** Where the simulator is asked in the place of a gateway: it has an address of its own, once it runs. */
const simulatorUrl = 'http://127.0.0.1';

const fieldNames = [contractSchema, keysSchema.pipe[0].value, profileSchema].flatMap(({ entries }) =>
  Object.keys(entries),
);

/** The remedy, for which the worker's own sentences refer to infra/docs/settings.md. */
function remedyOf(message: string): string {
  if (message.endsWith('nor kmsKeyId')) return '; add one';
  const [, given] = /(\w+) is not a field of this secret$/.exec(message) ?? [];
  const near = given === undefined ? undefined : nearestName(given, fieldNames, 2);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

/** A job of a merchant without a secret would wait for a day: its person hears it at once. Throws UsageError. */
export function checkMerchants(file: string, jobs: readonly string[], known: readonly string[]): void {
  const faults = createInputFaults(file);
  const reported = new Set(known);
  for (const [at, job] of jobs.entries()) {
    const parsed = parseJob(job);
    if (parsed.kind !== 'job' || reported.has(parsed.job.merchant)) continue;
    const { merchant } = parsed.job;
    reported.add(merchant);
    faults.add(
      `job ${at + 1} is of the merchant "${merchant}", which has no secret here (${known.join(', ')}): name a file with its secret by --secrets`,
    );
  }
  faults.end();
}

/**
 * Each secret, at the gateway that it will be used at, and the key that each job needs. Throws UsageError that names the file,
 * the merchant, the field and the remedy; no value is repeated.
 */
export function checkSecrets(
  file: string,
  secrets: Readonly<Record<string, MerchantSecrets>>,
  { jobs, baseUrl = simulatorUrl }: { readonly jobs: readonly string[]; readonly baseUrl?: string },
): void {
  const faults = createInputFaults(file);
  const readable = new Map<string, MerchantCredentials>();
  for (const [merchant, { contract, keys }] of Object.entries(secrets)) {
    try {
      const read = readContract(JSON.stringify({ ...contract, baseUrl }), '');
      readable.set(merchant, withKeys(read, readKeys(JSON.stringify(keys))));
    } catch (error) {
      if (!(error instanceof SecretFault)) throw error;
      faults.add(`${merchant}: ${error.message}${remedyOf(error.message)}`);
    }
  }
  const reported = new Set<string>();
  for (const job of jobs) {
    const parsed = parseJob(job);
    const credentials = parsed.kind === 'job' ? readable.get(parsed.job.merchant) : undefined;
    if (parsed.kind !== 'job' || !credentials) continue;
    const { merchant, operation } = parsed.job;
    const failure = credentials.dialect.lacks(operation, credentials);
    if (failure && !reported.has(`${merchant} ${operation}`))
      faults.add(
        `${merchant}: ${failure.message} for ${operation}: add it, or name another method in profile.signatureMethod.${operation}`,
      );
    reported.add(`${merchant} ${operation}`);
  }
  faults.end();
}
