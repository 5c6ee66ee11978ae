// An RSA key in AWS KMS that signs there and never leaves it (KMS developer guide, "Sign").
import { type KMSClient, SignCommand } from '@aws-sdk/client-kms';
import type { RsaSigner } from '../oauth1/signing-key.ts';

/**
 * Signers over one client, which is made at the first signature: most merchants have their key in their secret. A key is
 * given by its ARN or id, or by the ARN or name of an alias.
 */
export function createKmsSigners(newClient: () => KMSClient): (kmsKeyId: string) => RsaSigner {
  let client: KMSClient | undefined;
  return (kmsKeyId) => ({
    kind: 'rsa-signer',
    keyId: kmsKeyId,
    async signDigest(sha256) {
      client ??= newClient();
      const { Signature } = await client.send(
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
