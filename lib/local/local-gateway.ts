// The simulator for a local run: its merchants are those of the secrets, known by their public keys alone.
import { createPublicKey } from 'node:crypto';
import type { SimulatorMerchant } from './gateway/authentication.ts';
import { type FaultScheduleName, faultSchedules } from './gateway/fault-schedules.ts';
import { type GatewaySimulator, startGatewaySimulator } from './gateway/simulator.ts';
import type { MerchantSecret } from './sample-merchants.ts';

/**
 * Starts the simulator on a free port. The secrets need its address and it needs the secrets' keys, so the port is
 * taken first, and the secrets are made for it.
 */
export async function startLocalGateway(
  faults: FaultScheduleName,
  secretsFor: (url: string) => Promise<Readonly<Record<string, MerchantSecret>>>,
): Promise<{ url: string; secrets: Readonly<Record<string, MerchantSecret>>; simulator: GatewaySimulator }> {
  const probe = await startGatewaySimulator({ merchants: [] });
  const port = Number(new URL(probe.url).port);
  await probe.close();
  const { url } = probe;
  const secrets = await secretsFor(url);
  const schedule = faultSchedules[faults];
  const simulator = await startGatewaySimulator({
    port,
    merchants: Object.values(secrets).flatMap(merchantOf),
    scenario: schedule.makeScenario({ seed: 'local', nowMs: Date.now }),
    ...schedule.settings,
  });
  return { url, secrets, simulator };
}

function merchantOf({ login, controlKey, privateKey }: MerchantSecret): SimulatorMerchant[] {
  if (typeof login !== 'string') return [];
  const pem = typeof privateKey === 'string' ? privateKey.replaceAll('\\n', '\n') : undefined;
  const publicKeyPem = pem && createPublicKey(pem).export({ type: 'spki', format: 'pem' }).toString();
  return [
    { login, controlKey: typeof controlKey === 'string' ? controlKey : '', ...(publicKeyPem && { publicKeyPem }) },
  ];
}
