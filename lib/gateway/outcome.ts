// Evidence to outcome: the ordered table of DESIGN 4.2. The first row that fits wins; what fits none is doubt.
// `declined` and `retryable` are said only when it is proven that no money moved by this attempt.
import {
  type AttemptView,
  attemptViewOf,
  echoedOrderId,
  identity,
  isClientError,
  mayGoOn,
  readable,
  refusal,
  refusalWords,
  saysWhoseItIs,
  saysWhy,
  type SentOrder,
  speaksOfExistingOrder,
  speaksOfTrouble,
  temporary,
  unclear,
} from './attempt-view.ts';
import type { Evidence } from './evidence.ts';
import type { Failure, GatewayFailure, GatewayFailureCode } from './failures.ts';
import type { Profile } from './profile.ts';
import { cutToBytes, redact } from './redact.ts';

/** What follows from one attempt. */
export type GatewayOutcome<Code extends string = GatewayFailureCode> =
  /** The gateway took the order. */
  | { readonly kind: 'accepted'; readonly gatewayOrderId?: string }
  /** The gateway refused it; no money moved and none will. */
  | { readonly kind: 'declined'; readonly failure: Failure<Code>; readonly gatewayOrderId?: string }
  /** Refused before processing because of the signature or login: worth one more send with fresh credentials. */
  | { readonly kind: 'credentials-refused'; readonly failure: Failure<Code> }
  /** Proven not processed: the same order may be sent again later. */
  | { readonly kind: 'retryable'; readonly failure: Failure<Code>; readonly retryAfterSeconds?: number }
  /** Money may have moved. */
  | { readonly kind: 'in-doubt'; readonly failure: Failure<Code> };

interface Row {
  /** The evidence, as infra/docs/settlement.md shows it. */
  readonly name: string;
  /** What follows, as infra/docs/settlement.md shows it. */
  readonly says: string;
  readonly fits: (it: AttemptView) => boolean;
  readonly outcome: (it: AttemptView) => GatewayOutcome;
}

/** 4xx statuses that may speak of an earlier send of the same order. */
const doubtfulStatuses = new Set([408, 409, 425]);
/** Statuses that need no body to be understood. */
const statusesThatSayAll = new Set([401, 403, 429]);
/** The gateway's own codes are numbers of a few digits. */
const gatewayCodeLimitBytes = 16;

