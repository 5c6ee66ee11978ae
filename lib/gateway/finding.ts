// What one look at the gateway proves about an order (DESIGN 4.4). inquiry.ts judges; the kernel switches over it.
import type { GatewayFailure } from './failures.ts';
import type { GatewayIds } from './gateway-ids.ts';
import type { Money } from './money.ts';
import type { OperationName } from './operations.ts';

/** An order about which the gateway is asked, or speaks: what is known of its present attempt. */
export interface AskedOrder extends GatewayIds {
  readonly operation: OperationName;
  readonly orderId: string;
  readonly money?: Money;
  /** An earlier attempt of the order may have been processed. Default false. */
  readonly earlierAttemptMayLive?: boolean;
}

/** What one look at the gateway proves. `status` is always the gateway's own word, redacted. */
export type Finding =
  /** The gateway has the order and says how it ended. */
  | ({ readonly kind: 'approved' } & GatewayIds)
  | ({ readonly kind: 'declined'; readonly failure: GatewayFailure } & GatewayIds)
  /** The order has been paid, and a later transaction under its id undid it (or tried to). */
  | ({ readonly kind: 'reversed'; readonly transactionType: string; readonly status: string } & GatewayIds)
  /** The gateway has the order; it has not ended. */
  | ({ readonly kind: 'pending'; readonly status: string } & GatewayIds)
  /** The gateway has the order, of another amount or currency than was asked for: for a person, whatever its status. */
  | ({ readonly kind: 'amount-differs'; readonly amount: string; readonly status: string } & GatewayIds)
  /** The gateway has the order, and its word for it proves neither that money moved nor that none did. */
  | ({ readonly kind: 'inconclusive'; readonly status: string; readonly failure: GatewayFailure } & GatewayIds)
  /** The gateway says that it knows no such order. Shortly after an unclear send this proves nothing yet. */
  | { readonly kind: 'unknown-order' }
  /** The gateway refused the signature or login of the inquiry. */
  | { readonly kind: 'credentials-refused' }
  /** Nothing can be learned from it. */
  | { readonly kind: 'unclear'; readonly reason: string };
