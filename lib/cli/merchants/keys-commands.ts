// The commands on merchants' keys and secrets. Exit codes: 0 done, 1 not done or a fault found, 2 bad input.
import { tool } from '../../payout/operate/spelling.ts';
import { checkSecret, type SecretCheck } from '../../merchants/check-secret.ts';
import { type Activatable, checkActivation, newKeyBits, stageNewKey } from '../../merchants/rotate-key.ts';
import type { SecretStage } from '../../merchants/secret-ports.ts';
import { couldBear } from '../../payout/message/job.ts';
import type { Remark } from '../../gateway/profile-remarks.ts';
import { requireSomebody, saysYes } from '../asking.ts';
import { notDone, say } from '../command-line.ts';
import { tellMoneyOf } from '../orders/operator-commands.ts';
import { toolPorts } from '../tool-ports.ts';
import { UsageError } from '../usage-error.ts';

/** Options of `payouts keys new`. */
interface NewKeyOptions {
  readonly json: boolean;
  readonly replace: boolean;
}

/** Options of `payouts keys activate`. */
interface ActivateOptions {
  readonly json: boolean;
  readonly rollback: boolean;
  readonly evenChanged: boolean;
  readonly endpoint?: string;
  readonly yes: boolean;
}

/** Options of `payouts secrets check`. */
interface CheckSecretOptions {
  readonly json: boolean;
  readonly stage: SecretStage;
}

function portsFor(merchant: string) {
  if (!couldBear({ merchant })) throw new UsageError(`no merchant could bear the name "${merchant}"`);
  return toolPorts();
}

/** `payouts keys new`: the public half goes to standard output, the private half nowhere but into the secret. */
export async function newKey(merchant: string, { json, replace }: NewKeyOptions): Promise<number> {
  const ports = portsFor(merchant);
  const made = await stageNewKey(merchant, replace, ports);
  if (made.kind === 'refused') return notDone({ json }, { outcome: made.kind, why: made.why }, made.why);
  const { version, publicKey } = made;
  const { pem, fingerprint } = publicKey;
  if (!json) process.stderr.write(nextSteps(merchant, version, fingerprint));
  return say({ json }, { outcome: 'staged', merchant, version, bits: newKeyBits, publicKey: pem, fingerprint }, pem);
}

function nextSteps(merchant: string, version: string, fingerprint: string): string {
  return [
    `RSA ${newKeyBits}; the private key is version ${version} of the secret, AWSPENDING; nothing signs with it yet.`,
    `Public key, SHA-256: ${fingerprint}`,
    `1. Give the public key below to the gateway's support manager for ${merchant}, and compare the SHA-256 by voice.`,
    `2. If it takes one key at a time: \`${tool} pause ${merchant} --reason "key rotation"\`, five seconds before it changes.`,
    `3. \`${tool} keys activate ${merchant} --endpoint ENDPOINT\`, where ENDPOINT is an endpoint id of the merchant.`,
    '',
    '',
  ].join('\n');
}

/** `payouts keys activate`: the pending version becomes the current one, or the current one what it was before. */
export async function activateKey(merchant: string, options: ActivateOptions): Promise<number> {
  const { json, rollback, evenChanged, endpoint: endpointId, yes } = options;
  if (endpointId !== undefined && !couldBear({ endpointId })) throw new UsageError(`"${endpointId}" is no endpoint id`);
  // A key that the gateway does not know makes it decline every order; only the gateway or a person can tell.
  if (!yes && endpointId === undefined)
    requireSomebody('say --yes, or let the gateway be asked first with --endpoint <endpoint id>');
  const ports = portsFor(merchant);
  const asked = { rollback, evenChanged, ...(endpointId !== undefined && { endpointId }) };
  const it = await checkActivation(merchant, asked, ports);
  if (it.kind !== 'ready') return notReady(it, json);
  for (const warning of it.warnings) process.stderr.write(`${remarkLine(warning)}\n`);
  await tellMoneyOf([merchant]);
  if (!yes && !it.taken && !(await saysYes(questionOf(merchant, it))))
    return notDone({ json }, { outcome: 'declined' }, 'nothing was changed');
  const moved = await ports.secretAdmin.promote(merchant, it);
  if (moved === 'overtaken')
    return notDone(
      { json },
      { outcome: moved },
      'somebody has moved AWSCURRENT meanwhile; nothing was changed, look again',
    );
  const text = `${merchant}: version ${it.to} is current. Workers sign with it within five minutes, at once after a 401 or 403.`;
  return say({ json }, { outcome: 'activated', merchant, version: it.to, previous: it.from, asked: it.taken }, text);
}

function notReady(it: Exclude<Activatable, { kind: 'ready' }>, json: boolean): number {
  if (it.kind === 'already')
    return say({ json }, { outcome: it.kind, version: it.version }, `version ${it.version} is current already`);
  const lines = [`${it.why}; nothing was changed`, ...it.faults.map(remarkLine)];
  return notDone({ json }, { outcome: it.kind, why: it.why, faults: it.faults }, lines.join('\n'));
}

function questionOf(merchant: string, { fingerprint }: Extract<Activatable, { kind: 'ready' }>): string {
  const key = fingerprint === undefined ? '' : ` (public key ${fingerprint})`;
  return `Is ${merchant}'s key${key} in force at the gateway? If not, every order is declined from now on.`;
}

/** `payouts secrets check`: how the worker would read the secret, without showing any of it. */
export async function checkMerchantSecret(merchant: string, { json, stage }: CheckSecretOptions): Promise<number> {
  const ports = portsFor(merchant);
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

function remarkLine({ level, field, says }: Remark): string {
  return `${level === 'fault' ? '✘' : '!'} ${field}: ${says}`;
}
