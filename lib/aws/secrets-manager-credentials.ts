// Merchants' credentials and the fingerprint keys, from Secrets Manager. Errors name the field, never the value.
import {
  GetSecretValueCommand,
  InvalidRequestException,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type {
  Credentials,
  CredentialsAnswer,
  CredentialsFailure,
  MerchantAccess,
  MerchantContract,
  MerchantCredentials,
} from '../gateway/ports.ts';
import type { FingerprintKeys } from '../payout/message/fingerprint.ts';
import type { Clock, Fingerprinting, Log } from '../payout/ports.ts';
import { keepNewest } from '../payout/ttl-cache.ts';
import { clientsOf } from './aws-calls.ts';
import { type KeysByLogin, readContract, readKeys, type SignerFor, withKeys } from './merchant-secret.ts';
import { readWorkerSecret, SecretFault } from './secret-schemas.ts';

/** Makes a client of Secrets Manager. */
export const newSecretsManagerClient = clientsOf(SecretsManagerClient, 'secretsmanager');

/** The sources of credentials. */
interface CredentialsOptions extends SecretsManagerOptions {
  readonly signerFor?: SignerFor;
  /** Name or ARN of the worker's own secret. */
  readonly workerSecretId: string;
}

/** The names of a merchant's secrets, without the prefix. */
export const contractName = (merchant: string) => `contract/${merchant}`;
export const keysName = (merchant: string) => `keys/${merchant}`;

/** For tools: merchants' contracts without keys, and the fingerprint keys of the worker's own secret. */
export function createSecretsManagerContracts(
  options: CredentialsOptions,
): Credentials<MerchantContract> & Fingerprinting {
  const contracts = createSecretCache(options, readContract);
  return {
    of: (merchant) => answer(async () => (await contracts.current(contractName(merchant))).value),
    refresh: (merchant, { version }) =>
      answer(async () => (await contracts.otherThan(contractName(merchant), version)).value),
    ...fingerprintingOf(options),
  };
}

/** For functions: merchants' credentials (contract and keys), and the fingerprint keys. */
export function createSecretsManagerCredentials(
  options: CredentialsOptions,
): Credentials<MerchantCredentials> & Fingerprinting {
  const contracts = createSecretCache(options, readContract);
  const keys = createSecretCache(options, readKeys);
  const misfits = createFaults(options.clock);
  // Kept by version: parsing a key costs milliseconds, and connections are kept by the object of the route.
  const joined = new Map<string, MerchantCredentials>();

  async function read(
    merchant: string,
    fetched: Promise<ReadSecret<MerchantContract>>,
    fetchedKeys: Promise<ReadSecret<KeysByLogin>>,
  ): Promise<MerchantCredentials> {
    await Promise.allSettled([fetched, fetchedKeys]);
    const contract = await fetched;
    const ownKeys = await fetchedKeys.catch((error: unknown) => {
      throw isGone(error) ? new SecretFault('the merchant has a contract and no keys') : error;
    });
    const version = `${contract.version} ${ownKeys.version}`;
    const before = joined.get(merchant);
    if (before?.version === version) return before;
    try {
      const credentials = { ...withKeys(contract.value, ownKeys.value, options.signerFor), version };
      joined.set(merchant, credentials);
      return credentials;
    } catch (error) {
      // The next call reads both anew: one of them may have been corrected.
      if (error instanceof SecretFault) misfits.keep(merchant, error);
      contracts.forget(contractName(merchant));
      keys.forget(keysName(merchant));
      throw error;
    }
  }

  const of = async (merchant: string): Promise<MerchantCredentials> => {
    const misfit = misfits.of(merchant);
    if (misfit) throw misfit;
    return read(merchant, contracts.current(contractName(merchant)), keys.current(keysName(merchant)));
  };
  return {
    of: (merchant) => answer(() => of(merchant)),
    refresh: (merchant, stale) =>
      answer(() => {
        const [ofContract = '', ofKeys = ''] = stale.version.split(' ');
        return read(
          merchant,
          contracts.otherThan(contractName(merchant), ofContract),
          keys.otherThan(keysName(merchant), ofKeys),
        );
      }),
    ...fingerprintingOf(options),
  };
}

function fingerprintingOf(options: CredentialsOptions): Fingerprinting {
  const worker = createSecretCache({ ...options, prefix: '' }, readWorkerSecret);
  return { keys: async (): Promise<FingerprintKeys> => (await worker.current(options.workerSecretId)).value };
}

async function answer<T extends MerchantAccess>(read: () => Promise<T>): Promise<CredentialsAnswer<T>> {
  try {
    return { kind: 'credentials', credentials: await read() };
  } catch (error) {
    return { kind: 'unavailable', failure: failureOf(error) };
  }
}

function failureOf(error: unknown): CredentialsFailure {
  if (isGone(error)) {
    return { code: 'MERCHANT_UNKNOWN', message: 'there is no secret for this merchant' };
  }
  if (error instanceof SecretFault) return { code: 'SECRET_INVALID', message: error.message };
  return { code: 'CREDENTIALS_UNAVAILABLE', message: 'Secrets Manager did not answer' };
}

// A cache of secrets: one fetch per secret and time to live, one in flight; the last good value is used while the service fails.

/** The place of the secrets, and how long a fetched value is used. */
export interface SecretsManagerOptions {
  readonly client: SecretsManagerClient;
  /** The prefix of every secret's name. */
  readonly prefix: string;
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Time between a failed fetch and the next try. */
const retryFetchMs = 10_000;

/**
 * How long a missing or malformed secret is remembered: strangers may name any merchant, and each fetch costs money. So a new or
 * corrected secret is seen after at most this time.
 */
const faultServesMs = 30_000;
/** Faults remembered; the oldest is forgotten first. */
const faultsKeptAtMost = 1_000;

/** True for a secret that is absent, or scheduled for deletion (an invalid request to Secrets Manager). */
export function isGone(error: unknown): error is Error {
  return error instanceof ResourceNotFoundException || error instanceof InvalidRequestException;
}

/** The code of a secret that could not be read, for the log. */
function errorCodeOf(error: unknown): string {
  return error instanceof SecretFault ? error.code : 'CREDENTIALS_UNAVAILABLE';
}

/** A secret as it was read. */
interface ReadSecret<T> {
  readonly value: T;
  readonly version: string;
  /** From then on the next call fetches it anew. */
  readonly staleAtMs: number;
}

/** Secrets of one kind under one prefix. */
interface SecretCache<T> {
  /** Rejects if the secret is gone or malformed, or if it cannot be fetched and no good value is kept. */
  current(name: string): Promise<ReadSecret<T>>;
  /** Fetches the stored value, unless another version than the given one is kept. */
  otherThan(name: string, version: string): Promise<ReadSecret<T>>;
  /** The next call fetches it anew. */
  forget(name: string): void;
}

/** The faults of secrets, kept for a while. */
function createFaults({ nowMs }: Clock) {
  const kept = new Map<string, { readonly error: Error; readonly untilMs: number }>();
  return {
    of(name: string): Error | undefined {
      const fault = kept.get(name);
      return fault && nowMs() < fault.untilMs ? fault.error : undefined;
    },
    keep: (name: string, error: Error) =>
      void keepNewest(kept, name, { error, untilMs: nowMs() + faultServesMs }, faultsKeptAtMost),
  };
}

/** A cache of secrets; `read` parses their text. */
export function createSecretCache<T>(
  { client, prefix, ttlMs, clock, log }: SecretsManagerOptions,
  read: (text: string, version: string) => T,
): SecretCache<T> {
  const kept = new Map<string, ReadSecret<T>>();
  const faults = createFaults(clock);
  const inFlight = new Map<string, Promise<ReadSecret<T>>>();

  async function fetch(name: string): Promise<ReadSecret<T>> {
    const secret = await client.send(new GetSecretValueCommand({ SecretId: prefix + name }));
    const version = secret.VersionId ?? '';
    const parsed = { value: read(secret.SecretString ?? '', version), version, staleAtMs: clock.nowMs() + ttlMs };
    kept.set(name, parsed);
    return parsed;
  }

  async function fetchOnce(name: string): Promise<ReadSecret<T>> {
    const fault = faults.of(name);
    if (fault) throw fault;
    const running = inFlight.get(name);
    if (running) return running;
    const started = fetch(name)
      .catch((error: unknown) => {
        // A secret that is gone was removed on purpose. After any other failure the last value still serves.
        if (isGone(error)) kept.delete(name);
        if (isGone(error) || error instanceof SecretFault) faults.keep(name, error);
        throw error;
      })
      .finally(() => inFlight.delete(name));
    inFlight.set(name, started);
    return started;
  }

  async function current(name: string): Promise<ReadSecret<T>> {
    const last = kept.get(name);
    if (last && clock.nowMs() < last.staleAtMs) return last;
    try {
      return await fetchOnce(name);
    } catch (error) {
      if (!last || !kept.has(name)) throw error;
      log.write('warn', 'secret-not-refreshed', { merchant: name, errorCode: errorCodeOf(error) });
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
    forget: (name) => void kept.delete(name),
  };
}
