// `payouts approve-release`: an approver says beside who decides that an order is not paid. Exit codes: 0 approved, 1 not approved,
// 2 bad input.
import { viewOf } from '../../payout/order/view.ts';
import { approveAsked, type ApproverOptions, requireApprover, requireArn, whyNoWord } from './approve-word.ts';
import { keyOf, partsOf, notDone } from '../command-line.ts';
import { operator, tellMoneyOf } from './operator-commands.ts';
import { orderAsText } from './order-text.ts';

/** The command line of `payouts approve-release`. */
interface ApproveReleaseOptions extends ApproverOptions {
  readonly id?: string;
}

/** Runs the command; returns the exit code. */
export async function approveRelease(name: string, options: ApproveReleaseOptions): Promise<number> {
  requireApprover(options);
  const names = partsOf(name);
  const key = keyOf(names);
  requireArn(options, 'payouts release');
  await tellMoneyOf([names.merchant]);
  const { id: gatewayOrderId, for: decider } = options;
  const port = operator();
  const found = await port.approvable(key, gatewayOrderId);
  if (found.kind !== 'approvable') {
    const why = whyNoWord(found, decider);
    return notDone(options, { outcome: found.kind, why }, why);
  }
  const its = {
    decider,
    seenVersion: found.order.version,
    ...(gatewayOrderId !== undefined && { gatewayOrderId }),
  };
  return approveAsked(options, {
    shown: `${orderAsText(viewOf(found.order))}\n  ${decider} is about to say that it is not paid; then it can be paid again`,
    question: 'Was none of it paid?',
    holdsFor: ' and for the order as it is now',
    saidBeside: 'release',
    approve: () => port.approveRelease(key, its),
  });
}
