// Two-person release: a second person's approval of a batch is a key, and each job of the batch bears its own proof under
// it. A changed job, or one that was moved to another batch, has no proof; a message that nobody approved has none at all.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Job } from '../payout/job.ts';

/** What an approval lets jobs do, and until when. The key is shown to nobody. */
export interface ApprovalGrant {
  /** 256 random bits, base64url. */
  readonly key: string;
  /** From this moment on nothing of the batch is sent any more. */
  readonly expiresAtMs: number;
}

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
  const pairs = Object.entries(params).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const optional = [sealedParams, expiresAtMs, batchId, context && (JSON.parse(context) as unknown)].map(
    (it) => it ?? null,
  );
  return JSON.stringify([operation, merchant, endpointId, orderId, pairs, ...optional]);
}
