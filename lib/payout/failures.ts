// The published failure codes, each with what it says about the money: the gateway's and the kernel's own. The table of
// infra/docs/jobs-and-results.md is made from this. The type is closed, so that a misspelt code does not compile.
import { type FailureOf, type GatewayFailureCode, gatewayFailureCodes } from '../gateway/failures.ts';

const { SECRET_INVALID, SIGNER_UNAVAILABLE, ...answers } = gatewayFailureCodes;

/** Every `failure.code` that a result may bear, in the order in which the journey can meet them. */
export const failureCodes = {
  INVALID_MESSAGE:
    'The message could not be taken; nothing was sent. It lies in the dead-letter queue with the reason.',
  PLAIN_CARD_DATA:
    'The message bore a card number or CVV in the clear; nothing was sent. Send the order again, sealed or by reference.',
  SEALED_PARAMS_INVALID:
    'The sealed card data could not be used: sealed for another order, changed, or under an unknown key; nothing was sent.',
  ORDER_ID_REUSED: 'The order id was used before for other content; this message was not sent, the first order stands.',
  NOT_APPROVED:
    "Two persons release this merchant's payments, and the message bears no approval that holds; nothing was sent.",
  EXPIRED: 'The job was past its expiresAt before it was sent; no money moved.',
  WAITED_TOO_LONG:
    'The job was kept waiting for 14 days (a pause, a stop, something to be mended) and was never processed; no money moved.',
  MERCHANT_UNKNOWN: 'There was no secret for this merchant for a day; nothing was sent.',
  SECRET_INVALID,
  CREDENTIALS_UNAVAILABLE: 'Secrets Manager did not answer; nothing was sent.',
  SIGNER_UNAVAILABLE,
  FIELD_NOT_IN_CONTRACT:
    "The merchant's profile does not name a contract-dependent field or operation of the job; nothing was sent.",
  NOT_CHECKED: 'It is to be paid by `payout-pay`, and the ledger has no check of it; nothing was sent.',
  CHECK_VALIDATED:
    'No failure: the gateway has checked the payout and would pay it. It rests until `payout-pay`; no money moved.',
  CAP_EXCEEDED: "Above the merchant's cap, so it was held before it was sent; no money moved.",
  NEW_CARD_DATA_NEEDED:
    'Never sent, and its CVV, which serves one attempt alone, is gone: seal the card data anew. No money moved.',
  ...answers,
  AMOUNT_DIFFERS:
    'The gateway has the order with another amount or currency and said so until the horizon: money may have moved.',
  NOT_AT_GATEWAY: 'Asked over the whole quiet period, the gateway knows no such order: no money moved.',
  LEDGER_RESTORED:
    'The ledger was restored from a backup and may have forgotten that the order was sent: money may have moved.',
  DISCARDED: 'A person threw its dead letter away before it was sent; no money moved. The message says who and why.',
  RELEASED_NOT_PAID: 'A person found out that no money moved; the message says who and why.',
  WORKER_LOST: 'The worker that held the claim never reported: money may have moved.',
} as const;

/** Codes of log lines, dead letters and redrive plans that no result bears, as nothing is known of the order. */
const unpublishedCodes = ['LEDGER_ENTRY_UNREADABLE', 'WORKER_CRASHED'] as const;

/** A failure code; `HTTP_4xx` of the list stands for `HTTP_400` to `HTTP_499`. */
export type FailureCode =
  | Exclude<keyof typeof failureCodes, 'HTTP_4xx'>
  | GatewayFailureCode
  | (typeof unpublishedCodes)[number];

/** Why an order did not go through. */
export type Failure = FailureOf<FailureCode>;

/** The codes that stand for themselves. */
export const failureCodeNames = [
  ...(Object.keys(failureCodes) as (keyof typeof failureCodes)[]).filter((code) => code !== 'HTTP_4xx'),
  ...unpublishedCodes,
] as const;

/** True for a code of the list: what was written down comes back as a word of ours, or not at all. */
export function isFailureCode(text: string): text is FailureCode {
  return /^HTTP_4\d\d$/.test(text) || failureCodeNames.some((code) => code === text);
}

/** No redrive makes these orders good: a copy of the message that comes late is not kept. */
export const endsForGood: ReadonlySet<string> = new Set(['EXPIRED', 'DISCARDED']);
