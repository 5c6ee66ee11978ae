// Merchants' secrets in memory, by stages, read by the worker's own schema.
import { generateKeyPairSync } from 'node:crypto';
import { readMerchantSecret } from '../../lib/aws/merchant-secret.ts';
import { SecretFault } from '../../lib/aws/secret-schemas.ts';
import type { KeyMaker, SecretAdmin, SecretStage, StoredSecret } from '../../lib/merchants/secret-ports.ts';

/** The fake desk. */
export interface FakeSecretDesk extends SecretAdmin {
  /** Stores a version of `acme-eu` under a stage; answers with its id. */
  put(stage: SecretStage, fields: object | string): string;
  /** The fields under a stage. */
  fields(stage: SecretStage): Record<string, unknown>;
}

const merchant = 'acme-eu';

/** A desk that knows one merchant, without a secret yet. */
export function createFakeSecretDesk(): FakeSecretDesk {
  const versions = new Map<string, string>();
  const stages = new Map<SecretStage, string>();
  function put(stage: SecretStage, fields: object | string): string {
    const version = `v${versions.size + 1}`;
    versions.set(version, typeof fields === 'string' ? fields : JSON.stringify(fields));
    stages.set(stage, version);
    return version;
  }
  const textOf = (stage: SecretStage) => versions.get(stages.get(stage) ?? '');
  return {
    put,
    fields: (stage) => JSON.parse(textOf(stage) ?? '{}') as Record<string, unknown>,
    async read(name, stage) {
      const version = stages.get(stage);
      const text = textOf(stage);
      if (name !== merchant || version === undefined || text === undefined) return undefined;
      return { version, text, read: readSecret(text, version) };
    },
    stage: async (_name, text) => put('AWSPENDING', text),
    async promote(_name, { from, to }) {
      if (stages.get('AWSCURRENT') !== from) return 'overtaken';
      stages.set('AWSPREVIOUS', from).set('AWSCURRENT', to);
      return 'moved';
    },
  };
}

function readSecret(text: string, version: string): StoredSecret['read'] {
  try {
    return { kind: 'credentials', credentials: readMerchantSecret(text, version) };
  } catch (error) {
    if (error instanceof SecretFault) return { kind: 'fault', message: error.message };
    throw error;
  }
}

/** A new RSA key in PEM; of 2048 bits, whatever is asked for: 4096 take seconds. */
export function aPrivateKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Makes such keys, and keeps the requested bits. */
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
