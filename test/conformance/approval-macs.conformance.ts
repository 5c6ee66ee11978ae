// The key of approvals against moto's KMS.
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { beforeAll, describe, inject } from 'vitest';
import { createKmsApprovalCheck, createKmsApprovalMaker } from '../../lib/batches/kms-approvals.ts';
import { approvalMacsContract } from '../contract/approval-macs-contract.ts';
import { fakeCredentials } from './table.ts';

const motoUrl = inject('moto');

describe.skipIf(motoUrl === null)("a key of approvals in moto's KMS", () => {
  const config = { region: 'eu-central-1', endpoint: motoUrl ?? '', credentials: fakeCredentials, maxAttempts: 1 };
  const client = new KMSClient(config);
  const newClient = () => client;
  let keyId = '';

  beforeAll(async () => {
    const { KeyMetadata } = await client.send(
      new CreateKeyCommand({ KeySpec: 'HMAC_256', KeyUsage: 'GENERATE_VERIFY_MAC' }),
    );
    keyId = KeyMetadata?.KeyId ?? '';
  });

  approvalMacsContract(() => ({
    maker: createKmsApprovalMaker({ newClient, keyId }),
    check: createKmsApprovalCheck({ newClient, keyId }),
    lost: createKmsApprovalCheck({ newClient, keyId: 'alias/nowhere' }),
  }));
});
