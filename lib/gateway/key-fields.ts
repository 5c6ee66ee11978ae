// Which field of a merchant's secret holds the key that a signature method needs: it goes by the kind of key, so that a
// new method needs no word here.
import { type SignatureMethodName, signatureMethodNames } from '../oauth1/signature-method-names.ts';
import { SIGNATURE_METHODS } from '../oauth1/signature-methods.ts';
import type { MerchantCredentials } from './ports.ts';

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
