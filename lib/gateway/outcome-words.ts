// The texts of each outcome of an attempt, for the ledger and for people.
import type { GatewayFailure, GatewayFailureCode } from './failures.ts';
import type { GatewayOutcome, NotProcessedReason } from './gateway-outcome.ts';
import type { Evidence } from './ports.ts';
import { cutToBytes, redact } from './redact.ts';
import type { GatewayIds } from './ids.ts';

/** The gateway's own codes are numbers of a few digits. */
const gatewayCodeLimitBytes = 16;

/** The part of an attempt that its outcome is made of. */
interface Seen {
  readonly evidence: Evidence;
  /** 0 where there was no whole answer. */
  readonly httpStatus: number;
  readonly field: (name: string) => string | undefined;
  readonly ids: GatewayIds;
  readonly secrets: readonly string[];
}

/** A refusal of the order itself. */
export function declined(it: Seen, code: GatewayFailureCode, message: string): GatewayOutcome {
  return { kind: 'declined', failure: failure(it, code, message) };
}

/** Doubt, with all ids there are: an order that was created can be asked about. */
export function doubt(it: Seen, code: GatewayFailureCode, message: string): GatewayOutcome {
  return { kind: 'in-doubt', failure: failure(it, code, message), ...it.ids };
}

/** The required change before the same order can go out, and how long to stay away where the gateway gave a time. */
export function notProcessed(
  it: Seen,
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

function failure(it: Seen, code: GatewayFailureCode, message: string): GatewayFailure {
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

/** The failure that the socket saw. */
export const reasonOf = (it: Seen) => (it.evidence.kind === 'answer' ? '' : it.evidence.reason);
