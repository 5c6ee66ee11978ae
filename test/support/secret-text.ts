// A secret's text on an emulator, read and written by hand.
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';

/** The secret of this name. */
export function createSecretText(config: SecretsManagerClientConfig, SecretId: string) {
  const client = new SecretsManagerClient(config);
  return {
    read: async () => (await client.send(new GetSecretValueCommand({ SecretId }))).SecretString ?? '',
    write: async (SecretString: string) =>
      void (await client.send(new PutSecretValueCommand({ SecretId, SecretString }))),
  };
}
