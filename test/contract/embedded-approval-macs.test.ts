// The key of approvals against the KMS of the local environment; against moto in test/conformance.
import { KMSClient } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKmsApprovalCheck, createKmsApprovalMaker } from '../../lib/batches/kms-approvals.ts';
import { startKmsEndpoint } from '../../lib/local/kms-endpoint.ts';
import type { OwnEndpoint } from '../../lib/local/own-hosts.ts';
import { approvalMacsContract } from './approval-macs-contract.ts';

let kms: OwnEndpoint;

beforeAll(async () => {
  kms = await startKmsEndpoint(new Set(['APPROVER']));
});
afterAll(() => kms.close());

const as = (accessKeyId: string, keyId = 'alias/payouts-approvals') => ({
  newClient: () =>
    new KMSClient({
      region: 'eu-central-1',
      endpoint: kms.url,
      credentials: { accessKeyId, secretAccessKey: 'fake' },
      maxAttempts: 1,
    }),
  keyId,
});

describe('a key in the local KMS', () => {
  approvalMacsContract(() => ({
    maker: createKmsApprovalMaker(as('APPROVER')),
    check: createKmsApprovalCheck(as('WORKER')),
    lost: createKmsApprovalCheck(as('WORKER', 'alias/nowhere')),
  }));

  it('makes no MAC for anybody else', async () => {
    await expect(createKmsApprovalMaker(as('WORKER')).macOf('text')).rejects.toThrow('kms:GenerateMac');
  });
});
