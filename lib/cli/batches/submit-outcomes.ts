// What came of a submission, in a sentence.
import type { NotOpened } from '../../batches/open-upload.ts';
import type { UploadEnd } from '../../batches/upload-batch.ts';
import type { Batch } from '../../batches/batch.ts';
import { momentText } from './submit-text.ts';
import type { SurveyedFile } from './surveyed-file.ts';

/** Where a batch stands that was to be held. */
export function heldText({ state, by, heldUntilMs = 0 }: Batch, { name, batchId }: SurveyedFile): string {
  if (state !== 'awaiting-approval') return `batch ${batchId} is ${state} already`;
  return `batch ${batchId} is held until ${momentText(heldUntilMs)}; somebody other than ${by} approves it: payouts approve ${batchId} ${name}`;
}

/** How the upload ended. */
export function endText(end: UploadEnd, { name, batchId, survey }: SurveyedFile): string {
  const goOn = 'run the same command again to go on';
  switch (end.kind) {
    case 'uploaded':
      return `batch ${batchId}: all ${survey.rows} rows of ${name} are on the queue`;
    case 'stopped':
      return `stopped; batch ${batchId} is not all on the queue: ${goOn}`;
    case 'changed':
      return `${name} was changed while it was sent; what was validated and sent so far stands: put the file back and ${goOn}`;
    case 'refused': {
      const row = end.row === undefined ? '' : `row ${end.row}: `;
      return `${row}the queue does not take it (${end.code}); batch ${batchId} is not all on the queue: ${goOn}`;
    }
  }
}

/** Why nothing is sent. */
export function notOpenedText(opening: NotOpened, { name, batchId }: SurveyedFile): string {
  const replays =
    'With --again every row is sent once more: orders that ended repeat their result, those that were never sent are tried; nothing is paid twice.';
  switch (opening.kind) {
    case 'sent-already':
      return `${name} was sent already, as batch ${batchId}, ${momentText(opening.batch.createdAtMs)} by ${opening.batch.by}. ${replays}`;
    case 'file-known': {
      const when = opening.batch ? `, ${momentText(opening.batch.createdAtMs)} by ${opening.batch.by}` : '';
      return `${name} was taken already, as batch ${opening.batchId}${when}. To go on with that batch say --batch ${opening.batchId}. ${replays}`;
    }
    case 'other-content':
      return opening.sameFile
        ? `batch ${batchId} is this file read in another way: run it as it was run ${momentText(opening.batch.createdAtMs)} by ${opening.batch.by}, or choose another --batch`
        : `batch ${batchId} is another file's (registered ${momentText(opening.batch.createdAtMs)} by ${opening.batch.by}); choose another --batch`;
    case 'hold-first':
      return 'two persons release these payments: register the file with --hold, and have somebody else approve it';
    case 'awaiting-approval':
      return `batch ${batchId} waits for somebody other than ${opening.batch.by} to approve it: payouts approve ${batchId} ${name}`;
    case 'approval-expired':
      return `the approval of batch ${batchId} ended ${momentText(opening.batch.heldUntilMs ?? 0)}; what was not sent by then needs a new --batch and a new approval`;
  }
}
