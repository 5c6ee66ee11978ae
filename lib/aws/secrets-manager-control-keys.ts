// `<prefix>_callback` in Secrets Manager: the control keys of all merchants whose callbacks are accepted, and nothing else of theirs. One
// secret for all: a callback that names an unknown merchant costs no call.
import { createSecretKey } from 'node:crypto';
import * as v from 'valibot';
import { type ControlKeys, controlKeysAtMost } from '../payout/inquire/handle-callback.ts';
import { given, shape, validated } from './secret-schemas.ts';
import { createSecretCache, type SecretsManagerOptions } from './secrets-manager-credentials.ts';

/** The secret's name after the prefix; merchants' names cannot begin with "_". */
export const controlKeysSecretName = '_callback';

const schema = v.record(
  shape(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be the name of a merchant'),
  v.pipe(v.array(given), v.maxLength(controlKeysAtMost, `must have at most ${controlKeysAtMost} keys`)),
);

/** Control keys as text by merchant, that of the present account first. Throws `SecretFault`. */
export const readControlKeys = (text: string): Readonly<Record<string, readonly string[]>> => validated(schema, text);

/** The keys under one secret prefix. */
export function createSecretsManagerControlKeys(options: SecretsManagerOptions): ControlKeys {
  const secret = createSecretCache(options, (text) => {
    const keys = Object.entries(readControlKeys(text));
    return new Map(keys.map(([merchant, its]) => [merchant, its.map((key) => createSecretKey(key, 'utf8'))]));
  });
  return { all: async () => (await secret.current(controlKeysSecretName)).value };
}
