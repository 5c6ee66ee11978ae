// Merchants' secrets in Secrets Manager, stage by stage, for their operator.
import {
  GetSecretValueCommand,
  InvalidParameterException,
  PutSecretValueCommand,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import type { SecretAdmin, StoredSecret } from './secret-ports.ts';
import { contractName, isGone, keysName } from '../aws/secrets-manager-credentials.ts';
import { readContract, readKeys, type SignerFor, withKeys } from '../aws/merchant-secret.ts';
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
        const [ofContract, ofKeys] = await Promise.all([
          client.send(new GetSecretValueCommand({ SecretId: prefix + contractName(merchant) })),
          client.send(new GetSecretValueCommand({ SecretId: prefix + keysName(merchant), VersionStage: stage })),
        ]);
        const { SecretString: contract = '' } = ofContract;
        const { SecretString: text = '', VersionId: version = '' } = ofKeys;
        return { version, contract, text, read: readSecret({ contract, text, version }, signerFor) };
      } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
      }
    },
    async stage(merchant, text) {
      const { VersionId = '' } = await client.send(
        new PutSecretValueCommand({
          SecretId: prefix + keysName(merchant),
          SecretString: text,
          VersionStages: ['AWSPENDING'],
        }),
      );
      return VersionId;
    },
    async promote(merchant, { from, to }) {
      const VersionStage = 'AWSCURRENT';
      const move = {
        SecretId: prefix + keysName(merchant),
        VersionStage,
        MoveToVersionId: to,
        RemoveFromVersionId: from,
      };
      try {
        await client.send(new UpdateSecretVersionStageCommand(move));
        return 'moved';
      } catch (error) {
        // The label has moved: another operator was faster.
        if (error instanceof InvalidParameterException) return 'overtaken';
        throw error;
      }
    },
  };
}

/** The worker's reading of a contract and keys. */
export function readSecret(
  { contract, text, version }: Omit<StoredSecret, 'read'>,
  signerFor?: SignerFor,
): StoredSecret['read'] {
  try {
    const credentials = withKeys(readContract(contract, version), readKeys(text), signerFor);
    return { kind: 'credentials', credentials };
  } catch (error) {
    if (error instanceof SecretFault) return { kind: 'fault', message: error.message };
    throw error;
  }
}
