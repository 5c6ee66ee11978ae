// The record of the tables in the embedded Secrets Manager: a writer has read what it replaces.
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSecretText, writeNextSecretText } from '../../lib/aws/secrets-manager-secret-text.ts';
import { type SecretsManagerEndpoint, startSecretsManagerEndpoint } from '../../lib/local/secrets-manager-endpoint.ts';

const id = 'payouts/prod/_ledger';
let endpoint: SecretsManagerEndpoint;
let client: SecretsManagerClient;
beforeAll(async () => {
  endpoint = await startSecretsManagerEndpoint();
  const credentials = { accessKeyId: 'FAKEKEYID', secretAccessKey: 'fake' };
  client = new SecretsManagerClient({ region: 'eu-central-1', endpoint: endpoint.url, credentials });
});
afterAll(() => endpoint.close());
const read = () => readSecretText(client, id);
const write = (text: string, over: string | undefined) => writeNextSecretText(client, id, text, over);

it('of two writers who have read the same the first one wins, and a write whose answer was lost is said again', async () => {
  expect(await read()).toBeUndefined();
  expect([await write('a', undefined), await write('b', undefined), await write('a', undefined)]).toEqual([
    true,
    false,
    true,
  ]);
  const { text, version } = (await read()) ?? {};
  expect(text).toBe('a');
  const raced = await Promise.all(['c', 'd'].map((it) => write(it, version)));
  expect(raced.toSorted()).toEqual([false, true]);
  expect((await read())?.text).toBe(raced[0] === true ? 'c' : 'd');
  expect(await write('e', (await read())?.version)).toBe(true);
});
