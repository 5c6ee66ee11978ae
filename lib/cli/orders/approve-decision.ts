// What `restore approve-end` asks and prints: the person whom an approver approves for, and the output.
import type { SecondApproval } from '../../client/second-approval.ts';
import { requireSomebody, saysYes } from '../asking.ts';
import { whyNoApproval } from '../../operate/acts.ts';
import { UsageError } from '../../files/usage-error.ts';
import { declined, notDone, say } from '../command-line.ts';

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

/** Rejects if there is no terminal to ask at, and no --yes. */
export function requireApprover({ yes }: Pick<ApproverOptions, 'yes'>): void {
  if (!yes) requireSomebody('say --yes to approve');
}

/** The subject of an approval: its text, its question, what it holds for beside the person, and the command that uses it. */
interface Approving {
  readonly shown: string;
  readonly question: string;
  readonly holdsFor: string;
  readonly saidBeside: string;
  readonly approve: () => Promise<SecondApproval>;
}

/** Shows the order, asks, approves as the caller, and reports the outcome; returns the exit code. */
export async function approveAsked(
  options: ApproverOptions,
  { shown, question, holdsFor, saidBeside, approve }: Approving,
): Promise<number> {
  if (!options.json) process.stderr.write(`${shown}\n\n`);
  if (!options.yes && !(await saysYes(question))) return declined('not approved');
  const approval = await approve();
  if (approval.kind !== 'approved') {
    const why = whyNoApproval(approval, options.for);
    return notDone(options, { outcome: approval.kind, why }, why);
  }
  const until = new Date(approval.untilMs).toISOString();
  const text = `approved until ${until}, for ${options.for}${holdsFor}; they say beside their ${saidBeside}:\n--approval ${approval.token}`;
  return say(options, { outcome: 'approved', until, approval: approval.token }, text);
}
