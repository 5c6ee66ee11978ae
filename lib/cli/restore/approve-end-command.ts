// `payouts restore approve-end`: an approver says beside who ends a restore's gap that every order of it is known. Exit codes: 0 approved,
// 1 not approved, 2 bad input.
import { newDynamoDbClient } from '../../aws/dynamodb-client.ts';
import { ledgerTable } from '../../aws/dynamodb-table.ts';
import { approveWord } from '../../batches/approved-word.ts';
import { endText } from '../../batches/end-approval.ts';
import { createDynamoDbRestoration } from '../../restore/dynamodb-restoration.ts';
import { approveAsked, type ApproverOptions, requireApprover, requireArn } from '../orders/approve-word.ts';
import { configured, notDone } from '../command-line.ts';
import { tellMoneyOf } from '../orders/operator-commands.ts';
import { patient } from '../orders/order-ports.ts';
import { wordApproving } from '../orders/second-person.ts';

/** The command line of `payouts restore approve-end`. */
type ApproveEndOptions = ApproverOptions;

/** Runs the command; returns the exit code. */
export async function approveEnd(options: ApproveEndOptions): Promise<number> {
  requireApprover(options);
  requireArn(options, 'payouts restore end');
  await tellMoneyOf('every merchant');
  const config = patient(configured((it) => it));
  const table = config.ledgerTableName;
  const client = newDynamoDbClient({ limits: config.limits });
  const standing = await createDynamoDbRestoration(ledgerTable(config, client)).standing();
  if (standing.kind !== 'restored' || standing.restored.settled) {
    const why = `${table} has no restore that is to be ended`;
    return notDone(options, { outcome: 'no-restore', why }, why);
  }
  const { toMs, sinceMs } = standing.restored;
  const [to, since] = [toMs, sinceMs].map((ms) => new Date(ms).toISOString());
  return approveAsked(options, {
    shown: `${table}: restored to ${to}, the ledger since ${since}\n  ${options.for} is about to say that every order of that time is known; then what the ledger does not hold is paid as new`,
    question: 'Is every order of that time back in the ledger?',
    holdsFor: '',
    saidBeside: 'restore end',
    approve: () => approveWord(endText(table, sinceMs), options.for, wordApproving(config)),
  });
}
