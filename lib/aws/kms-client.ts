// Clients of KMS, and signers for merchants' keys that never leave KMS (KMS developer guide, "Sign").
import { KMSClient, SignCommand } from '@aws-sdk/client-kms';
import type { RsaSigner } from '../oauth1/signing-key.ts';
import { type AwsClientOptions, clientsOf } from './aws-calls.ts';

/** Makes a client of KMS. */
export const newKmsClient = clientsOf(KMSClient, 'kms');

/** One client for all callers, made at first use. */
export function kmsClientOnDemand(options: AwsClientOptions): () => KMSClient {
  let client: KMSClient | undefined;
  return () => (client ??= newKmsClient(options));
}

/**
 * Signers over one client, made at the first signature: most merchants keep their key in their secret. `kmsKeyId`: the ARN or id of a
 * key, or the ARN or name of an alias.
 */
export function createKmsSigners(client: () => KMSClient): (kmsKeyId: string) => RsaSigner {
  return (kmsKeyId) => ({
    kind: 'rsa-signer',
    keyId: kmsKeyId,
    async signDigest(sha256) {
      const { Signature } = await client().send(
        new SignCommand({
          KeyId: kmsKeyId,
          Message: sha256,
          MessageType: 'DIGEST',
          SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
        }),
      );
      if (!Signature) throw new Error('KMS gave no signature');
      return Signature;
    },
  });
}
