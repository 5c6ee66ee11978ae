// A gateway as a stranger would write it from the interface document alone, in a process of its own: nothing of lib is
// used, the signature least of all. It pays every order, twice if it is sent twice, and counts it. Started by
// tests that walk as a new user walks, and by hand: node test/support/independent-gateway.ts --login L --control-key K
import { spawn } from 'node:child_process';
import { createHmac, createVerify } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { testCertificateKeyPem, testCertificatePem } from '../local/gateway/support/tls-certificate.ts';

/** The manner with an order whose signature is right; `refuses signatures` never finds one right. */
type GatewayManner =
  | 'pays'
  | 'refuses signatures'
  | 'says nothing'
  | 'fails every second'
  | 'has no funds'
  | 'refuses every order'
  | 'refuses every second';

/** A running gateway. */
export interface IndependentGateway {
  readonly url: string;
  /** The orders with right signatures, in order. */
  orders(): Promise<readonly SeenOrder[]>;
  stop(): Promise<void>;
}

interface SeenOrder {
  readonly operation: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly answered: number;
}

/** The options of the gateway. */
export interface GatewayOptions {
  readonly login?: string;
  readonly controlKey?: string;
  readonly publicKeyFile?: string;
  readonly manner?: GatewayManner;
  /** Over TLS, by a certificate that nobody knows. */
  readonly selfSigned?: boolean;
  readonly port?: number;
}

const running = new Set<() => void>();
process.once('exit', () => running.forEach((kill) => kill()));

/** Starts it on a free port of loopback. */
export async function startIndependentGateway(options: GatewayOptions = {}): Promise<IndependentGateway> {
  const flags = Object.entries({
    login: options.login ?? 'northwind-login',
    'control-key': options.controlKey ?? 'fake-control-key-northwind',
    'public-key': options.publicKeyFile,
    manner: options.manner,
    port: options.port?.toString(),
  }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  const args = [import.meta.filename, ...flags, ...(options.selfSigned ? ['--self-signed'] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = () => child.kill('SIGKILL');
  running.add(kill);
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const { url, report } = JSON.parse(line) as { readonly url: string; readonly report: string };
  return {
    url,
    orders: async () => (await (await fetch(report)).json()) as SeenOrder[],
    async stop() {
      running.delete(kill);
      const gone = once(child, 'exit');
      kill();
      await gone;
    },
  };
}

// The part that runs in its own process.

interface Merchant {
  readonly login: string;
  readonly controlKey: string;
  readonly publicKey: string | undefined;
}

/** RFC 3986, as the document demands: unreserved characters stay. */
const encoded = (value: string) =>
  encodeURIComponent(value).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`);

function headerParameters(header = ''): Map<string, string> {
  const pairs = [...header.replace(/^OAuth /i, '').matchAll(/([a-z_]+)="([^"]*)"/g)];
  return new Map(pairs.map(([, name = '', value = '']) => [name, decodeURIComponent(value)]));
}

function isSigned(url: string, body: URLSearchParams, oauth: Map<string, string>, merchant: Merchant): boolean {
  const signature = oauth.get('oauth_signature') ?? '';
  const pairs = [...body, ...oauth]
    .filter(([name]) => name !== 'oauth_signature' && name !== 'realm')
    .map(([name, value]) => [encoded(name), encoded(value)] as const);
  // The HMAC-SHA1 example repeats the oauth parameters in the body: each counts once.
  const once = new Map(pairs.map(([name, value]) => [`${name}=${value}`, [name, value] as const]));
  const sorted = [...once].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([pair]) => pair);
  const base = `POST&${encoded(url)}&${encoded(sorted.join('&'))}`;
  if (oauth.get('oauth_consumer_key') !== merchant.login) return false;
  if (oauth.get('oauth_signature_method') === 'HMAC-SHA1')
    return (
      createHmac('sha1', `${encoded(merchant.controlKey)}&`)
        .update(base)
        .digest('base64') === signature
    );
  if (merchant.publicKey === undefined) return false;
  return createVerify('sha256').update(base).verify(merchant.publicKey, signature, 'base64');
}

const idNames = new Map([
  ['payout', 'payout-id'],
  ['transfer-by-ref', 'transaction-id'],
  ['transfer', 'transaction-id'],
]);

function answering(merchant: Merchant, manner: GatewayManner, url: () => string): RequestListener {
  const orders: SeenOrder[] = [];
  const answer = (operation: string): [status: number, body: object] => {
    const isSecond = orders.length % 2 === 1;
    if (manner === 'fails every second' && isSecond) return [500, { problem: 'out of order' }];
    if (manner === 'has no funds')
      return [200, { type: 'error', 'error-code': '28', 'error-message': 'Insufficient funds' }];
    if (manner === 'refuses every order' || (manner === 'refuses every second' && isSecond))
      return [200, { type: 'validation-error', 'error-code': '8', 'error-message': 'Bank account is unknown 🏦' }];
    return [200, { [idNames.get(operation) ?? 'eligible']: String(9_000_001 + orders.length) }];
  };
  return (request, response) => {
    const say = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    void (async () => {
      if (request.method === 'GET') return say(200, orders);
      const fields = new URLSearchParams(await text(request));
      const oauth = headerParameters(request.headers.authorization);
      const [, operation = ''] = /^\/paynet\/api\/v\d\/([a-z-]+)\/[^/]+$/.exec(request.url ?? '') ?? [];
      if (manner === 'refuses signatures' || !isSigned(`${url()}${request.url}`, fields, oauth, merchant))
        return say(401, { 'error-message': 'signature is not valid' });
      const [status, body] = answer(operation);
      orders.push({ operation, fields: Object.fromEntries(fields), answered: status });
      return manner === 'says nothing' ? undefined : say(status, body);
    })();
  };
}

async function serve(): Promise<void> {
  const { values } = parseArgs({
    options: {
      login: { type: 'string', default: 'login' },
      'control-key': { type: 'string', default: 'key' },
      'public-key': { type: 'string' },
      manner: { type: 'string', default: 'pays' },
      port: { type: 'string', default: '0' },
      'self-signed': { type: 'boolean', default: false },
    },
  });
  const publicKey = values['public-key'];
  const merchant: Merchant = {
    login: values.login,
    controlKey: values['control-key'],
    publicKey: publicKey === undefined ? undefined : readFileSync(publicKey, 'utf8'),
  };
  let url = '';
  const listener = answering(merchant, values.manner as GatewayManner, () => url);
  const certificate = { key: testCertificateKeyPem, cert: testCertificatePem };
  const server = values['self-signed'] ? createTlsServer(certificate, listener) : createServer(listener);
  const report = createServer(listener);
  await Promise.all([
    once(server.listen(Number(values.port), '127.0.0.1'), 'listening'),
    once(report.listen(0, '127.0.0.1'), 'listening'),
  ]);
  const portOf = (it: typeof report | typeof server) => {
    const address = it.address();
    return typeof address === 'object' ? address?.port : 0;
  };
  url = `${values['self-signed'] ? 'https' : 'http'}://127.0.0.1:${portOf(server)}`;
  process.stdout.write(`${JSON.stringify({ url, report: `http://127.0.0.1:${portOf(report)}` })}\n`);
}

if (import.meta.main) await serve();
