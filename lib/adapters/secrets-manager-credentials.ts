// Merchants' credentials and the fingerprint keys out of Secrets Manager: fetched once per time to live, one fetch in
// flight per secret, the last good value used while the service fails. Errors name the field, never the value.
import {
  GetSecretValueCommand,
  InvalidRequestException,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { Clock, Credentials, CredentialsAnswer, Fingerprinting, Log, MerchantCredentials } from '../app/ports.ts';
import type { FingerprintKeys } from '../domain/fingerprint.ts';
import type { Failure } from '../domain/ledger.ts';
import { readMerchantSecret, readWorkerSecret, SecretFault } from './secret-schemas.ts';

/** Where the secrets are and how long a fetched one serves. */
export interface SecretsManagerOptions {
  readonly client: SecretsManagerClient;
  /** A merchant's secret is `<prefix><merchant>`, the worker's own `<prefix>_worker`. */
  readonly prefix: string;
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** No merchant's name may begin with "_", so this secret is nobody else's. */
const workerSecretName = '_worker';
/** After a failed fetch the last good value serves this long before the next try. */
const retryFetchMs = 10_000;

/** Credentials and fingerprint keys over one secret prefix. */
export function createSecretsManagerCredentials(options: SecretsManagerOptions): Credentials & Fingerprinting {
  const merchants = createSecretCache(options, readMerchantSecret);
  const worker = createSecretCache(options, readWorkerSecret);

  async function answer(fetched: Promise<Parsed<MerchantCredentials>>): Promise<CredentialsAnswer> {
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

/** Deleted, or waiting out the days before its deletion, which Secrets Manager calls an invalid request. */
function isGone(error: unknown): boolean {
  return error instanceof ResourceNotFoundException || error instanceof InvalidRequestException;
}

function failureOf(error: unknown): Failure {
  if (isGone(error)) {
    return { code: 'MERCHANT_UNKNOWN', message: 'there is no secret for this merchant' };
  }
  if (error instanceof SecretFault) return { code: 'SECRET_INVALID', message: error.message };
  return { code: 'CREDENTIALS_UNAVAILABLE', message: 'Secrets Manager did not answer' };
}

interface Parsed<T> {
  readonly value: T;
  readonly version: string;
  /** From this moment on it is fetched anew when asked for. */
  readonly staleAtMs: number;
}

interface SecretCache<T> {
  current(name: string): Promise<Parsed<T>>;
  /** The stored value, unless a version other than the given one was already fetched. */
  otherThan(name: string, version: string): Promise<Parsed<T>>;
}

function createSecretCache<T>(
  { client, prefix, ttlMs, clock, log }: SecretsManagerOptions,
  read: (text: string, version: string) => T,
): SecretCache<T> {
  const kept = new Map<string, Parsed<T>>();
  const inFlight = new Map<string, Promise<Parsed<T>>>();

  async function fetch(name: string): Promise<Parsed<T>> {
    const secret = await client.send(new GetSecretValueCommand({ SecretId: prefix + name }));
    const version = secret.VersionId ?? '';
    const parsed = { value: read(secret.SecretString ?? '', version), version, staleAtMs: clock.nowMs() + ttlMs };
    kept.set(name, parsed);
    return parsed;
  }

  function fetchOnce(name: string): Promise<Parsed<T>> {
    const running = inFlight.get(name);
    if (running) return running;
    const started = fetch(name)
      .catch((error: unknown) => {
        // A secret that is gone was taken away on purpose; anything else is weather, and payments go on.
        if (isGone(error)) kept.delete(name);
        throw error;
      })
      .finally(() => inFlight.delete(name));
    inFlight.set(name, started);
    return started;
  }

  async function current(name: string): Promise<Parsed<T>> {
    const last = kept.get(name);
    if (last && clock.nowMs() < last.staleAtMs) return last;
    try {
      return await fetchOnce(name);
    } catch (error) {
      if (!last || !kept.has(name)) throw error;
      log.write('warn', 'secret-not-refreshed', { merchant: name, errorCode: failureOf(error).code });
      const serving = { ...last, staleAtMs: clock.nowMs() + retryFetchMs };
      kept.set(name, serving);
      return serving;
    }
  }

  return {
    current,
    async otherThan(name, version) {
      const last = kept.get(name);
      return last && last.version !== version ? last : fetchOnce(name);
    },
  };
}
