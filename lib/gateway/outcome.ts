// From evidence to outcome: the ordered table of infra/docs/gateway.md. The first row that fits wins; an attempt that fits none is in
// doubt. First comes whose answer it is, then its status, then its texts. `declined` and `not-processed` require proof that this
// attempt moved no money.
import {
  aboutTheAccount,
  type AttemptView,
  attemptViewOf,
  carriesIdentity,
  isPage,
  isUnread,
  namesAnotherOrder,
  namesKnownOrder,
  plainIdentity,
  refusal,
  refusalWords,
  saysItWasTaken,
  saysWhoseItIs,
  saysWhy,
  speaksOfExistingOrder,
  speaksOfProgress,
  speaksOfTrouble,
  temporary,
  unclear,
  whollyUnderstood,
} from './attempt-view.ts';
import type { GatewayFailure, GatewayFailureCode, GatewayOutcome, NotProcessedReason } from './gateway-outcome.ts';
import type { Profile } from './profile.ts';
import type { Evidence, SentOrder } from './ports.ts';
import { cutToBytes, redacted } from './redact.ts';
import { mayGoOn } from './reply.ts';

/** Judges one attempt. */
export function judge(evidence: Evidence, order: SentOrder, profile: Profile): GatewayOutcome {
  const it = attemptViewOf(evidence, order, profile);
  const row = outcomeTable.find((candidate) => candidate.fits(it));
  return row ? row.outcome(it) : doubt(it, 'UNCLEAR_ANSWER', unclear(it));
}

interface Row {
  /** The evidence, as infra/docs/gateway.md shows it. */
  readonly name: string;
  /** The outcome, as infra/docs/gateway.md shows it. */
  readonly says: string;
  readonly fits: (it: AttemptView) => boolean;
  readonly outcome: (it: AttemptView) => GatewayOutcome;
}

/** The gateway's own codes are numbers of a few digits. */
const gatewayCodeLimitBytes = 16;

/** Statuses about the order. */
const statusesAboutTheOrder = [400, 413, 414, 422];
/** Statuses about the sender and its pace: decisive, whatever the body says. */
const statusesAboutTheSender = [401, 403, 429];
/** Statuses about the address. */
const statusesAboutTheAddress = [404, 405, 406, 411, 415, 417, 431];
/** These prove that nothing was taken. Every other 4xx is doubt: a relay may answer 499 for an order that the gateway has. */
const refusingStatuses = [...statusesAboutTheOrder, ...statusesAboutTheSender, ...statusesAboutTheAddress].toSorted(
  (a, b) => a - b,
);

const hasNoEnd = ({ evidence }: AttemptView) => evidence.kind === 'answer' && mayGoOn(evidence);
const accepted = (it: AttemptView): GatewayOutcome => ({ kind: 'accepted', ...it.ids });
const hasRefusingStatus = (it: AttemptView) =>
  refusingStatuses.includes(it.httpStatus) && !it.profile.doubtfulHttpStatuses.includes(it.httpStatus);
const readableRefusal = (it: AttemptView) =>
  refusal(it) && saysWhy(it) && (it.httpStatus === 200 || hasRefusingStatus(it));
/** True if the answer refuses: by its status, or readably with a reason. */
const refuses = (it: AttemptView) => readableRefusal(it) || hasRefusingStatus(it);

