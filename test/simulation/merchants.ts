// The merchants of a world, their secrets and their rotation. Keys are HMAC alone, which signs in the same turn: so all acts
// of a process between two effects happen at one moment of virtual time.
import type { CallbackPorts } from '../../lib/payout/inquire/handle-callback.ts';
import { createSecretKey } from 'node:crypto';
import { type Approvals, createApprovals } from '../../lib/batches/approval.ts';
import { payneteasy } from '../../lib/gateway/payneteasy.ts';
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
import type { Process, Surroundings } from './process.ts';
import type { HeldTruth } from './design-rules.ts';
import { controlKeysBy } from '../support/control-keys.ts';
import { createSimulatedApprovals, type SimulatedApprovals } from './approvals.ts';

/** The differences between merchants' contracts. */
export type Contract = Pick<Profile, 'statusInquiry'> &
  Partial<Profile> & { readonly duplicateOrderIds: 'accepted' | 'refused' };

/** The merchants. One whose contract is not given has no secret. */
export interface Merchants {
  /** The secret and the gateway change over to a new key; processes still hold the old one. */
  rotate(merchant: string): void;
  /** The account moves to another host of the same gateway; inquiries about the old one's orders go there. */
  moves(merchant: string): void;
  /** The profile in the secret is another one from now on. */
  changesProfile(merchant: string): void;
  /** Requests to this host are taken under this login: those that move money under its last alone. */
  knows(merchant: string, login: string, origin: string, isInquiry: boolean): boolean;
  refusesDuplicates(merchant: string): boolean;
  /** The gateway's present key for the merchant's callbacks from this address. */
  controlKeyAt(merchant: string, origin: string): string;
  /** The address of its account before the world began, where it had another: no order was ever sent there. */
  originBefore(merchant: string): string | undefined;
  readonly approvals: SimulatedApprovals;
  /** The secrets as a person's tool reads them. */
  readonly stored: Pick<Credentials<MerchantCredentials>, 'of'>;
  portsFor(process: Process): {
    readonly credentials: Credentials<MerchantCredentials>;
    readonly fingerprinting: Fingerprinting;
    readonly approvals: Approvals;
  } & Pick<CallbackPorts, 'controlKeys'>;
}

const hmacKey = parseSigningKey('HMAC-SHA1', '5b2c6a0e-simulated-control-key');
const controlKeyOf = (login: string) => `5b2c6a0e-simulated-control-key-of-${login}`;
const fingerprintKeys = { current: 'k1', keys: new Map([['k1', createSecretKey(Buffer.alloc(32, 1))]]) };
const signatureMethod = Object.fromEntries([...operationNames, 'status'].map((name) => [name, 'HMAC-SHA1' as const]));
const profileOf = (contract: Contract): Profile => ({
  ...defaultProfile,
  doubtfulHttpStatuses: [statusInDoubt],
  ...contract,
});

/** One version of a merchant's secret. */
interface Version {
  readonly login: string;
  readonly host: number;
  readonly profile: Partial<Profile>;
}

const originOf = (merchant: string, host: number) =>
  `https://${merchant}${host === 0 ? '' : host < 0 ? '-before' : `-${host}`}.gateway.test`;

/** These have moved before the world begins: nothing of it was sent to their account of before. */
const movedBefore: ReadonlySet<string> = new Set(['emil', 'fara']);
const firstVersionsOf = (merchant: string): readonly Version[] => [
  ...(movedBefore.has(merchant) ? [{ login: `${merchant}.v0`, host: -1, profile: {} }] : []),
  { login: `${merchant}.v1`, host: 0, profile: {} },
];

/** A world's keys differ by the login that they come with: at the gateway all of them are one account. */
function sameAccount(merchant: string, profile: Profile, host: number): readonly string[] {
  return Array.from({ length: rotationsAtMost }, (_, version) =>
    accountOf({ login: `${merchant}.v${version}`, baseUrl: originOf(merchant, host), mode: 'live', profile }, '39915'),
  );
}

const rotationsAtMost = 20;
/** Credentials by contract and name: the same in each world that has this contract, and built once for all of them. */
const everBuilt = new WeakMap<Contract, Map<string, MerchantCredentials>>();

function builtOnce(contract: Contract, name: string, build: () => MerchantCredentials): MerchantCredentials {
  const built = everBuilt.get(contract) ?? new Map<string, MerchantCredentials>();
  everBuilt.set(contract, built);
  const known = built.get(name) ?? build();
  built.set(name, known);
  return known;
}

/** The time for which the worker keeps a secret. */
const keptForMs = 300_000;
const silence = new Error('Secrets Manager did not answer');

