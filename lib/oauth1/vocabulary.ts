// The closed unions of lib/oauth1: the names of the signature methods, and the error codes. Callers decide by the code, never by
// the text. Apart from the code that signs, so that the published types do not load it.

/** The names, as `oauth_signature_method` spells them. */
export const signatureMethodNames = ['HMAC-SHA1', 'RSA-SHA256'] as const;

/** One of {@link signatureMethodNames}. */
export type SignatureMethodName = (typeof signatureMethodNames)[number];

/**
 * Why a request could not be signed. Every error is thrown before a byte leaves, so no money has moved.
 *
 * - `OAUTH1_TEXT_MALFORMED`: a name or value holds half of a surrogate pair and has no UTF-8 form.
 * - `OAUTH1_URL_INVALID`: the URL is not one that can be signed and requested unchanged.
 * - `OAUTH1_REALM_INVALID`: the realm cannot be written as a quoted-string.
 * - `OAUTH1_PARAMETER_CONFLICT`: an `oauth_*` parameter is given twice with different values.
 * - `OAUTH1_KEY_UNREADABLE`: the key text is not a private key that can be read.
 * - `OAUTH1_KEY_ENCRYPTED`: the private key is protected by a passphrase.
 * - `OAUTH1_KEY_NOT_RSA`: the key is of another algorithm, or is not a private key.
 * - `OAUTH1_KEY_TOO_SMALL`: the RSA modulus is below 2048 bits.
 * - `OAUTH1_KEY_KIND_MISMATCH`: the key does not fit the signature method.
 * - `OAUTH1_SIGNER_FAILED`: the keeper of the key did not sign.
 */
export type OAuth1ErrorCode =
  | 'OAUTH1_TEXT_MALFORMED'
  | 'OAUTH1_URL_INVALID'
  | 'OAUTH1_REALM_INVALID'
  | 'OAUTH1_PARAMETER_CONFLICT'
  | 'OAUTH1_KEY_UNREADABLE'
  | 'OAUTH1_KEY_ENCRYPTED'
  | 'OAUTH1_KEY_NOT_RSA'
  | 'OAUTH1_KEY_TOO_SMALL'
  | 'OAUTH1_KEY_KIND_MISMATCH'
  | 'OAUTH1_SIGNER_FAILED';

/** A request or key that cannot be used for signing (RFC 5849). Neither text nor fields ever hold key material. */
export class OAuth1Error extends Error {
  readonly code: OAuth1ErrorCode;

  constructor(code: OAuth1ErrorCode, message: string) {
    super(message);
    this.name = 'OAuth1Error';
    this.code = code;
  }
}
