// The second person's word of a decision that two persons share: what an approver looks at, and the word that who decides says beside
// theirs. It holds for the order as it was looked at: what has moved meanwhile is looked at again.
import type { ApprovedWord, WordApproving } from '../batches/approved-word.ts';
import { approveDecision } from '../batches/decision-approval.ts';
import { seenByApprover } from '../payout/operate/decide.ts';
import type { Order } from '../payout/order/order.ts';
import type { Orders } from '../payout/order/orders.ts';

/** What approving needs of the world. */
export interface SecondWordPorts {
  readonly orders: Pick<Orders, 'read'>;
  readonly approving: WordApproving;
}

/** Who decides, and what an approver has seen of it. */
export interface WordFor {
  /** The ARN of who decides. */
  readonly decider: string;
  /** The gateway's order id, where the decision names it too. */
  readonly gatewayOrderId?: string;
  /** The order's version that was looked at. */
  readonly seenVersion: number;
}

type Seen = Exclude<ReturnType<typeof seenByApprover>, { readonly why: string }>;

/** What an approver would say, or why there is nothing to approve. */
export type ApprovableOrder =
  | { readonly kind: 'approvable'; readonly order: Order; readonly seen: Seen }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'refused'; readonly why: string };

/** What became of the word. */
export type SecondWord = ApprovedWord | Exclude<ApprovableOrder, { readonly kind: 'approvable' }>;

/** Whether an order can be approved as not paid, as it stands now. */
export async function approvableOf(
  key: string,
  gatewayOrderId: string | undefined,
  { orders }: Pick<SecondWordPorts, 'orders'>,
): Promise<ApprovableOrder> {
  const standing = await orders.read(key);
  if (standing.kind === 'none') return { kind: 'not-found' };
  if (standing.kind === 'unreadable') return { kind: 'refused', why: standing.reason };
  const seen = seenByApprover(standing.order, gatewayOrderId);
  return 'why' in seen ? { kind: 'refused', why: seen.why } : { kind: 'approvable', order: standing.order, seen };
}

/** Says it, as whoever calls. Rejects for who may not approve. */
export async function approveSeen(
  key: string,
  { decider, gatewayOrderId, seenVersion }: WordFor,
  ports: SecondWordPorts,
): Promise<SecondWord> {
  const found = await approvableOf(key, gatewayOrderId, ports);
  if (found.kind !== 'approvable') return found;
  if (found.order.version !== seenVersion)
    return { kind: 'refused', why: 'the order has moved since it was looked at: look at it again' };
  return approveDecision(key, found.seen, decider, ports.approving);
}
