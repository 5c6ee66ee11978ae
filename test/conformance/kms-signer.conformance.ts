// The signer of AWS KMS against moto's KMS, with the key size that the gateway asks for.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { CreateKeyCommand, GetPublicKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { beforeAll, describe, inject } from 'vitest';
import { createKmsSigners } from '../../lib/aws/kms-client.ts';
import { rsaSignerContract } from '../contract/rsa-signer-contract.ts';
import { fakeCredentials } from './table.ts';

const motoUrl = inject('moto');

describe.skipIf(motoUrl === null)("a key in moto's KMS", () => {
  const config = { region: 'eu-central-1', endpoint: motoUrl ?? '', credentials: fakeCredentials, maxAttempts: 1 };
  let keyId = '';
  let publicKey: KeyObject;

  beforeAll(async () => {
    const client = new KMSClient(config);
    const { KeyMetadata } = await client.send(new CreateKeyCommand({ KeySpec: 'RSA_4096', KeyUsage: 'SIGN_VERIFY' }));
    keyId = KeyMetadata?.KeyId ?? '';
    const { PublicKey = new Uint8Array() } = await client.send(new GetPublicKeyCommand({ KeyId: keyId }));
    publicKey = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
    client.destroy();
  });

  rsaSignerContract(() => {
    const signers = createKmsSigners(() => new KMSClient(config));
    // moto 5.2.5 takes a message of the type DIGEST for one of the type RAW (README.md beside this file).
    return { signer: signers(keyId), publicKey, lost: signers('alias/nowhere'), hashesTwice: true };
  });
});
