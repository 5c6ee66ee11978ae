// A secret that the operator's tool keeps whole: its text, read and written, the secret made if there is none yet.
import { createHash } from 'node:crypto';
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';

/** The text of a version. */
interface SecretText {
  readonly text: string;
  readonly version: string;
}

/** Undefined while there is no secret, or none with a value. */
export async function readSecretText(client: SecretsManagerClient, SecretId: string): Promise<SecretText | undefined> {
  try {
    const { SecretString: text = '', VersionId: version = '' } = await client.send(
      new GetSecretValueCommand({ SecretId }),
    );
    return { text, version };
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
  ClientRequestToken?: string,
): Promise<void> {
  const value = { SecretString, ClientRequestToken };
  try {
    await client.send(new PutSecretValueCommand({ SecretId, ...value }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    await client.send(new CreateSecretCommand({ Name: SecretId, ...value, KmsKeyId: kmsKeyId }));
  }
}

/**
 * Writes the version after the one that was read; false if another text follows it already. The token of a version is made of the one
 * before, and "if a version with this value already exists and the version of the SecretString [is] different …, then the request fails"
 * (Secrets Manager, PutSecretValue).
 */
export async function writeNextSecretText(
  client: SecretsManagerClient,
  SecretId: string,
  text: string,
  read: string | undefined,
): Promise<boolean> {
  try {
    await writeSecretText(
      client,
      SecretId,
      text,
      undefined,
      createHash('sha256').update(`after ${read}`).digest('hex'),
    );
    return true;
  } catch (error) {
    if (error instanceof ResourceExistsException) return false;
    throw error;
  }
}
