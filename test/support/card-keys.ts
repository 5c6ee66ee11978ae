// The worker's card keys in a story: real ones, made anew for each run, and senders who know the public halves.
import { generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { CardKeyAnswer, CardKeys } from '../../lib/card-data/secrets-manager-card-keys.ts';
import { type CardKeySet, sealJob } from '../../lib/client/jose-seal-job.ts';
import type { JobBody } from './jobs.ts';
import type { World } from './world.ts';

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** The private halves, by key id, as the worker's secret holds them. */
export const privateCardKeys: Readonly<Record<string, JsonWebKey>> = {
  'ec-1': ec.privateKey.export({ format: 'jwk' }),
  'rsa-1': rsa.privateKey.export({ format: 'jwk' }),
};

const publicJwk = (kid: string, alg: string, key: KeyObject) => ({
  ...key.export({ format: 'jwk' }),
  kid,
  alg,
  use: 'enc',
});

/** The keys that senders get; they use the first one. */
export const cardJwks: CardKeySet = {
  keys: [publicJwk('ec-1', 'ECDH-ES', ec.publicKey), publicJwk('rsa-1', 'RSA-OAEP-256', rsa.publicKey)],
};

/** The job as its sender seals it for the worker of this world. */
export const sealedFor = ({ cardKeyStore: cardKeys }: Pick<World, 'cardKeyStore'>, job: JobBody): Promise<JobBody> =>
  sealJob(job, { jwks: cardJwks, cardKeys });

/** The same with the RSA key alone. */
export const rsaCardJwks: CardKeySet = { keys: cardJwks.keys.slice(1) };

const known: ReadonlyMap<string, CardKeyAnswer> = new Map([
  ['ec-1', { kind: 'key', alg: 'ECDH-ES', key: ec.privateKey }],
  ['rsa-1', { kind: 'key', alg: 'RSA-OAEP-256', key: rsa.privateKey }],
]);

/** The worker's keys, which a story can take away. */
export interface FakeCardKeys extends CardKeys {
  outage(state: 'down' | 'up'): void;
}

/** The keys above. */
export function createFakeCardKeys(): FakeCardKeys {
  let service: 'down' | 'up' = 'up';
  return {
    outage: (state) => void (service = state),
    async of(kid): Promise<CardKeyAnswer> {
      const failure = { code: 'CREDENTIALS_UNAVAILABLE', message: 'the secrets service did not answer' } as const;
      if (service === 'down') return { kind: 'unavailable', failure };
      return known.get(kid) ?? { kind: 'unknown' };
    },
  };
}
