import {
  CreateSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  InternalServiceError,
  InvalidParameterException,
  InvalidRequestException,
  ListSecretsCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
  type GetSecretValueCommandInput,
} from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startSecretsManagerEndpoint, type SecretsManagerEndpoint } from '../../lib/local/secrets-manager-endpoint.ts';

const SecretId = 'payouts/acme-eu';
let endpoint: SecretsManagerEndpoint;
let client: SecretsManagerClient;

const clientWith = (maxAttempts: number): SecretsManagerClient =>
  new SecretsManagerClient({
    region: 'eu-central-1',
    endpoint: endpoint.url,
    credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
    maxAttempts,
  });
const get = (input: Partial<GetSecretValueCommandInput> = {}) =>
  client.send(new GetSecretValueCommand({ SecretId, ...input }));
const valueAt = async (VersionStage: string): Promise<string | undefined> => (await get({ VersionStage })).SecretString;

beforeEach(async () => {
  endpoint = await startSecretsManagerEndpoint({ region: 'eu-central-1' });
  client = clientWith(1);
});

afterEach(async () => {
  client.destroy();
  await endpoint.close();
});

describe('a merchant secret, fetched by the real client', () => {
  it('comes by name, by ARN and by partial ARN, with version, stage and date', async () => {
    const versionId = endpoint.put(SecretId, { login: 'acme' });
    const byName = await get();
    expect(byName).toMatchObject({
      Name: SecretId,
      SecretString: '{"login":"acme"}',
      VersionId: versionId,
      VersionStages: ['AWSCURRENT'],
    });
    expect(byName.ARN).toMatch(/^arn:aws:secretsmanager:eu-central-1:000000000000:secret:payouts\/acme-eu-\w{6}$/);
    expect(Math.abs((byName.CreatedDate?.getTime() ?? 0) - Date.now())).toBeLessThan(5000);
    for (const id of [byName.ARN, byName.ARN?.slice(0, -7)]) {
      expect((await get({ SecretId: id })).SecretString).toBe(byName.SecretString);
    }
  });

  it('that does not exist, or has no such stage or version, is a ResourceNotFoundException', async () => {
    await expect(get()).rejects.toBeInstanceOf(ResourceNotFoundException);
    endpoint.put(SecretId, { login: 'acme' });
    await expect(get({ VersionStage: 'AWSPENDING' })).rejects.toThrow(/staging label: AWSPENDING/);
    await expect(get({ VersionId: 'a'.repeat(32) })).rejects.toBeInstanceOf(ResourceNotFoundException);
  });

  it('may be bytes', async () => {
    await client.send(new CreateSecretCommand({ Name: SecretId, SecretBinary: new Uint8Array([0, 255]) }));
    expect((await get()).SecretBinary).toStrictEqual(new Uint8Array([0, 255]));
  });

  it('may be no JSON at all, so that a reader can be shown what a slip of the pen does', async () => {
    endpoint.put(SecretId, '{"login":');
    expect((await get()).SecretString).toBe('{"login":');
  });
});

describe('a rotation', () => {
  it('stages the new key as AWSPENDING, then makes it current and keeps the old one as AWSPREVIOUS', async () => {
    const oldId = endpoint.put(SecretId, 'old');
    const put = { SecretId, SecretString: 'new', VersionStages: ['AWSPENDING'] };
    const { VersionId: newId } = await client.send(new PutSecretValueCommand(put));
    expect([await valueAt('AWSCURRENT'), await valueAt('AWSPENDING')]).toStrictEqual(['old', 'new']);

    const move = { SecretId, VersionStage: 'AWSCURRENT', MoveToVersionId: newId, RemoveFromVersionId: oldId };
    await client.send(new UpdateSecretVersionStageCommand(move));

    expect([await valueAt('AWSCURRENT'), await valueAt('AWSPREVIOUS')]).toStrictEqual(['new', 'old']);
    const { VersionIdsToStages } = await client.send(new DescribeSecretCommand({ SecretId }));
    expect(VersionIdsToStages).toStrictEqual({ [oldId]: ['AWSPREVIOUS'], [newId ?? '']: ['AWSPENDING', 'AWSCURRENT'] });
  });

  it('by a plain put moves AWSCURRENT at once; the third version leaves the first without a label', async () => {
    const [first, second, third] = ['1', '2', '3'].map((value) => endpoint.put(SecretId, value));
    expect([await valueAt('AWSCURRENT'), await valueAt('AWSPREVIOUS')]).toStrictEqual(['3', '2']);
    expect((await get({ VersionId: first })).SecretString).toBe('1');
    const { SecretList } = await client.send(new ListSecretsCommand());
    expect(SecretList?.map(({ Name, SecretVersionsToStages }) => ({ Name, SecretVersionsToStages }))).toStrictEqual([
      { Name: SecretId, SecretVersionsToStages: { [second ?? '']: ['AWSPREVIOUS'], [third ?? '']: ['AWSCURRENT'] } },
    ]);
  });

  it('must name the version that loses AWSCURRENT, and cannot leave the secret without one', async () => {
    const current = endpoint.put(SecretId, 'old');
    const pending = endpoint.put(SecretId, 'new', 'AWSPENDING');
    for (const change of [{ MoveToVersionId: pending }, { RemoveFromVersionId: current }]) {
      const command = new UpdateSecretVersionStageCommand({ SecretId, VersionStage: 'AWSCURRENT', ...change });
      await expect(client.send(command)).rejects.toBeInstanceOf(InvalidParameterException);
    }
    expect(await valueAt('AWSCURRENT')).toBe('old');
  });

  it('refuses a version id together with a stage it does not have', async () => {
    const current = endpoint.put(SecretId, 'old');
    endpoint.put(SecretId, 'new', 'AWSPENDING');
    await expect(get({ VersionId: current, VersionStage: 'AWSPENDING' })).rejects.toBeInstanceOf(
      InvalidRequestException,
    );
  });
});

