// The looks at merchants: their safeguards and secrets, whose callbacks are accepted, and the public card keys.
import { findSafeguards, safeguardsIn } from '../../batches/safeguards.ts';
import { checkNames } from '../../files/usage-error.ts';
import { checkSecret } from '../../merchants/check-secret.ts';
import type { SecretStage } from '../../merchants/secret-ports.ts';
import { changeText, remarkLine, safeguardsNow } from '../../operate/merchant-acts.ts';
import { tool } from '../../payout/operate/spelling.ts';
import { notDone, type OperatorOptions, say } from '../command-line.ts';
import { toolPorts } from '../tool-ports.ts';

/** `payouts callbacks list`. */
export async function listCallbacks(options: OperatorOptions): Promise<number> {
  const merchants = await toolPorts().callbackDesk.allowed();
  const text = merchants.length === 0 ? 'none: every callback is answered 503' : merchants.join('\n');
  return say(options, { merchants }, text);
}

/** `payouts card-keys jwks`: the public keys under which senders seal card data. */
export async function printCardKeys(): Promise<number> {
  const keys = await toolPorts().cardRing.publicKeys();
  if (!keys) return notDone({ json: false }, {}, `there are no card keys; \`${tool} card-keys new\` makes one`);
  process.stdout.write(`${JSON.stringify(keys, undefined, 2)}\n`);
  return 0;
}

/** `payouts safeguards show`: what approvers have said that a merchant may pay. */
export async function showSafeguards(merchant: string, options: OperatorOptions): Promise<number> {
  checkNames({ merchant });
  const { safeguards: store, macs } = toolPorts();
  const found = await findSafeguards(merchant, { store, macs });
  const stored = await store.read(merchant);
  const earlier = (stored?.earlier ?? []).flatMap((text) => safeguardsIn(text, store.place, merchant) ?? []);
  const shown = { merchant, kind: found.kind, ...(found.kind === 'hold' && found.change), earlier };
  const lines = [safeguardsNow(merchant, found), ...earlier.map((it) => `  before that: ${changeText(it)}`)];
  say(options, shown, lines.join('\n'));
  return found.kind === 'hold' ? 0 : 1;
}

/** `payouts secrets check`: how the worker would read the secret, without showing any of it. */
export async function checkMerchantSecret(
  merchant: string,
  { json, keyVersion: stage }: OperatorOptions & { readonly keyVersion: SecretStage },
): Promise<number> {
  checkNames({ merchant });
  const ports = toolPorts();
  const stored = await ports.secretAdmin.read(merchant, stage);
  const which = { merchant, stage };
  if (!stored)
    return notDone(
      { json },
      { outcome: 'not-found', ...which },
      `${merchant}: there is no ${stage} version of its secret`,
    );
  const check = await checkSecret(stored, ports);
  const { faults, warnings, fine } = check;
  const ok = faults.length === 0;
  const lines = [...[...faults, ...warnings].map(remarkLine), ...fine.map((it) => `✔ ${it}`)];
  say({ json }, { outcome: ok ? 'ok' : 'fault', ...which, version: stored.version, ...check }, lines.join('\n'));
  return ok ? 0 : 1;
}
