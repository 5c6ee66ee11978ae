// A second person's approval of a batch: of exactly the file at hand, read as exactly these jobs, and by somebody else
// than who registered it.
import { type ApprovalGrant, approvalOf } from './approval.ts';
import type { Batch, BatchContent } from './batch.ts';
import { parseJob } from '../payout/job.ts';
import type { BatchHeaders } from './batch-ports.ts';
import { messageText } from '../payout/message-text.ts';
import { isSameContent } from './open-upload.ts';
import type { Clock } from '../payout/ports.ts';
import type { JobMessageToSend } from './upload-slices.ts';

/** Why a batch is not approved; nothing was written. */
export type NotApprovable =
  | { readonly kind: 'absent' }
  /** It needs no approval, or has one already. */
  | { readonly kind: 'not-waiting'; readonly batch: Batch }
  | { readonly kind: 'other-content'; readonly batch: Batch; readonly sameFile: boolean }
  | { readonly kind: 'same-person'; readonly batch: Batch }
  | { readonly kind: 'too-late'; readonly batch: Batch };

/** A batch that may be approved by this person now. */
export interface Approvable {
  readonly kind: 'approvable';
  readonly batch: Batch;
  readonly heldUntilMs: number;
}

/** What approving needs. */
export interface ApprovePorts {
  readonly batches: Pick<BatchHeaders, 'find' | 'approve'>;
  readonly clock: Clock;
}

/** Who approves what. */
export interface ApprovalRequest {
  readonly content: BatchContent;
  readonly by: string;
  readonly reason?: string;
}

/** May this person approve this file as this batch? */
export async function judgeApproval(
  { content, by }: ApprovalRequest,
  { batches, clock }: ApprovePorts,
): Promise<Approvable | NotApprovable> {
  const batch = await batches.find(content.batchId);
  if (!batch) return { kind: 'absent' };
  const { heldUntilMs } = batch;
  if (batch.state !== 'awaiting-approval' || heldUntilMs === undefined) return { kind: 'not-waiting', batch };
  if (!isSameContent(batch, content))
    return { kind: 'other-content', batch, sameFile: batch.fileHash === content.fileHash };
  if (batch.by === by) return { kind: 'same-person', batch };
  return clock.nowMs() < heldUntilMs ? { kind: 'approvable', batch, heldUntilMs } : { kind: 'too-late', batch };
}

/** The message with the proof of its batch's approval, for the worker to check; made last, over all that it bears. */
export function withProof(message: JobMessageToSend, grant: ApprovalGrant): JobMessageToSend {
  const parsed = parseJob(messageText(message));
  if (parsed.kind === 'rejected') throw new Error('what is about to be sent is no job any more');
  return { ...message, approval: approvalOf(parsed.job, grant) };
}

/** Writes the approval, under the store's own conditions: what has changed since it was judged is judged again. */
export async function approveBatch(
  request: ApprovalRequest,
  { heldUntilMs }: Approvable,
  key: string,
  ports: ApprovePorts,
): Promise<{ readonly kind: 'approved'; readonly expiresAtMs: number } | NotApprovable> {
  const { content, by, reason } = request;
  const approval = {
    by,
    ...(reason !== undefined && { reason }),
    atMs: ports.clock.nowMs(),
    expiresAtMs: heldUntilMs,
  };
  const step = await ports.batches.approve(content, approval, key);
  if (step.kind === 'moved') return { kind: 'approved', expiresAtMs: heldUntilMs };
  const judged = await judgeApproval(request, ports);
  if (judged.kind !== 'approvable') return judged;
  throw new Error('the approval was refused, and nothing says why');
}
