// `payouts card-keys`: makes, shows and takes away the keys under which senders seal card data.
import { tool } from '../../payout/operate/spelling.ts';
import { textSettings } from '../../aws/env-config.ts';
import { newSecretsManagerClient } from '../../aws/secrets-manager-credentials.ts';
import { SecretFault } from '../../aws/secret-schemas.ts';
import {
  type CardKeyKind,
  type CardRing,
  createSecretsManagerKeyring,
} from '../../card-data/secrets-manager-keyring.ts';
import { systemClock } from '../../aws/system.ts';
import { patientAwsCalls } from '../../payout/limits.ts';
import { notDone, say } from '../command-line.ts';
import { UsageError } from '../../files/usage-error.ts';

/** Options of every command. */
interface CardKeyOptions {
  readonly json: boolean;
}

/** Options of `payouts card-keys new`. */
interface NewCardKeyOptions extends CardKeyOptions {
  readonly id?: string;
  readonly kind: CardKeyKind;
  readonly kmsKey?: string;
}

/** `payouts card-keys new`. */
export async function newCardKey({ id, kind, kmsKey, json }: NewCardKeyOptions): Promise<number> {
  const kid = id ?? new Date(systemClock.nowMs()).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const outcome = await withRing((ring) => ring.add(kid, kind, kmsKey));
  if (outcome === 'exists')
    return notDone({ json }, { kid, outcome }, `there is a key ${kid} already; name the new one with --id`);
  return say(
    { json },
    { kid, outcome },
    `key ${kid} is the one to seal under; give senders what \`${tool} card-keys jwks\` prints`,
  );
}

/** `payouts card-keys jwks`. */
export async function printCardKeys(): Promise<number> {
  const keys = await withRing((ring) => ring.publicKeys());
  if (!keys) {
    process.stderr.write(`payouts: there are no card keys; \`${tool} card-keys new\` makes one\n`);
    return 1;
  }
  process.stdout.write(`${JSON.stringify(keys, undefined, 2)}\n`);
  return 0;
}

/** `payouts card-keys remove`. */
export async function removeCardKey(kid: string, { json }: CardKeyOptions): Promise<number> {
  const outcome = await withRing((ring) => ring.remove(kid));
  const text = {
    removed: `key ${kid} is gone; messages that were sealed under it will be refused`,
    current: `key ${kid} is the one that senders seal under; make a new one first`,
    unknown: `there is no key ${kid}`,
  };
  return (outcome === 'removed' ? say : notDone)({ json }, { kid, outcome }, text[outcome]);
}

async function withRing<T>(work: (ring: CardRing) => Promise<T>): Promise<T> {
  const client = newSecretsManagerClient({ limits: patientAwsCalls });
  const prefix = process.env['SECRET_PREFIX']?.trim() || textSettings.SECRET_PREFIX.default;
  try {
    return await work(createSecretsManagerKeyring({ client, prefix }));
  } catch (error) {
    if (error instanceof SecretFault) throw new UsageError(`the secret with the card keys: ${error.message}`);
    throw error;
  } finally {
    client.destroy();
  }
}
