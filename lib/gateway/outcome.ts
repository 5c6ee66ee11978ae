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
  speaksOfAcceptance,
  acceptsOurOrder,
  givesReason,
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
  const view = attemptViewOf(evidence, order, profile);
  const row = outcomeTable.find((candidate) => candidate.fits(view));
  return row ? row.outcome(view) : doubt(view, 'UNCLEAR_ANSWER', unclear(view));
}

interface Row {
  /** The evidence, as infra/docs/gateway.md shows it. */
  readonly name: string;
  /** The outcome, as infra/docs/gateway.md shows it. */
  readonly says: string;
  readonly fits: (view: AttemptView) => boolean;
  readonly outcome: (view: AttemptView) => GatewayOutcome;
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
const accepted = (view: AttemptView): GatewayOutcome => ({ kind: 'accepted', ...view.ids });
const hasRefusingStatus = (view: AttemptView) =>
  refusingStatuses.includes(view.httpStatus) && !view.profile.doubtfulHttpStatuses.includes(view.httpStatus);
const readableRefusal = (view: AttemptView) =>
  refusal(view) && givesReason(view) && (view.httpStatus === 200 || hasRefusingStatus(view));
/** True if the answer refuses: by its status, or readably with a reason. */
const refuses = (view: AttemptView) => readableRefusal(view) || hasRefusingStatus(view);

/** The table. */
export const outcomeTable: readonly Row[] = [
  {
    name: 'nothing was sent: DNS, refused, TLS, connect time-out, no time left',
    says: 'not processed: waits',
    fits: (view) => view.evidence.kind === 'not-sent',
    outcome: (view) => notProcessed(view, 'not-sent', 'NOT_SENT', reasonOf(view)),
  },
  {
    name: 'no whole answer: reset, closed, time-out, cut off, too long, not HTTP',
    says: 'in doubt',
    fits: (view) => view.evidence.kind === 'no-answer',
    outcome: (view) => doubt(view, 'NO_ANSWER', reasonOf(view)),
  },
  {
    name: 'an answer that cannot be read: cut off, broken, an array, two values of one name, a list where one value belongs, an unknown coding or charset',
    says: 'in doubt, whatever the status',
    fits: isUnread,
    outcome: (view) => doubt(view, 'UNCLEAR_ANSWER', unclear(view)),
  },
  {
    name: 'the answer names another order',
    says: 'in doubt',
    fits: namesAnotherOrder,
    // An id in the answer is that other order's.
    outcome: (view) => doubt({ ...view, ids: {} }, 'UNCLEAR_ANSWER', 'the answer names another order'),
  },
  {
    name: '200 with the order identity (`paynet-order-id`, or its alias `payout-id` or `transaction-id`; `0` is none), without any word of trouble, nested ones too',
    says: 'accepted',
    fits: (view) =>
      view.httpStatus === 200 &&
      plainIdentity(view) &&
      !speaksOfTrouble(view) &&
      (!hasNoEnd(view) || acceptsOurOrder(view)),
    outcome: accepted,
  },
  {
    name: 'an order identity, in fields, in their texts or in a page, under any other status or beside any word of trouble; a type or `status` of acceptance under any status but 200',
    says: 'in doubt; an id is kept',
    fits: (view) => carriesIdentity(view) || (view.httpStatus !== 200 && speaksOfAcceptance(view)),
    outcome: (view) => doubt(view, 'UNCLEAR_ANSWER', unclear(view)),
  },
  {
    name: `5xx, and every 4xx but ${refusingStatuses.join(', ')}; of these, those in the profile's \`doubtfulHttpStatuses\``,
    says: 'in doubt',
    fits: (view) => view.httpStatus >= 400 && !hasRefusingStatus(view),
    outcome: (view) => doubt(view, 'UNCLEAR_ANSWER', `the gateway answered ${view.httpStatus}`),
  },
  {
    name: `an answer whose end nothing marks: no length, not chunked, not JSON; pages under ${statusesAboutTheSender.join(', ')} aside`,
    says: 'in doubt',
    fits: (view) => hasNoEnd(view) && !(isPage(view) && statusesAboutTheSender.includes(view.httpStatus)),
    outcome: (view) =>
      doubt(view, 'UNCLEAR_ANSWER', `the gateway answered ${view.httpStatus}, and more may have followed`),
  },
  {
    name: "503, or a code of the profile's `duplicateOrderCodes`, as the error's code or in a text, under any status",
    says: 'in doubt',
    fits: namesKnownOrder,
    outcome: (view) => doubt(view, 'UNCLEAR_ANSWER', refusalWords(view)),
  },
  {
    name: '401, 403',
    says: 'not processed: the secret is read anew; the order waits and is sent again, at most two POSTs an hour, and after 14 days is `failed` (`WAITED_TOO_LONG`)',
    fits: (view) => view.httpStatus === 401 || view.httpStatus === 403,
    outcome: (view) =>
      notProcessed(
        view,
        'credentials-refused',
        'AUTHENTICATION',
        `the gateway answered ${view.httpStatus}: signature or login refused`,
      ),
  },
  {
    name: '429',
    says: 'not processed: waits, after Retry-After',
    fits: (view) => view.httpStatus === 429,
    outcome: (view) => notProcessed(view, 'rate-limited', 'RATE_LIMITED', 'the gateway answered 429'),
  },
  {
    name: '200 for `transfer` or `pan-eligibility`: at least one field, all of them understood, none of trouble',
    says: 'accepted',
    fits: (view) =>
      view.httpStatus === 200 &&
      view.operation.acceptedWithoutIdentity &&
      whollyUnderstood(view) &&
      !speaksOfTrouble(view),
    outcome: accepted,
  },
  {
    name: 'a refusal with a temporary code, one that says the order exists already or was filtered, or one with a word of acceptance in it',
    says: 'in doubt',
    // The vendor's own name of code 1005 speaks of processing: a code about the account is no sign of acceptance.
    fits: (view) =>
      refuses(view) &&
      (temporary(view) || speaksOfExistingOrder(view) || (speaksOfProgress(view) && !aboutTheAccount(view))),
    outcome: (view) => doubt(view, 'UNCLEAR_ANSWER', refusalWords(view)),
  },
  {
    name: 'any refusal or other 4xx while an earlier attempt of the order may have been processed',
    says: 'in doubt',
    fits: (view) => refuses(view) && view.order.earlierAttemptMayLive === true,
    outcome: (view) => doubt(view, 'UNCLEAR_ANSWER', refusalWords(view)),
  },
  {
    name: "a refusal with a code about the account: set-up (2, 3, 4, 5, 7, 21, 33, 1005), or the profile's `accountCodes`",
    says: 'not processed: waits',
    fits: (view) => refuses(view) && aboutTheAccount(view),
    outcome: (view) => notProcessed(view, 'account', 'ACCOUNT_NOT_READY', refusalWords(view)),
  },
  {
    name: 'a refusal of the order (`type=validation-error` or `error`) under 200 or another 4xx',
    says: 'declined (`GATEWAY_REFUSED`)',
    fits: readableRefusal,
    outcome: (view) => declined(view, 'GATEWAY_REFUSED', refusalWords(view)),
  },
  {
    name: `${statusesAboutTheOrder.join(', ')} without a readable refusal`,
    says: 'declined (`HTTP_4xx`)',
    fits: (view) => statusesAboutTheOrder.includes(view.httpStatus),
    outcome: (view) => declined(view, `HTTP_${view.httpStatus}`, `the gateway answered ${view.httpStatus}`),
  },
  {
    name: `${statusesAboutTheAddress.join(', ')} without a readable refusal: about the address`,
    says: 'not processed: waits (`HTTP_4xx`)',
    fits: (view) => statusesAboutTheAddress.includes(view.httpStatus),
    outcome: (view) =>
      notProcessed(view, 'address', `HTTP_${view.httpStatus}`, `the gateway answered ${view.httpStatus}`),
  },
];

/** A refusal of the order itself. */
function declined(view: AttemptView, code: GatewayFailureCode, message: string): GatewayOutcome {
  return { kind: 'declined', failure: failure(view, code, message) };
}

/** Doubt, with the ids of the answer: by them the gateway can be asked. */
function doubt(view: AttemptView, code: GatewayFailureCode, message: string): GatewayOutcome {
  return { kind: 'in-doubt', failure: failure(view, code, message), ...view.ids };
}

function notProcessed(
  view: AttemptView,
  reason: NotProcessedReason,
  code: GatewayFailureCode,
  message: string,
): GatewayOutcome {
  return { kind: 'not-processed', reason, failure: failure(view, code, message) };
}

function failure(view: AttemptView, code: GatewayFailureCode, text: string): GatewayFailure {
  const errorCode = view.field('error-code');
  const [message = '', gatewayCode = ''] = redacted([text, errorCode ?? '', ...Object.values(view.ids)], view.secrets);
  const httpStatus = view.evidence.kind === 'no-answer' ? view.evidence.httpStatus : view.httpStatus || undefined;
  return {
    code,
    message,
    ...(errorCode !== undefined && { gatewayCode: cutToBytes(gatewayCode, gatewayCodeLimitBytes) }),
    ...(httpStatus !== undefined && { httpStatus }),
  };
}

/** Why there is no answer, as the socket reported it. */
const reasonOf = (view: AttemptView) => (view.evidence.kind === 'answer' ? '' : view.evidence.reason);
