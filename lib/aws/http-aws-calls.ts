// The calls of AWS that every job makes, signed and sent without the SDK: where they go, Signature Version 4 (IAM user
// guide, "Create a signed AWS API request"), one try over a kept connection. What is not surely as the SDK would do it is
// not done here (undefined): sdk-on-demand.ts then has the SDK do it.
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { AwsCallTimeoutError } from './aws-calls.ts';
import type { functionEnvironment } from './env-config.ts';

// Not imported: the SDK's own way of naming them, without loading what node:http only offers (undici).
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

/** A service, as far as its calls go by here: JSON that is asked and answered as it stands. */
export interface ShortService {
  /** In its host and its signature. */
  readonly host: string;
  readonly setting: string;
  readonly target: string;
  readonly jsonVersion: string;
  readonly operations: readonly string[];
  /** Refusals that are answers: repeating them would change nothing. */
  readonly answers: readonly string[];
}

/** By the SDK's names of their clients. */
export const shortServices: Readonly<Record<string, ShortService>> = {
  DynamoDBClient: {
    host: 'dynamodb',
    setting: 'AWS_ENDPOINT_URL_DYNAMODB',
    target: 'DynamoDB_20120810',
    jsonVersion: '1.0',
    operations: ['PutItem', 'UpdateItem', 'GetItem', 'BatchGetItem'],
    answers: ['ConditionalCheckFailedException'],
  },
  SecretsManagerClient: {
    host: 'secretsmanager',
    setting: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
    target: 'secretsmanager',
    jsonVersion: '1.1',
    operations: ['GetSecretValue'],
    answers: ['ResourceNotFoundException', 'InvalidRequestException'],
  },
  SQSClient: {
    host: 'sqs',
    setting: 'AWS_ENDPOINT_URL_SQS',
    target: 'AmazonSQS',
    jsonVersion: '1.0',
    operations: ['SendMessageBatch'],
    answers: [],
  },
};

type Environment = ReturnType<typeof functionEnvironment>;

/** Settings by which the SDK would go elsewhere, or look for credentials elsewhere. */
const settingsOfTheSdk =
  /^AWS_(USE_(FIPS|DUALSTACK)_ENDPOINT|ENABLE_ENDPOINT_DISCOVERY|IGNORE_CONFIGURED_ENDPOINT_URLS|ACCOUNT_ID(_ENDPOINT_MODE)?|PROFILE|CONFIG_FILE|SHARED_CREDENTIALS_FILE|SIGV4A_.*)$/;

/** Where the service's calls go in a function: what the environment says, or the region's own address. */
export function shortAddress({ host, setting }: ShortService, environment: Environment): URL | undefined {
  if (Object.keys(environment).some((name) => settingsOfTheSdk.test(name) && environment[name])) return undefined;
  const { AWS_REGION: region = '', AWS_ENDPOINT_URL: anyService } = environment;
  // Regions of other partitions have other hosts.
  if (!/^(af|ap|ca|eu|il|me|mx|sa|us)-[a-z]+-\d$/.test(region)) return undefined;
  return plain(URL.parse(environment[setting] || anyService || `https://${host}.${region}.amazonaws.com`));
}

/** A message goes to the host that its queue's own address names, as the SDK sends it: that of a VPC endpoint, say. */
export function addressOfCall(service: URL, { QueueUrl }: { readonly QueueUrl?: string }): URL | undefined {
  return QueueUrl === undefined ? service : plain(URL.parse('/', QueueUrl));
}

function plain(url: URL | null): URL | undefined {
  const isPlain = url?.pathname === '/' && url.search === '' && url.username === '' && !url.hostname.startsWith('[');
  return isPlain ? url : undefined;
}

const hmac = (key: Buffer | KeyObject, text: string) => createHmac('sha256', key).update(text).digest();

/** Keys of a day by name. Kept as key objects: Node takes ten times as long to make an HMAC of bytes. */
const dayKeys = new Map<string, KeyObject>();

