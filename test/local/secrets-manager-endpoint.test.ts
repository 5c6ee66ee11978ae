// The embedded Secrets Manager beside what the desk's contract asks of it: names, errors, tokens, scripted trouble, and silence.
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  type GetSecretValueCommandInput,
  InternalServiceError,
  InvalidParameterException,
  InvalidRequestException,
  ListSecretsCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startSecretsManagerEndpoint, type SecretsManagerEndpoint } from '../../lib/local/secrets-manager-endpoint.ts';

const SecretId = 'payouts/acme-eu';
let endpoint: SecretsManagerEndpoint;
let client: SecretsManagerClient;
const get = (input: Partial<GetSecretValueCommandInput> = {}) =>
  client.send(new GetSecretValueCommand({ SecretId, ...input }));

beforeEach(async () => {
  endpoint = await startSecretsManagerEndpoint({ region: 'eu-central-1' });
  const credentials = { accessKeyId: 'fake', secretAccessKey: 'fake' };
  client = new SecretsManagerClient({ region: 'eu-central-1', endpoint: endpoint.url, credentials, maxAttempts: 1 });
});
afterEach(async () => {
  client.destroy();
  await endpoint.close();
});

it('a secret comes by name, by ARN and by partial ARN, with its version; text or bytes, as they were put in', async () => {
  const VersionId = endpoint.put(SecretId, '{"login":');
  const byName = await get();
  expect(byName).toMatchObject({ Name: SecretId, SecretString: '{"login":', VersionId, VersionStages: ['AWSCURRENT'] });
  expect(byName.ARN).toMatch(/^arn:aws:secretsmanager:eu-central-1:000000000000:secret:payouts\/acme-eu-\w{6}$/);
  for (const id of [byName.ARN, byName.ARN?.slice(0, -7)])
    expect((await get({ SecretId: id })).SecretString).toBe(byName.SecretString);
  const bytes = new Uint8Array([0, 255]);
  await client.send(new CreateSecretCommand({ Name: 'bytes', SecretBinary: bytes }));
  expect((await get({ SecretId: 'bytes' })).SecretBinary).toStrictEqual(bytes);
});

it('what is not there, or is named wrongly, is the error that the service has for it', async () => {
  await expect(get()).rejects.toBeInstanceOf(ResourceNotFoundException);
  const current = endpoint.put(SecretId, 'old');
  await expect(get({ VersionStage: 'AWSPENDING' })).rejects.toThrow(/staging label: AWSPENDING/);
  await expect(get({ VersionId: 'a'.repeat(32) })).rejects.toBeInstanceOf(ResourceNotFoundException);
  const pending = endpoint.put(SecretId, 'new', 'AWSPENDING');
  const both = get({ VersionId: current, VersionStage: 'AWSPENDING' });
  await expect(both).rejects.toBeInstanceOf(InvalidRequestException);
  for (const change of [{ MoveToVersionId: pending }, { RemoveFromVersionId: current }]) {
    const move = client.send(new UpdateSecretVersionStageCommand({ SecretId, VersionStage: 'AWSCURRENT', ...change }));
    await expect(move).rejects.toBeInstanceOf(InvalidParameterException);
  }
  expect((await get()).SecretString).toBe('old');
});

it('a third version leaves the first without a label', async () => {
  const [, second = '', third = ''] = ['1', '2', '3'].map((value) => endpoint.put(SecretId, value));
  const { SecretList } = await client.send(new ListSecretsCommand());
  expect(SecretList).toMatchObject([
    { Name: SecretId, SecretVersionsToStages: { [second]: ['AWSPREVIOUS'], [third]: ['AWSCURRENT'] } },
  ]);
});

it('what is written twice with one token is one write, and another value is refused', async () => {
  const create = { Name: SecretId, SecretString: 'a', ClientRequestToken: 't'.repeat(32) };
  const first = await client.send(new CreateSecretCommand(create));
  expect((await client.send(new CreateSecretCommand(create))).VersionId).toBe(first.VersionId);
  for (const other of [
    { ...create, SecretString: 'b' },
    { Name: SecretId, SecretString: 'c' },
  ])
    await expect(client.send(new CreateSecretCommand(other))).rejects.toBeInstanceOf(ResourceExistsException);
  expect((await get()).SecretString).toBe('a');
});

it('the next requests fail as a story scripts it, by a named error or a bare status', async () => {
  endpoint.put(SecretId, 'a');
  endpoint.failNext(1, 'InternalServiceError');
  await expect(get()).rejects.toBeInstanceOf(InternalServiceError);
  endpoint.failNext(1, 503);
  await expect(get()).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } });
  expect((await get()).SecretString).toBe('a');
  expect(endpoint.requests()).toStrictEqual({ GetSecretValue: 3 });
});

it('a value is never shown: not on the terminal, not in an error', async () => {
  const said = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  const create = { Name: SecretId, SecretString: 'hunter2', ClientRequestToken: 't'.repeat(32) };
  await client.send(new CreateSecretCommand(create));
  const clash = new CreateSecretCommand({ ...create, SecretString: 'hunter2!' });
  const error: unknown = await client.send(clash).catch((error: unknown) => error);
  const headers = { 'x-amz-target': 'secretsmanager.CreateSecret' };
  const broken = await fetch(endpoint.url, { method: 'POST', headers, body: '{"SecretString":"hunter2' });
  expect(broken.status).toBe(400);
  expect(`${JSON.stringify(error)}${String(error)}${await broken.text()}`).not.toContain('hunter2');
  for (const write of said) expect(write).not.toHaveBeenCalled();
});
