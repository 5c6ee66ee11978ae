// A secret that the operator's tool keeps whole: its text, read and written, the secret made where there is none yet.
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';

/** Undefined while there is no secret, or none with a value. */
export async function readSecretText(client: SecretsManagerClient, SecretId: string): Promise<string | undefined> {
  try {
    const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId }));
    return SecretString;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** Writes the current version; `kmsKeyId` counts for a secret that is made by this call. */
export async function writeSecretText(
  client: SecretsManagerClient,
  SecretId: string,
  SecretString: string,
  kmsKeyId: string | undefined,
): Promise<void> {
  try {
    await client.send(new PutSecretValueCommand({ SecretId, SecretString }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    await client.send(new CreateSecretCommand({ Name: SecretId, SecretString, KmsKeyId: kmsKeyId }));
  }
}
