// The outcomes that the rows of outcome-table.ts give, in words for the ledger and for people.
import type { AttemptView } from './attempt-view.ts';
import type { GatewayFailure, GatewayFailureCode } from './failures.ts';
import type { GatewayOutcome, NotProcessedReason } from './gateway-outcome.ts';
import { cutToBytes, redact } from './redact.ts';

/** The gateway's own codes are numbers of a few digits. */
const gatewayCodeLimitBytes = 16;

/** With whatever ids there are. */
export function accepted(it: AttemptView): GatewayOutcome {
  return { kind: 'accepted', ...it.ids };
}

/** A refusal of the order itself. */
export function declined(it: AttemptView, code: GatewayFailureCode, message: string): GatewayOutcome {
  return { kind: 'declined', failure: failure(it, code, message) };
}

/** With whatever ids there are: what was created can be asked about. */
export function doubt(it: AttemptView, code: GatewayFailureCode, message: string): GatewayOutcome {
  return { kind: 'in-doubt', failure: failure(it, code, message), ...it.ids };
}

/** What must change before the same order can go out, and how long to stay away where the gateway said so. */
export function notProcessed(
  it: AttemptView,
  reason: NotProcessedReason,
  code: GatewayFailureCode,
  message: string,
): GatewayOutcome {
  const retryAfterSeconds = it.evidence.kind === 'answer' ? it.evidence.retryAfterSeconds : undefined;
  return {
    kind: 'not-processed',
    reason,
    failure: failure(it, code, message),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

function failure(it: AttemptView, code: GatewayFailureCode, message: string): GatewayFailure {
  const gatewayCode = it.field('error-code');
  const httpStatus = it.evidence.kind === 'no-answer' ? it.evidence.httpStatus : it.httpStatus || undefined;
  return {
    code,
    message: redact(message, it.secrets),
    ...(gatewayCode !== undefined && {
      gatewayCode: cutToBytes(redact(gatewayCode, it.secrets), gatewayCodeLimitBytes),
    }),
    ...(httpStatus !== undefined && { httpStatus }),
  };
}

/** What the socket saw. */
export const reasonOf = (it: AttemptView) => (it.evidence.kind === 'answer' ? '' : it.evidence.reason);
