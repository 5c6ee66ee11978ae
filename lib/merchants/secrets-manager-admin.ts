// Merchants' secrets in Secrets Manager, stage by stage, for their operator.
import {
  GetSecretValueCommand,
  InvalidParameterException,
  PutSecretValueCommand,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import type { SecretAdmin, StoredSecret } from './secret-ports.ts';
import { isGone } from '../aws/secrets-manager-credentials.ts';
import { readMerchantSecret, type SignerFor } from '../aws/merchant-secret.ts';
import { SecretFault } from '../aws/secret-schemas.ts';

/** Where the secrets are. */
interface SecretsManagerAdminOptions {
  readonly client: SecretsManagerClient;
  readonly prefix: string;
  readonly signerFor: SignerFor;
}

/** The desk over one secret prefix. */
export function createSecretsManagerAdmin({ client, prefix, signerFor }: SecretsManagerAdminOptions): SecretAdmin {
  return {
    async read(merchant, stage) {
      try {
        const secret = await client.send(
          new GetSecretValueCommand({ SecretId: prefix + merchant, VersionStage: stage }),
        );
        const { SecretString: text = '', VersionId: version = '' } = secret;
        return { version, text, read: readSecret(text, version, signerFor) };
      } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
      }
    },
    async stage(merchant, text) {
      const { VersionId = '' } = await client.send(
        new PutSecretValueCommand({ SecretId: prefix + merchant, SecretString: text, VersionStages: ['AWSPENDING'] }),
      );
      return VersionId;
    },
    async promote(merchant, { from, to }) {
      const VersionStage = 'AWSCURRENT';
      const move = { SecretId: prefix + merchant, VersionStage, MoveToVersionId: to, RemoveFromVersionId: from };
      try {
        await client.send(new UpdateSecretVersionStageCommand(move));
        return 'moved';
      } catch (error) {
        // The label is not where it was: somebody else has moved it.
        if (error instanceof InvalidParameterException) return 'overtaken';
        throw error;
      }
    },
  };
}

function readSecret(text: string, version: string, signerFor: SignerFor): StoredSecret['read'] {
  try {
    return { kind: 'credentials', credentials: readMerchantSecret(text, version, signerFor) };
  } catch (error) {
    if (error instanceof SecretFault) return { kind: 'fault', message: error.message };
    throw error;
  }
}
