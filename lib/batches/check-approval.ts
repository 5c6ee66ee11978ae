// The gate of approvals, for merchants whose payments two persons release: does this job bear the proof of one? What
// nobody approved must not even take its order id, or it could keep the approved job from being sent.
import { type ApprovalGrant, bearsApproval } from './approval.ts';
import type { Approvals, BatchHeaders } from './batch-ports.ts';
import type { Gate, Verdict } from '../payout/gates.ts';
import { needsApproval, notApproved } from '../payout/kernel-gates.ts';
import type { Credentials } from '../payout/ports.ts';

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
