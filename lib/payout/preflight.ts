// What keeps a claimed job from being sent as it is, whatever the gateway would say: an approval that does not hold, its
// own time, or the contract.
import { needsApproval, notApproved } from '../batches/approval.ts';
import type { Job } from './job.ts';
import type { Failure } from './failures.ts';
import { fieldsOutsideContract, type Profile } from '../gateway/profile.ts';

/** Why the job is not sent, now or ever, as it is; undefined when it may be. */
export function whyUnsendable(job: Job, profile: Profile, nowMs: number): Failure | undefined {
  const { approvedUntilMs } = job;
  if (needsApproval(job, profile) && !(approvedUntilMs !== undefined && nowMs < approvedUntilMs)) {
    return notApproved(
      approvedUntilMs === undefined ? 'no approval was checked' : 'the approval expired before it was sent',
    );
  }
  if (job.expiresAtMs !== undefined && nowMs >= job.expiresAtMs) {
    return { code: 'EXPIRED', message: 'the job was past its expiresAt before it was sent' };
  }
  const outside = fieldsOutsideContract(profile, job);
  if (outside.length === 0) return undefined;
  const message = `name in the profile's extraFields, or leave out: ${outside.join(', ')}`;
  return { code: 'FIELD_NOT_IN_CONTRACT', message };
}
