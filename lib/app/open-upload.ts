// Before the first row leaves: is this file new, half sent, sent, or another batch's? Everything is read from the table,
// so that whoever runs the same command again, on whatever machine, goes on where it was.
import { type Batch, type BatchContent, newBatch, sameTotals } from '../domain/batch.ts';
import type { Batches } from './batch-ports.ts';
import type { Clock } from './ports.ts';

/** What is to be sent, and by whom. */
export interface UploadRequest extends BatchContent {
  readonly merchant?: string;
  readonly by: string;
  /** Send once more what was sent already. */
  readonly again: boolean;
}

/** Where the upload begins, or why it must not. */
export type Opening =
  | { readonly kind: 'upload'; readonly batch: Batch; readonly firstPart: number; readonly firstToNote: number }
  /** The file was taken for another batch. */
  | { readonly kind: 'file-known'; readonly batchId: string; readonly batch?: Batch }
  /** The batch id stands for another file, or for this one read in another way. */
  | { readonly kind: 'other-content'; readonly batch: Batch; readonly sameFile: boolean }
  | { readonly kind: 'sent-already'; readonly batch: Batch };

/** What opening needs. */
export interface OpeningPorts {
  readonly batches: Batches;
  readonly clock: Clock;
}

/** Registers the batch, or finds where it stands. */
export async function openUpload(request: UploadRequest, { batches, clock }: OpeningPorts): Promise<Opening> {
  const { again, ...content } = request;
  const taken = await batches.takeFile(request.fileHash, request.batchId);
  if (taken.kind === 'known' && !again) {
    const batch = await batches.find(taken.batchId);
    return { kind: 'file-known', batchId: taken.batchId, ...(batch && { batch }) };
  }
  const registered = await batches.register(newBatch({ ...content, nowMs: clock.nowMs() }));
  if (registered.kind === 'registered') {
    const batch = newBatch({ ...content, nowMs: clock.nowMs() });
    return { kind: 'upload', batch, firstPart: 0, firstToNote: 0 };
  }
  const { batch } = registered;
  const sameFile = batch.fileHash === request.fileHash;
  if (!sameFile || !sameContent(batch, request)) return { kind: 'other-content', batch, sameFile };
  switch (batch.state) {
    case 'awaiting-approval':
    case 'approved':
    case 'uploading': {
      const next = await batches.nextPart(batch.batchId);
      return { kind: 'upload', batch, firstPart: next, firstToNote: next };
    }
    case 'uploaded':
    case 'closed':
      return again
        ? { kind: 'upload', batch, firstPart: 0, firstToNote: batch.parts }
        : { kind: 'sent-already', batch };
  }
}

function sameContent(batch: Batch, { contentHash, rows, totals }: BatchContent): boolean {
  return batch.contentHash === contentHash && batch.rows === rows && sameTotals(batch.totals, totals);
}
