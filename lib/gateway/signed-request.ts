// A signed request to the gateway, its account and its key; the same for every operation and for the status inquiry. Nonce and
// timestamp are made at send time: a request that is sent again is never the same request.
import { createHash } from 'node:crypto';
import { type RequestToSign, type SignedRequest, signRequest } from '../oauth1/sign-request.ts';
import { SIGNATURE_METHODS } from '../oauth1/signature-methods.ts';
import type { GatewayFailure } from './gateway-outcome.ts';
import { type Operation, type OperationName, operations, operationUrl } from './operations.ts';
import type { Profile } from './profile.ts';
import type { MerchantContract, MerchantCredentials, Sending, Signed } from './ports.ts';
import { type SignatureMethodName, signatureMethodNames, OAuth1Error } from '../oauth1/vocabulary.ts';

/** The parts that make each sending unique; made at send time, never stored. */
interface SendingTime {
  /** At least 120 random bits. */
  readonly nonce: string;
  readonly timestampSeconds: number;
}

/** A fresh nonce and the present time. */
export function sendingTime({ clock, random }: Sending): SendingTime {
  return { nonce: random.id(), timestampSeconds: Math.floor(clock.nowMs() / 1000) };
}

/** A request before its signature. */
export interface UnsignedRequest {
  /** A row of the operations table, or the status inquiry. */
  readonly operation: Pick<Operation, 'path'>;
  readonly endpointId: string;
  readonly signatureMethod: SignatureMethodName;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** Signs a request with the merchant's key for its method. Never rejects; nothing has been sent yet. */
export async function signedRequest(
  { operation, endpointId, signatureMethod, parameters }: UnsignedRequest,
  { login, baseUrl, keys, profile, route }: MerchantCredentials,
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
    realm: profile.realm,
  });
  if (signed instanceof OAuth1Error) {
    return signed.code === 'OAUTH1_SIGNER_FAILED' ? signerUnavailable : secretInvalid(signed.message);
  }
  const { url, authorization, body } = signed;
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/vnd.pay+json',
    authorization,
  };
  return { kind: 'signed', request: { url, headers, body, route } };
}

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

// The account at the gateway that an order is sent to. Another account does not know the order, so its "no such order" proves nothing;
// the same order id in the sandbox is another order.

/** The part of a merchant's credentials that makes an account; the endpoint comes with the order. */
type AccountOf = Pick<MerchantCredentials, 'baseUrl' | 'login' | 'mode'> & {
  readonly profile: Pick<MerchantCredentials['profile'], 'apiPath'>;
};

/** 72 bits in base64url: enough to recognise an account. */
const digestLength = 12;

/** The host in lower case, without a default port or a dot at its end. */
function hostOf(baseUrl: string): string {
  const { hostname, port } = new URL(baseUrl);
  return hostname.replace(/\.$/, '') + (port === '' ? '' : `:${port}`);
}

/** The name of a login. Within it an order id means one order, whatever the path and the endpoint. */
export const loginOf = ({ baseUrl, login }: Pick<MerchantContract, 'baseUrl' | 'login'>): string =>
  `${hostOf(baseUrl)}/${login}`;

/**
 * The digest of an account: host, API path, login and endpoint.
 * A test account's begins with `test:`, so that it is never taken for the live account of the same address.
 */
export function accountOf({ baseUrl, login, mode, profile }: AccountOf, endpointId: string): string {
  const digest = createHash('sha256').update(JSON.stringify([hostOf(baseUrl), profile.apiPath, login, endpointId]));
  return (mode === 'test' ? 'test:' : '') + digest.digest('base64url').slice(0, digestLength);
}

/** Shape of {@link accountOf}. */
export const accountShape = /^(test:)?[A-Za-z0-9_-]{12}$/;

// The field of a merchant's secret that holds a kind of key. A new signature method needs no entry here.

const fields = { 'shared-secret': 'controlKey', 'rsa-private-key': 'privateKey' } as const;

/** The field that holds the key of this method. */
export function keyFieldOf(method: SignatureMethodName): 'controlKey' | 'privateKey' {
  return fields[SIGNATURE_METHODS[method].keyKind];
}

/** The methods that a merchant's keys can sign by. */
export function methodsOf({ keys }: Pick<MerchantCredentials, 'keys'>): SignatureMethodName[] {
  return signatureMethodNames.filter((method) => keys[method] !== undefined);
}

/** The key in the field `privateKey` (or AWS KMS), whichever method it signs by. */
export function privateKeyOf({ keys }: Pick<MerchantCredentials, 'keys'>) {
  return Object.values(keys).find((key) => key.kind !== 'shared-secret');
}

/** The failure of a secret without the key that this method needs. */
function lackOfKey(method: SignatureMethodName): GatewayFailure {
  const field = keyFieldOf(method) === 'privateKey' ? 'privateKey or kmsKeyId' : 'controlKey';
  return { code: 'SECRET_INVALID', message: `the merchant's secret has no ${field}, which ${method} needs` };
}

/** The method by which the merchant's contract signs this operation. */
export function signatureMethodOf(
  operation: OperationName,
  { signatureMethod }: Pick<Profile, 'signatureMethod'>,
): SignatureMethodName {
  return signatureMethod[operation] ?? operations[operation].signatureMethod;
}

/** Why nothing can be signed by this method; undefined if the secret has the key for it. */
export function missingKey(
  { keys }: Pick<MerchantCredentials, 'keys'>,
  method: SignatureMethodName,
): GatewayFailure | undefined {
  return keys[method] ? undefined : lackOfKey(method);
}