/** The table. A status that says what it means (401, 403, 429, 408, 409, 425) goes before the words of its body. */
export const outcomeTable: readonly Row[] = [
  {
    name: 'nothing was sent: DNS, refused, TLS, connect time-out, no time left',
    says: 'retryable: no money moved',
    fits: (it) => it.evidence.kind === 'not-sent',
    outcome: (it) => ({ kind: 'retryable', failure: failure(it, 'NOT_SENT', reasonOf(it)) }),
  },
  {
    name: 'no whole answer: reset, closed, time-out, cut off, too long, not HTTP',
    says: 'in doubt',
    fits: (it) => it.evidence.kind === 'no-answer',
    outcome: (it) => doubt(it, 'NO_ANSWER', reasonOf(it)),
  },
  {
    name: 'the answer names another order',
    says: 'in doubt',
    fits: (it) => echoedOrderId(it) !== undefined && echoedOrderId(it) !== it.orderId,
    outcome: (it) => doubt(it, 'UNCLEAR_ANSWER', 'the answer names another order'),
  },
  {
    name: '200 with the order identity (`transaction-id`, `payout-id` or `paynet-order-id`), without any word of trouble',
    says: 'accepted',
    fits: (it) =>
      it.httpStatus === 200 &&
      !speaksOfTrouble(it) &&
      identity(it) !== undefined &&
      (!mayGoOn(it) || saysWhoseItIs(it)),
    outcome: accepted,
  },
  {
    name: 'any other 200 or 4xx (401, 403, 429 aside) whose end nothing marks: no length, not chunked, not JSON',
    says: 'in doubt',
    fits: (it) => mayGoOn(it) && it.httpStatus < 500 && !statusesThatSayAll.has(it.httpStatus),
    outcome: (it) => doubt(it, 'UNCLEAR_ANSWER', `the gateway answered ${it.httpStatus}, and more may have followed`),
  },
  {
    name: '200 for `transfer` or `pan-eligibility`, readable, without any word of trouble',
    says: 'accepted',
    fits: (it) => it.httpStatus === 200 && it.operation.acceptedWithoutIdentity && readable(it) && !speaksOfTrouble(it),
    outcome: accepted,
  },
  {
    name: '401, 403',
    says: 'refused before processing: sent once more if the secret holds others by now, else retryable (`AUTHENTICATION`)',
    fits: (it) => it.httpStatus === 401 || it.httpStatus === 403,
    outcome: (it) => ({
      kind: 'credentials-refused',
      failure: failure(it, 'AUTHENTICATION', `the gateway answered ${it.httpStatus}: signature or login refused`),
    }),
  },
  {
    name: '429',
    says: 'not processed: retryable, after Retry-After',
    fits: (it) => it.httpStatus === 429,
    outcome: (it) => ({
      kind: 'retryable',
      failure: failure(it, 'RATE_LIMITED', 'the gateway answered 429'),
      ...(it.evidence.kind === 'answer' &&
        it.evidence.retryAfterSeconds !== undefined && { retryAfterSeconds: it.evidence.retryAfterSeconds }),
    }),
  },
  {
    name: "408, 409, 425, 5xx, and the profile's `doubtfulHttpStatuses`",
    says: 'in doubt',
    fits: (it) =>
      it.httpStatus >= 500 ||
      doubtfulStatuses.has(it.httpStatus) ||
      it.profile.doubtfulHttpStatuses.includes(it.httpStatus),
    outcome: (it) => doubt(it, 'UNCLEAR_ANSWER', `the gateway answered ${it.httpStatus}`),
  },
  {
    name: 'a refusal with a temporary code, or one that says the order exists already',
    says: 'in doubt',
    fits: (it) => (refusal(it) || isClientError(it)) && (temporary(it) || speaksOfExistingOrder(it)),
    outcome: (it) => doubt(it, 'UNCLEAR_ANSWER', refusalWords(it)),
  },
  {
    name: 'another 4xx with an order identity and no refusal',
    says: 'in doubt',
    fits: (it) => isClientError(it) && !refusal(it) && identity(it) !== undefined,
    outcome: (it) => doubt(it, 'UNCLEAR_ANSWER', `the gateway answered ${it.httpStatus} with an order id`),
  },
  {
    name: 'a refusal (`type=validation-error` or `error`) under 200 or another 4xx',
    says: 'declined (`GATEWAY_REFUSED`)',
    fits: (it) => refusal(it) && (it.httpStatus === 200 || isClientError(it)) && saysWhy(it),
    outcome: (it) => {
      const gatewayOrderId = identity(it);
      return {
        kind: 'declined',
        failure: failure(it, 'GATEWAY_REFUSED', refusalWords(it)),
        ...(gatewayOrderId !== undefined && { gatewayOrderId }),
      };
    },
  },
  {
    name: 'another 4xx without a readable refusal',
    says: 'declined (`HTTP_4xx`)',
    fits: isClientError,
    outcome: (it) => ({
      kind: 'declined',
      failure: failure(it, `HTTP_${it.httpStatus}`, `the gateway answered ${it.httpStatus}`),
    }),
  },
];

/** Judges one attempt. Doubt about an operation that moves no money costs nothing, so it is simply asked again. */
export function judge(evidence: Evidence, order: SentOrder, profile: Profile): GatewayOutcome {
  const it = attemptViewOf(evidence, order, profile);
  const row = outcomeTable.find((candidate) => candidate.fits(it));
  const outcome = row ? row.outcome(it) : doubt(it, 'UNCLEAR_ANSWER', unclear(it));
  if (outcome.kind === 'in-doubt' && !it.operation.movesMoney) return { kind: 'retryable', failure: outcome.failure };
  return outcome;
}

function accepted(it: AttemptView): GatewayOutcome {
  const gatewayOrderId = identity(it);
  return { kind: 'accepted', ...(gatewayOrderId !== undefined && { gatewayOrderId }) };
}

function doubt(it: AttemptView, code: GatewayFailureCode, message: string): GatewayOutcome {
  return { kind: 'in-doubt', failure: failure(it, code, message) };
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

const reasonOf = (it: AttemptView) => (it.evidence.kind === 'answer' ? '' : it.evidence.reason);