describe('writing twice', () => {
  it('with the same token and value is one write, with another value is refused', async () => {
    const create = { Name: SecretId, SecretString: 'a', ClientRequestToken: 't'.repeat(32) };
    const first = await client.send(new CreateSecretCommand(create));
    expect((await client.send(new CreateSecretCommand(create))).VersionId).toBe(first.VersionId);
    const other = new CreateSecretCommand({ ...create, SecretString: 'b' });
    await expect(client.send(other)).rejects.toBeInstanceOf(ResourceExistsException);
    const newcomer = new CreateSecretCommand({ Name: SecretId, SecretString: 'c' });
    await expect(client.send(newcomer)).rejects.toBeInstanceOf(ResourceExistsException);
    expect(await valueAt('AWSCURRENT')).toBe('a');
  });
});

describe('scripted trouble', () => {
  it('fails the next requests with a named error, then answers again', async () => {
    endpoint.put(SecretId, 'a');
    endpoint.failNext(2, 'InternalServiceError');
    await expect(get()).rejects.toBeInstanceOf(InternalServiceError);
    await expect(get()).rejects.toMatchObject({ $metadata: { httpStatusCode: 500 } });
    expect((await get()).SecretString).toBe('a');
    expect(endpoint.requests()).toStrictEqual({ GetSecretValue: 3 });
  });

  it('fails with a bare status, which a client with retries rides out', async () => {
    endpoint.put(SecretId, 'a');
    endpoint.failNext(1, 503);
    await expect(get()).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } });
    endpoint.failNext(1, 'ThrottlingException');
    client.destroy();
    client = clientWith(2);
    expect((await get()).SecretString).toBe('a');
  });

  it('answers late, and a client that will not wait leaves no trace', async () => {
    endpoint.put(SecretId, 'a');
    endpoint.setLatencyMs(100);
    const startedAt = performance.now();
    await get();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(95);
    const impatient = client.send(new GetSecretValueCommand({ SecretId }), { abortSignal: AbortSignal.timeout(20) });
    await expect(impatient).rejects.toMatchObject({ name: expect.stringMatching(/Abort|Timeout/) });
    endpoint.setLatencyMs(0);
    expect((await get()).SecretString).toBe('a');
  });

  it('never shows a value: not on the terminal, not in an error', async () => {
    const said = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
    const secret = 'hunter2';
    const create = { Name: SecretId, SecretString: secret, ClientRequestToken: 't'.repeat(32) };
    await client.send(new CreateSecretCommand(create));
    const clash = new CreateSecretCommand({ ...create, SecretString: `${secret}!` });
    const error: unknown = await client.send(clash).catch((error: unknown) => error);
    const broken = await fetch(endpoint.url, {
      method: 'POST',
      headers: { 'x-amz-target': 'secretsmanager.CreateSecret' },
      body: `{"SecretString":"${secret}`,
    });
    expect(broken.status).toBe(400);
    expect(`${JSON.stringify(error)}${String(error)}${await broken.text()}`).not.toContain(secret);
    for (const write of said) expect(write).not.toHaveBeenCalled();
  });
});
