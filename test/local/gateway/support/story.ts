// Starts simulators for the stories of one file and closes them after each story.
import { afterEach } from 'vitest';
import { startGatewaySimulator } from '../../../../lib/local/gateway/simulator.ts';
import type { GatewaySimulator } from '../../../../lib/local/gateway/simulator.ts';
import type { SimulatorOptions } from '../../../../lib/local/gateway/simulator-options.ts';
import { acme, acmePublicKeyPem } from './signer.ts';

const running: GatewaySimulator[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
});

/** A simulator that knows the merchant acme; it is closed when the story ends. */
export async function aGateway(options: Partial<SimulatorOptions> = {}): Promise<GatewaySimulator> {
  const merchants = [{ ...acme, publicKeyPem: acmePublicKeyPem }];
  const simulator = await startGatewaySimulator({ merchants, ...options });
  running.push(simulator);
  return simulator;
}

/** A clock that stops until it is moved. */
export function aClock(startMs = 1_700_000_000_000) {
  let currentMs = startMs;
  return {
    nowMs: () => currentMs,
    timestampSeconds: () => Math.floor(currentMs / 1000),
    pass(durationMs: number) {
      currentMs += durationMs;
    },
  };
}

/** For `expect.poll`: generous, so that a busy machine fails no story. */
export const patience = { timeout: 10_000, interval: 5 };
