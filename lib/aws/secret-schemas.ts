// The schemas of the secrets. A malformed secret stops a merchant's payments, so its fault names the field and the remedy. It never
// repeats a value: readers of the log must not see keys.
import { createPrivateKey, createSecretKey, type KeyObject, X509Certificate } from 'node:crypto';
import * as v from 'valibot';
import type { GatewayRoute } from '../gateway/ports.ts';
import type { FingerprintKeys } from '../payout/message/fingerprint.ts';

/** A secret that cannot be used; `message` names the field. */
export class SecretFault extends Error {
  readonly code = 'SECRET_INVALID';
}

/** Reads one of the worker's own secrets; a fault names the secret. Throws {@link SecretFault}. */
export function readOwnSecret<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof SecretFault ? new SecretFault(`the secret of ${name}: ${error.message}`) : error;
  }
}

/** A text that is not empty. */
export const given = v.pipe(v.string('must be text'), v.nonEmpty('must not be empty'));

/** A text of this shape; else this fault. */
export const shape = (pattern: RegExp, fault: string) => v.pipe(v.string('must be text'), v.regex(pattern, fault));
const fingerprintKey = shape(/^([0-9a-fA-F]{2}){32,}$/, 'must be at least 64 hexadecimal digits');

/** `<prefix>_worker`: the worker's own keys. */
export const workerSecretSchema = v.pipe(
  v.strictObject({
    fingerprintKeyId: v.pipe(given, v.description('which of the keys makes new fingerprints')),
    fingerprintKeys: v.pipe(
      v.record(shape(/^[A-Za-z0-9_-]{1,16}$/, 'must have an id of 1 to 16 letters or digits'), fingerprintKey),
      v.description(
        'keys by id, each at least 32 bytes in hexadecimal; keep an old key as long as the ledger keeps its orders',
      ),
    ),
    // Secrets Manager can generate a text only on the outermost level of a secret.
    generated: v.exactOptional(
      v.pipe(
        fingerprintKey,
        v.description('one more key, with the id `generated`, unless `fingerprintKeys` has that id'),
      ),
    ),
  }),
  v.transform(({ generated, ...secret }) => ({
    ...secret,
    fingerprintKeys: { ...(generated !== undefined && { generated }), ...secret.fingerprintKeys },
  })),
  v.check(
    (it) => Object.hasOwn(it.fingerprintKeys, it.fingerprintKeyId),
    'fingerprintKeyId must name one of fingerprintKeys',
  ),
);

/** Reads the worker's own secret. Throws {@link SecretFault}. */
export function readWorkerSecret(text: string): FingerprintKeys {
  const { fingerprintKeyId, fingerprintKeys } = validated(workerSecretSchema, text);
  const keys = new Map(Object.entries(fingerprintKeys).map(([keyId, key]) => [keyId, createSecretKey(key, 'hex')]));
  return { current: fingerprintKeyId, keys };
}

/** Reads a secret by its schema. Throws {@link SecretFault}. */
export function validated<T>(schema: v.GenericSchema<unknown, T>, text: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Without the cause: the parser's message quotes the secret.
    throw new SecretFault('the secret is not JSON');
  }
  const read = v.safeParse(schema, value, { abortPipeEarly: true });
  if (read.success) return read.output;
  throw new SecretFault(read.issues.map(faultOf).join('; '));
}

/** A sentence of ours: the library's would quote the received value. */
function faultOf(issue: v.BaseIssue<unknown>): string {
  const path = issue.path?.map((it) => printable(String(it.key))).join('.');
  if (issue.type === 'strict_object' && issue.expected === 'never') return `${path} is not a field of this secret`;
  if (issue.received === 'undefined') return `${path} is missing`;
  const isOurs = /^(must|fingerprintKeyId must) /.test(issue.message);
  return `${path ? `${path} ` : ''}${isOurs ? issue.message : `is not as the schema says (expected ${issue.expected ?? issue.type})`}`;
}

/** The name if it is a word or a short id; else it may be a key in the wrong place, and is not printed. */
function printable(name: string): string {
  return /^([A-Za-z-]{1,40}|[A-Za-z0-9_-]{1,16})$/.test(name) ? name : '(unprintable name)';
}

// The route to a merchant's gateway, if not direct with the system's trust.

const proxyShape = /^http:\/\/([A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\]):([0-9]{1,5})\/?$/;

