// The second half of `payouts submit`: the batch is registered, its rows go onto the queue, and what came of it is told.
import { userInfo } from 'node:os';
import { withProof } from '../../batches/approve-batch.ts';
import { type Opening, openUpload } from '../../batches/open-upload.ts';
import { uploadBatch, type UploadPlan } from '../../batches/upload-batch.ts';
import type { ApprovalGrant } from '../../batches/approval.ts';
import { needsApproval } from '../../payout/kernel-gates.ts';
import { rowsPerPart } from '../../batches/batch.ts';
import { interruptible } from '../asking.ts';
import { endText, heldText, notOpenedText } from './submit-outcomes.ts';
import type { SubmissionPorts } from './submit-ports.ts';
import { createProgress } from './submit-progress.ts';
import { contentOf } from './submit-survey.ts';
import type { SurveyedFile } from './surveyed-file.ts';
import { surveyAsJson } from './submit-text.ts';

/** How it is sent. */
export interface SendingOptions {
  readonly again: boolean;
  /** Register it alone, for a second person. */
  readonly hold: boolean;
  /** How long it is held, in seconds. */
  readonly expires: number;
  /** Calls to the queue under way at once. */
  readonly parallel: number;
  readonly by?: string;
  readonly json: boolean;
}

/** What a message becomes on its way. */
type Finishing = Pick<UploadPlan, 'finish'>;

/** Sends the file, or holds it for a second person; returns the exit code. */
export async function sendFile(
  file: SurveyedFile,
  finishing: Finishing,
  ports: SubmissionPorts,
  options: SendingOptions,
): Promise<number> {
  const { again, hold, expires, by } = options;
  const [only, ...others] = new Set(file.survey.subtotals.map(({ merchant }) => merchant));
  const opening = await openUpload(
    {
      ...contentOf(file),
      ...(only !== undefined && others.length === 0 && { merchant: only }),
      by: hold ? await ports.identity.whoAmI() : by?.trim() || userInfo().username,
      again,
      needsApproval: await isReleasedByTwo(file, ports),
      ...(hold && { heldUntilMs: ports.clock.nowMs() + expires * 1000 }),
    },
    ports,
  );
  if (opening.kind === 'held') {
    say(file, options, 'held', heldText(opening.batch, file), { state: opening.batch.state });
    return 0;
  }
  if (opening.kind !== 'upload') {
    say(file, options, opening.kind, notOpenedText(opening, file));
    return 1;
  }
  return upload(file, { ...opening, ...finishedWith(finishing, opening.grant) }, ports, options);
}

async function isReleasedByTwo({ survey }: SurveyedFile, { credentials }: SubmissionPorts): Promise<boolean> {
  for (const subtotal of survey.subtotals) {
    const answer = await credentials.of(subtotal.merchant);
    if (answer.kind === 'credentials' && needsApproval(subtotal, answer.credentials.profile)) return true;
  }
  return false;
}

/** The proof comes last: it is over the message as it lies on the queue. */
function finishedWith({ finish }: Finishing, grant: ApprovalGrant | undefined): Finishing {
  if (!grant) return finish ? { finish } : {};
  return { finish: async (message, row) => withProof(finish ? await finish(message, row) : message, grant) };
}

async function upload(
  file: SurveyedFile,
  { batch, firstPart, firstToNote, finish }: Extract<Opening, { kind: 'upload' }> & Finishing,
  ports: SubmissionPorts,
  options: SendingOptions,
): Promise<number> {
  const { batchId, survey } = file;
  const before = firstPart * rowsPerPart;
  if (before > 0 && !options.json)
    process.stderr.write(`  ${Math.min(before, survey.rows)} rows are on the queue already; going on after them\n`);
  const progress = createProgress('sent', survey.rows, options.json);
  const plan = {
    batchId,
    partDigests: survey.partDigests,
    firstPart,
    firstToNote,
    parallel: options.parallel,
    ...(finish && { finish }),
  };
  const onProgress = (rows: number) => progress.at(rows, before);
  const end = await interruptible((stop) => uploadBatch(file.readAgain(), plan, ports, { onProgress, stop })).finally(
    progress.done,
  );
  if (end.kind === 'uploaded') {
    const nowMs = ports.clock.nowMs();
    if (batch.state === 'uploading') await ports.batches.finishUpload(batchId, nowMs);
    else await ports.batches.sentAgain(batchId, nowMs);
  }
  const resumed = Math.min(before, survey.rows);
  say(file, options, end.kind, endText(end, file), { sent: end.sent, resumedAfter: resumed });
  return end.kind === 'uploaded' ? 0 : 1;
}

function say(file: SurveyedFile, { json }: SendingOptions, outcome: string, text: string, more: object = {}): void {
  process.stdout.write(json ? surveyAsJson(outcome, file, more) : `${text}\n`);
}
