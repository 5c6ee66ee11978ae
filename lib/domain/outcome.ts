// Evidence to outcome: the ordered table of DESIGN 4.2. The first row that fits wins; what fits none is doubt.
// `declined` and `retryable` are said only when it is proven that no money moved by this attempt.
import type { Evidence } from './evidence.ts';
import type { FailureCode } from './failures.ts';
import { decodeReply, type GatewayReply } from './gateway-reply.ts';
import type { Job } from './job.ts';
import type { Failure } from './ledger.ts';
import { type Operation, operations } from './operations.ts';
import type { Profile } from './profile.ts';
import { cutToBytes, redact, sensitiveValues } from './redact.ts';

/** What follows from one attempt. */
export type Outcome =
  /** The gateway took the order. */
  | { readonly kind: 'accepted'; readonly gatewayOrderId?: string }
  /** The gateway refused it; no money moved and none will. */
  | { readonly kind: 'declined'; readonly failure: Failure; readonly gatewayOrderId?: string }
  /** Refused before processing because of the signature or login: worth one more send with fresh credentials. */
  | { readonly kind: 'credentials-refused'; readonly failure: Failure }
  /** Proven not processed: the same order may be sent again later. */
  | { readonly kind: 'retryable'; readonly failure: Failure; readonly retryAfterSeconds?: number }
  /** Never sent and not worth sending as it is: past its time, or against the merchant's contract. */
  | { readonly kind: 'unsendable'; readonly failure: Failure }
  /** Money may have moved. */
  | { readonly kind: 'in-doubt'; readonly failure: Failure };

/** All that the rows look at. */
interface Case {
  readonly evidence: Evidence;
  readonly operation: Operation;
  readonly orderId: string;
  readonly profile: Profile;
  /** 0 where there was no whole answer. */
  readonly httpStatus: number;
  readonly reply: GatewayReply;
  readonly field: (name: string) => string | undefined;
  readonly secrets: readonly string[];
}

interface Row {
  readonly name: string;
  readonly fits: (it: Case) => boolean;
  readonly outcome: (it: Case) => Outcome;
}

/** Codes that the gateway's own list calls passing (gateway-facts.md section 5): the order's fate is open. */
const temporaryErrorCodes = new Set(['102', '502', '1001', '1002', '1003', '1004', '1013']);
/** 503 ORDER_ALREADY_COMPLETED: the refusal is about an order that exists. */
const orderExistsCodes = new Set(['503']);
/** Words may only ever lead into doubt, never out of it. */
const orderExistsWords =
  /\bduplicat|\balready (exists|processed|completed|paid|used)|\b(order|transaction|payout|transfer|request|id)\b.*\b(already|exists)\b/i;
/** 4xx statuses that may speak of an earlier send of the same order. */
const doubtfulStatuses = new Set([408, 409, 425]);
const refusalTypes = new Set(['validation-error', 'error']);
const refusedStates = new Set(['declined', 'error', 'filtered']);
/** The gateway's own codes are numbers of a few digits. */
const gatewayCodeLimitBytes = 16;
const identityShape = /^[A-Za-z0-9_-]{1,64}$/;

/** The table. A status that says what it means (401, 403, 429, 408, 409, 425) goes before the words of its body. */
export const outcomeTable: readonly Row[] = [
  {
    name: 'nothing was sent',
    fits: (it) => it.evidence.kind === 'not-sent',
    outcome: (it) => ({ kind: 'retryable', failure: failure(it, 'NOT_SENT', reasonOf(it)) }),
  },
  {
    name: 'no whole answer came back',
    fits: (it) => it.evidence.kind === 'no-answer',
    outcome: (it) => doubt(it, 'NO_ANSWER', reasonOf(it)),
  },
  {
    name: 'the answer is about another order',
    fits: (it) => echoedOrderId(it) !== undefined && echoedOrderId(it) !== it.orderId,
    outcome: (it) => doubt(it, 'UNCLEAR_ANSWER', 'the answer names another order'),
  },
  {
    name: 'the answer carries the order identity',
    fits: (it) => it.httpStatus === 200 && !refusal(it) && !refusedState(it) && identity(it) !== undefined,
    outcome: accepted,
  },
  {
    name: 'a readable success of an operation whose success body is not published',
    fits: (it) => it.httpStatus === 200 && it.operation.acceptedWithoutIdentity && readable(it) && !speaksOfTrouble(it),
    outcome: accepted,
  },
  {
    name: 'refused before processing',
    fits: (it) => it.httpStatus === 401 || it.httpStatus === 403,
    outcome: (it) => ({
      kind: 'credentials-refused',
      failure: failure(it, 'AUTHENTICATION', `the gateway answered ${it.httpStatus}: signature or login refused`),
    }),
  },
  {
    name: 'not processed, too many requests',
    fits: (it) => it.httpStatus === 429,
    outcome: (it) => ({
      kind: 'retryable',
      failure: failure(it, 'RATE_LIMITED', 'the gateway answered 429'),
      ...(it.evidence.kind === 'answer' &&
        it.evidence.retryAfterSeconds !== undefined && { retryAfterSeconds: it.evidence.retryAfterSeconds }),
    }),
  },
  {
    name: 'may be about an earlier send, or the gateway does not know itself',
    fits: (it) =>
      it.httpStatus >= 500 ||
      doubtfulStatuses.has(it.httpStatus) ||
      it.profile.doubtfulHttpStatuses.includes(it.httpStatus),
    outcome: (it) => doubt(it, 'UNCLEAR_ANSWER', `the gateway answered ${it.httpStatus}`),
  },
  {
    name: 'a refusal that leaves the order open',
    fits: (it) => (refusal(it) || isClientError(it)) && (temporary(it) || speaksOfExistingOrder(it)),
    outcome: (it) => doubt(it, 'UNCLEAR_ANSWER', refusalWords(it)),
  },
  {
    name: 'a 4xx that bears an order identity and does not refuse',
    fits: (it) => isClientError(it) && !refusal(it) && identity(it) !== undefined,
    outcome: (it) => doubt(it, 'UNCLEAR_ANSWER', `the gateway answered ${it.httpStatus} with an order id`),
  },
  {
    name: 'a refusal: nothing was created',
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
    fits: isClientError,
    outcome: (it) => ({
      kind: 'declined',
      failure: failure(it, `HTTP_${it.httpStatus}`, `the gateway answered ${it.httpStatus}`),
    }),
  },
];