/** The fields of an account that choose its route to the gateway. */
export const routeFields = {
  clientCertificate: v.exactOptional(
    v.pipe(
      given,
      v.description('certificate in PEM, with its chain, for a gateway that asks who connects (mTLS); with clientKey'),
    ),
  ),
  clientKey: v.exactOptional(
    v.pipe(
      given,
      v.description('private key of clientCertificate in PEM, without a passphrase; not the key that signs requests'),
    ),
  ),
  ca: v.exactOptional(
    v.pipe(given, v.description('certificates in PEM of a private authority: only it is trusted for this gateway')),
  ),
  proxy: v.exactOptional(
    v.pipe(
      v.strictObject({
        url: v.pipe(
          shape(proxyShape, 'must be "http://host:port"'),
          v.description('its address; the name and password have fields of their own'),
        ),
        username: v.exactOptional(
          v.pipe(
            shape(/^[ -9;-~\u00a0-\uffff]{1,255}$/, 'must have 1 to 255 characters, no colon, no line break'),
            v.description('for basic authentication at the proxy'),
          ),
        ),
        password: v.exactOptional(
          v.pipe(
            shape(/^[ -~\u00a0-\uffff]{1,255}$/, 'must have 1 to 255 characters, no line break'),
            v.description('with username'),
          ),
        ),
      }),
      v.description('an HTTP proxy that opens a tunnel (CONNECT) to an https gateway; it sees only the host'),
    ),
  ),
};

type RouteSecret = v.InferOutput<ReturnType<typeof v.strictObject<typeof routeFields, undefined>>>;

/** The route of an account; undefined if it names none. Throws {@link SecretFault}. */
export function readRoute(secret: RouteSecret, baseUrl: string): GatewayRoute | undefined {
  const { clientCertificate, clientKey, ca, proxy } = secret;
  const named = Object.entries({ clientCertificate, clientKey, ca, proxy }).find(([, value]) => value !== undefined);
  if (!named) return undefined;
  if (!baseUrl.startsWith('https:')) throw new SecretFault(`${named[0]} is only for an https gateway`);
  const client = clientOf(clientCertificate, clientKey);
  return {
    client,
    ca: ca === undefined ? undefined : certificatesIn(ca, 'ca').map(String).join(''),
    proxy: proxy && proxyOf(proxy),
  };
}

function clientOf(certificate: string | undefined, keyText: string | undefined): GatewayRoute['client'] {
  if (certificate === undefined && keyText === undefined) return undefined;
  if (certificate === undefined || keyText === undefined)
    throw new SecretFault('clientCertificate and clientKey must both be given, or neither');
  const [leaf, ...chain] = certificatesIn(certificate, 'clientCertificate');
  const key = clientKeyOf(keyText);
  if (!leaf?.checkPrivateKey(key))
    throw new SecretFault("clientKey is not the key of clientCertificate's first certificate");
  return { certificatePem: [leaf, ...chain].map(String).join(''), key };
}

/** Without the library's message, which may quote the key. */
function clientKeyOf(text: string): KeyObject {
  try {
    return createPrivateKey(withLineBreaks(text));
  } catch {
    throw new SecretFault('clientKey must be a private key in PEM, without a passphrase');
  }
}

/** PEM text with line feeds, which may be given as `\n` or CRLF. */
const withLineBreaks = (pem: string) => pem.replaceAll(/\\r|\r/g, '').replaceAll('\\n', '\n');

/** The certificates of a PEM text, at least one. Throws {@link SecretFault}. */
function certificatesIn(pem: string, field: string): readonly X509Certificate[] {
  const blocks = withLineBreaks(pem).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0)
    throw new SecretFault(`${field} must be certificates in PEM, beginning with -----BEGIN CERTIFICATE-----`);
  return blocks.map((block, at) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new SecretFault(`${field} holds a certificate that can't be read (number ${at + 1})`);
    }
  });
}

type ProxySecret = NonNullable<RouteSecret['proxy']>;

function proxyOf({ url, username, password }: ProxySecret): NonNullable<GatewayRoute['proxy']> {
  const [, host = '', port = ''] = proxyShape.exec(url) ?? [];
  if (Number(port) < 1 || Number(port) > 65_535) throw new SecretFault('proxy.url must name a port from 1 to 65535');
  if ((username === undefined) !== (password === undefined))
    throw new SecretFault('proxy.username and proxy.password must both be given, or neither');
  const basic = username === undefined ? undefined : Buffer.from(`${username}:${password}`).toString('base64');
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port),
    authorization: basic === undefined ? undefined : createSecretKey(`Basic ${basic}`, 'latin1'),
  };
}
