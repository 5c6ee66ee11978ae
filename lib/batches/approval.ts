// Two-person release: a second person's approval of a batch is a key, and each job of the batch bears its own proof under
// it. A changed job, or one that was moved to another batch, has no proof; a message that nobody approved has none at all.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Gate, needsApproval, notApproved, type Verdict } from '../payout/gates.ts';
import type { Job } from '../payout/job.ts';
import type { Credentials } from '../payout/ports.ts';
import type { ApprovalGrant, Grants } from './batch.ts';

/** The proof of a job that is about to be sent: HMAC-SHA256 (base64url) of all that it asks for, as it lies on the queue. */
export function approvalOf(job: Job, { key }: Pick<ApprovalGrant, 'key'>): string {
  return createHmac('sha256', Buffer.from(key, 'base64url')).update(canonicalText(job)).digest('base64url');
}

/** True when the job, as it came, bears the proof of its batch's approval. */
export function bearsApproval(job: Job, grant: Pick<ApprovalGrant, 'key'>): boolean {
  const [own, right] = [Buffer.from(job.approval ?? ''), Buffer.from(approvalOf(job, grant))];
  return own.length === right.length && timingSafeEqual(own, right);
}

/** Everything but the proof itself; sealed card data as it is sealed. */
function canonicalText(job: Job): string {
  const { operation, merchant, endpointId, orderId, params, sealedParams, expiresAtMs, batchId, context } = job;
  // Only where it is there: a job that was approved by an older version bears the proof of it still.
  const from = job.notBeforeMs === undefined ? [] : [job.notBeforeMs];
  const pairs = Object.entries(params).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const optional = [sealedParams, expiresAtMs, batchId, context && (JSON.parse(context) as unknown)].map(
    (it) => it ?? null,
  );
  return JSON.stringify([operation, merchant, endpointId, orderId, pairs, ...optional, ...from]);
}

/** Approvals, as the worker asks for them. */
export interface Approvals {
  /** Do two persons release this job? False while its merchant's secret can't be read: sending it asks again. */
  needed(job: Pick<Job, 'merchant' | 'operation'>): Promise<boolean>;
  /** Undefined where the batch is not approved, or there is none; rejects when it can't be told now. */
  of(batchId: string): Promise<ApprovalGrant | undefined>;
}

// The gate of approvals, for merchants whose payments two persons release: does this job bear the proof of one? What
// nobody approved must not even take its order id, or it could keep the approved job from being sent.

/**
 * Judges the job as it came. Until when its approval lasts goes on with it: that it has not expired is for the gate of
 * expiry to say, and once more for the send.
 */
export function approvalGate(approvals: Approvals): Gate['ask'] {
  return async ({ received, job }) => {
    if (!(await approvals.needed(received))) return { kind: 'go' };
    const { approval, batchId } = received;
    if (approval === undefined || batchId === undefined) return refused('this job bears no approval');
    const grant = await approvals.of(batchId).catch(() => 'no answer' as const);
    if (grant === 'no answer') return { kind: 'wait', because: 'approval-unknown' };
    if (!grant) return refused('its batch is not approved');
    if (!bearsApproval(received, grant)) return refused('it is not what was approved for its batch');
    return { kind: 'go', job: { ...job, approvedUntilMs: grant.expiresAtMs } };
  };
}

function refused(why: string): Verdict {
  return { kind: 'refuse', failure: notApproved(why) };
}

/** Where approvals are found, and who needs them. */
interface ApprovalSources {
  readonly credentials: Credentials;
  readonly batches: Grants;
}

/** Approvals kept; batches come and go, a process stays. */
const keptAtMost = 500;

/** Approvals read once a batch: they never change. That there is none (yet) is asked each time. */
export function createApprovals({ credentials, batches }: ApprovalSources): Approvals {
  const kept = new Map<string, ApprovalGrant>();
  return {
    async needed(job) {
      const answer = await credentials.of(job.merchant);
      return answer.kind === 'credentials' && needsApproval(job, answer.credentials.profile);
    },
    async of(batchId) {
      const known = kept.get(batchId);
      if (known) return known;
      const grant = await batches.grantOf(batchId);
      if (!grant) return undefined;
      const [oldest] = kept.keys();
      if (kept.size >= keptAtMost && oldest !== undefined) kept.delete(oldest);
      kept.set(batchId, grant);
      return grant;
    },
  };
}
