// The merchants whose callbacks are accepted: the secret of control keys that the public function reads, kept by the operator's tool. Control
// keys are copied out of a merchant's secret, and nothing else of that secret with them.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { controlKeysSecretName, readControlKeys } from '../aws/secrets-manager-control-keys.ts';
import { readOwnSecret } from '../aws/secret-schemas.ts';
import { readSecretText, writeSecretText } from '../aws/secrets-manager-secret-text.ts';
import type { SecretAdmin } from './secret-ports.ts';

/** Where the secrets are. */
interface CallbackDeskOptions {
  readonly client: SecretsManagerClient;
  readonly prefix: string;
  readonly secretAdmin: Pick<SecretAdmin, 'read'>;
}

/** The desk. Each verb throws SecretFault if the secret of control keys can't be read. */
export interface CallbackDesk {
  /** Merchants whose callbacks are accepted, by name. */
  allowed(): Promise<readonly string[]>;
  /** Lets a merchant's callbacks in, by the control keys that its secret holds now: of its account, and of those before. */
  allow(merchant: string, kmsKeyId?: string): Promise<'allowed' | 'no secret' | 'no control key'>;
  forbid(merchant: string): Promise<'forbidden' | 'not allowed'>;
}

/** The desk over one secret prefix. */
export function createSecretsManagerCallbackDesk({ client, prefix, secretAdmin }: CallbackDeskOptions): CallbackDesk {
  const SecretId = prefix + controlKeysSecretName;

  async function keys(): Promise<ReturnType<typeof readControlKeys>> {
    const secret = await readSecretText(client, SecretId);
    return secret ? readOwnSecret('control keys', () => readControlKeys(secret.text)) : {};
  }

  const write = (these: object, kmsKeyId?: string) =>
    writeSecretText(client, SecretId, JSON.stringify(these), kmsKeyId);

  return {
    allowed: async () => Object.keys(await keys()).toSorted(),
    async allow(merchant, kmsKeyId) {
      const stored = await secretAdmin.read(merchant, 'AWSCURRENT');
      if (!stored) return 'no secret';
      if (stored.read.kind === 'fault') return 'no control key';
      const { credentials } = stored.read;
      const accounts = [credentials, ...(credentials.earlierAccounts ?? [])];
      const its = accounts.flatMap(({ controlKey }) => controlKey?.export().toString('utf8') ?? []);
      if (its.length === 0) return 'no control key';
      await write({ ...(await keys()), [merchant]: its }, kmsKeyId);
      return 'allowed';
    },
    async forbid(merchant) {
      const { [merchant]: known, ...others } = await keys();
      if (known === undefined) return 'not allowed';
      await write(others);
      return 'forbidden';
    },
  };
}
