// AWS as the commands on merchants' keys use it.
import type { WorkerConfig } from '../../aws/env-config.ts';
import { createKmsSigners, newKmsClient } from '../../aws/kms-client.ts';
import { newSecretsManagerClient } from '../../aws/secrets-manager-client.ts';
import { systemClock, systemRandom } from '../../aws/system.ts';
import { createHttpGateway } from '../../gateway/http-gateway.ts';
import type { RotatePorts } from '../../merchants/rotate-key.ts';
import { rsaKeyMaker } from '../../merchants/rsa-key-maker.ts';
import { createSecretsManagerAdmin } from '../../merchants/secrets-manager-admin.ts';

/** Everything that it takes to look after merchants' keys. */
export function createKeyPorts({ limits, secretPrefix: prefix }: WorkerConfig): RotatePorts {
  const aws = { limits };
  const client = newSecretsManagerClient(aws);
  const signerFor = createKmsSigners(() => newKmsClient(aws));
  return {
    secretAdmin: createSecretsManagerAdmin({ client, prefix, signerFor }),
    keyMaker: rsaKeyMaker,
    gateway: createHttpGateway({ limits, nowMs: systemClock.nowMs }),
    clock: systemClock,
    random: systemRandom,
  };
}
