// The sign that an attempt's outcome gives of the gateway, for the pace and the brake of its lane.
import type { GatewayOutcome } from '../../gateway/gateway-outcome.ts';
import type { Sign } from '../lanes/lane-brake.ts';

/** The sign of the gateway, and of the account there. */
export function signOf(outcome: GatewayOutcome): Pick<Sign, 'says' | 'code' | 'retryAfterSeconds' | 'isBusy'> {
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
    default:
      return outcome satisfies never;
  }
}

function notProcessed({ reason, failure, retryAfterSeconds }: Extract<GatewayOutcome, { kind: 'not-processed' }>) {
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
