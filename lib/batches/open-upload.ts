// Before the first row leaves: is this file new, half sent, sent, or another batch's, and may it leave at all? Everything
// is read from the table, so that the same command, run again on any machine, goes on where it was.
import type { Clock } from '../payout/ports.ts';
import { approvalText, maybeOnePerson, personOf } from './approval-proof.ts';
import { type ApprovalGrant, type Batch, type BatchContent, newBatch } from './batch.ts';
import type { Batches, BatchHeaders } from './batch-ports.ts';
import type { FileReading } from '../files/file-reading.ts';
import { sameTotals } from './tally.ts';
import type { ApprovalMaker } from './approval.ts';

/** The content to send, and the sender. */
export interface UploadRequest extends BatchContent {
  readonly merchant?: string;
  readonly by: string;
  readonly reading?: FileReading;
  /** Send the rows once more that were sent already. */
  readonly again: boolean;
  /** A merchant of the file demands two-person release. */
  readonly needsApproval: boolean;
  /** Only register the batch: a second person may approve it until then (epoch ms). */
  readonly heldUntilMs?: number;
}

/** The place where the upload begins, or the reason why it must not. */
export type Opening =
  | {
      readonly kind: 'upload';
      readonly batch: Batch;
      readonly firstPart: number;
      readonly firstToNote: number;
      /** For a batch that a second person has approved: each job has its proof. */
      readonly grant?: ApprovalGrant;
    }
  /** Registered for a second person; nothing is to be sent now. */
  | { readonly kind: 'held'; readonly batch: Batch }
  | NotOpened;

/** Why nothing may be sent. */
export type NotOpened =
  /** The file was taken for another batch. */
  | { readonly kind: 'file-known'; readonly batchId: string; readonly batch?: Batch }
  /** The batch id belongs to another file, or to this one read in another way. */
  | { readonly kind: 'other-content'; readonly batch: Batch; readonly sameFile: boolean }
  | { readonly kind: 'sent-already'; readonly batch: Batch }
  /** Two persons must release it, and it is not registered for that. */
  | { readonly kind: 'hold-first' }
  /** It is to be held for a second person, but the credentials name no person: they could be those of the second person as well. */
  | { readonly kind: 'unnamed'; readonly by: string }
  | { readonly kind: 'awaiting-approval'; readonly batch: Batch }
  | { readonly kind: 'approval-expired'; readonly batch: Batch };

/** The ports of opening. */
interface OpeningPorts {
  readonly batches: Batches;
  readonly clock: Clock;
}

/** Registers the batch, or finds its state. */
export async function openUpload(request: UploadRequest, { batches, clock }: OpeningPorts): Promise<Opening> {
  const { again, needsApproval, ...content } = request;
  const nowMs = clock.nowMs();
  if (content.heldUntilMs !== undefined && personOf(request.by) === undefined)
    return { kind: 'unnamed', by: request.by };
  if (needsApproval && content.heldUntilMs === undefined) {
    const found = await batches.find(request.batchId);
    if (found?.heldUntilMs === undefined) return { kind: 'hold-first' };
  }
  const taken = await batches.takeFile(request.fileHash, request.batchId);
  if (taken.kind === 'known' && !again) {
    const batch = await batches.find(taken.batchId);
    const heldUntilMs = content.heldUntilMs ?? (await batches.find(request.batchId))?.heldUntilMs;
    const isHeldAnew = heldUntilMs !== undefined && batch !== undefined && isPastItsHold(batch, nowMs);
    if (!isHeldAnew) return { kind: 'file-known', batchId: taken.batchId, batch };
  }
  const fresh = newBatch({ ...content, nowMs });
  const registered = await batches.register(fresh);
  const batch = registered.kind === 'exists' ? registered.batch : fresh;
  const sameFile = batch.fileHash === request.fileHash;
  if (!isSameContent(batch, request)) return { kind: 'other-content', batch, sameFile };
  if (content.heldUntilMs !== undefined) return { kind: 'held', batch };
  return batch.heldUntilMs === undefined
    ? beginning(batch, again, batches)
    : released(batch, again, { batches, clock });
}

/**
 * True if nothing more of the batch can be sent under its approval. Two persons may then release the same file anew, under another id. Rows
 * that have left are paid once by their order ids.
 */
const isPastItsHold = ({ heldUntilMs, state }: Batch, nowMs: number): boolean =>
  heldUntilMs !== undefined && heldUntilMs <= nowMs && state !== 'uploaded' && state !== 'closed';

