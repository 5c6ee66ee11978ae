// `payouts restore approve-end`: an approver says beside who ends a restore's gap that every order of it is known. Exit codes: 0 approved,
// 1 not approved, 2 bad input.
import { newDynamoDbClient } from '../../aws/dynamodb-client.ts';
import { ledgerTable } from '../../aws/dynamodb-table.ts';
import { kmsClientOnDemand } from '../../aws/kms-client.ts';
import { newStsClient } from '../../aws/sts-client.ts';
import { systemClock } from '../../aws/system.ts';
import { approveWord } from '../../batches/approved-word.ts';
import { endText } from '../../batches/end-approval.ts';
import { createKmsApprovalMaker } from '../../batches/kms-approvals.ts';
import { createStsIdentity } from '../../batches/sts-identity.ts';
import { createDynamoDbRestoration } from '../../restore/dynamodb-restoration.ts';
import { requireSomebody, saysYes } from '../asking.ts';
import { configured, say, tellMoneyOf } from '../orders/operator-commands.ts';
import { patient } from '../orders/order-ports.ts';
import { UsageError } from '../usage-error.ts';

/** The command line of `payouts restore approve-end`. */
export interface ApproveEndOptions {
  readonly json: boolean;
  /** The ARN of who ends it. */
  readonly for: string;
  readonly yes: boolean;
}

/** Runs the command; returns the exit code. */
export async function approveEnd(options: ApproveEndOptions): Promise<number> {
  if (!options.yes) requireSomebody('say --yes to approve');
  if (!/^arn:[^:]*:(iam|sts)::\d*:/.test(options.for))
    throw new UsageError('--for must be the ARN that `payouts restore end` printed');
  await tellMoneyOf('every merchant');
  const config = patient(configured((it) => it));
  const aws = { limits: config.limits };
  const table = config.ledgerTableName;
  const standing = await createDynamoDbRestoration(ledgerTable(config, newDynamoDbClient(aws))).standing();
  if (standing.kind !== 'restored' || standing.restored.settled) {
    const why = `${table} has no restore that is to be ended`;
    say(options, { outcome: 'no-restore', why }, why);
    return 1;
  }
  const { toMs, sinceMs } = standing.restored;
  const [to, since] = [toMs, sinceMs].map((ms) => new Date(ms).toISOString());
  if (!options.json)
    process.stderr.write(
      `${table}: restored to ${to}, the ledger since ${since}\n  ${options.for} is about to say that every order of that time is known; then what the ledger does not hold is paid as new\n\n`,
    );
  if (!options.yes && !(await saysYes('Is every order of that time back in the ledger?'))) {
    process.stdout.write('not approved\n');
    return 1;
  }
  const approved = await approveWord(endText(table, sinceMs), options.for, {
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
  const text = `approved until ${until}, for ${options.for}; they say beside their restore end:\n--approval ${approved.token}`;
  say(options, { outcome: 'approved', until, approval: approved.token }, text);
  return 0;
}
