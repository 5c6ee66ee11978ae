// The desk's contract on the embedded Secrets Manager.
import { afterAll } from 'vitest';
import { startSecretsManagerEndpoint, type SecretsManagerEndpoint } from '../../lib/local/secrets-manager-endpoint.ts';
import { describeSecretDesk } from './secret-desk-contract.ts';

let endpoint: SecretsManagerEndpoint | undefined;
afterAll(() => endpoint?.close());

describeSecretDesk('the embedded Secrets Manager', async () => {
  endpoint = await startSecretsManagerEndpoint();
  return endpoint.url;
});
