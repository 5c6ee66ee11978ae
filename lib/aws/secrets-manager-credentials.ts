// Merchants' credentials and the fingerprint keys out of Secrets Manager. Errors name the field, never the value.
import type { MerchantCredentials } from '../gateway/ports.ts';
import type { Credentials, CredentialsAnswer, Fingerprinting } from '../payout/ports.ts';
import type { FingerprintKeys } from '../payout/fingerprint.ts';
import type { Failure } from '../payout/failures.ts';
import { createSecretCache, isGone, type ReadSecret, type SecretsManagerOptions } from './secrets-manager-cache.ts';
import { readMerchantSecret, type SignerFor } from './merchant-secret.ts';
import { readWorkerSecret, SecretFault } from './secret-schemas.ts';

/** No merchant's name may begin with "_", so this secret is nobody else's. */
const workerSecretName = '_worker';

/** Credentials and fingerprint keys over one secret prefix. */
export function createSecretsManagerCredentials(
  options: SecretsManagerOptions & { readonly signerFor?: SignerFor },
): Credentials & Fingerprinting {
  const merchants = createSecretCache(options, (text, version) => readMerchantSecret(text, version, options.signerFor));
  const worker = createSecretCache(options, readWorkerSecret);

  async function answer(fetched: Promise<ReadSecret<MerchantCredentials>>): Promise<CredentialsAnswer> {
    try {
      return { kind: 'credentials', credentials: (await fetched).value };
    } catch (error) {
      return { kind: 'unavailable', failure: failureOf(error) };
    }
  }

  return {
    of: (merchant) => answer(merchants.current(merchant)),
    refresh: (merchant, stale) => answer(merchants.otherThan(merchant, stale.version)),
    keys: async (): Promise<FingerprintKeys> => (await worker.current(workerSecretName)).value,
  };
}

function failureOf(error: unknown): Failure {
  if (isGone(error)) {
    return { code: 'MERCHANT_UNKNOWN', message: 'there is no secret for this merchant' };
  }
  if (error instanceof SecretFault) return { code: 'SECRET_INVALID', message: error.message };
  return { code: 'CREDENTIALS_UNAVAILABLE', message: 'Secrets Manager did not answer' };
}
