// The second half of `payouts submit`: the batch is registered, its rows go onto the queue, and the outcome is printed.
import { type ApprovalGrant, type Batch, rowsPerPart } from '../../batches/batch.ts';
import { proofsUnder, treeOfRows } from '../../batches/approved-rows.ts';
import { type NotOpened, type Opening, openUpload } from '../../batches/open-upload.ts';
import { uploadBatch, type UploadEnd, type UploadPlan } from '../../batches/upload-batch.ts';
import { interruptible } from '../asking.ts';
import { personText, type ToolPorts } from '../tool-ports.ts';
import { notDone, say } from '../command-line.ts';
import { createProgress } from '../progress.ts';
import { contentOf } from './submit-survey.ts';
import { momentText } from '../quantities.ts';
import { surveyAsJson, type SurveyedFile } from './submit-text.ts';
import { shellWord, tool } from '../../payout/operate/spelling.ts';

/** Calls to the queue under way at once: what one process can send. */
const callsAtOnce = 12;

/** How it is sent. */
export interface SendingOptions {
  readonly again: boolean;
  /** Register it alone, for a second person. */
  readonly hold: boolean;
  /** How long it is held, in seconds. */
  readonly expires: number;
  readonly json: boolean;
}

/** The last change of a message on its way. */
type Finishing = Pick<UploadPlan, 'finish' | 'proofs'>;

/** Sends the file, or holds it for a second person; returns the exit code. */
export async function sendFile(
  file: SurveyedFile,
  finishing: Finishing,
  ports: ToolPorts,
  options: SendingOptions,
): Promise<number> {
  const { again, hold, expires } = options;
  const caller = await ports.identity.whoAmI();
  const [only, ...others] = new Set(file.survey.subtotals.map(({ merchant }) => merchant));
  const opening = await openUpload(
    {
      ...contentOf(file),
      reading: file.reading,
      merchant: others.length === 0 ? only : undefined,
      // A held batch keeps the whole ARN: its second person must be another.
      by: hold ? caller : personText(caller),
      again,
      needsApproval: await isReleasedByTwo(file, ports),
      heldUntilMs: hold ? ports.clock.nowMs() + expires * 1000 : undefined,
    },
    ports,
  );
  if (opening.kind === 'held') {
    const { batch } = opening;
    const value = surveyAsJson('held', file, { state: batch.state });
    return say(options, value, heldText(batch, file));
  }
  if (opening.kind !== 'upload') return refused(file, options, opening.kind, notOpenedText(opening, file));
  const approval = opening.grant && (await provenBy(opening.grant, file));
  if (approval === 'other rows') return refused(file, options, 'not-approved', otherRowsText(file));
  return upload(file, { ...opening, ...finishing, ...approval }, ports, options);
}

async function isReleasedByTwo({ survey }: SurveyedFile, { credentials }: ToolPorts): Promise<boolean> {
  for (const subtotal of survey.subtotals) {
    const answer = await credentials.of(subtotal.merchant);
    if (answer.kind === 'credentials' && answer.credentials.profile.twoPersonRelease) return true;
  }
  return false;
}

/** The way of each row up to the approved root. */
async function provenBy(
  grant: ApprovalGrant,
  { rows }: SurveyedFile,
): Promise<Pick<UploadPlan, 'proofs'> | 'other rows'> {
  const tree = await treeOfRows(rows(), { blind: grant.blind });
  return tree.root === grant.root ? { proofs: proofsUnder(tree, grant) } : 'other rows';
}

async function upload(
  file: SurveyedFile,
  { batch, firstPart, firstToNote, finish, proofs }: Extract<Opening, { kind: 'upload' }> & Finishing,
  ports: ToolPorts,
  options: SendingOptions,
): Promise<number> {
  const { batchId, survey } = file;
  const before = firstPart * rowsPerPart;
  if (before > 0 && !options.json)
    process.stderr.write(`  ${Math.min(before, survey.rows)} rows are on the queue already; going on after them\n`);
  const progress = createProgress('sent', survey.rows, options.json);
  const plan = {
    batchId,
    firstPart,
    firstToNote,
    parallel: callsAtOnce,
    contents: file.contents,
    finish,
    proofs,
  };
  const onProgress = (rows: number) => progress.at(rows, before);
  const end = await interruptible((stop) => uploadBatch(file.rows(), plan, ports, { onProgress, stop })).finally(
    progress.done,
  );
  if (end.kind === 'uploaded') {
    const nowMs = ports.clock.nowMs();
    if (batch.state === 'uploading') await ports.batches.finishUpload(batchId, nowMs);
    else await ports.batches.sentAgain(batchId, nowMs);
  }
  const resumed = Math.min(before, survey.rows);
  const value = surveyAsJson(end.kind, file, { sent: end.sent, resumedAfter: resumed });
  return (end.kind === 'uploaded' ? say : notDone)(options, value, endText(end, file));
}

