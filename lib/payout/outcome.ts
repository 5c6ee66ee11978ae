// What follows from one attempt: the gateway's outcome, and what the kernel itself decides before a byte leaves.
import type { Failure, FailureCode } from './failures.ts';
import type { GatewayOutcome } from '../gateway/gateway-outcome.ts';

/** What follows from one attempt. */
export type Outcome =
  | GatewayOutcome<FailureCode>
  /** Never sent for want of something that is ours to get: the same order may be sent again later. */
  | { readonly kind: 'retryable'; readonly failure: Failure }
  /** Never sent and not worth sending as it is: past its time, or against the merchant's contract. */
  | { readonly kind: 'unsendable'; readonly failure: Failure }
  /** Never sent, for a person to decide: above a cap. */
  | { readonly kind: 'capped'; readonly failure: Failure }
  /** Never sent, and never again as it is: its single-use card data is gone. For the sender, who has the card. */
  | { readonly kind: 'spent'; readonly failure: Failure };
