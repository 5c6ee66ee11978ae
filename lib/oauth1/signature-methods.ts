// RFC 5849 section 3.4: the signature methods as a table, the only place that names them. Adding a method is adding a row.
import { constants, createHmac, createSecretKey, hash, sign } from 'node:crypto';
import { OAuth1Error } from './errors.ts';
import { percentEncode } from './percent-encode.ts';
import { parseRsaPrivateKey, parseSharedSecret } from './signing-key.ts';
import type { SignatureMethodName } from './signature-method-names.ts';
import type { RsaKeyOptions, RsaPrivateKey, RsaSigner, SharedSecretKey, SigningKey } from './signing-key.ts';

/** Everything that differs between methods; no code elsewhere asks which method it is. */
interface SignatureMethod {
  /** What the method signs with: the consumer secret, or an RSA private key. */
  readonly keyKind: 'shared-secret' | 'rsa-private-key';
  /** Whether the form body repeats the `oauth_*` parameters of the header (never `oauth_signature`). */
  readonly repeatsProtocolParametersInBody: boolean;
  readonly parseKey: (material: string, options: RsaKeyOptions) => SigningKey;
  /** Returns the signature in Base64. */
  readonly sign: (baseString: string, key: SigningKey, tokenSecret: string) => string | Promise<string>;
}

/** One row per method, by name. */
export const SIGNATURE_METHODS: Readonly<Record<SignatureMethodName, SignatureMethod>> = {
  'HMAC-SHA1': {
    keyKind: 'shared-secret',
    repeatsProtocolParametersInBody: true,
    parseKey: parseSharedSecret,
    sign: (baseString, key, tokenSecret) =>
      signHmac('sha1', baseString, requireKind(key, 'shared-secret'), tokenSecret),
  },
  'RSA-SHA256': {
    keyKind: 'rsa-private-key',
    repeatsProtocolParametersInBody: false,
    parseKey: parseRsaPrivateKey,
    sign: (baseString, key) =>
      key.kind === 'rsa-signer'
        ? signElsewhere(baseString, key)
        : signRsa('sha256', baseString, requireKind(key, 'rsa-private-key')),
  },
};

/** Reads the key material that a method needs: the consumer secret or the RSA private key as PEM. Do it once. */
export function parseSigningKey(
  signatureMethod: SignatureMethodName,
  material: string,
  options: RsaKeyOptions = {},
): SigningKey {
  return SIGNATURE_METHODS[signatureMethod].parseKey(material, options);
}

/** Section 3.4.2: `digest = HMAC-SHA1 (key, text)`, key = enc(consumer secret) & enc(token secret). */
function signHmac(hashName: string, baseString: string, { secret }: SharedSecretKey, tokenSecret: string): string {
  const key =
    tokenSecret === ''
      ? secret
      : createSecretKey(Buffer.concat([secret.export(), Buffer.from(percentEncode(tokenSecret))]));
  return createHmac(hashName, key).update(baseString).digest('base64');
}

/** Section 3.4.3: RSASSA-PKCS1-v1_5 over the base string; in the thread pool, so the event loop is never held. */
function signRsa(hashName: string, baseString: string, key: RsaPrivateKey): Promise<string> {
  return new Promise((resolve, reject) => {
    const keyAndPadding = { key: key.privateKey, padding: constants.RSA_PKCS1_PADDING };
    sign(hashName, Buffer.from(baseString), keyAndPadding, (error, signature) => {
      if (error === null) resolve(signature.toString('base64'));
      else reject(error);
    });
  });
}

/** The same signature from a key that is not here. The digest is made here: keepers bound the length of a text. */
async function signElsewhere(baseString: string, { signDigest }: RsaSigner): Promise<string> {
  try {
    return Buffer.from(await signDigest(hash('sha256', baseString, 'buffer'))).toString('base64');
  } catch {
    // The cause is dropped on purpose: the keeper's own words name accounts and keys.
    throw new OAuth1Error('OAUTH1_SIGNER_FAILED', 'The keeper of the private key did not sign.');
  }
}

function requireKind<Kind extends SigningKey['kind']>(
  key: SigningKey,
  kind: Kind,
): Extract<SigningKey, { kind: Kind }> {
  if (!isOfKind(key, kind)) {
    throw new OAuth1Error('OAUTH1_KEY_KIND_MISMATCH', `The signature method needs a ${kind}, not a ${key.kind}.`);
  }
  return key;
}

function isOfKind<Kind extends SigningKey['kind']>(
  key: SigningKey,
  kind: Kind,
): key is Extract<SigningKey, { kind: Kind }> {
  return key.kind === kind;
}
