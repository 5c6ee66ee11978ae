// The second half of `payouts submit`: the batch is registered, its rows go onto the queue, and what came of it is told.
import { userInfo } from 'node:os';
import { type Opening, openUpload } from '../app/open-upload.ts';
import { uploadBatch, type UploadEnd, type UploadPlan } from '../app/upload-batch.ts';
import { rowsPerPart } from '../domain/batch.ts';
import type { SubmitPorts } from './submit-ports.ts';
import { createProgress } from './submit-progress.ts';
import type { SurveyedFile } from './surveyed-file.ts';
import { surveyAsJson } from './submit-text.ts';

/** How it is sent. */
export interface SendingOptions {
  readonly again: boolean;
  /** Calls to the queue under way at once. */
  readonly parallel: number;
  readonly by?: string;
  readonly json: boolean;
}

/** What a message becomes on its way. */
type Finishing = Pick<UploadPlan, 'finish'>;

/** Sends the file; returns the exit code. */
export async function sendFile(
  file: SurveyedFile,
  finishing: Finishing,
  ports: SubmitPorts,
  options: SendingOptions,
): Promise<number> {
  const { batchId, fileHash, survey } = file;
  const [only, ...others] = new Set(survey.subtotals.map(({ merchant }) => merchant));
  const opening = await openUpload(
    {
      batchId,
      fileHash,
      rows: survey.rows,
      totals: survey.totals,
      contentHash: survey.contentHash,
      ...(only !== undefined && others.length === 0 && { merchant: only }),
      by: options.by?.trim() || userInfo().username,
      again: options.again,
    },
    ports,
  );
  if (opening.kind !== 'upload') {
    say(file, options, opening.kind, refusalText(opening, file));
    return 1;
  }
  return upload(file, { ...opening, ...finishing }, ports, options);
}

async function upload(
  file: SurveyedFile,
  { batch, firstPart, firstToNote, finish }: Extract<Opening, { kind: 'upload' }> & Finishing,
  ports: SubmitPorts,
  options: SendingOptions,
): Promise<number> {
  const { batchId, survey } = file;
  const before = firstPart * rowsPerPart;
  if (before > 0 && !options.json)
    process.stderr.write(`  ${Math.min(before, survey.rows)} rows are on the queue already; going on after them\n`);
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
  const progress = createProgress('sent', survey.rows, options.json);
  const plan = {
    batchId,
    partDigests: survey.partDigests,
    firstPart,
    firstToNote,
    parallel: options.parallel,
    ...(finish && { finish }),
  };
  let end: UploadEnd;
  try {
    end = await uploadBatch(file.readAgain(), plan, ports, {
      onProgress: (rows) => progress.at(rows, before),
      stop: stop.signal,
    });
  } finally {
    progress.done();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, onSignal);
  }
  if (end.kind === 'uploaded' && batch.state === 'uploading')
    await ports.batches.finishUpload(batchId, ports.clock.nowMs());
  const resumed = Math.min(before, survey.rows);
  say(file, options, end.kind, endText(end, file), { sent: end.sent, resumedAfter: resumed });
  return end.kind === 'uploaded' ? 0 : 1;
}

function say(file: SurveyedFile, { json }: SendingOptions, outcome: string, text: string, more: object = {}): void {
  process.stdout.write(json ? surveyAsJson(outcome, file, more) : `${text}\n`);
}

function endText(end: UploadEnd, { name, batchId, survey }: SurveyedFile): string {
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

function refusalText(opening: Exclude<Opening, { kind: 'upload' }>, { name, batchId }: SurveyedFile): string {
  const replays =
    'With --again every row is sent once more: orders that ended repeat their result, those that were never sent are tried; nothing is paid twice.';
  switch (opening.kind) {
    case 'sent-already':
      return `${name} was sent already, as batch ${batchId}, ${atText(opening.batch.createdAtMs)} by ${opening.batch.by}. ${replays}`;
    case 'file-known': {
      const when = opening.batch ? `, ${atText(opening.batch.createdAtMs)} by ${opening.batch.by}` : '';
      return `${name} was taken already, as batch ${opening.batchId}${when}. To go on with that batch say --batch ${opening.batchId}. ${replays}`;
    }
    case 'other-content':
      return opening.sameFile
        ? `batch ${batchId} is this file read in another way: run it as it was run ${atText(opening.batch.createdAtMs)} by ${opening.batch.by}, or choose another --batch`
        : `batch ${batchId} is another file's (registered ${atText(opening.batch.createdAtMs)} by ${opening.batch.by}); choose another --batch`;
  }
}

const atText = (ms: number) => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`;