/** True if both are the same file, read as the same jobs. */
function isSameContent(batch: BatchContent, { fileHash, contentHash, rows, totals }: BatchContent): boolean {
  return (
    batch.fileHash === fileHash &&
    batch.contentHash === contentHash &&
    batch.rows === rows &&
    sameTotals(batch.totals, totals)
  );
}

async function beginning(batch: Batch, again: boolean, batches: Batches): Promise<Opening> {
  if (batch.state === 'uploading') {
    const next = await batches.nextPart(batch.batchId);
    return { kind: 'upload', batch, firstPart: next, firstToNote: next };
  }
  return again ? { kind: 'upload', batch, firstPart: 0, firstToNote: batch.parts } : { kind: 'sent-already', batch };
}

/** Begins a batch that two persons release: nothing of it leaves before the approval, or after its end. */
async function released(batch: Batch, again: boolean, { batches, clock }: OpeningPorts): Promise<Opening> {
  if (batch.state === 'awaiting-approval') return { kind: 'awaiting-approval', batch };
  const grant = await batches.grantOf(batch.batchId);
  if (!grant || grant.expiresAtMs <= clock.nowMs()) return { kind: 'approval-expired', batch };
  if (batch.state === 'approved') await batches.startUpload(batch.batchId, clock.nowMs());
  // If this call did not move the batch, another run of the same command did. Both go on.
  const started: Batch = batch.state === 'approved' ? { ...batch, state: 'uploading' } : batch;
  const opening = await beginning(started, again, batches);
  return opening.kind === 'upload' ? { ...opening, grant } : opening;
}

// A second person's approval of a batch: of exactly the file at hand, read as exactly these jobs, and by a person other
// than its registrar.

/** Why a batch is not approved; nothing was written. */
export type NotApprovable =
  | { readonly kind: 'absent' }
  /** The batch needs no approval, or has one already. */
  | { readonly kind: 'not-waiting'; readonly batch: Batch }
  | { readonly kind: 'other-content'; readonly batch: Batch; readonly sameFile: boolean }
  /** Its registrar, in whatever role. */
  | { readonly kind: 'same-person'; readonly batch: Batch }
  /** The credentials name no person. */
  | { readonly kind: 'unnamed'; readonly by: string }
  | { readonly kind: 'too-late'; readonly batch: Batch };

/** A batch that may be approved by this person now. */
export interface Approvable {
  readonly kind: 'approvable';
  readonly batch: Batch;
  readonly heldUntilMs: number;
}

/** The ports of approving. */
interface ApprovePorts {
  readonly batches: Pick<BatchHeaders, 'find' | 'approve' | 'noteOnePerson'>;
  readonly clock: Clock;
}

/** The content to approve, and the approver. */
interface ApprovalRequest {
  readonly content: BatchContent;
  readonly by: string;
  readonly reason?: string;
}

/** Whether this person may approve this file as this batch. */
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
  if (personOf(by) === undefined) return { kind: 'unnamed', by };
  if (maybeOnePerson(batch.by, by)) {
    // Reported to those who watch as well: a person who can try it with two roles can also try it without this tool.
    await batches.noteOnePerson(content.batchId, clock.nowMs());
    return { kind: 'same-person', batch };
  }
  return clock.nowMs() < heldUntilMs ? { kind: 'approvable', batch, heldUntilMs } : { kind: 'too-late', batch };
}

/** The parts of an approval, beside its approver and its expiry. */
interface RowsApproved extends Pick<ApprovalGrant, 'root' | 'blind'> {
  readonly maker: ApprovalMaker;
}

/**
 * Makes the proof and writes it with the approval, under the store's own conditions: a batch that has changed since it was judged is judged
 * again. Rejects for a caller who may not approve.
 */
export async function approveBatch(
  request: ApprovalRequest,
  { heldUntilMs, batch }: Approvable,
  { maker, root, blind }: RowsApproved,
  ports: ApprovePorts,
): Promise<{ readonly kind: 'approved'; readonly expiresAtMs: number } | NotApprovable> {
  const { content, by, reason } = request;
  const [rows, expiresAtMs] = [content.rows, heldUntilMs];
  const mac = await maker.macOf(
    approvalText(content.batchId, { rows, expiresAtMs, registrar: batch.by, approver: by, root, blind }),
  );
  const approval = { by, reason, atMs: ports.clock.nowMs(), expiresAtMs };
  const step = await ports.batches.approve(content, approval, { root, blind, mac });
  if (step.kind === 'moved') return { kind: 'approved', expiresAtMs };
  const judged = await judgeApproval(request, ports);
  if (judged.kind !== 'approvable') return judged;
  throw new Error('the approval was refused, and nothing says why');
}