function dayKey(secret: string, scope: string): KeyObject {
  const name = scope + secret;
  const known = dayKeys.get(name);
  if (known) return known;
  if (dayKeys.size > 20) dayKeys.clear();
  const key = createSecretKey(scope.split('/').reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`)));
  dayKeys.set(name, key);
  return key;
}

/** A request as it is signed. */
export interface ShortRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The request of one operation with its signature; undefined without credentials in the environment. */
export function signedShortRequest(
  service: ShortService,
  url: URL,
  operation: string,
  input: object,
  environment: Environment,
  nowMs: number,
): ShortRequest | undefined {
  const { AWS_ACCESS_KEY_ID: keyId, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = environment;
  const { AWS_REGION: region = '', AWS_LAMBDA_FUNCTION_NAME: functionName, _X_AMZN_TRACE_ID: trace } = environment;
  if (!keyId || !secret) return undefined;
  const body = JSON.stringify(input);
  const bodySha256 = hash('sha256', body);
  const at = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  // In the order of their names, as they are signed.
  const headers: Record<string, string> = {
    'content-type': `application/x-amz-json-${service.jsonVersion}`,
    host: url.host,
    'x-amz-content-sha256': bodySha256,
    'x-amz-date': at,
    ...(token && { 'x-amz-security-token': token }),
    'x-amz-target': `${service.target}.${operation}`,
  };
  const names = Object.keys(headers).join(';');
  let canonical = 'POST\n/\n\n';
  for (const name in headers) canonical += `${name}:${headers[name]}\n`;
  const asked = hash('sha256', `${canonical}\n${names}\n${bodySha256}`);
  const scope = `${at.slice(0, 8)}/${region}/${service.host}/aws4_request`;
  const signature = hmac(dayKey(secret, scope), `AWS4-HMAC-SHA256\n${at}\n${scope}\n${asked}`).toString('hex');
  headers['authorization'] =
    `AWS4-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  // By it Lambda and SQS find out that messages go in a circle.
  if (functionName && trace) headers['x-amzn-trace-id'] = trace;
  headers['content-length'] = String(Buffer.byteLength(body));
  return { url, headers, body };
}

/** The deadlines of one try: to connect, and until the answer is whole. */
export type ShortDeadlines = Readonly<Record<'connectionTimeout' | 'requestTimeout', number>>;

type ShortAnswer = { readonly status: number; readonly text: string };

/**
 * Exchanges over connections of their own, kept from one to the next. Rejects unless the answer is whole: a write may have
 * been done then. A process that was frozen finds its connections closed by asking: where it may, and somebody still waits,
 * it asks again by another one. A write may so be made twice, as by the SDK: its condition says who has made it.
 */
export function createShortExchange({ mayRepeat }: { readonly mayRepeat: boolean }) {
  const kept = { keepAlive: true, maxSockets: 50 };
  // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
  const secureAgent = new https.Agent({ ...kept, rejectUnauthorized: true });
  const ways = {
    'http:': { request: http.request, agent: new http.Agent(kept), ready: 'connect' },
    'https:': { request: https.request, agent: secureAgent, ready: 'secureConnect' },
  };
  return async function exchange(it: ShortRequest, its: ShortDeadlines, signal?: AbortSignal): Promise<ShortAnswer> {
    const { protocol, hostname, port } = it.url;
    const { request: begin, agent, ready } = ways[protocol === 'https:' ? 'https:' : 'http:'];
    const request = begin({ hostname, port, method: 'POST', path: '/', headers: it.headers, agent });
    try {
      return await wholeAnswer(request, it.body, ready, its);
    } catch (error) {
      const isStale = request.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(String((error as { code?: unknown }).code));
      if (isStale && mayRepeat && !signal?.aborted) return exchange(it, its, signal);
      throw error;
    }
  };
}

/** Ends by deadlines of its own alone: to watch a signal, or the silence of a socket, costs as much as to sign. */
function wholeAnswer(request: ClientRequest, body: string, ready: string, its: ShortDeadlines): Promise<ShortAnswer> {
  return new Promise((resolve, reject) => {
    const within = (ms: number, what: string) =>
      setTimeout(() => request.destroy(new AwsCallTimeoutError(`${what} took longer than ${ms} ms`)), ms);
    const answered = within(its.requestTimeout, 'the answer');
    const fail = (error: Error) => {
      clearTimeout(answered);
      reject(error);
    };
    request.on('socket', (socket) => {
      if (!socket.connecting) return;
      const connected = within(its.connectionTimeout, 'connecting');
      const clear = () => clearTimeout(connected);
      socket.once(ready, clear).once('close', clear);
    });
    request.on('error', fail);
    request.on('response', (answer: IncomingMessage) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('error', fail);
      answer.on('end', () => {
        clearTimeout(answered);
        resolve({ status: answer.statusCode ?? 0, text });
      });
    });
    request.end(body);
  });
}