/** Merchants with these contracts. */
export function createMerchants(
  contracts: Readonly<Record<string, Contract>>,
  { weather, story, truth }: Pick<Surroundings, 'weather' | 'story'> & { readonly truth: HeldTruth },
): Merchants {
  const versions = new Map<string, readonly Version[]>();
  const versionsOf = (merchant: string) => versions.get(merchant) ?? firstVersionsOf(merchant);
  /** The number of the present version, counted from 1. */
  const versionOf = (merchant: string) => versionsOf(merchant).length;

  function becomes(merchant: string, change: (last: Version, nextLogin: string) => Partial<Version>): void {
    const all = versionsOf(merchant);
    const last = all.at(-1) as Version;
    versions.set(merchant, [...all, { ...last, ...change(last, `${merchant}.v${all.length + 1}`) }]);
  }

  /** The accounts of orders before this version of the secret, and the keys of earlier callbacks. */
  function earlierAccountsOf(merchant: string, version: number): MerchantCredentials[] {
    const own = versionsOf(merchant)[version - 1];
    const before = versionsOf(merchant).slice(0, version);
    const places = before.flatMap((it, at) => (it.login === own?.login ? [] : [at + 1]));
    return places.flatMap((at) => {
      const it = credentialsOf(merchant, at);
      return it.kind === 'credentials' ? [it.credentials] : [];
    });
  }
  const approvals = createSimulatedApprovals();
  const areAskedFor = Object.values(contracts).some(({ twoPersonRelease }) => twoPersonRelease);

  function credentialsOf(merchant: string, version: number): CredentialsAnswer<MerchantCredentials> {
    const contract = contracts[merchant];
    if (!contract) return unavailable('MERCHANT_UNKNOWN', 'there is no secret for this merchant');
    const { login, host, profile: changed } = versionsOf(merchant)[version - 1] as Version;
    const make = (): MerchantCredentials => {
      const profile = { ...profileOf(contract), ...changed, signatureMethod };
      const earlierAccounts = earlierAccountsOf(merchant, version);
      return {
        dialect: payneteasy,
        login,
        baseUrl: originOf(merchant, host),
        keys: { 'HMAC-SHA1': hmacKey },
        controlKey: createSecretKey(controlKeyOf(login), 'utf8'),
        profile,
        version: `v${version}`,
        mode: 'live',
        sameAccountAs: sameAccount(merchant, profileOf(contract), host),
        ...(earlierAccounts.length > 0 && { earlierAccounts }),
      };
    };
    // The key is all parts of the version: the versions before it.
    const name = versionsOf(merchant)
      .slice(0, version)
      .map((it) => `${it.login} ${it.host} ${it.profile.resubmitUnknownOrders ?? ''}`)
      .join();
    return { kind: 'credentials', credentials: builtOnce(contract, name, make) };
  }

  const stored: Pick<Credentials<MerchantCredentials>, 'of'> = {
    of: async (merchant) => credentialsOf(merchant, versionOf(merchant)),
  };

  return {
    stored,
    rotate(merchant) {
      becomes(merchant, (_, login) => ({ login }));
      story.tell('operator', '', () => `rotates the key of ${merchant}`);
    },
    moves(merchant) {
      becomes(merchant, ({ host }, login) => ({ login, host: host + 1 }));
      story.tell('operator', '', () => `moves the account of ${merchant} to another host`);
    },
    changesProfile(merchant) {
      const isOn = contracts[merchant]?.resubmitUnknownOrders ?? false;
      becomes(merchant, () => ({ profile: { resubmitUnknownOrders: !isOn } }));
      truth.changesContract(merchant);
      story.tell('operator', '', () => `changes the profile of ${merchant}`);
    },
    knows(merchant, login, origin, isInquiry) {
      const there = versionsOf(merchant).filter(({ host }) => originOf(merchant, host) === origin);
      return isInquiry ? there.some((it) => it.login === login) : there.at(-1)?.login === login;
    },
    refusesDuplicates: (merchant) => contracts[merchant]?.duplicateOrderIds === 'refused',
    controlKeyAt: (merchant, origin) =>
      controlKeyOf(versionsOf(merchant).findLast(({ host }) => originOf(merchant, host) === origin)?.login ?? ''),
    originBefore: (merchant) => (movedBefore.has(merchant) ? originOf(merchant, -1) : undefined),
    approvals,
    portsFor(process) {
      const held = new Map<string, { readonly version: number; readonly staleAtMs: number }>();
      let holdsKeys = false;
      const fetched = (merchant: string): CredentialsAnswer<MerchantCredentials> => {
        if (weather().secretsDown()) return unavailable('CREDENTIALS_UNAVAILABLE', 'Secrets Manager did not answer');
        held.set(merchant, { version: versionOf(merchant), staleAtMs: process.nowMs() + keptForMs });
        return credentialsOf(merchant, versionOf(merchant));
      };
      const credentials: Credentials<MerchantCredentials> = {
        // A process reads the secret that it holds without a call; the last good value serves while the service fails.
        of: async (merchant) => {
          const kept = held.get(merchant);
          if (kept && process.nowMs() < kept.staleAtMs) return credentialsOf(merchant, kept.version);
          return process.effect('credentials', '', () => {
            const answer = fetched(merchant);
            const isKept = kept && answer.kind !== 'credentials';
            return { answer: Promise.resolve(isKept ? credentialsOf(merchant, kept.version) : answer) };
          });
        },
        refresh: (merchant) =>
          process.effect('refresh', '', () => {
            truth.readsSecretAnew(merchant, process.name);
            return { answer: Promise.resolve(fetched(merchant)) };
          }),
      };
      return {
        credentials,
        controlKeys: {
          all: async () => {
            if (weather().secretsDown()) throw silence;
            return controlKeysBy(stored, Object.keys(contracts)).all();
          },
        },
        approvals: areAskedFor
          ? createApprovals({ credentials, ...approvals })
          : { needed: async () => false, of: async () => 'none' },
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

function unavailable(code: CredentialsFailure['code'], message: string): CredentialsAnswer<MerchantCredentials> {
  return { kind: 'unavailable', failure: { code, message } };
}
