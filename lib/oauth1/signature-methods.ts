// RFC 5849 section 3.4: the signature methods as a table; adding a method is adding a row. Keys are parsed once, into key
// objects that no log can print.
import { constants, createHmac, createPrivateKey, createSecretKey, hash, type KeyObject, sign } from 'node:crypto';
import { percentEncode } from './parameters.ts';
import type { RsaKeyOptions, RsaPrivateKey, RsaSigner, SharedSecretKey, SigningKey } from './signing-key.ts';
import { type SignatureMethodName, OAuth1Error } from './vocabulary.ts';

/** Everything that differs between methods; no other code branches on the method. */
interface SignatureMethod {
  /** The kind of key: the consumer secret, or an RSA private key. */
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
    sign: (baseString, key, tokenSecret) => signHmacSha1(baseString, requireKind(key, 'shared-secret'), tokenSecret),
  },
  'RSA-SHA256': {
    keyKind: 'rsa-private-key',
    repeatsProtocolParametersInBody: false,
    parseKey: parseRsaPrivateKey,
    sign: (baseString, key) =>
      key.kind === 'rsa-signer'
        ? signElsewhere(baseString, key)
        : signRsaSha256(baseString, requireKind(key, 'rsa-private-key')),
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
function signHmacSha1(baseString: string, { secret }: SharedSecretKey, tokenSecret: string): string {
  const key =
    tokenSecret === ''
      ? secret
      : createSecretKey(Buffer.concat([secret.export(), Buffer.from(percentEncode(tokenSecret))]));
  return createHmac('sha1', key).update(baseString).digest('base64');
}

/** Section 3.4.3: RSASSA-PKCS1-v1_5 over the base string; in the thread pool, so the event loop is never held. */
function signRsaSha256(baseString: string, key: RsaPrivateKey): Promise<string> {
  return new Promise((resolve, reject) => {
    const keyAndPadding = { key: key.privateKey, padding: constants.RSA_PKCS1_PADDING };
    sign('sha256', Buffer.from(baseString), keyAndPadding, (error, signature) => {
      if (error === null) resolve(signature.toString('base64'));
      else reject(error);
    });
  });
}

/** The same signature, by a key that stays with its keeper. We send the digest: keepers limit the length of a text. */
async function signElsewhere(baseString: string, { signDigest }: RsaSigner): Promise<string> {
  try {
    return Buffer.from(await signDigest(hash('sha256', baseString, 'buffer'))).toString('base64');
  } catch {
    // Without the cause: the keeper's message names accounts and keys.
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

/** The gateway's minimum; signatures of shorter keys can be forged. */
export const RSA_MINIMUM_BITS = 2048;

/** Section 3.4.2: reads the consumer secret. The separator `&` is part of the key even if a secret is empty. */
export function parseSharedSecret(consumerSecret: string): SharedSecretKey {
  return { kind: 'shared-secret', secret: createSecretKey(`${percentEncode(consumerSecret)}&`, 'utf8') };
}

const PEM_BLOCK = /-----BEGIN (?<label>[A-Z ]*KEY)-----(?<content>[^-]+)-----END \k<label>-----/;
const DER_TYPE_BY_LABEL: Readonly<Record<string, 'pkcs1' | 'pkcs8'>> = {
  'RSA PRIVATE KEY': 'pkcs1',
  'PRIVATE KEY': 'pkcs8',
};

/**
 * Section 3.4.3: reads an unencrypted RSA private key from PEM text, PKCS#1 or PKCS#8. Line breaks may be damaged, as
 * environments and secret stores do: CRLF, literal `\n`, one line, indentation.
 */
export function parseRsaPrivateKey(pem: string, options: RsaKeyOptions = {}): RsaPrivateKey {
  const privateKey = readPrivateKey(pem);
  // "rsa-pss" keys are refused too: they cannot make PKCS1-v1_5 signatures.
  if (privateKey.asymmetricKeyType !== 'rsa') {
    throw new OAuth1Error('OAUTH1_KEY_NOT_RSA', `An RSA key is needed, this one is ${privateKey.asymmetricKeyType}.`);
  }
  const bits = privateKey.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < RSA_MINIMUM_BITS && options.allowSmallKeys !== true) {
    throw new OAuth1Error('OAUTH1_KEY_TOO_SMALL', `The RSA key has ${bits} bits, at least ${RSA_MINIMUM_BITS} needed.`);
  }
  return { kind: 'rsa-private-key', privateKey, bits };
}

function readPrivateKey(pem: string): KeyObject {
  const { label, content } = findPemBlock(pem);
  const type = DER_TYPE_BY_LABEL[label];
  if (type === undefined) {
    throw new OAuth1Error('OAUTH1_KEY_NOT_RSA', `The key is a ${label}, an RSA PRIVATE KEY or PRIVATE KEY is needed.`);
  }
  try {
    return createPrivateKey({ key: Buffer.from(content, 'base64'), format: 'der', type });
  } catch {
    // Without the cause: the library's message may quote the key.
    throw new OAuth1Error('OAUTH1_KEY_UNREADABLE', `The content of the ${label} cannot be read: is it cut short?`);
  }
}

function findPemBlock(pem: string): { label: string; content: string } {
  // Secret stores and one-line variables turn line breaks into the two characters \ and n.
  const text = pem.replaceAll(/\\r|\\n/g, '\n');
  // PKCS#8 marks encryption in the label, PKCS#1 in a header line.
  if (/BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/.test(text)) {
    throw new OAuth1Error('OAUTH1_KEY_ENCRYPTED', 'The private key is encrypted: store it without a passphrase.');
  }
  const { label, content } = PEM_BLOCK.exec(text)?.groups ?? {};
  if (label === undefined || content === undefined) {
    throw new OAuth1Error('OAUTH1_KEY_UNREADABLE', 'No PEM key found: "-----BEGIN RSA PRIVATE KEY-----" is expected.');
  }
  return { label, content };
}
