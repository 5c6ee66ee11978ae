// Secrets Manager for the embedded environment: its JSON 1.1 protocol over loopback HTTP, held in memory, so that the
// real SDK client fetches merchants' credentials as it does in AWS. Values are never logged or put into an error text.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { put, ServiceError, type Vault, vaultOperations } from './secrets-vault.ts';
import { listenOnLoopback, type OwnEndpoint } from './own-hosts.ts';

type Reply = { readonly status: number; readonly body: string };

/** The endpoint's address and its controls; the controls act at once, without HTTP. */
export interface SecretsManagerEndpoint extends OwnEndpoint {
  /**
   * Stores a new version and returns its VersionId; a string is stored as it is, for secrets that are not JSON.
   * `stage` defaults to AWSCURRENT; AWSPENDING is a rotation that has not happened yet.
   */
  put(name: string, json: object | string, stage?: string): string;
  /**
   * The next `count` requests fail, with a named error of the service or with a bare HTTP status; 0 ends it.
   * The SDK's own retries are requests too: a client with its default of 3 attempts hides a count of 1 or 2.
   */
  failNext(count: number, failure: string | number): void;
  /** Every answer waits this long; 0 (the default) answers at once. */
  setLatencyMs(latencyMs: number): void;
  /** Requests received so far, failed ones included, by operation name (`GetSecretValue`). */
  requests(): Readonly<Record<string, number>>;
}

type Script = { failures: number; failure: string | number; latencyMs: number; readonly counts: Map<string, number> };

function errorReply(type: string, message: string): Reply {
  // Secrets Manager answers 400 for every named error but its own failure.
  const status = type === 'InternalServiceError' ? 500 : 400;
  return { status, body: JSON.stringify({ __type: type, Message: message }) };
}

function scriptedFailure(script: Script): Reply | undefined {
  if (script.failures === 0) return undefined;
  script.failures -= 1;
  const { failure } = script;
  return typeof failure === 'number' ? { status: failure, body: '' } : errorReply(failure, 'A scripted failure.');
}

function perform(vault: Vault, target: string, body: string): Reply {
  const operation = vaultOperations[target];
  if (!operation) return errorReply('UnknownOperationException', `Not emulated: ${target}`);
  try {
    return { status: 200, body: JSON.stringify(operation(vault, JSON.parse(body))) };
  } catch (error) {
    if (error instanceof ServiceError) return errorReply(error.type, error.message);
    // The parser's own text would quote the request, and with it a secret.
    return errorReply('SerializationException', 'The request is not the JSON this operation expects.');
  }
}

async function answer(vault: Vault, script: Script, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = String(request.headers['x-amz-target']);
  const name = target.replace('secretsmanager.', '');
  script.counts.set(name, (script.counts.get(name) ?? 0) + 1);
  const body = await text(request);
  if (script.latencyMs > 0) await sleep(script.latencyMs);
  const reply = scriptedFailure(script) ?? perform(vault, target, body);
  response.writeHead(reply.status, { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-RequestId': randomUUID() });
  response.end(reply.body);
}

/** Starts the endpoint on a free loopback port; ARNs name the given region. */
export async function startSecretsManagerEndpoint(options: {
  readonly region: string;
}): Promise<SecretsManagerEndpoint> {
  const vault: Vault = { region: options.region, byName: new Map() };
  const script: Script = { failures: 0, failure: 500, latencyMs: 0, counts: new Map() };
  const server = createServer((request, response) => {
    // Only a client that went away can fail here.
    answer(vault, script, request, response).catch(() => response.destroy());
  });
  return {
    ...(await listenOnLoopback(server)),
    put: (name, json, stage) => put(vault, name, json, stage),
    failNext: (count, failure) => void Object.assign(script, { failures: count, failure }),
    setLatencyMs: (latencyMs) => void Object.assign(script, { latencyMs }),
    requests: () => Object.fromEntries(script.counts),
  };
}
