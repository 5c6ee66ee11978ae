// The names of the signature methods, as `oauth_signature_method` spells them. They stand apart from the methods, so that
// who only names one (the published types among them) needs to know nothing of keys.

/** Every name; signature-methods.ts has the row of each. */
export const signatureMethodNames = ['HMAC-SHA1', 'RSA-SHA256'] as const;

/** One of {@link signatureMethodNames}. */
export type SignatureMethodName = (typeof signatureMethodNames)[number];
