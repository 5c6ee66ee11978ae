// Secrets Manager for the embedded environment: its JSON 1.1 protocol over loopback HTTP, held in memory, so that the
// real SDK client fetches merchants' credentials as it does in AWS. Values are never logged or put into an error text.
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

type Input = Readonly<Record<string, unknown>>;
type Value = { readonly SecretString?: string; readonly SecretBinary?: string };
type Version = {
  readonly id: string;
  readonly CreatedDate: number;
  readonly stages: Set<string>;
  readonly value: Value;
};
type Secret = { readonly ARN: string; readonly Name: string; readonly CreatedDate: number };
type Stored = { readonly secret: Secret; readonly versions: Map<string, Version> };
type Vault = { readonly region: string; readonly byName: Map<string, Stored> };
type Reply = { readonly status: number; readonly body: string };

/** The endpoint's address and its controls; the controls act at once, without HTTP. */
export interface SecretsManagerEndpoint {
  readonly url: string;
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
  close(): Promise<void>;
}

class ServiceError extends Error {
  readonly type: string;
  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

function refuse(type: string, message: string): never {
  throw new ServiceError(type, message);
}

const nowSeconds = (): number => Date.now() / 1000;

function optionalText(input: Input, field: string): string | undefined {
  const value = input[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const requiredText = (input: Input, field: string): string =>
  optionalText(input, field) ?? refuse('ValidationException', `Value at '${field}' must not be null`);

function valueOf(input: Input): Value | undefined {
  const [SecretString, SecretBinary] = [optionalText(input, 'SecretString'), optionalText(input, 'SecretBinary')];
  if (SecretString !== undefined) return { SecretString };
  return SecretBinary === undefined ? undefined : { SecretBinary };
}

function find(vault: Vault, input: Input): Stored {
  const id = requiredText(input, 'SecretId');
  // A partial ARN lacks the hyphen and six random characters at the end; AWS accepts it too.
  const named = ({ secret }: Stored): boolean => secret.ARN === id || secret.ARN.slice(0, -7) === id;
  const stored = vault.byName.get(id) ?? [...vault.byName.values()].find(named);
  return stored ?? refuse('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
}

const noVersion = (what: string): never =>
  refuse('ResourceNotFoundException', `Secrets Manager can't find the specified secret value for ${what}`);

const holderOf = ({ versions }: Stored, stage: string): Version | undefined =>
  [...versions.values()].find(({ stages }) => stages.has(stage));

/** A label sits on one version at most; the version that loses AWSCURRENT becomes AWSPREVIOUS. */
function attachStage(stored: Stored, stage: string, version: Version): void {
  const holder = holderOf(stored, stage);
  if (holder === version) return;
  holder?.stages.delete(stage);
  version.stages.add(stage);
  if (holder && stage === 'AWSCURRENT') attachStage(stored, 'AWSPREVIOUS', holder);
}

/** The version id is the caller's idempotency token: the same value again changes nothing, another is refused. */
function addVersion(stored: Stored, id: string, value: Value, stages: readonly string[]): Version {
  const known = stored.versions.get(id);
  if (known && JSON.stringify(known.value) === JSON.stringify(value)) return known;
  if (known) refuse('ResourceExistsException', 'A version with this ID exists already, with another value.');
  const version: Version = { id, CreatedDate: nowSeconds(), stages: new Set(), value };
  const isFirst = stored.versions.size === 0;
  stored.versions.set(id, version);
  for (const stage of isFirst ? [...stages, 'AWSCURRENT'] : stages) attachStage(stored, stage, version);
  return version;
}

function createSecret(vault: Vault, input: Input): object {
  const Name = requiredText(input, 'Name');
  const id = optionalText(input, 'ClientRequestToken') ?? randomUUID();
  const existing = vault.byName.get(Name);
  if (existing && !existing.versions.has(id)) refuse('ResourceExistsException', `The secret ${Name} already exists.`);
  const ARN = `arn:aws:secretsmanager:${vault.region}:000000000000:secret:${Name}-${randomBytes(3).toString('hex')}`;
  const stored = existing ?? { secret: { ARN, Name, CreatedDate: nowSeconds() }, versions: new Map() };
  const value = valueOf(input);
  const version = value && addVersion(stored, id, value, ['AWSCURRENT']);
  vault.byName.set(Name, stored);
  return { ARN: stored.secret.ARN, Name, VersionId: version?.id };
}

function putSecretValue(vault: Vault, input: Input) {
  const stored = find(vault, input);
  const value = valueOf(input) ?? refuse('InvalidParameterException', 'Provide either SecretString or SecretBinary.');
  const named = input['VersionStages'];
  const stages = Array.isArray(named) ? named.map(String) : ['AWSCURRENT'];
  const version = addVersion(stored, optionalText(input, 'ClientRequestToken') ?? randomUUID(), value, stages);
  const { ARN, Name } = stored.secret;
  return { ARN, Name, VersionId: version.id, VersionStages: [...version.stages] };
}

function getSecretValue(vault: Vault, input: Input): object {
  const stored = find(vault, input);
  const id = optionalText(input, 'VersionId');
  const stage = optionalText(input, 'VersionStage') ?? (id === undefined ? 'AWSCURRENT' : undefined);
  const version =
    id === undefined
      ? (holderOf(stored, stage ?? '') ?? noVersion(`staging label: ${stage}`))
      : (stored.versions.get(id) ?? noVersion(`VersionId: ${id}`));
  const { CreatedDate, stages, value } = version;
  if (stage !== undefined && !stages.has(stage)) {
    refuse('InvalidRequestException', 'You provided a VersionStage that is not associated to the provided VersionId.');
  }
  return { ...stored.secret, CreatedDate, VersionId: version.id, VersionStages: [...stages], ...value };
}

function updateSecretVersionStage(vault: Vault, input: Input): object {
  const stored = find(vault, input);
  const stage = requiredText(input, 'VersionStage');
  const [from, to] = [optionalText(input, 'RemoveFromVersionId'), optionalText(input, 'MoveToVersionId')];
  const holder = holderOf(stored, stage);
  if (from !== holder?.id && (holder?.id !== to || from !== undefined)) {
    refuse('InvalidParameterException', `RemoveFromVersionId must name the version that ${stage} is attached to.`);
  }
  if (to !== undefined) attachStage(stored, stage, stored.versions.get(to) ?? noVersion(`VersionId: ${to}`));
  else if (stage === 'AWSCURRENT') refuse('InvalidParameterException', 'AWSCURRENT can be moved, not removed.');
  else holder?.stages.delete(stage);
  return { ARN: stored.secret.ARN, Name: stored.secret.Name };
}

const describeSecret = (vault: Vault, input: Input): object => described(find(vault, input), 'VersionIdsToStages');

/** No filters and no paging: a local environment holds a handful of secrets. */
const listSecrets = (vault: Vault): object => ({
  SecretList: [...vault.byName.values()].map((stored) => described(stored, 'SecretVersionsToStages')),
});

/** Versions that have lost their last label are left out, as in AWS. */
function described({ secret, versions }: Stored, stagesField: string): object {
  const labelled = [...versions.values()].filter(({ stages }) => stages.size > 0);
  return { ...secret, [stagesField]: Object.fromEntries(labelled.map(({ id, stages }) => [id, [...stages]])) };
}

const operations: Readonly<Record<string, (vault: Vault, input: Input) => object>> = {
  'secretsmanager.CreateSecret': createSecret,
  'secretsmanager.DescribeSecret': describeSecret,
  'secretsmanager.GetSecretValue': getSecretValue,
  'secretsmanager.ListSecrets': listSecrets,
  'secretsmanager.PutSecretValue': putSecretValue,
  'secretsmanager.UpdateSecretVersionStage': updateSecretVersionStage,
};

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
  const operation = operations[target];
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

function put(vault: Vault, name: string, json: object | string, stage = 'AWSCURRENT'): string {
  if (!vault.byName.has(name)) createSecret(vault, { Name: name });
  const secretString = typeof json === 'string' ? json : JSON.stringify(json);
  return putSecretValue(vault, { SecretId: name, SecretString: secretString, VersionStages: [stage] }).VersionId;
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
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`,
    put: (name, json, stage) => put(vault, name, json, stage),
    failNext: (count, failure) => void Object.assign(script, { failures: count, failure }),
    setLatencyMs: (latencyMs) => void Object.assign(script, { latencyMs }),
    requests: () => Object.fromEntries(script.counts),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
