// The middy design as it would be deployed: Secrets Manager, fetch, no ledger.
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createMiddyHandler } from './middy-design.ts';
import type { PeerSecret } from './peer-order.ts';
import { sendingResults } from './results.ts';

const secretsManager = new SecretsManagerClient({});
const secrets = new Map<string, Promise<PeerSecret>>();

/** Called for each batch of the jobs queue. */
export const handler = sendingResults((tell) =>
  createMiddyHandler({
    secretOf: (merchant) => {
      const known = secrets.get(merchant) ?? fetchSecret(merchant);
      secrets.set(merchant, known);
      return known;
    },
    tell,
  }),
);

async function fetchSecret(merchant: string): Promise<PeerSecret> {
  const { SecretString = '' } = await secretsManager.send(
    new GetSecretValueCommand({ SecretId: `payouts/${merchant}` }),
  );
  return JSON.parse(SecretString) as PeerSecret;
}
