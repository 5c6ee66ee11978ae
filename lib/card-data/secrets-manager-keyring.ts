// The secret with the worker's card keys, for the operator's tool: keys are made here, and only public halves ever
// leave it again.
import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { readOwnSecret } from '../aws/secret-schemas.ts';
import { readSecretText, writeSecretText } from '../aws/secrets-manager-secret-text.ts';
import { type Keyring, cardSecretName, readCardSecret } from './secrets-manager-card-keys.ts';

/** The place of the secret. */
interface KeyringOptions {
  readonly client: SecretsManagerClient;
  readonly prefix: string;
}

/** The kinds of keys: an elliptic curve is quicker to open and shorter on the queue. */
type CardKeyKind = 'ec' | 'rsa';

/** Public keys as a JWK set (RFC 7517), the current one first: senders take the first that they understand. */
interface PublicCardKeys {
  readonly keys: readonly JsonWebKey[];
}

/** The ring of card keys. */
export interface CardRing {
  /** Undefined while there is no secret, or none with a value. Throws SecretFault if it can't be read. */
  publicKeys(): Promise<PublicCardKeys | undefined>;
  /** Makes a key and lets senders use it from now on; the others still open what was sealed under them. */
  add(kid: string, kind: CardKeyKind, kmsKeyId?: string): Promise<'added' | 'exists'>;
  /** Removes a key: messages that were sealed under it can't be opened any more. */
  remove(kid: string): Promise<'removed' | 'current' | 'unknown'>;
}

/** The ring in Secrets Manager. */
export function createSecretsManagerKeyring({ client, prefix }: KeyringOptions): CardRing {
  const SecretId = prefix + cardSecretName;

  async function read(): Promise<{ readonly text: string; readonly ring: Keyring } | undefined> {
    const secret = await readSecretText(client, SecretId);
    return secret && { text: secret.text, ring: readOwnSecret('card keys', () => readCardSecret(secret.text)) };
  }

  const write = (current: string, keys: object, kmsKeyId: string | undefined) =>
    writeSecretText(client, SecretId, JSON.stringify({ current, keys }), kmsKeyId);

  return {
    async publicKeys() {
      const found = await read();
      return found && { keys: publicHalves(found.ring) };
    },
    async add(kid, kind, kmsKeyId) {
      const found = await read();
      if (found?.ring.keys.has(kid)) return 'exists';
      await write(kid, { ...(found && privateHalves(found.text)), [kid]: newKey(kind) }, kmsKeyId);
      return 'added';
    },
    async remove(kid) {
      const found = await read();
      if (!found?.ring.keys.has(kid)) return 'unknown';
      if (found.ring.current === kid) return 'current';
      const { [kid]: _, ...others } = privateHalves(found.text);
      await write(found.ring.current, others, undefined);
      return 'removed';
    },
  };
}

function publicHalves({ current, keys }: Keyring): JsonWebKey[] {
  const halves = [...keys].map(([kid, { alg, key }]) => ({
    ...createPublicKey(key).export({ format: 'jwk' }),
    kid,
    alg,
    use: 'enc',
  }));
  return halves.toSorted((a, b) => Number(b.kid === current) - Number(a.kid === current));
}

/** Parses a text that was validated before. */
const privateHalves = (text: string) => (JSON.parse(text) as { readonly keys: Record<string, unknown> }).keys;

function newKey(kind: CardKeyKind): JsonWebKey {
  const { privateKey } =
    kind === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 3072 });
  return privateKey.export({ format: 'jwk' });
}
