// The published failure codes, the gateway's and the kernel's own, and what each means for the money: for people, the tables of
// infra/docs and the contracts. The type is closed, so that a misspelt code does not compile.
import type { FailureOf, GatewayFailureCode, gatewayFailureCodes } from '../../gateway/gateway-outcome.ts';

/**
 * Every `failure.code` that a result may have, in the order in which the journey can meet them; `HTTP_4xx` means `HTTP_400` to `HTTP_499`.
 */
export const failureCodes = {
  INVALID_MESSAGE: 'The message could not be taken; nothing was sent. The dead-letter queue has it, with the reason.',
  PLAIN_CARD_DATA:
    'The message had card data in the clear; nothing was sent. Seal the fields that `message` names, or send references.',
  SEALED_PARAMS_INVALID:
    'The sealed card data could not be used: made for another order, changed, or under an unknown key; nothing was sent.',
  ORDER_ID_REUSED:
    'The order id was used before for other content; this message was not sent, and the first order is left as it is.',
  NOT_APPROVED:
    "Two persons release this merchant's payments, and the message has no valid approval; nothing was sent.",
  EXPIRED: 'The job was past its expiresAt before it was sent; no money moved.',
  WAITED_TOO_LONG:
    'The job waited for 14 days (for the end of a pause, for a secret) and was never processed; no money moved.',
  MERCHANT_UNKNOWN: 'There was no secret for this merchant for a day; nothing was sent.',
  SECRET_INVALID: "The merchant's secret lacks what the job needs or is malformed; nothing was sent.",
  CREDENTIALS_UNAVAILABLE:
    "Secrets Manager did not answer, or the merchant's safeguards could not be read; nothing was sent.",
  ACCOUNT_UNKNOWN: "No approver has registered the merchant's account at its gateway for a day; nothing was sent.",
  SIGNER_UNAVAILABLE: 'The key service (AWS KMS) did not sign; nothing was sent.',
  FIELD_NOT_IN_CONTRACT:
    "The merchant's profile does not name a contract-dependent field or operation of the job; nothing was sent.",
  END_UNKNOWN:
    'The `resends` of the job names an end that the order does not have, or not any more: nothing was sent. If the last result of the order has an `endId`, only that one counts.',
  CALLED_OFF: 'The batch was called off before this job was sent; this job moved no money.',
  HELD_CARD_DATA:
    'The order was never processed, and its CVV, which serves one attempt alone, is gone: seal the card data anew. No money moved.',
  NOT_SENT: 'No connection to the gateway was made, so nothing was sent; no money moved.',
  RATE_LIMITED: 'The gateway answered 429: not processed; no money moved.',
  AUTHENTICATION: 'The gateway refused the newest credentials until the order was given up; no money moved.',
  ACCOUNT_NOT_READY:
    "The gateway refused for the account's sake (set-up, contract, funds), not the order's: not processed, no money moved.",
  GATEWAY_REFUSED: 'The gateway refused the order and said why; no money moved.',
  HTTP_4xx: 'The gateway answered this 4xx status without a readable refusal; nothing was created, no money moved.',
  NO_ANSWER: 'The request may have arrived and no whole answer came back: money may have moved.',
  UNCLEAR_ANSWER: 'An answer came back that does not say whether the order was taken: money may have moved.',
  FILTERED: "The gateway's fraud control stopped the order; no money moved.",
  STATUS_UNPROVEN:
    'Asked about the order, the gateway reports a status that proves nothing (`error`, `unknown`, or `filtered` after an earlier attempt): money may have moved.',
  GATEWAY_DECLINED: 'Asked about the order, the gateway reports that it ended unpaid: no money moved.',
  HELD_AMOUNT_DIFFERS:
    'The gateway has the order with another amount or currency and said so until the horizon: money may have moved.',
  HELD_INCONCLUSIVE: 'The gateway has the order under a status that proves nothing: money may have moved.',
  HELD_UNPROVEN:
    'It is unknown whether the gateway took the order, and the time to find out is over: money may have moved.',
  HELD_NO_END: 'The gateway took the order, and reported no end until the horizon: money may have moved.',
  HELD_NOT_AT_GATEWAY:
    'The gateway was asked over the whole quiet period and knows no such order. A person must confirm that no money moved.',
  HELD_UNKNOWN_TRANSACTION:
    'The gateway has a transaction of this order id that was not sent from here: money may have moved.',
  HELD_UNCLEAR_DECLINE:
    'The gateway declined a transaction of this order id and named no attempt: money may have moved.',
  NOT_AT_GATEWAY: 'The gateway was asked over the whole quiet period and knows no such order: no money moved.',
  HELD_SEVERAL:
    'The gateway has several transactions of this order: money may have moved twice. A person must check them; the message names their ids.',
  HELD_TOO_MANY:
    'The order has as many attempts as one order may have; no money moved. Cancel it and give it a new order id.',
  LEDGER_RESTORED:
    'The ledger was restored from a backup and may have lost that the order was sent: money may have moved.',
  DISCARDED:
    'A person discarded the dead letter before the order was sent; no money moved. The message says who and why.',
  RELEASED_NOT_PAID: 'A person decided that no money moved; the message says who and why.',
  WORKER_LOST: 'The worker that held the claim never reported: money may have moved.',
} as const satisfies Readonly<Record<string, string>> & Readonly<Record<(typeof gatewayFailureCodes)[number], string>>;

type PublishedFailureCode = keyof typeof failureCodes;

/** Codes of log lines, dead letters and redrive plans. No result has them, because nothing is known of the order. */
const unpublishedCodes = ['LEDGER_ENTRY_UNREADABLE', 'WORKER_CRASHED', 'TOO_MANY_WAITING'] as const;

/** A failure code. */
export type FailureCode =
  | Exclude<PublishedFailureCode, 'HTTP_4xx'>
  | GatewayFailureCode
  | (typeof unpublishedCodes)[number];

/** Why an order did not go through. */
export type Failure = FailureOf<FailureCode>;

/** The codes with a name of their own. */
export const failureCodeNames = [
  ...(Object.keys(failureCodes) as PublishedFailureCode[]).filter((code) => code !== 'HTTP_4xx'),
  ...unpublishedCodes,
];

/** True for a code of the list: a stored code is read as one of ours, or not at all. */
export function isFailureCode(text: string): text is FailureCode {
  return /^HTTP_4\d\d$/.test(text) || failureCodeNames.some((code) => code === text);
}

/** The meaning of a code. The log has no more, because a message may hold data. */
export function meaningOfCode(code: string): string {
  const known = Object.entries(failureCodes).find(([name]) => name === code);
  return known?.[1] ?? 'the log has the rest';
}

/** Failures that no redrive can correct: a late copy of the message is not kept. */
export const endsForGood: ReadonlySet<string> = new Set(['EXPIRED', 'CALLED_OFF', 'DISCARDED']);
