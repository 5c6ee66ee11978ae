// The signer of AWS KMS against a stub of its protocol; against moto in test/conformance.
import { afterAll, beforeAll, describe } from 'vitest';
import { createKmsSigners } from '../../lib/aws/kms-client.ts';
import { type KmsStub, startKmsStub } from '../support/kms-stub.ts';
import { rsaSignerContract } from './rsa-signer-contract.ts';

let kms: KmsStub;

beforeAll(async () => {
  kms = await startKmsStub();
});
afterAll(() => kms.close());

describe('a key in KMS', () => {
  rsaSignerContract(() => {
    const signers = createKmsSigners(kms.newClient);
    return { signer: signers(kms.keyArn), publicKey: kms.publicKey, lost: signers('alias/nowhere') };
  });
});
