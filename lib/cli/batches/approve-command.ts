// `payouts approve`: a second person looks at the file that another has registered, and lets it be sent.
// Exit codes: 0 approved, 1 not approved, 2 the file or the command line must be mended.
import { newApprovalKey } from '../../aws/system.ts';
import { approveBatch, judgeApproval, type NotApprovable } from '../../batches/approve-batch.ts';
import { redact } from '../../gateway/redact.ts';
import { requireSomebody, saysYes } from '../asking.ts';
import { momentText, surveyAsJson } from './submit-text.ts';
import type { SubmissionPorts } from './submit-ports.ts';
import { contentOf, type ReadingOptions, withSurveyedFile } from './submit-survey.ts';
import type { SurveyedFile } from './surveyed-file.ts';
import { UsageError } from '../usage-error.ts';

/** The command line of `payouts approve`. */
export interface ApproveOptions extends Omit<ReadingOptions, 'batch' | 'skipInvalid' | 'dryRun'> {
  readonly reason?: string;
  readonly yes: boolean;
}

/** Runs the command; returns the exit code. */
export async function runApprove(batch: string, path: string, options: ApproveOptions): Promise<number> {
  if (path === '-') throw new UsageError('name the file: what is approved must be there to be sent');
  if (!options.yes) requireSomebody('say --yes to approve');
  return withSurveyedFile(path, { ...options, batch, skipInvalid: false, dryRun: false }, (file, ports) =>
    approve(file, ports, options),
  );
}

async function approve(
  file: SurveyedFile,
  ports: SubmissionPorts | undefined,
  options: ApproveOptions,
): Promise<number> {
  if (!ports) return 2;
  const by = await ports.identity.whoAmI();
  const reason = options.reason?.trim();
  const request = { content: contentOf(file), by, ...(reason && { reason: redact(reason, []) }) };
  const judged = await judgeApproval(request, ports);
  if (judged.kind !== 'approvable') return refuse(judged, file, options);
  const { batch, heldUntilMs } = judged;
  if (!options.json) {
    const registered = `registered ${momentText(batch.createdAtMs)} by ${batch.by}`;
    process.stderr.write(`  ${registered}\n  you are ${by}; it may be sent until ${momentText(heldUntilMs)}\n\n`);
  }
  if (!options.yes && !(await saysYes('Approve?'))) {
    process.stdout.write('not approved\n');
    return 1;
  }
  const approved = await approveBatch(request, judged, newApprovalKey(), ports);
  if (approved.kind !== 'approved') return refuse(approved, file, options);
  const until = new Date(approved.expiresAtMs).toISOString();
  const text = `batch ${file.batchId} is approved until ${momentText(approved.expiresAtMs)}; "payouts submit" sends it\n`;
  process.stdout.write(options.json ? surveyAsJson('approved', file, { by, until }) : text);
  return 0;
}

function refuse(why: NotApprovable, file: SurveyedFile, { json }: ApproveOptions): number {
  process.stdout.write(json ? surveyAsJson(why.kind, file) : `not approved: ${refusalText(why, file)}\n`);
  return 1;
}

function refusalText(why: NotApprovable, { name, batchId }: SurveyedFile): string {
  switch (why.kind) {
    case 'absent':
      return `there is no batch ${batchId}; register it with "payouts submit FILE --hold"`;
    case 'not-waiting': {
      const { approval, state } = why.batch;
      return approval
        ? `batch ${batchId} was approved already, ${momentText(approval.atMs)} by ${approval.by}`
        : `batch ${batchId} waits for no approval; it is ${state}`;
    }
    case 'other-content':
      return why.sameFile
        ? `${name} is the registered file, read as other jobs; say of it what was said when it was registered`
        : `${name} is not the file that was registered as batch ${batchId}`;
    case 'same-person':
      return `${why.batch.by} has registered batch ${batchId}; somebody else must approve it`;
    case 'too-late':
      return `batch ${batchId} was held until ${momentText(why.batch.heldUntilMs ?? 0)}; register the file again under another --batch`;
  }
}
