// `payouts secrets check`. Exit codes: 0 fine, 1 a fault found, 2 bad input.
import { checkSecret, type SecretCheck } from '../../merchants/check-secret.ts';
import type { SecretStage } from '../../merchants/secret-ports.ts';
import { remarkLine } from '../../operate/merchant-acts.ts';
import { couldBear } from '../../payout/message/job.ts';
import { notDone, say } from '../command-line.ts';
import { toolPorts } from '../tool-ports.ts';
import { UsageError } from '../../files/usage-error.ts';

/** Options of `payouts secrets check`. */
interface CheckSecretOptions {
  readonly json: boolean;
  readonly stage: SecretStage;
}

/** `payouts secrets check`: how the worker would read the secret, without showing any of it. */
export async function checkMerchantSecret(merchant: string, { json, stage }: CheckSecretOptions): Promise<number> {
  if (!couldBear({ merchant })) throw new UsageError(`no merchant could bear the name "${merchant}"`);
  const ports = toolPorts();
  const stored = await ports.secretAdmin.read(merchant, stage);
  if (!stored)
    return notDone(
      { json },
      { outcome: 'not-found', merchant, stage },
      `${merchant}: there is no ${stage} version of its secret`,
    );
  const check = await checkSecret(stored, ports);
  const ok = check.faults.length === 0;
  say({ json }, { outcome: ok ? 'ok' : 'fault', merchant, stage, version: stored.version, ...check }, asText(check));
  return ok ? 0 : 1;
}

function asText({ faults, warnings, fine }: SecretCheck): string {
  return [...[...faults, ...warnings].map(remarkLine), ...fine.map((it) => `✔ ${it}`)].join('\n');
}
