// What `approve-release` and `restore approve-end` have in common: for whom an approver speaks, and what is said of it.
import { kmsClientOnDemand } from '../../aws/kms-client.ts';
import { newStsClient } from '../../aws/sts-client.ts';
import { systemClock } from '../../aws/system.ts';
import type { WorkerConfig } from '../../aws/env-config.ts';
import type { ApprovedWord, WordApproving } from '../../batches/approved-word.ts';
import { createKmsApprovalMaker } from '../../batches/kms-approvals.ts';
import { createStsIdentity } from '../../batches/sts-identity.ts';
import { requireSomebody, saysYes } from '../asking.ts';
import { UsageError } from '../usage-error.ts';
import { say } from './operator-commands.ts';

/** The command line of what an approver says beside somebody else. */
export interface ApproverOptions {
  readonly json: boolean;
  /** The ARN of who decides. */
  readonly for: string;
  readonly yes: boolean;
}

/** Rejects what can't be an ARN. `printedBy`: the command that printed it. */
export function requireArn(options: Pick<ApproverOptions, 'for'>, printedBy: string): void {
  if (!/^arn:[^:]*:(iam|sts)::\d*:/.test(options.for))
    throw new UsageError(`--for must be the ARN that \`${printedBy}\` printed`);
}

/** Rejects where nobody can be asked and nobody said yes beforehand. */
export function requireApprover({ yes }: Pick<ApproverOptions, 'yes'>): void {
  if (!yes) requireSomebody('say --yes to approve');
}

/** What is approved: what is shown of it, what is asked, for what beside the person it holds, and beside which command it is said. */
interface Approving {
  readonly shown: string;
  readonly question: string;
  readonly holdsFor: string;
  readonly saidBeside: string;
  readonly approve: (ports: WordApproving) => Promise<ApprovedWord>;
}

/** Shows it, asks, approves as whoever calls, and says what came of it; returns the exit code. */
export async function approveAsked(
  config: WorkerConfig,
  options: ApproverOptions,
  { shown, question, holdsFor, saidBeside, approve }: Approving,
): Promise<number> {
  if (!options.json) process.stderr.write(`${shown}\n\n`);
  if (!options.yes && !(await saysYes(question))) {
    process.stdout.write('not approved\n');
    return 1;
  }
  const aws = { limits: config.limits };
  const approved = await approve({
    maker: createKmsApprovalMaker({ newClient: kmsClientOnDemand(aws), keyId: config.approvalKeyId }),
    identity: createStsIdentity(newStsClient(aws)),
    clock: systemClock,
  });
  if (approved.kind === 'one-person') {
    const why = `${approved.approver} and ${options.for} may be one person; another approver must look at it`;
    say(options, { outcome: approved.kind, why }, why);
    return 1;
  }
  const until = new Date(approved.untilMs).toISOString();
  const text = `approved until ${until}, for ${options.for}${holdsFor}; they say beside their ${saidBeside}:\n--approval ${approved.token}`;
  say(options, { outcome: 'approved', until, approval: approved.token }, text);
  return 0;
}
