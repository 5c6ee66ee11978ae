// The outcomes of one attempt at the gateway. A dialect judges; the kernel switches over it.
import type { GatewayFailure } from './failures.ts';
import type { GatewayIds } from './ids.ts';

/**
 * The reason why an attempt was not processed, by what must change before the same order can go out:
 *
 * - `not-sent`: no connection was made.
 * - `credentials-refused`: the signature or the login.
 * - `rate-limited`: too many requests.
 * - `account`: the account at the gateway: its set-up, contract or funds.
 * - `address`: there is nothing of this kind at the address.
 */
const notProcessedReasons = ['not-sent', 'credentials-refused', 'rate-limited', 'account', 'address'] as const;

/** One of {@link notProcessedReasons}. */
export type NotProcessedReason = (typeof notProcessedReasons)[number];

/** The outcome of one attempt, as far as the gateway's answer goes. It holds all ids that the answer gave. */
export type GatewayOutcome =
  /** The gateway took the order. */
  | ({ readonly kind: 'accepted' } & GatewayIds)
  /** The gateway refused this order; no money moved and none will. */
  | { readonly kind: 'declined'; readonly failure: GatewayFailure }
  /** Proven not processed, for a reason that is not about the order: the same order waits and may be sent again. */
  | {
      readonly kind: 'not-processed';
      readonly reason: NotProcessedReason;
      readonly failure: GatewayFailure;
      readonly retryAfterSeconds?: number;
    }
  /** Money may have moved. */
  | ({ readonly kind: 'in-doubt'; readonly failure: GatewayFailure } & GatewayIds)
  /** An eligibility check without a clear answer: it moves no money, so it is asked again, a bounded number of times. */
  | { readonly kind: 'check-unanswered'; readonly failure: GatewayFailure };
