// The outcome of one attempt: the gateway's, or the kernel's own, decided before a byte leaves.
import type { GatewayOutcome } from '../../gateway/gateway-outcome.ts';
import type { Failure, FailureCode } from '../message/failures.ts';
import type { Sign } from '../lane-brake.ts';

/** The outcome of one attempt. */
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

/** The sign that an attempt gives of the gateway, and of the account there. */
export function signOf(outcome: Outcome): Pick<Sign, 'says' | 'code' | 'retryAfterSeconds' | 'isBusy'> {
  switch (outcome.kind) {
    case 'accepted':
      return { says: 'accepted' };
    case 'declined':
      return { says: 'refused', code: outcome.failure.gatewayCode ?? outcome.failure.code };
    case 'not-processed':
      return notProcessed(outcome);
    case 'in-doubt':
    case 'check-unanswered': {
      const { httpStatus, code } = outcome.failure;
      // The gateway has the order, whatever else it reports of it.
      if ('gatewayOrderId' in outcome || 'gatewayAlias' in outcome) return { says: 'answered' };
      if (httpStatus === undefined || code === 'NO_ANSWER') return { says: 'no-answer' };
      return { says: httpStatus >= 500 ? 'server-error' : 'unclear', ...(httpStatus === 503 && { isBusy: true }) };
    }
    case 'retryable':
    case 'unsendable':
    case 'capped':
    case 'spent':
      return { says: 'nothing' };
  }
}

function notProcessed({ reason, failure, retryAfterSeconds }: Extract<Outcome, { kind: 'not-processed' }>) {
  switch (reason) {
    case 'rate-limited':
      return { says: 'slow-down', ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) } as const;
    case 'not-sent':
      return { says: 'not-connected' } as const;
    case 'credentials-refused':
      return { says: 'credentials' } as const;
    case 'account':
      return { says: 'account', ...(failure.gatewayCode !== undefined && { code: failure.gatewayCode }) } as const;
    case 'address':
      return { says: 'address' } as const;
  }
}
