// Before the claim, for merchants whose payments two persons release: does this job bear the proof of an approval? What
// nobody approved must not even take its order id, or it could keep the approved job from being sent.
import { type ApprovalGrant, bearsApproval, needsApproval, notApproved } from './approval.ts';
import type { Job } from '../payout/job.ts';
import type { Failure } from '../payout/failures.ts';
import type { Approvals, BatchHeaders } from './batch-ports.ts';
import type { Credentials } from '../payout/ports.ts';

/** What checking needs. */
export interface CheckApprovalPorts {
  readonly approvals: Approvals;
}

/** May this job be claimed? */
export type ApprovalVerdict =
  /** Until when it may be sent, where two persons release it. */
  | { readonly kind: 'goes on'; readonly approvedUntilMs?: number }
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** The approval can't be read now. */
  | { readonly kind: 'unknown' };

/**
 * Judges the job as it came. Whether the approval has expired is judged when it is sent, so that the order itself tells
 * how it ended.
 */
export async function checkApproval(job: Job, { approvals }: CheckApprovalPorts): Promise<ApprovalVerdict> {
  if (!(await approvals.needed(job))) return { kind: 'goes on' };
  if (job.approval === undefined || job.batchId === undefined) return refused('this job bears no approval');
  const grant = await approvals.of(job.batchId).catch(() => 'no answer' as const);
  if (grant === 'no answer') return { kind: 'unknown' };
  if (!grant) return refused('its batch is not approved');
  if (!bearsApproval(job, grant)) return refused('it is not what was approved for its batch');
  return { kind: 'goes on', approvedUntilMs: grant.expiresAtMs };
}

/** The job with the time until which it is approved: after it, sending refuses it. */
export function withApproval(job: Job, { approvedUntilMs }: { readonly approvedUntilMs?: number }): Job {
  return approvedUntilMs === undefined ? job : { ...job, approvedUntilMs };
}

function refused(why: string): ApprovalVerdict {
  return { kind: 'refused', failure: notApproved(why) };
}

/** Where approvals are found, and who needs them. */
interface ApprovalSources {
  readonly credentials: Credentials;
  readonly batches: Pick<BatchHeaders, 'grantOf'>;
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
