// What can follow from one attempt at the gateway, and how each outcome is put in words for the ledger and for people.
// outcome.ts judges; the kernel switches over it.
import type { FailureOf, GatewayFailure, GatewayFailureCode } from './failures.ts';
import { cutToBytes, redact } from './redact.ts';
import type { GatewayIds } from './reply-words.ts';
import type { Evidence } from './ports.ts';

/**
 * Why an attempt was not processed, by what must change before the same order can go out:
 *
 * - `not-sent`: no connection was made.
 * - `credentials-refused`: the signature or login; one more send where the fetched credentials really differ.
 * - `rate-limited`: too many requests.
 * - `account`: the account at the gateway: its set-up, contract or funds.
 * - `address`: there is nothing of the kind at this address.
 */
const notProcessedReasons = ['not-sent', 'credentials-refused', 'rate-limited', 'account', 'address'] as const;

/** One of {@link notProcessedReasons}. */
export type NotProcessedReason = (typeof notProcessedReasons)[number];

/** What follows from one attempt, as far as the gateway's answer goes. Whatever ids it gave are in it. */
export type GatewayOutcome<Code extends string = GatewayFailureCode> =
  /** The gateway took the order. */
  | ({ readonly kind: 'accepted' } & GatewayIds)
  /** The gateway refused this order; no money moved and none will. */
  | { readonly kind: 'declined'; readonly failure: FailureOf<Code> }
  /** Proven not processed, for a reason that is not about the order: the same order waits and may be sent again. */
  | {
      readonly kind: 'not-processed';
      readonly reason: NotProcessedReason;
      readonly failure: FailureOf<Code>;
      readonly retryAfterSeconds?: number;
    }
  /** Money may have moved. */
  | ({ readonly kind: 'in-doubt'; readonly failure: FailureOf<Code> } & GatewayIds)
  /** An eligibility check without a clear answer: it moves no money, so it is asked again, a bounded number of times. */
  | { readonly kind: 'check-unanswered'; readonly failure: FailureOf<Code> };

/** The gateway's own codes are numbers of a few digits. */
const gatewayCodeLimitBytes = 16;

/** As much of an attempt as its outcome is made of. */
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

/** With whatever ids there are: what was created can be asked about. */
export function doubt(it: Seen, code: GatewayFailureCode, message: string): GatewayOutcome {
  return { kind: 'in-doubt', failure: failure(it, code, message), ...it.ids };
}

/** What must change before the same order can go out, and how long to stay away where the gateway said so. */
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

/** What the socket saw. */
export const reasonOf = (it: Seen) => (it.evidence.kind === 'answer' ? '' : it.evidence.reason);
