// AWS as the commands on merchants' keys use it.
import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { paginateListSecrets } from '@aws-sdk/client-secrets-manager';
import type { WorkerConfig } from '../../aws/env-config.ts';
import { createKmsSigners, newKmsClient } from '../../aws/kms-client.ts';
import { newSecretsManagerClient } from '../../aws/secrets-manager-client.ts';
import { systemClock, systemRandom } from '../../aws/system.ts';
import { couldBear } from '../../payout/message/job.ts';
import { createHttpGateway } from '../../gateway/http-gateway.ts';
import type { RotatePorts } from '../../merchants/rotate-key.ts';
import { createSecretsManagerAdmin } from '../../merchants/secrets-manager-admin.ts';

/** Everything that it takes to look after merchants' keys. */
interface KeyPorts extends RotatePorts {
  /** Those that have a secret, in their order. */
  merchants(): Promise<readonly string[]>;
}

/** By the standard environment. */
export function createKeyPorts({ limits, secretPrefix: prefix }: WorkerConfig): KeyPorts {
  const aws = { limits };
  const client = newSecretsManagerClient(aws);
  const signerFor = createKmsSigners(() => newKmsClient(aws));
  return {
    secretAdmin: createSecretsManagerAdmin({ client, prefix, signerFor }),
    async merchants() {
      const names: string[] = [];
      // By the beginning of a name, which may be that of a word within another: looked at again.
      const Filters = [{ Key: 'name' as const, Values: [prefix] }];
      for await (const page of paginateListSecrets({ client }, { Filters }))
        for (const { Name = '' } of page.SecretList ?? []) names.push(Name);
      const own = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
      return own.filter((merchant) => couldBear({ merchant })).toSorted();
    },
    keyMaker: {
      // In the thread pool: a key of 4096 bits takes a second or two.
      async newPrivateKey(bits) {
        const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: bits });
        return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      },
    },
    gateway: createHttpGateway({ limits, ...systemClock }),
    clock: systemClock,
    random: systemRandom,
  };
}
