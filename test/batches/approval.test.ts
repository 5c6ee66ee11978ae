// The gate of approvals: does the job bear the proof of an approval that holds? And what a process may keep of the
// approvals that it has read and checked.
import { describe, expect, it } from 'vitest';
import { approvalGate, type Approvals, closedApprovalGate, createApprovals } from '../../lib/batches/approval.ts';
import type { ApprovalGrant } from '../../lib/batches/batch.ts';
import type { Job } from '../../lib/payout/message/job.ts';
import { anApprovalKey, approvalOf } from '../support/approvals.ts';
import { createFakeCredentials, someCredentials } from '../support/fake-credentials.ts';
import { anEligibilityJob, aPayoutJob, jobOf } from '../support/jobs.ts';

const key = anApprovalKey();
const unproven = jobOf(aPayoutJob({ batchId: 'nov' }));
const { grant, bodies } = await approvalOf([aPayoutJob()], key, { expiresAtMs: 9_000 });
const proven: Job = jobOf(bodies[0] ?? aPayoutJob());

const candidate = (job: Job) => ({ received: job, job });

function aDesk() {
  const credentials = createFakeCredentials({
    'acme-eu': someCredentials({ profile: { twoPersonRelease: true } }),
    alone: someCredentials(),
  });
  const grants = new Map<string, ApprovalGrant>();
  const asked: string[] = [];
  const batches = {
    async grantOf(batchId: string) {
      asked.push(batchId);
      return grants.get(batchId);
    },
  };
  const macs = anApprovalKey();
  return { credentials, grants, asked, macs, approvals: createApprovals({ credentials, batches, macs }) };
}

describe('a job of two persons', () => {
  it('goes on with its proof, until its approval ends', async () => {
    const { grants, approvals } = aDesk();
    grants.set('nov', grant);
    expect(await approvalGate(approvals)(candidate(proven))).toEqual({
      kind: 'go',
      job: { ...proven, approvedUntilMs: 9_000 },
    });
  });

  const { batchId: _, ...batchless } = proven;
  const refusal = (why: string) => ({
    kind: 'refuse',
    failure: { code: 'NOT_APPROVED', message: `two-person release: ${why}` },
  });

  it.each<[string, Job, string]>([
    ['without a proof', unproven, 'this job has no approval'],
    ['without a batch', batchless, 'this job has no approval'],
    ['of a batch without an approval', { ...proven, batchId: 'dec' }, 'its batch is not approved'],
    ['that was changed', { ...proven, endpointId: '1' }, 'it is not what was approved for its batch'],
  ])('%s is refused', async (__, job, why) => {
    const { grants, approvals } = aDesk();
    grants.set('nov', grant);
    expect(await approvalGate(approvals)(candidate(job))).toEqual(refusal(why));
  });

  it('is unknown, and neither refused nor sent, while its approval can’t be read', async () => {
    const approvals: Approvals = { needed: async () => true, of: () => Promise.reject(new Error('no answer')) };
    expect(await approvalGate(approvals)(candidate(proven))).toEqual({ kind: 'wait', because: 'approval-unknown' });
  });

  it('is refused where the table says approved and no approver has made it so, whatever was changed', async () => {
    const forger = anApprovalKey('a key of the registrar’s own');
    const own = await approvalOf([aPayoutJob()], forger);
    const forgeries: ApprovalGrant[] = [
      own.grant,
      { ...grant, expiresAtMs: grant.expiresAtMs + 1 },
      { ...grant, registrar: 'eve' },
      { ...grant, mac: '' },
    ];
    for (const forged of forgeries) {
      const { grants, approvals } = aDesk();
      grants.set('nov', forged);
      const job = jobOf(own.bodies[0] ?? aPayoutJob());
      expect(await approvalGate(approvals)(candidate(job))).toEqual(
        refusal('the approval of its batch was not made by an approver'),
      );
    }
  });

  it('is refused where one person registered and approved it, in whatever roles', async () => {
    const { grants, approvals, macs } = aDesk();
    const [registrar, approver] = ['Register', 'Approve'].map(
      (role) => `arn:aws:sts::111122223333:assumed-role/${role}/jane@corp.example`,
    ) as [string, string];
    const one = await approvalOf([aPayoutJob()], macs, { registrar, approver });
    grants.set('nov', one.grant);
    expect(await approvalGate(approvals)(candidate(jobOf(one.bodies[0] ?? aPayoutJob())))).toEqual(
      refusal('its batch was registered and approved by one person'),
    );
  });
});

it('a MAC that was right of one approval says nothing of another that bears it', async () => {
  const { grants, approvals } = aDesk();
  grants.set('nov', grant);
  expect(await approvals.of('nov')).toEqual(grant);
  grants.set('dec', grant);
  expect(await approvals.of('dec')).toBe('forged');
  grants.set('jan', { ...grant, expiresAtMs: grant.expiresAtMs + 1 });
  expect(await approvals.of('jan')).toBe('forged');
});

describe('a reader that opens no seal', () => {
  it('leaves a sealed row to the worker, and refuses what has no approval all the same', async () => {
    const { grants, approvals } = aDesk();
    grants.set('nov', grant);
    const sealed = { ...proven, sealedParams: 'a.b.c.d.e', endpointId: '1' };
    const ask = closedApprovalGate(approvals);
    expect(await ask(candidate(sealed))).toEqual({ kind: 'go', job: { ...sealed, approvedUntilMs: 9_000 } });
    expect(await ask(candidate({ ...sealed, batchId: 'dec' }))).toMatchObject({ kind: 'refuse' });
    const { sealedParams: _, ...plain } = sealed;
    expect(await ask(candidate(plain))).toMatchObject({ kind: 'refuse' });
  });
});

describe('two persons are needed', () => {
  it('for each job of a merchant whose profile says so, checks included, and for nothing else', async () => {
    const { approvals } = aDesk();
    expect(await approvals.needed(unproven)).toBe(true);
    expect(await approvals.needed(jobOf(anEligibilityJob()))).toBe(true);
    expect(await approvals.needed({ ...unproven, merchant: 'alone' })).toBe(false);
    expect(await approvalGate(approvals)(candidate({ ...unproven, merchant: 'alone' }))).toEqual({ kind: 'go' });
  });
});

describe('approvals that were read', () => {
  it('are not judged while KMS does not answer, and are afterwards', async () => {
    const { credentials } = aDesk();
    let isDown = true;
    const macs = { isMacOf: async () => (isDown ? Promise.reject(new Error('no answer')) : true) };
    const approvals = createApprovals({ credentials, batches: { grantOf: async () => grant }, macs });
    await expect(approvals.of('nov')).rejects.toThrow('no answer');
    isDown = false;
    expect(await approvals.of('nov')).toEqual(grant);
  });
});