const refused = (file: SurveyedFile, options: SendingOptions, outcome: string, text: string): number =>
  notDone(options, surveyAsJson(outcome, file), text);

// The outcome of a submission, in a sentence.

/** The state of a batch that was to be held. */
function heldText({ state, by, heldUntilMs = 0 }: Batch, { path, batchId }: SurveyedFile): string {
  if (state !== 'awaiting-approval') return `batch ${batchId} is ${state} already`;
  return `batch ${batchId} is held until ${momentText(heldUntilMs)}; a person other than ${by} approves it: \`${tool} approve ${shellWord(batchId)} ${shellWord(path)}\``;
}

/** How the upload ended. */
function endText(end: UploadEnd, { name, batchId, survey }: SurveyedFile): string {
  const goOn = 'run the same command again to go on';
  switch (end.kind) {
    case 'uploaded':
      return `batch ${batchId}: ${survey.rows === 1 ? `the row of ${name} is` : `all ${survey.rows} rows of ${name} are`} on the queue, which does not mean paid\n  follow ${survey.rows === 1 ? 'it' : 'them'}: \`${tool} batch ${shellWord(batchId)} --watch\``;
    case 'stopped':
      return `stopped; batch ${batchId} is not all on the queue: ${goOn}`;
    case 'refused': {
      const row = end.row === undefined ? '' : `row ${end.row}: `;
      return `${row}the queue does not take it (${end.code}); batch ${batchId} is not all on the queue: ${goOn}`;
    }
  }
}

/** A record in the table alone approves nothing. */
function otherRowsText({ name, batchId }: SurveyedFile): string {
  return `what was approved as batch ${batchId} are not the rows of ${name}; the worker would send none of them`;
}

/** Credentials that name no person: two people may share them. */
export function nobodyText(by: string): string {
  return `${by} names no person; two persons are told apart by their session's name (sts:RoleSessionName) or their user's`;
}

/** Why nothing is sent. */
function notOpenedText(opening: NotOpened, { name, path, words, batchId }: SurveyedFile): string {
  const replays =
    'With --again every row is sent once more: orders that ended repeat their result, those that were never sent are tried; nothing is paid twice.';
  switch (opening.kind) {
    case 'sent-already':
      return `${name} was sent already, as batch ${batchId}, ${momentText(opening.batch.createdAtMs)} by ${opening.batch.by}. ${replays}`;
    case 'file-known': {
      const when = opening.batch ? `, ${momentText(opening.batch.createdAtMs)} by ${opening.batch.by}` : '';
      return `${name} was taken already, as batch ${opening.batchId}${when}. To go on with that batch add --batch ${shellWord(opening.batchId)}. ${replays}`;
    }
    case 'other-content':
      return opening.sameFile
        ? `batch ${batchId} is this file read in another way: run it as it was run ${momentText(opening.batch.createdAtMs)} by ${opening.batch.by}, or choose another --batch`
        : `batch ${batchId} is another file's (registered ${momentText(opening.batch.createdAtMs)} by ${opening.batch.by}); choose another --batch`;
    case 'hold-first':
      return `two persons release these payments: register the file, and let another person approve it: \`${tool} submit ${words} --batch ${shellWord(batchId)} --hold\``;
    case 'unnamed':
      return nobodyText(opening.by);
    case 'awaiting-approval':
      return `batch ${batchId} waits for a person other than ${opening.batch.by} to approve it: \`${tool} approve ${shellWord(batchId)} ${shellWord(path)}\``;
    case 'approval-expired':
      return `the approval of batch ${batchId} ended ${momentText(opening.batch.heldUntilMs ?? 0)}; what was not sent by then needs a new --batch and a new approval`;
  }
}
