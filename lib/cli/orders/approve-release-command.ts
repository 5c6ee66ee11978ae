// `payouts approve-release`: an approver says beside who decides that an order is not paid. Exit codes: 0 approved, 1 not approved,
// 2 bad input.
import { approveDecision } from '../../batches/decision-approval.ts';
import { seenByApprover } from '../../payout/operate/decide.ts';
import { viewOf } from '../../payout/order/view.ts';
import { approveAsked, type ApproverOptions, requireApprover, requireArn } from './approve-word.ts';
import { configured, keyOf, partsOf, say, tellMoneyOf } from './operator-commands.ts';
import { createOrderPorts, patient } from './order-ports.ts';
import { orderAsText } from './order-text.ts';

/** The command line of `payouts approve-release`. */
export interface ApproveReleaseOptions extends ApproverOptions {
  readonly id?: string;
}

/** Runs the command; returns the exit code. */
export async function approveRelease(name: string, options: ApproveReleaseOptions): Promise<number> {
  requireApprover(options);
  const config = patient(configured((it) => it));
  const names = partsOf(name);
  const key = keyOf(names);
  requireArn(options, 'payouts release');
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
  return approveAsked(config, options, {
    shown: `${orderAsText(viewOf(standing.order))}\n  ${options.for} is about to say that it is not paid; then it can be paid again`,
    question: 'Was none of it paid?',
    holdsFor: ' and for the order as it stands',
    saidBeside: 'release',
    approve: (ports) => approveDecision(key, seen, options.for, ports),
  });
}
