// The one place that makes clients of KMS, for functions, workers and tools alike: each with deadlines of ours. And keys
// of merchants that sign there and never leave it (KMS developer guide, "Sign").
import { KMSClient, SignCommand } from '@aws-sdk/client-kms';
import type { RsaSigner } from '../oauth1/signing-key.ts';
import { type AwsClientOptions, clientsOf } from './aws-calls.ts';

/** A client of KMS. */
export const newKmsClient = clientsOf(KMSClient, 'kms');

/** One client for all callers, made when the first needs it. */
export function kmsClientOnDemand(options: AwsClientOptions): () => KMSClient {
  let client: KMSClient | undefined;
  return () => (client ??= newKmsClient(options));
}

/**
 * Signers over one client, which is made at the first signature: most merchants have their key in their secret. A key is
 * given by its ARN or id, or by the ARN or name of an alias.
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
