// The published failure codes, the gateway's and the kernel's own; failure-meanings.ts says what each means for the money. The
// type is closed, so that a misspelt code does not compile.
import { type FailureOf, type GatewayFailureCode, gatewayFailureCodes } from '../../gateway/gateway-outcome.ts';

/** Every code that a result may bear, but for those of the gateway's room. */
const ownCodes = [
  'INVALID_MESSAGE',
  'PLAIN_CARD_DATA',
  'SEALED_PARAMS_INVALID',
  'ORDER_ID_REUSED',
  'NOT_APPROVED',
  'EXPIRED',
  'WAITED_TOO_LONG',
  'MERCHANT_UNKNOWN',
  'CREDENTIALS_UNAVAILABLE',
  'SAFEGUARDS_MISSING',
  'FIELD_NOT_IN_CONTRACT',
  'NOT_CHECKED',
  'END_UNKNOWN',
  'CALLED_OFF',
  'CHECK_VALIDATED',
  'CAP_EXCEEDED',
  'NEW_CARD_DATA_NEEDED',
  'AMOUNT_DIFFERS',
  'NOT_AT_GATEWAY',
  'SEVERAL_ATTEMPTS',
  'TOO_MANY_ATTEMPTS',
  'LEDGER_RESTORED',
  'DISCARDED',
  'RELEASED_NOT_PAID',
  'WORKER_LOST',
] as const;

/** The published codes; `HTTP_4xx` of the list means `HTTP_400` to `HTTP_499`. */
export type PublishedFailureCode = (typeof ownCodes)[number] | (typeof gatewayFailureCodes)[number];

/** Codes of log lines, dead letters and redrive plans that no result bears, as nothing is known of the order. */
const unpublishedCodes = ['LEDGER_ENTRY_UNREADABLE', 'WORKER_CRASHED'] as const;

/** A failure code; `HTTP_4xx` of the list means `HTTP_400` to `HTTP_499`. */
export type FailureCode =
  | Exclude<PublishedFailureCode, 'HTTP_4xx'>
  | GatewayFailureCode
  | (typeof unpublishedCodes)[number];

/** Why an order did not go through. */
export type Failure = FailureOf<FailureCode>;

/** The codes with a name of their own. */
export const failureCodeNames = [
  ...ownCodes,
  ...gatewayFailureCodes.filter((code) => code !== 'HTTP_4xx'),
  ...unpublishedCodes,
] as const;

/** True for a code of the list: a stored code is read as one of ours, or not at all. */
export function isFailureCode(text: string): text is FailureCode {
  return /^HTTP_4\d\d$/.test(text) || failureCodeNames.some((code) => code === text);
}

/** No redrive makes these orders good: a copy of the message that comes late is not kept. */
export const endsForGood: ReadonlySet<string> = new Set(['EXPIRED', 'DISCARDED']);
