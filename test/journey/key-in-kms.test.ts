// A merchant whose private key never leaves AWS KMS: signed there, and where KMS does not sign nothing is sent.
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createKmsSigners } from '../../lib/aws/kms-client.ts';
import { readMerchantSecret } from '../../lib/aws/merchant-secret.ts';
import { createSubmit } from '../../functions/submit.ts';
import type { QueueHandler } from '../../lib/aws/lambda-handler.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { gateListOf } from '../support/gate-list.ts';
import { type KmsStub, startKmsStub } from '../support/kms-stub.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

let kms: KmsStub;
let world: World;
let submit: QueueHandler;

beforeAll(async () => {
  kms = await startKmsStub();
});
afterAll(() => kms.close());

beforeEach(() => {
  kms.failWith(undefined);
  world = aWorld();
  const signerFor = createKmsSigners(kms.newClient);
  const secret = { login: 'acme-login', kmsKeyId: kms.keyArn, baseUrl: 'https://gateway.test' };
  const stored = readMerchantSecret(JSON.stringify(secret), 'v1', signerFor);
  const credentials = { ...stored, profile: { ...stored.profile, twoPersonRelease: false } };
  const answer = async () => ({ kind: 'credentials' as const, credentials });
  const ports = { ...world.ports, credentials: { of: answer, refresh: answer } };
  submit = createSubmit({ ...ports, gates: gateListOf(ports) });
});

const deliver = (record: ReturnType<typeof aRecord>) =>
  submit({ Records: [record] }, { getRemainingTimeInMillis: () => 120_000 });

it('a payout is signed by KMS, sent once and told', async () => {
  expect(await deliver(aRecord(aPayoutJob()))).toEqual({ batchItemFailures: [] });
  expect(world.gateway.posts).toMatchObject([{ oauth: { oauth_signature_method: 'RSA-SHA256' } }]);
  expect(world.gateway.posts[0]?.oauth['oauth_signature']).toMatch(/^[A-Za-z0-9+/]{342}==$/);
  expect(world.results.taken).toMatchObject([{ status: 'accepted', attempts: 1 }]);
});

it.each(['AccessDeniedException', 'ThrottlingException', 'KMSInternalException', 'DisabledException'])(
  'KMS says %s: nothing is sent, the job waits, and then it is paid',
  async (error) => {
    // given a KMS that refuses
    kms.failWith(error);
    const record = aRecord(aPayoutJob());

    // when the job is delivered
    expect(await deliver(record)).toEqual({ batchItemFailures: [{ itemIdentifier: record.messageId }] });

    // then nothing has left, and the ledger says why, without a word of KMS about its keys
    expect(world.gateway.posts).toEqual([]);
    const [entry] = world.entries.values();
    expect(entry).toMatchObject({ state: 'retryable', failure: { code: 'SIGNER_UNAVAILABLE' } });
    expect(inspect([entry, world.log], { depth: 9 })).not.toContain('111122223333');

    // and when KMS signs again, the next delivery pays
    kms.failWith(undefined);
    expect(await deliver(record)).toEqual({ batchItemFailures: [] });
    expect(world.gateway.posts).toHaveLength(1);
    expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
  },
);
