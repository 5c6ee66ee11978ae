// A tiny signer written from the text of RFC 5849, for these tests alone: it imports neither the worker nor the simulator.
import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';

/** The merchant of the stories. */
export const acme = { login: 'acme', controlKey: '11111111-1111-1111-1111-111111111111' };

const keyPair = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Acme's public key as it would be handed to the gateway, PKCS#1. */
export const acmePublicKeyPem = keyPair.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString();

/** Its private half, for those who sign with the worker's own code. */
export const acmePrivateKeyPem = keyPair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** What a story may change about a signed request. */
export interface SigningChoices {
  readonly method?: 'HMAC-SHA1' | 'RSA-SHA256';
  readonly login?: string;
  readonly controlKey?: string;
  readonly nonce?: string;
  readonly timestampSeconds?: number | string;
  readonly version?: string;
}

/** A request ready to be posted. */
export interface SignedPost {
  readonly authorization: string;
  readonly body: string;
}

/** Signs a POST of these fields to this URL, oauth_* in the header only. */
export function signedPost(
  url: string,
  fields: readonly (readonly [string, string])[],
  choices: SigningChoices = {},
): SignedPost {
  const method = choices.method ?? 'HMAC-SHA1';
  const oauth: readonly (readonly [string, string])[] = [
    ['oauth_consumer_key', choices.login ?? acme.login],
    ['oauth_nonce', choices.nonce ?? randomUUID().replaceAll('-', '')],
    ['oauth_signature_method', method],
    ['oauth_timestamp', String(choices.timestampSeconds ?? Math.floor(Date.now() / 1000))],
    ['oauth_version', choices.version ?? '1.0'],
  ];
  const baseString = baseStringFor(url, [...fields, ...oauth]);
  const signature =
    method === 'HMAC-SHA1'
      ? createHmac('sha1', `${encode(choices.controlKey ?? acme.controlKey)}&`)
          .update(baseString)
          .digest('base64')
      : sign('sha256', Buffer.from(baseString), keyPair.privateKey).toString('base64');
  return {
    authorization: authorizationFrom([...oauth, ['oauth_signature', signature]]),
    body: fields.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&'),
  };
}

/** The header of these pairs. */
export function authorizationFrom(pairs: readonly (readonly [string, string])[]): string {
  return `OAuth ${pairs.map(([name, value]) => `${encode(name)}="${encode(value)}"`).join(', ')}`;
}

function baseStringFor(url: string, pairs: readonly (readonly [string, string])[]): string {
  const { protocol, host, pathname, searchParams } = new URL(url);
  const encoded = [...searchParams, ...pairs].map(([name, value]) => [encode(name), encode(value)] as const);
  const parameters = encoded
    .toSorted(
      ([nameA, valueA], [nameB, valueB]) =>
        Buffer.compare(Buffer.from(nameA), Buffer.from(nameB)) ||
        Buffer.compare(Buffer.from(valueA), Buffer.from(valueB)),
    )
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return `POST&${encode(`${protocol}//${host}${pathname}`)}&${encode(parameters)}`;
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
