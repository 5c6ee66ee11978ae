// The embedded Secrets Manager beside what the desk's contract asks of it: names, errors, tokens, scripted trouble, and silence.
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  type GetSecretValueCommandInput,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startSecretsManagerEndpoint, type SecretsManagerEndpoint } from '../../lib/local/secrets-manager-endpoint.ts';

const SecretId = 'payouts/acme-eu';
let endpoint: SecretsManagerEndpoint;
let client: SecretsManagerClient;
const get = (input: Partial<GetSecretValueCommandInput> = {}) =>
  client.send(new GetSecretValueCommand({ SecretId, ...input }));

beforeEach(async () => {
  endpoint = await startSecretsManagerEndpoint();
  const credentials = { accessKeyId: 'fake', secretAccessKey: 'fake' };
  client = new SecretsManagerClient({ region: 'eu-central-1', endpoint: endpoint.url, credentials, maxAttempts: 1 });
});
afterEach(async () => {
  client.destroy();
  await endpoint.close();
});

it('a secret comes by name and by ARN, with its version, as it was put in', async () => {
  const VersionId = endpoint.put(SecretId, '{"login":');
  const byName = await get();
  expect(byName).toMatchObject({ Name: SecretId, SecretString: '{"login":', VersionId, VersionStages: ['AWSCURRENT'] });
  expect(byName.ARN).toMatch(/^arn:aws:secretsmanager:eu-central-1:000000000000:secret:payouts\/acme-eu-\w{6}$/);
  expect((await get({ SecretId: byName.ARN })).SecretString).toBe(byName.SecretString);
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
