// The merchants of a world, their secrets and their rotation. Keys are HMAC alone, which signs in the same turn: so all
// that a process does between two effects happens at one moment of virtual time.
import { type CallbackPorts, createCallbackDoor } from '../../lib/payout/handle-callback.ts';

import { createSecretKey } from 'node:crypto';
import type { Approvals } from '../../lib/batches/approval.ts';
import { accountOf } from '../../lib/gateway/signed-request.ts';
import type {
  CredentialsFailure,
  MerchantCredentials,
  Credentials,
  CredentialsAnswer,
} from '../../lib/gateway/ports.ts';
import type { Fingerprinting } from '../../lib/payout/ports.ts';
import { statusInDoubt } from './gateway-moods.ts';
import { operationNames } from '../../lib/gateway/operations.ts';
import { defaultProfile, type Profile } from '../../lib/gateway/profile.ts';
import { parseSigningKey } from '../../lib/oauth1/signature-methods.ts';
import type { Process } from './process.ts';
import type { Story } from './story.ts';
import type { Weather } from './weather.ts';

/** What differs between merchants' contracts. */
export type Contract = Pick<Profile, 'statusInquiry' | 'duplicateOrderIds'> & Partial<Profile>;

/** The merchants. One whose contract is not given has no secret. */
export interface Merchants {
  /** The secret and the gateway change over to a new key; processes still hold the old one. */
  rotate(merchant: string): void;
  knownLogin(merchant: string): string;
  refusesDuplicates(merchant: string): boolean;
  portsFor(process: Process): {
    readonly credentials: Credentials;
    readonly fingerprinting: Fingerprinting;
    readonly approvals: Approvals;
  } & Pick<CallbackPorts, 'controlKeys' | 'door'>;
}

/** Every merchant's, as the gateway knows it too. */
export const controlKey = '5b2c6a0e-simulated-control-key';
const hmacKey = parseSigningKey('HMAC-SHA1', controlKey);
const callbackKey = createSecretKey(controlKey, 'utf8');
const fingerprintKeys = { current: 'k1', keys: new Map([['k1', createSecretKey(Buffer.alloc(32, 1))]]) };
const signatureMethod = Object.fromEntries([...operationNames, 'status'].map((name) => [name, 'HMAC-SHA1' as const]));
const firstVersion = 1;
const profileOf = (contract: Contract): Profile => ({
  ...defaultProfile,
  doubtfulHttpStatuses: [statusInDoubt],
  ...contract,
});
/** A world's keys are told apart by the login that they come with: at the gateway all of them are one account. */
function sameAccount(merchant: string, profile: Profile): readonly string[] {
  return Array.from({ length: rotationsAtMost }, (_, version) =>
    accountOf(
      { login: `${merchant}.v${version}`, baseUrl: `https://${merchant}.gateway.test`, mode: 'live', profile },
      '39915',
    ),
  );
}

const rotationsAtMost = 20;
/** By contract and login: the same in each world that has this contract, and built once for all of them. */
const everBuilt = new WeakMap<Contract, Map<string, MerchantCredentials>>();

function secretOf(merchant: string, version: number, contract: Contract): MerchantCredentials {
  const login = `${merchant}.v${version}`;
  const built = everBuilt.get(contract) ?? new Map<string, MerchantCredentials>();
  everBuilt.set(contract, built);
  const known = built.get(login);
  if (known) return known;
  const profile = { ...profileOf(contract), signatureMethod };
  const made = {
    login,
    baseUrl: `https://${merchant}.gateway.test`,
    keys: { 'HMAC-SHA1': hmacKey },
    controlKey: callbackKey,
    profile,
    version: `v${version}`,
    mode: 'live' as const,
    sameAccountAs: sameAccount(merchant, profile),
  };
  built.set(login, made);
  return made;
}

const silence = new Error('Secrets Manager did not answer');

/** Merchants with these contracts. */
export function createMerchants(
  contracts: Readonly<Record<string, Contract>>,
  { weather, story }: { readonly weather: () => Weather; readonly story: Story },
): Merchants {
  const versions = new Map<string, number>();
  const versionOf = (merchant: string) => versions.get(merchant) ?? firstVersion;

  function credentialsOf(merchant: string, version: number): CredentialsAnswer {
    const contract = contracts[merchant];
    if (!contract) return unavailable('MERCHANT_UNKNOWN', 'there is no secret for this merchant');
    return { kind: 'credentials', credentials: secretOf(merchant, version, contract) };
  }

  return {
    rotate(merchant) {
      versions.set(merchant, versionOf(merchant) + 1);
      story.tell('operator', '', () => `rotates the key of ${merchant}`);
    },
    knownLogin: (merchant) => `${merchant}.v${versionOf(merchant)}`,
    refusesDuplicates: (merchant) => contracts[merchant]?.duplicateOrderIds === 'refused',
    portsFor(process) {
      const held = new Map<string, number>();
      let holdsKeys = false;
      const fetched = (merchant: string): CredentialsAnswer => {
        if (weather().secretsDown()) return unavailable('CREDENTIALS_UNAVAILABLE', 'Secrets Manager did not answer');
        held.set(merchant, versionOf(merchant));
        return credentialsOf(merchant, versionOf(merchant));
      };
      return {
        credentials: {
          // What a process holds it asks nobody for.
          of: async (merchant) => {
            const version = held.get(merchant);
            return version
              ? credentialsOf(merchant, version)
              : process.effect('credentials', '', () => ({ answer: Promise.resolve(fetched(merchant)) }));
          },
          refresh: (merchant) => process.effect('refresh', '', () => ({ answer: Promise.resolve(fetched(merchant)) })),
        },
        door: createCallbackDoor({ nowMs: process.nowMs }),
        controlKeys: {
          all: async () => {
            if (weather().secretsDown()) throw silence;
            return new Map(Object.keys(contracts).map((merchant) => [merchant, [callbackKey]]));
          },
        },
        approvals: { needed: async () => false, of: async () => 'none' },
        fingerprinting: {
          keys: async () => {
            if (holdsKeys) return fingerprintKeys;
            const keys = await process.effect('keys', '', () => ({
              answer: weather().secretsDown() ? Promise.reject(silence) : Promise.resolve(fingerprintKeys),
            }));
            holdsKeys = true;
            return keys;
          },
        },
      };
    },
  };
}

function unavailable(code: CredentialsFailure['code'], message: string): CredentialsAnswer {
  return { kind: 'unavailable', failure: { code, message } };
}
