// Secrets Manager's contents and operations, without its wire: secrets, versions, staging labels, and the operations on them.
// secrets-manager-endpoint.ts puts HTTP in front.
import { randomBytes, randomUUID } from 'node:crypto';

type Input = Readonly<Record<string, unknown>>;
type Value = { readonly SecretString: string };
type Version = {
  readonly id: string;
  readonly CreatedDate: number;
  readonly stages: Set<string>;
  readonly value: Value;
};
type Secret = { readonly ARN: string; readonly Name: string; readonly CreatedDate: number };
type Stored = { readonly secret: Secret; readonly versions: Map<string, Version> };
/** Secrets by name. */
export type Vault = Map<string, Stored>;

/** A refusal by one of the service's named errors. */
export class ServiceError extends Error {
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
  const SecretString = optionalText(input, 'SecretString');
  return SecretString === undefined ? undefined : { SecretString };
}

function find(vault: Vault, input: Input): Stored {
  const id = requiredText(input, 'SecretId');
  const stored = vault.get(id) ?? [...vault.values()].find(({ secret }) => secret.ARN === id);
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
  const existing = vault.get(Name);
  if (existing && !existing.versions.has(id)) refuse('ResourceExistsException', `The secret ${Name} already exists.`);
  const ARN = `arn:aws:secretsmanager:eu-central-1:000000000000:secret:${Name}-${randomBytes(3).toString('hex')}`;
  const stored = existing ?? { secret: { ARN, Name, CreatedDate: nowSeconds() }, versions: new Map() };
  const value = valueOf(input);
  const version = value && addVersion(stored, id, value, ['AWSCURRENT']);
  vault.set(Name, stored);
  return { ARN: stored.secret.ARN, Name, VersionId: version?.id };
}

function putSecretValue(vault: Vault, input: Input) {
  const stored = find(vault, input);
  const value = valueOf(input) ?? refuse('InvalidParameterException', 'Provide SecretString.');
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
  SecretList: [...vault.values()].map((stored) => described(stored, 'SecretVersionsToStages')),
});

/** Versions that have lost their last label are left out, as in AWS. */
function described({ secret, versions }: Stored, stagesField: string): object {
  const labelled = [...versions.values()].filter(({ stages }) => stages.size > 0);
  return { ...secret, [stagesField]: Object.fromEntries(labelled.map(({ id, stages }) => [id, [...stages]])) };
}

/** The operations by their `X-Amz-Target`. */
export const vaultOperations: Readonly<Record<string, (vault: Vault, input: Input) => object>> = {
  'secretsmanager.CreateSecret': createSecret,
  'secretsmanager.DescribeSecret': describeSecret,
  'secretsmanager.GetSecretValue': getSecretValue,
  'secretsmanager.ListSecrets': listSecrets,
  'secretsmanager.PutSecretValue': putSecretValue,
  'secretsmanager.UpdateSecretVersionStage': updateSecretVersionStage,
};

/** Stores a new version by hand and returns its VersionId. */
export function put(vault: Vault, name: string, json: object | string, stage = 'AWSCURRENT'): string {
  if (!vault.has(name)) createSecret(vault, { Name: name });
  const secretString = typeof json === 'string' ? json : JSON.stringify(json);
  return putSecretValue(vault, { SecretId: name, SecretString: secretString, VersionStages: [stage] }).VersionId;
}
