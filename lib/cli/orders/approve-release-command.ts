// `payouts approve-release`: an approver says beside who decides that an order is not paid. Exit codes: 0 approved, 1 not approved,
// 2 bad input.
import { kmsClientOnDemand } from '../../aws/kms-client.ts';
import { newStsClient } from '../../aws/sts-client.ts';
import { systemClock } from '../../aws/system.ts';
import { approveDecision } from '../../batches/decision-approval.ts';
import { createKmsApprovalMaker } from '../../batches/kms-approvals.ts';
import { createStsIdentity } from '../../batches/sts-identity.ts';
import { seenByApprover } from '../../payout/operate/decide.ts';
import { viewOf } from '../../payout/order/view.ts';
import { requireSomebody, saysYes } from '../asking.ts';
import { UsageError } from '../usage-error.ts';
import { configured, keyOf, partsOf, say, tellMoneyOf } from './operator-commands.ts';
import { createOrderPorts, patient } from './order-ports.ts';
import { orderAsText } from './order-text.ts';

/** The command line of `payouts approve-release`. */
export interface ApproveReleaseOptions {
  readonly json: boolean;
  /** The ARN of who decides. */
  readonly for: string;
  readonly id?: string;
  readonly yes: boolean;
}

/** Runs the command; returns the exit code. */
export async function approveRelease(name: string, options: ApproveReleaseOptions): Promise<number> {
  if (!options.yes) requireSomebody('say --yes to approve');
  const config = patient(configured((it) => it));
  const aws = { limits: config.limits };
  const names = partsOf(name);
  const key = keyOf(names);
  if (!/^arn:[^:]*:(iam|sts)::\d*:/.test(options.for))
    throw new UsageError('--for must be the ARN that `payouts release` printed');
  await tellMoneyOf([names.merchant]);
  const standing = await createOrderPorts(config).orders.read(key);
  if (standing.kind !== 'found') {
    const why = standing.kind === 'none' ? 'the ledger has no such order' : standing.reason;
    say(options, { outcome: standing.kind, why }, why);
    return 1;
  }
  const seen = seenByApprover(standing.order, options.id);
  if ('why' in seen) {
    say(options, { outcome: 'refused', why: seen.why }, seen.why);
    return 1;
  }
  if (!options.json)
    process.stderr.write(
      `${orderAsText(viewOf(standing.order))}\n  ${options.for} is about to say that it is not paid; then it can be paid again\n\n`,
    );
  if (!options.yes && !(await saysYes('Was none of it paid?'))) {
    process.stdout.write('not approved\n');
    return 1;
  }
  const approved = await approveDecision(key, seen, options.for, {
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
  const text = `approved until ${until}, for ${options.for} and for the order as it stands; they say beside their release:\n--approval ${approved.token}`;
  say(options, { outcome: 'approved', until, approval: approved.token }, text);
  return 0;
}
