// The proof that a job was approved: any change to the job, its batch or the key breaks it.
import { describe, expect, it } from 'vitest';
import { approvalGate, approvalOf, bearsApproval, createApprovals } from '../../lib/batches/approval.ts';
import type { ApprovalGrant } from '../../lib/batches/batch.ts';
import type { Job } from '../../lib/payout/job.ts';
import { createFakeCredentials, someCredentials } from '../support/fake-credentials.ts';
import { anEligibilityJob, aPayoutJob, jobOf } from '../support/jobs.ts';

const key = Buffer.alloc(32, 7).toString('base64url');
const job: Job = jobOf(
  aPayoutJob({ batchId: 'nov', context: { invoice: '1', more: { a: 1 } }, expiresAt: '2026-11-30T00:00:00Z' }),
);
const approved: Job = { ...job, approval: approvalOf(job, { key }) };

it('is 256 bits of base64url, as a message may bear it', () => {
  expect(approved.approval).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(bearsApproval(approved, { key })).toBe(true);
});

it('holds for the same job in another order of its fields, and does not depend on itself', () => {
  const params = Object.fromEntries(Object.entries(job.params).toReversed());
  expect(bearsApproval({ ...approved, params }, { key })).toBe(true);
  expect(approvalOf(approved, { key })).toBe(approved.approval);
});

describe('is broken by', () => {
  it.each<[what: string, changes: Partial<Job>]>([
    ['another account', { params: { ...job.params, account_number: 'DE00000000000000000000' } }],
    ['another amount', { params: { ...job.params, amount: '10.43' } }],
    ['a further field', { params: { ...job.params, purpose: 'wages' } }],
    ['a field less', { params: Object.fromEntries(Object.entries(job.params).slice(1)) }],
    ['another order', { orderId: 'INV-2' }],
    ['another merchant', { merchant: 'globex' }],
    ['another endpoint', { endpointId: '1' }],
    ['another operation', { operation: 'transfer-by-ref' }],
    ['another batch', { batchId: 'dec' }],
    ['another context', { context: '{"invoice":"2"}' }],
    ['a later end', { expiresAtMs: (job.expiresAtMs ?? 0) + 1 }],
    ['card data', { sealedParams: 'a.b.c.d.e' }],
    ['another proof', { approval: `${approved.approval?.slice(0, -1)}_` }],
    ['a shorter proof', { approval: '' }],
  ])('%s', (_, changes) => {
    expect(bearsApproval({ ...approved, ...changes }, { key })).toBe(false);
  });

  it('another key, or no proof at all', () => {
    expect(bearsApproval(approved, { key: Buffer.alloc(32, 8).toString('base64url') })).toBe(false);
    expect(bearsApproval(job, { key })).toBe(false);
  });
});

// The gate of approvals: does the job bear the proof of an approval? And what a process may keep of the approvals it has read.

const grant: ApprovalGrant = { key: Buffer.alloc(32, 7).toString('base64url'), expiresAtMs: 9_000 };
const unproven = jobOf(aPayoutJob({ batchId: 'nov' }));
const proven: Job = { ...unproven, approval: approvalOf(unproven, grant) };

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
  return { credentials, grants, asked, approvals: createApprovals({ credentials, batches }) };
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
  it.each<[string, Job, string]>([
    ['without a proof', unproven, 'this job bears no approval'],
    ['without a batch', batchless, 'this job bears no approval'],
    ['of a batch that nobody approved', { ...proven, batchId: 'dec' }, 'its batch is not approved'],
    ['that was changed', { ...proven, endpointId: '1' }, 'it is not what was approved for its batch'],
  ])('%s is refused', async (__, job, why) => {
    const { grants, approvals } = aDesk();
    grants.set('nov', grant);
    const failure = { code: 'NOT_APPROVED', message: `two-person release: ${why}` };
    expect(await approvalGate(approvals)(candidate(job))).toEqual({ kind: 'refuse', failure });
  });

  it('is unknown, and neither refused nor sent, while its approval can’t be read', async () => {
    const approvals = { needed: async () => true, of: () => Promise.reject(new Error('no answer')) };
    expect(await approvalGate(approvals)(candidate(proven))).toEqual({ kind: 'wait', because: 'approval-unknown' });
  });
});

describe('two persons are needed', () => {
  it('for money of a merchant whose profile says so, and for nothing else', async () => {
    const { approvals } = aDesk();
    expect(await approvals.needed(unproven)).toBe(true);
    expect(await approvals.needed(jobOf(anEligibilityJob()))).toBe(false);
    expect(await approvals.needed({ ...unproven, merchant: 'alone' })).toBe(false);
    expect(await approvalGate(approvals)(candidate({ ...unproven, merchant: 'alone' }))).toEqual({ kind: 'go' });
  });

  it('by nobody’s guess: while the secret can’t be read, sending asks again', async () => {
    const { approvals, credentials } = aDesk();
    credentials.outage('down');
    expect(await approvals.needed(unproven)).toBe(false);
  });
});

describe('approvals that were read', () => {
  it('are read once, as they never change; that there is none is asked each time, as it may come', async () => {
    const { grants, approvals, asked } = aDesk();
    expect(await approvals.of('nov')).toBeUndefined();
    grants.set('nov', grant);
    expect(await approvals.of('nov')).toEqual(grant);
    expect(await approvals.of('nov')).toEqual(grant);
    expect(asked).toEqual(['nov', 'nov']);
  });

  it('are not forgotten over batches that nobody approved, whoever names them', async () => {
    const { grants, approvals, asked } = aDesk();
    grants.set('nov', grant);
    await approvals.of('nov');
    for (let n = 0; n < 600; n += 1) await approvals.of(`made-up-${n}`);
    await approvals.of('nov');
    expect(asked.filter((it) => it === 'nov')).toHaveLength(1);
  });

  it('are kept up to five hundred, the oldest forgotten first: a process stays, batches come and go', async () => {
    const { grants, approvals, asked } = aDesk();
    for (let n = 0; n <= 500; n += 1) grants.set(`b-${n}`, { ...grant, expiresAtMs: n });
    for (let n = 0; n < 500; n += 1) await approvals.of(`b-${n}`);
    expect(await approvals.of('b-0')).toMatchObject({ expiresAtMs: 0 });
    expect(asked).toHaveLength(500);
    await approvals.of('b-500');
    await approvals.of('b-1');
    await approvals.of('b-499');
    expect(asked).toHaveLength(501);
    await approvals.of('b-0');
    expect(asked).toHaveLength(502);
  });
});

it('what was approved is the job as it lay on the queue; what goes on is the one that was opened since', async () => {
  const { grants, approvals } = aDesk();
  grants.set('nov', grant);
  const opened = { ...proven, params: { ...proven.params, opened: 'yes' } };
  expect(await approvalGate(approvals)({ received: proven, job: opened })).toEqual({
    kind: 'go',
    job: { ...opened, approvedUntilMs: 9_000 },
  });
});
