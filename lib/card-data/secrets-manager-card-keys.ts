// The worker's private card keys out of Secrets Manager. A key id that is not known is looked for anew: keys rotate, and a
// sender may be ahead of this process.
import type { Failure } from '../payout/failures.ts';
import { type CardKeys, cardSecretName, readCardSecret } from './secrets-manager-card-key-schema.ts';
import { createSecretCache, isGone, type SecretsManagerOptions } from '../aws/secrets-manager-credentials.ts';
import { SecretFault } from '../aws/secret-schemas.ts';

/** Whoever can write to the queue can name any key: looking anew for each message would let him use up Secrets Manager. */
const lookAnewAfterMs = 10_000;

/** Card keys over one secret prefix. */
export function createSecretsManagerCardKeys(options: SecretsManagerOptions): CardKeys {
  const secrets = createSecretCache(options, readCardSecret);
  let lookedAnewAtMs = -lookAnewAfterMs;

  async function find(kid: string) {
    const known = await secrets.current(cardSecretName);
    const key = known.value.keys.get(kid);
    const nowMs = options.clock.nowMs();
    if (key || nowMs - lookedAnewAtMs < lookAnewAfterMs) return key;
    lookedAnewAtMs = nowMs;
    return (await secrets.otherThan(cardSecretName, known.version)).value.keys.get(kid);
  }

  return {
    async of(kid) {
      try {
        const key = await find(kid);
        return key ? { kind: 'key', ...key } : { kind: 'unknown' };
      } catch (error) {
        return { kind: 'unavailable', failure: failureOf(error) };
      }
    },
  };
}

function failureOf(error: unknown): Failure {
  if (isGone(error)) return { code: 'SECRET_INVALID', message: 'the worker has no secret "_card" with card keys' };
  if (error instanceof SecretFault) return { code: error.code, message: `the worker's card keys: ${error.message}` };
  return { code: 'CREDENTIALS_UNAVAILABLE', message: 'Secrets Manager did not answer' };
}
