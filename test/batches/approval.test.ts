// The proof that a job was approved: any change to the job, its batch or the key breaks it.
import { describe, expect, it } from 'vitest';
import { approvalOf, bearsApproval } from '../../lib/batches/approval.ts';
import type { Job } from '../../lib/payout/job.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';

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
