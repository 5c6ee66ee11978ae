// Our own signature and connections for calls to AWS, the two most expensive steps of a call. The SDK takes both as settings; retries,
// corrected clocks and error names remain the SDK's.
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { Limits } from '../payout/limits.ts';
import { functionEnvironment } from './env-config.ts';

// See http-exchange.ts: an `import` of these costs a third of a cold start.
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');
const { Agent: HttpsAgent, request: httpsRequest } = process.getBuiltinModule('node:https');

/** A request of the SDK's. */
interface AwsRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array;
}

/** An error by whose name the SDK tries again. */
const timeoutError = (message: string) => Object.assign(new Error(message), { name: 'TimeoutError' });

/**
 * Sends a client's requests over at most 50 kept connections, as the SDK's own handler does. Deadlines end a slow connection and
 * silence before or within the answer; the deadline of the whole call ends an answer that trickles.
 */
export function createRequestHandler({
  awsConnectTimeoutMs,
  awsRequestTimeoutMs,
}: Pick<Limits, 'awsConnectTimeoutMs' | 'awsRequestTimeoutMs'>) {
  const kept = { keepAlive: true, maxSockets: 50 };
  const httpAgent = new HttpAgent(kept);
  // Checks certificates also if NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
  const httpsAgent = new HttpsAgent({ ...kept, rejectUnauthorized: true });

  const handle = (
    { protocol, hostname, port, method, path, query, headers, body }: AwsRequest,
    { abortSignal }: { readonly abortSignal?: AbortSignal } = {},
  ) =>
    new Promise<{ response: { statusCode: number; headers: Record<string, string>; body: Uint8Array } }>(
      (resolve, reject) => {
        const isHttp = protocol === 'http:';
        const search = queryOf(query);
        const request = (isHttp ? httpRequest : httpsRequest)({
          agent: isHttp ? httpAgent : httpsAgent,
          host: hostname.replace(/^\[|\]$/g, ''),
          port,
          method,
          path: search === '' ? path : `${path}?${search}`,
          headers,
          timeout: awsRequestTimeoutMs,
          signal: abortSignal,
        });
        request.on('error', reject).on('timeout', () => request.destroy(timeoutError('AWS was silent for too long')));
        request.on('socket', (socket) => {
          if (!socket.connecting) return;
          const timer = setTimeout(
            () => request.destroy(timeoutError('no connection to AWS in time')),
            awsConnectTimeoutMs,
          );
          socket.once(isHttp ? 'connect' : 'secureConnect', () => clearTimeout(timer));
          request.once('close', () => clearTimeout(timer));
        });
        request.on('response', (answer) => {
          const parts: Buffer[] = [];
          answer.on('error', reject).on('data', (part: Buffer) => parts.push(part));
          answer.on('end', () =>
            resolve({
              response: {
                statusCode: answer.statusCode ?? 0,
                headers: answer.headers as Record<string, string>,
                body: Buffer.concat(parts),
              },
            }),
          );
        });
        request.end(body);
      },
    );

  const destroy = () => [httpAgent, httpsAgent].forEach((agent) => agent.destroy());
  return { handle, destroy, metadata: { handlerProtocol: 'http/1.1' } };
}

const queryOf = (query: AwsRequest['query']): string =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) =>
      [values ?? ''].flat().map((value): [string, string] => [name, value]),
    ),
  ).toString();

// Signature Version 4 (IAM user guide, "Create a signed AWS API request").

/** Headers that are not signed: proxies may change them, or they are no part of the request. */
const unsigned = new Set(['user-agent', 'x-amzn-trace-id', 'connection', 'expect', 'transfer-encoding']);

const sha256 = (text: string | Uint8Array) => hash('sha256', text, 'hex');
/** Takes a key object: OpenSSL would read a key of bytes anew each time, at a higher cost than the signature. */
const hmac = (key: KeyObject, text: string) => createHmac('sha256', key).update(text).digest();

/** The credentials of a process. */
interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * A signer of POST requests without a query. `signingDate` comes from the SDK, which corrects a wrong clock. A signing key is valid for
 * a day, a region and a service.
 */
export function createSigner(service: string, region: string, credentialsOf: () => AwsCredentials) {
  let key: { readonly name: string; readonly secret: KeyObject } | undefined;
  const keyOf = (secret: string, day: string) => {
    const name = `${secret} ${day}`;
    if (key?.name !== name) {
      const first = createSecretKey(`AWS4${secret}`, 'utf8');
      const derived = (from: KeyObject, text: string) => createSecretKey(hmac(from, text));
      key = { name, secret: [day, region, service, 'aws4_request'].reduce(derived, first) };
    }
    return key.secret;
  };
  return {
    async sign<R extends AwsRequest>(request: R, { signingDate }: { readonly signingDate: Date }): Promise<R> {
      const { accessKeyId, secretAccessKey, sessionToken } = credentialsOf();
      const time = signingDate.toISOString().replace(/[-:]|\.\d+/g, '');
      const scope = [time.slice(0, 8), region, service, 'aws4_request'].join('/');
      const headers: Record<string, string> = {
        ...request.headers,
        'x-amz-date': time,
        ...(sessionToken && { 'x-amz-security-token': sessionToken }),
      };
      const signed = Object.entries(headers)
        .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/\s+/g, ' ')] as const)
        .filter(([name]) => !unsigned.has(name))
        .toSorted(([a], [b]) => (a < b ? -1 : 1));
      const names = signed.map(([name]) => name).join(';');
      const path = request.path.split('/').map(encodeURIComponent).join('/');
      const canonical = [
        request.method,
        path,
        '',
        ...signed.map((it) => it.join(':')),
        '',
        names,
        sha256(request.body ?? ''),
      ].join('\n');
      const signature = hmac(
        keyOf(secretAccessKey, time.slice(0, 8)),
        ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n'),
      ).toString('hex');
      headers['authorization'] =
        `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
      return Object.assign(request, { headers });
    },
  };
}

/**
 * The signer in Lambda, which puts the role's credentials into the environment and ends a process before they expire. Empty outside
 * Lambda: there the SDK finds the credentials.
 */
export function signerInLambda(service: string) {
  const { AWS_LAMBDA_FUNCTION_NAME: name, AWS_REGION: region } = functionEnvironment();
  if (name === undefined || region === undefined) return {};
  const signer = createSigner(service, region, () => {
    const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = functionEnvironment();
    return {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      sessionToken: AWS_SESSION_TOKEN,
    };
  });
  return { signer: async () => signer };
}
