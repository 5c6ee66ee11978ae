// The merchants of the sample file, with keys made anew for each run: the repository holds no key at all.
import { generateKeyPair, randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';

/** A merchant's secret as it is put into Secrets Manager. */
export type MerchantSecret = Readonly<Record<string, unknown>>;

/** Where the merchants' requests go. */
export interface SampleGateways {
  readonly gatewayUrl: string;
  /** An address where nobody listens. */
  readonly closedUrl: string;
}

/** Three merchants: the interface document alone; every choice of the profile; and one whose gateway is down. */
export async function sampleSecrets({
  gatewayUrl,
  closedUrl,
}: SampleGateways): Promise<Record<string, MerchantSecret>> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  return {
    'acme-eu': { login: 'acme-eu-login', controlKey: randomUUID(), privateKey: pem, baseUrl: gatewayUrl },
    'globex-us': {
      login: 'globex-us-login',
      controlKey: randomUUID(),
      baseUrl: gatewayUrl,
      profile: {
        statusInquiry: true,
        quietPeriodSeconds: 10,
        resubmitUnknownOrders: true,
        doubtLimits: { USD: '5000.00', JPY: '1000000', KWD: '100.000' },
        signatureMethod: { payout: 'HMAC-SHA1', 'transfer-by-ref': 'HMAC-SHA1', status: 'HMAC-SHA1' },
        orderIdField: { payout: 'client_orderid', 'transfer-by-ref': 'client_orderid' },
        extraFields: { 'transfer-by-ref': ['destination-card-ref-id'] },
        replyFormat: 'form',
      },
    },
    'initech-uk': { login: 'initech-uk-login', controlKey: randomUUID(), privateKey: pem, baseUrl: closedUrl },
  };
}

/** The worker's own secret, with a fingerprint key for this run. */
export function workerSecret(): MerchantSecret {
  return { fingerprintKeyId: 'local', fingerprintKeys: { local: randomBytes(32).toString('hex') } };
}
