// Data keys of KMS (KMS developer guide, "Data keys"). Each process makes one an hour, which seals parked jobs and is stored wrapped
// beside them. So parking costs one call an hour, and a role without the right to decrypt reads no body.
import { DecryptCommand, GenerateDataKeyCommand, type KMSClient } from '@aws-sdk/client-kms';
import { keepNewest } from '../payout/ttl-cache.ts';
import type { DataKey, DataKeys } from '../payout/wait/body-seal.ts';

/** The key of KMS; the client is made at first use. */
interface KmsDataKeysOptions {
  readonly newClient: () => KMSClient;
  readonly keyId: string;
  readonly nowMs: () => number;
}

const hourMs = 3_600_000;
/** Opened data keys kept in memory. */
const rememberedAtMost = 500;
/** KMS logs the context, and requires the same one to decrypt. */
const EncryptionContext = { purpose: 'waiting' };

/** Data keys under one key of KMS. */
export function createKmsDataKeys({ newClient, keyId: KeyId, nowMs }: KmsDataKeysOptions): DataKeys {
  let current: { readonly key: Promise<DataKey>; readonly fromMs: number } | undefined;
  const opened = new Map<string, Promise<Uint8Array>>();

  function remember(wrapped: string, plain: Promise<Uint8Array>): Promise<Uint8Array> {
    plain.catch(() => opened.delete(wrapped));
    return keepNewest(opened, wrapped, plain, rememberedAtMost);
  }

  async function newDataKey(): Promise<DataKey> {
    const command = new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256', EncryptionContext });
    const { Plaintext: plain, CiphertextBlob: blob } = await newClient().send(command);
    if (!plain || !blob) throw new Error('KMS gave no data key');
    const wrapped = Buffer.from(blob).toString('base64url');
    void remember(wrapped, Promise.resolve(plain));
    return { plain, wrapped };
  }

  async function unwrapped(wrapped: string): Promise<Uint8Array> {
    const CiphertextBlob = Buffer.from(wrapped, 'base64url');
    const command = new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext });
    const { Plaintext: plain } = await newClient().send(command);
    if (!plain) throw new Error('KMS opened no data key');
    return plain;
  }

  return {
    current() {
      if (current && nowMs() >= current.fromMs && nowMs() < current.fromMs + hourMs) return current.key;
      const making = { key: newDataKey(), fromMs: nowMs() };
      current = making;
      making.key.catch(() => {
        if (current === making) current = undefined;
      });
      return making.key;
    },
    unwrap: (wrapped) => opened.get(wrapped) ?? remember(wrapped, unwrapped(wrapped)),
  };
}
