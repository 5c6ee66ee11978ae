// The merchants of the sample file, with keys made anew for each run: the repository holds no key at all.
import { generateKeyPair, randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { contractName, keysName } from '../aws/secrets-manager-credentials.ts';

type Json = Readonly<Record<string, unknown>>;

/** A merchant's two secrets as they are put into Secrets Manager. */
export interface MerchantSecrets {
  readonly contract: Json;
  /** Keys by login. */
  readonly keys: Readonly<Record<string, Json>>;
}

/** Puts them where the worker looks for them. */
export function putMerchants(
  desk: { put(name: string, json: object): unknown },
  merchants: Readonly<Record<string, MerchantSecrets>>,
  prefix = 'payouts/',
): void {
  for (const [name, { contract, keys }] of Object.entries(merchants)) {
    desk.put(prefix + contractName(name), contract);
    desk.put(prefix + keysName(name), keys);
  }
}

/** Where the merchants' requests go. */
interface SampleGateways {
  readonly gatewayUrl: string;
  /** An address without a listener. */
  readonly closedUrl: string;
}

/** Short, as a person who tries a decision does not wait for half an hour. */
const quietPeriodSeconds = 10;

/** Three merchants: the interface document alone; every choice of the profile; and one whose gateway is down. */
export const sampleMerchants = ['acme-eu', 'globex-us', 'initech-uk'] as const;

/** Their secrets. */
export async function sampleSecrets({
  gatewayUrl,
  closedUrl,
}: SampleGateways): Promise<Record<(typeof sampleMerchants)[number], MerchantSecrets>> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const aMerchant = (login: string, its: Json, more: Json = {}): MerchantSecrets => ({
    contract: { login, baseUrl: gatewayUrl, ...more },
    keys: { [login]: { controlKey: randomUUID(), ...its } },
  });
  const profile = {
    statusInquiry: true,
    quietPeriodSeconds,
    // The simulator shows an order at once.
    visibleAfterSeconds: 1,
    resubmitUnknownOrders: true,
    doubtLimits: { USD: '5000.00', JPY: '1000000', KWD: '100.000' },
    signatureMethod: {
      payout: 'HMAC-SHA1',
      'transfer-by-ref': 'HMAC-SHA1',
      status: 'HMAC-SHA1',
    },
    orderIdField: { payout: 'client_orderid', 'transfer-by-ref': 'client_orderid' },
    extraFields: { 'transfer-by-ref': ['destination-card-ref-id'] },
  };
  return {
    'acme-eu': aMerchant('acme-eu-login', { privateKey: pem }, { profile: { quietPeriodSeconds } }),
    'globex-us': aMerchant('globex-us-login', {}, { profile }),
    'initech-uk': aMerchant('initech-uk-login', { privateKey: pem }, { baseUrl: closedUrl }),
  };
}

/** The worker's own secret, with a fingerprint key for this run. */
export function workerSecret(): Json {
  return { fingerprintKeyId: 'local', fingerprintKeys: { local: randomBytes(32).toString('hex') } };
}

/** Jobs of a merchant whose gateway is down, and of orders that the simulator never takes. */
const neverTaken = /"initech-uk"|\.(refused|rate-limited)"/;

/** The same jobs; those that are never taken get an end of their time, as they would wait for days. */
export function withSampleExpiry(jobs: readonly string[], nowMs: number): readonly string[] {
  const expiresAt = new Date(nowMs + 15_000).toISOString();
  const waitsForDays = (job: string) => neverTaken.test(job) && !job.includes('"expiresAt"');
  return jobs.map((job) => (waitsForDays(job) ? job.replace('{', `{"expiresAt": "${expiresAt}", `) : job));
}
