// The contracts of queues, of secrets, and of KMS's keys on moto.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { CreateKeyCommand, type CreateKeyCommandInput, GetPublicKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { beforeAll, describe, inject } from 'vitest';
import { createKmsSigners } from '../../lib/aws/kms-client.ts';
import { createKmsApprovalCheck, createKmsApprovalMaker } from '../../lib/batches/kms-approvals.ts';
import { approvalMacsContract } from '../contract/approval-macs-contract.ts';
import { describeDeadLetters } from '../contract/dead-letters-contract.ts';
import { describeQueues } from '../contract/queues-contract.ts';
import { rsaSignerContract } from '../contract/rsa-signer-contract.ts';
import { describeSecretDesk } from '../contract/secret-desk-contract.ts';
import { fakeCredentials } from './table.ts';

const url = inject('moto');

describe.skipIf(url === null)('moto', () => {
  const at = () => url ?? '';
  describeQueues('moto', at);
  describeDeadLetters('moto', at, { saysSource: false });
  describeSecretDesk('moto', at, { readsMoved: false });

  const newClient = () =>
    new KMSClient({ region: 'eu-central-1', endpoint: at(), credentials: fakeCredentials, maxAttempts: 1 });
  const aKey = async (its: CreateKeyCommandInput) =>
    (await newClient().send(new CreateKeyCommand(its))).KeyMetadata?.KeyId ?? '';

  describe('a key that signs, of the size that the gateway asks for', () => {
    let keyId = '';
    let publicKey: KeyObject;
    beforeAll(async () => {
      keyId = await aKey({ KeySpec: 'RSA_4096', KeyUsage: 'SIGN_VERIFY' });
      const { PublicKey = new Uint8Array() } = await newClient().send(new GetPublicKeyCommand({ KeyId: keyId }));
      publicKey = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
    });
    rsaSignerContract(() => {
      const signers = createKmsSigners(newClient);
      // moto 5.2.5 takes a message of the type DIGEST for one of the type RAW (test/README.md).
      return { signer: signers(keyId), publicKey, lost: signers('alias/nowhere'), hashesTwice: true };
    });
  });

  describe('a key of approvals', () => {
    let keyId = '';
    beforeAll(async () => void (keyId = await aKey({ KeySpec: 'HMAC_256', KeyUsage: 'GENERATE_VERIFY_MAC' })));
    approvalMacsContract(() => ({
      maker: createKmsApprovalMaker({ newClient, keyId }),
      check: createKmsApprovalCheck({ newClient, keyId }),
      lost: createKmsApprovalCheck({ newClient, keyId: 'alias/nowhere' }),
    }));
  });
});
