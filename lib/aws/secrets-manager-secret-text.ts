// Reads and writes the text of a secret, for the operator's tool.
import { createHash } from 'node:crypto';
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';

/** The text of a secret and its version. */
interface SecretText {
  readonly text: string;
  readonly version: string;
}

/** Undefined if there is no such secret, or it has no value. */
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

/** Writes a new version; makes the secret, under `kmsKeyId`, if there is none. */
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
 * Writes the version after the one that was read; false if another text follows it already. The token of a version is made from the
 * version before. "If a version with this value already exists and the version of the SecretString [is] different …,
 * then the request fails" (Secrets Manager, PutSecretValue).
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