/** The table. */
export const outcomeTable: readonly Row[] = [
  {
    name: 'nothing was sent: DNS, refused, TLS, connect time-out, no time left',
    says: 'not processed: waits',
    fits: (it) => it.evidence.kind === 'not-sent',
    outcome: (it) => notProcessed(it, 'not-sent', 'NOT_SENT', reasonOf(it)),
  },
  {
    name: 'no whole answer: reset, closed, time-out, cut off, too long, not HTTP',
    says: 'in doubt',
    fits: (it) => it.evidence.kind === 'no-answer',
    outcome: (it) => doubt(it, 'NO_ANSWER', reasonOf(it)),
  },
  {
    name: 'an answer that cannot be read: cut off, broken, an array, two values of one name, a list where one value belongs, an unknown coding or charset',
    says: 'in doubt, whatever the status',
    fits: isUnread,
    outcome: (it) => doubt(it, 'UNCLEAR_ANSWER', unclear(it)),
  },
  {
    name: 'the answer names another order',
    says: 'in doubt',
    fits: namesAnotherOrder,
    // An id in the answer is that other order's.
    outcome: (it) => doubt({ ...it, ids: {} }, 'UNCLEAR_ANSWER', 'the answer names another order'),
  },
  {
    name: '200 with the order identity (`paynet-order-id`, or its alias `payout-id` or `transaction-id`; `0` is none), without any word of trouble, nested ones too',
    says: 'accepted',
    fits: (it) =>
      it.httpStatus === 200 && plainIdentity(it) && !speaksOfTrouble(it) && (!hasNoEnd(it) || saysWhoseItIs(it)),
    outcome: accepted,
  },
  {
    name: 'an order identity, in fields, in their texts or in a page, under any other status or beside any word of trouble; a type or `status` of acceptance under any status but 200',
    says: 'in doubt; an id is kept',
    fits: (it) => carriesIdentity(it) || (it.httpStatus !== 200 && saysItWasTaken(it)),
    outcome: (it) => doubt(it, 'UNCLEAR_ANSWER', unclear(it)),
  },
  {
    name: `5xx, and every 4xx but ${refusingStatuses.join(', ')}; of these, those in the profile's \`doubtfulHttpStatuses\``,
    says: 'in doubt',
    fits: (it) => it.httpStatus >= 400 && !hasRefusingStatus(it),
    outcome: (it) => doubt(it, 'UNCLEAR_ANSWER', `the gateway answered ${it.httpStatus}`),
  },
  {
    name: `an answer whose end nothing marks: no length, not chunked, not JSON; pages under ${statusesAboutTheSender.join(', ')} aside`,
    says: 'in doubt',
    fits: (it) => hasNoEnd(it) && !(isPage(it) && statusesAboutTheSender.includes(it.httpStatus)),
    outcome: (it) => doubt(it, 'UNCLEAR_ANSWER', `the gateway answered ${it.httpStatus}, and more may have followed`),
  },
  {
    name: "503, or a code of the profile's `duplicateOrderCodes`, as the error's code or in a text, under any status",
    says: 'in doubt',
    fits: namesKnownOrder,
    outcome: (it) => doubt(it, 'UNCLEAR_ANSWER', refusalWords(it)),
  },
  {
    name: '401, 403',
    says: 'not processed: the secret is read anew; the order waits and is sent again, at most two POSTs an hour, and after 14 days is `failed` (`WAITED_TOO_LONG`)',
    fits: (it) => it.httpStatus === 401 || it.httpStatus === 403,
    outcome: (it) =>
      notProcessed(
        it,
        'credentials-refused',
        'AUTHENTICATION',
        `the gateway answered ${it.httpStatus}: signature or login refused`,
      ),
  },
  {
    name: '429',
    says: 'not processed: waits, after Retry-After',
    fits: (it) => it.httpStatus === 429,
    outcome: (it) => notProcessed(it, 'rate-limited', 'RATE_LIMITED', 'the gateway answered 429'),
  },
  {
    name: '200 for `transfer` or `pan-eligibility`: at least one field, all of them understood, none of trouble',
    says: 'accepted',
    fits: (it) =>
      it.httpStatus === 200 && it.operation.acceptedWithoutIdentity && whollyUnderstood(it) && !speaksOfTrouble(it),
    outcome: accepted,
  },
  {
    name: 'a refusal with a temporary code, one that says the order exists already or was filtered, or one with a word of acceptance in it',
    says: 'in doubt',
    // The vendor's own name of code 1005 speaks of processing: a code about the account is no sign of acceptance.
    fits: (it) =>
      refuses(it) && (temporary(it) || speaksOfExistingOrder(it) || (speaksOfProgress(it) && !aboutTheAccount(it))),
    outcome: (it) => doubt(it, 'UNCLEAR_ANSWER', refusalWords(it)),
  },
  {
    name: 'any refusal or other 4xx while an earlier attempt of the order may have been processed',
    says: 'in doubt',
    fits: (it) => refuses(it) && it.order.earlierAttemptMayLive === true,
    outcome: (it) => doubt(it, 'UNCLEAR_ANSWER', refusalWords(it)),
  },
  {
    name: "a refusal with a code about the account: set-up (2, 3, 4, 5, 7, 21, 33, 1005), or the profile's `accountCodes`",
    says: 'not processed: waits',
    fits: (it) => refuses(it) && aboutTheAccount(it),
    outcome: (it) => notProcessed(it, 'account', 'ACCOUNT_NOT_READY', refusalWords(it)),
  },
  {
    name: 'a refusal of the order (`type=validation-error` or `error`) under 200 or another 4xx',
    says: 'declined (`GATEWAY_REFUSED`)',
    fits: readableRefusal,
    outcome: (it) => declined(it, 'GATEWAY_REFUSED', refusalWords(it)),
  },
  {
    name: `${statusesAboutTheOrder.join(', ')} without a readable refusal`,
    says: 'declined (`HTTP_4xx`)',
    fits: (it) => statusesAboutTheOrder.includes(it.httpStatus),
    outcome: (it) => declined(it, `HTTP_${it.httpStatus}`, `the gateway answered ${it.httpStatus}`),
  },
  {
    name: `${statusesAboutTheAddress.join(', ')} without a readable refusal: about the address`,
    says: 'not processed: waits (`HTTP_4xx`)',
    fits: (it) => statusesAboutTheAddress.includes(it.httpStatus),
    outcome: (it) => notProcessed(it, 'address', `HTTP_${it.httpStatus}`, `the gateway answered ${it.httpStatus}`),
  },
];

/** A refusal of the order itself. */
function declined(it: AttemptView, code: GatewayFailureCode, message: string): GatewayOutcome {
  return { kind: 'declined', failure: failure(it, code, message) };
}

/** Doubt, with the ids of the answer: by them the gateway can be asked. */
function doubt(it: AttemptView, code: GatewayFailureCode, message: string): GatewayOutcome {
  return { kind: 'in-doubt', failure: failure(it, code, message), ...it.ids };
}

/** Not processed, with the gateway's Retry-After if it gave one. */
function notProcessed(
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
    retryAfterSeconds,
  };
}

function failure(it: AttemptView, code: GatewayFailureCode, text: string): GatewayFailure {
  const its = it.field('error-code');
  const [message = '', gatewayCode = ''] = redacted([text, its ?? '', ...Object.values(it.ids)], it.secrets);
  const httpStatus = it.evidence.kind === 'no-answer' ? it.evidence.httpStatus : it.httpStatus || undefined;
  return {
    code,
    message,
    ...(its !== undefined && { gatewayCode: cutToBytes(gatewayCode, gatewayCodeLimitBytes) }),
    ...(httpStatus !== undefined && { httpStatus }),
  };
}

/** Why there is no answer, as the socket reported it. */
const reasonOf = (it: AttemptView) => (it.evidence.kind === 'answer' ? '' : it.evidence.reason);
