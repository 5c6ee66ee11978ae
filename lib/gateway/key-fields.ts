// Which field of a merchant's secret holds the key that a signature method needs: it goes by the kind of key, so that a
// new method needs no word here.
import { type SignatureMethodName, signatureMethodNames } from '../oauth1/signature-method-names.ts';
import { SIGNATURE_METHODS } from '../oauth1/signature-methods.ts';
import type { GatewayFailure } from './failures.ts';
import type { MerchantCredentials } from './ports.ts';
import type { SigningKey } from '../oauth1/signing-key.ts';

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
export function lackOfKey(method: SignatureMethodName): GatewayFailure {
  const field = keyFieldOf(method) === 'privateKey' ? 'privateKey or kmsKeyId' : 'controlKey';
  return { code: 'SECRET_INVALID', message: `the merchant's secret has no ${field}, which ${method} needs` };
}

/** Why nothing can be signed by this method; undefined where the secret has the key for it. */
export function missingKey(
  { keys }: Pick<MerchantCredentials, 'keys'>,
  method: SignatureMethodName,
): GatewayFailure | undefined {
  return keys[method] ? undefined : lackOfKey(method);
}

/**
 * Would these credentials sign and address a request in the same way (login, address, realm, key)? Then a refusal of the
 * one is a refusal of the other.
 */
export function signsAlike(one: MerchantCredentials, other: MerchantCredentials, method: SignatureMethodName): boolean {
  if (one.version === other.version) return true;
  return (
    one.login === other.login &&
    one.baseUrl === other.baseUrl &&
    one.profile.apiPath === other.profile.apiPath &&
    one.profile.realm === other.profile.realm &&
    isSameKey(one.keys[method], other.keys[method])
  );
}

/**
 * A key that never leaves its keeper is told by its name there: under one name it counts as one key, so that a refused
 * request waits for a person instead of being POSTed again, signed the same way.
 */
function isSameKey(one: SigningKey | undefined, other: SigningKey | undefined): boolean {
  if (one?.kind === 'shared-secret' && other?.kind === 'shared-secret') return one.secret.equals(other.secret);
  if (one?.kind === 'rsa-private-key' && other?.kind === 'rsa-private-key')
    return one.privateKey.equals(other.privateKey);
  if (one?.kind === 'rsa-signer' && other?.kind === 'rsa-signer') return one.keyId === other.keyId;
  return false;
}
