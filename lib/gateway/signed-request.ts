// A request to the gateway, signed: the same for every operation and for the status inquiry. Nonce and timestamp are
// given, made at send time: a request that is sent again is never the same request.
import { lackOfKey } from './key-fields.ts';
import type { GatewayFailure } from './failures.ts';
import type { SignatureMethodName } from '../oauth1/signature-method-names.ts';
import { type Operation, operationUrl } from './operations.ts';
import { OAuth1Error } from '../oauth1/errors.ts';
import { type RequestToSign, type SignedRequest, signRequest } from '../oauth1/sign-request.ts';
import type { GatewayRequest, MerchantCredentials } from './ports.ts';

/** What tells one sending from all others: made at send time, never kept. */
export interface SendingTime {
  /** At least 120 random bits. */
  readonly nonce: string;
  readonly timestampSeconds: number;
}

/** What is to be asked of the gateway. */
export interface UnsignedRequest {
  /** A row of the operations table, or the status inquiry. */
  readonly operation: Pick<Operation, 'path'>;
  readonly endpointId: string;
  readonly signatureMethod: SignatureMethodName;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** A request that may be sent, or why it can't be signed now. */
export type Signed =
  | { readonly kind: 'signed'; readonly request: Omit<GatewayRequest, 'notAfterMs'> }
  | { readonly kind: 'unsignable'; readonly failure: GatewayFailure };

/** Signs a request with the merchant's key for its method. Rejects never; nothing has been sent yet. */
export async function signedRequest(
  { operation, endpointId, signatureMethod, parameters }: UnsignedRequest,
  { login, baseUrl, keys, profile }: MerchantCredentials,
  { nonce, timestampSeconds }: SendingTime,
): Promise<Signed> {
  const key = keys[signatureMethod];
  if (!key) return { kind: 'unsignable', failure: lackOfKey(signatureMethod) };
  const signed = await signedOrFault({
    method: 'POST',
    url: operationUrl(operation, { baseUrl, apiPath: profile.apiPath, endpointId }),
    params: parameters,
    consumerKey: login,
    signatureMethod,
    key,
    nonce,
    timestamp: String(timestampSeconds),
    ...(profile.realm !== undefined && { realm: profile.realm }),
  });
  if (signed instanceof OAuth1Error) {
    return signed.code === 'OAUTH1_SIGNER_FAILED' ? signerUnavailable : secretInvalid(signed.message);
  }
  const { url, authorization, body } = signed;
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: profile.replyFormat === 'json' ? 'application/vnd.pay+json' : '*/*',
    authorization,
  };
  return { kind: 'signed', request: { url, headers, body } };
}

/** Errors of signing never hold key material, and are raised before a byte leaves. */
async function signedOrFault(request: RequestToSign): Promise<SignedRequest | OAuth1Error> {
  try {
    return await signRequest(request);
  } catch (error) {
    if (error instanceof OAuth1Error) return error;
    throw error;
  }
}

const signerUnavailable: Signed = {
  kind: 'unsignable',
  failure: { code: 'SIGNER_UNAVAILABLE', message: 'AWS KMS did not sign with the key of kmsKeyId' },
};

function secretInvalid(message: string): Signed {
  return { kind: 'unsignable', failure: { code: 'SECRET_INVALID', message } };
}
