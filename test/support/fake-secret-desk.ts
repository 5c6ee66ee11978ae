// Merchants' secrets in memory, by stages, read by the worker's own schema.
import { generateKeyPairSync } from 'node:crypto';
import type { MerchantSecrets } from '../../lib/local/sample-merchants.ts';
import type { KeyMaker, SecretAdmin, SecretStage } from '../../lib/merchants/secret-ports.ts';
import { readSecret } from '../../lib/merchants/secrets-manager-admin.ts';
import { merchantSecrets } from './merchant-secrets.ts';

/** The fake desk. */
export interface FakeSecretDesk extends SecretAdmin {
  /** Stores the keys of `acme-eu` under a stage, and beside them their contract; answers with the id of the keys. */
  put(stage: SecretStage, fields: object | string): string;
  /** The keys under a stage. */
  keys(stage: SecretStage): Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const merchant = 'acme-eu';

/** A desk that knows one merchant, without a secret yet. */
export function createFakeSecretDesk(): FakeSecretDesk {
  const versions = new Map<string, string>();
  const stages = new Map<SecretStage, string>();
  let contract = '';
  function putKeys(stage: SecretStage, text: string): string {
    const version = `v${versions.size + 1}`;
    versions.set(version, text);
    stages.set(stage, version);
    return version;
  }
  const textOf = (stage: SecretStage) => versions.get(stages.get(stage) ?? '');
  return {
    put(stage, fields) {
      if (typeof fields === 'string') return putKeys(stage, fields);
      const secrets = merchantSecrets(fields);
      contract = JSON.stringify(secrets.contract);
      return putKeys(stage, JSON.stringify(secrets.keys));
    },
    keys: (stage) => JSON.parse(textOf(stage) ?? '{}') as MerchantSecrets['keys'],
    async read(name, stage) {
      const version = stages.get(stage);
      const text = textOf(stage);
      if (name !== merchant || version === undefined || text === undefined) return undefined;
      const its = { version, contract, text };
      return { ...its, read: readSecret(its) };
    },
    stage: async (_name, text) => putKeys('AWSPENDING', text),
    async promote(_name, { from, to }) {
      if (stages.get('AWSCURRENT') !== from) return 'overtaken';
      stages.set('AWSPREVIOUS', from).set('AWSCURRENT', to);
      return 'moved';
    },
  };
}

/** A new RSA key in PEM; of 2048 bits, whatever is asked for: 4096 take seconds. */
export function aPrivateKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Makes these keys, and keeps the requested bits. */
export function createFakeKeyMaker(): KeyMaker & { readonly asked: number[] } {
  const asked: number[] = [];
  return {
    asked,
    async newPrivateKey(bits) {
      asked.push(bits);
      return aPrivateKey();
    },
  };
}