/** Judges one attempt. Doubt about an operation that moves no money costs nothing, so it is simply asked again. */
export function judge(evidence: Evidence, job: Job, profile: Profile): Outcome {
  const it = caseOf(evidence, job, profile);
  const row = outcomeTable.find((candidate) => candidate.fits(it));
  const outcome = row ? row.outcome(it) : doubt(it, 'UNCLEAR_ANSWER', unclear(it));
  if (outcome.kind === 'in-doubt' && !it.operation.movesMoney) return { kind: 'retryable', failure: outcome.failure };
  return outcome;
}

function caseOf(evidence: Evidence, job: Job, profile: Profile): Case {
  const reply: GatewayReply =
    evidence.kind === 'answer'
      ? decodeReply(evidence.body, evidence.framing)
      : { kind: 'unreadable', reason: evidence.reason };
  return {
    evidence,
    operation: operations[job.operation],
    orderId: job.orderId,
    profile,
    httpStatus: evidence.kind === 'answer' ? evidence.httpStatus : 0,
    reply,
    field: (name) => (reply.kind === 'fields' ? reply.fields.get(name) || undefined : undefined),
    secrets: sensitiveValues(job),
  };
}

function accepted(it: Case): Outcome {
  const gatewayOrderId = identity(it);
  return { kind: 'accepted', ...(gatewayOrderId !== undefined && { gatewayOrderId }) };
}

function isClientError(it: Case): boolean {
  return it.httpStatus >= 400 && it.httpStatus <= 499;
}

const readable = (it: Case) => it.reply.kind === 'fields';
const refusal = (it: Case) => refusalTypes.has(it.field('type')?.toLowerCase() ?? '');
const refusedState = (it: Case) => refusedStates.has(it.field('status')?.toLowerCase() ?? '');
const echoedOrderId = (it: Case) =>
  it.field('merchant-order-id') ?? it.field('client-order-id') ?? it.field('client_orderid');

/** The first identity field that bears one. An id goes into results, so an echoed card or account number is none. */
function identity(it: Case): string | undefined {
  const echoes = (id: string) =>
    it.secrets.some((secret) => (secret.length < 12 ? id === secret : id.includes(secret)));
  return it.operation.identityFields
    .map(it.field)
    .find((id) => id !== undefined && identityShape.test(id) && !echoes(id));
}

/** Any word of trouble in a success without an id: then there is nothing left that proves acceptance. */
function speaksOfTrouble(it: Case): boolean {
  const troubled = ['error', 'error-code', 'error-message'].some((name) => it.field(name) !== undefined);
  return troubled || refusal(it) || refusedState(it) || malformedIdentity(it);
}

const malformedIdentity = (it: Case) =>
  identity(it) === undefined && it.operation.identityFields.some((name) => it.field(name) !== undefined);

/** A bare `error` says that something went wrong, not that nothing was created; a validation error says both. */
const saysWhy = (it: Case) =>
  it.field('error-code') !== undefined || it.field('type')?.toLowerCase() === 'validation-error';

function temporary(it: Case): boolean {
  const code = it.field('error-code') ?? '';
  return temporaryErrorCodes.has(code) || it.profile.temporaryErrorCodes.includes(code);
}

function speaksOfExistingOrder(it: Case): boolean {
  const code = it.field('error-code') ?? '';
  return (
    orderExistsCodes.has(code) ||
    it.profile.duplicateOrderCodes.includes(code) ||
    orderExistsWords.test(gatewayWords(it) ?? unreadableText(it))
  );
}

function doubt(it: Case, code: FailureCode, message: string): Outcome {
  return { kind: 'in-doubt', failure: failure(it, code, message) };
}

function failure(it: Case, code: FailureCode, message: string): Failure {
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

/** What the gateway says in words, wherever it says it. */
const gatewayWords = (it: Case) => it.field('error-message') ?? it.field('message') ?? it.field('error');
const refusalWords = (it: Case) => gatewayWords(it) ?? `the gateway answered ${it.httpStatus} without a reason`;
const unreadableText = (it: Case) =>
  it.reply.kind === 'unreadable' && it.evidence.kind === 'answer' ? it.evidence.body : '';
const reasonOf = (it: Case) => (it.evidence.kind === 'answer' ? '' : it.evidence.reason);

function unclear(it: Case): string {
  if (it.reply.kind === 'unreadable') return `the gateway answered ${it.httpStatus}: ${it.reply.reason}`;
  return `the gateway answered ${it.httpStatus} without an order id`;
}
