// The second person's approval of a decision that two persons share: the order that an approver looks at, and the token that the decider
// adds to the command line. It holds for the order as it was looked at: an order that has moved meanwhile is looked at again.
import type { ApprovalMade, ApprovingPorts } from '../batches/decision-approval.ts';
import { approveDecision } from '../batches/decision-approval.ts';
import { seenByApprover } from '../payout/operate/decide.ts';
import type { Order } from '../payout/order/order.ts';
import type { Orders } from '../payout/order/orders.ts';

/** The ports of approving. */
export interface SecondApprovalPorts {
  readonly orders: Pick<Orders, 'read'>;
  readonly approving: ApprovingPorts;
}

/** The decider, and the version that an approver has seen. */
export interface ApprovalAsked {
  /** The decider's ARN. */
  readonly decider: string;
  /** The gateway's order id, where the decision names it too. */
  readonly gatewayOrderId?: string;
  /** The order's version that was looked at. */
  readonly seenVersion: number;
}

type Seen = Exclude<ReturnType<typeof seenByApprover>, { readonly why: string }>;

/** An order to approve, or why there is nothing to approve. */
export type ApprovableOrder =
  | { readonly kind: 'approvable'; readonly order: Order; readonly seen: Seen }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'refused'; readonly why: string };

/** The outcome of an approval. */
export type SecondApproval = ApprovalMade | Exclude<ApprovableOrder, { readonly kind: 'approvable' }>;

/** Whether an order can be approved as not paid, in its present state. */
export async function approvableOf(
  key: string,
  gatewayOrderId: string | undefined,
  { orders }: Pick<SecondApprovalPorts, 'orders'>,
): Promise<ApprovableOrder> {
  const read = await orders.read(key);
  if (read.kind === 'none') return { kind: 'not-found' };
  if (read.kind === 'unreadable') return { kind: 'refused', why: read.reason };
  const seen = seenByApprover(read.order, gatewayOrderId);
  return 'why' in seen ? { kind: 'refused', why: seen.why } : { kind: 'approvable', order: read.order, seen };
}

/** Approves, as the caller. Rejects for a caller who may not approve. */
export async function approveSeen(
  key: string,
  { decider, gatewayOrderId, seenVersion }: ApprovalAsked,
  ports: SecondApprovalPorts,
): Promise<SecondApproval> {
  const found = await approvableOf(key, gatewayOrderId, ports);
  if (found.kind !== 'approvable') return found;
  if (found.order.version !== seenVersion)
    return { kind: 'refused', why: 'the order has moved since it was looked at: look at it again' };
  return approveDecision(found.order, found.seen, decider, ports.approving);
}
