// What can go wrong between this worker and the gateway, as codes with what each says about the money. The kernel's
// published list (lib/payout/failures.ts) holds these and its own.

/** Every code that this room says itself; `HTTP_4xx` stands for `HTTP_400` to `HTTP_499`. */
export const gatewayFailureCodes = {
  SECRET_INVALID: "The merchant's secret lacks what the job needs or is malformed; nothing was sent.",
  SIGNER_UNAVAILABLE: 'The key service (AWS KMS) did not sign; nothing was sent.',
  NOT_SENT: 'No connection to the gateway was made, so nothing was sent; no money moved.',
  RATE_LIMITED: 'The gateway answered 429: not processed; no money moved.',
  AUTHENTICATION:
    'The gateway refused the signature or login of the newest credentials until it was given up; no money moved.',
  ACCOUNT_NOT_READY:
    "The gateway refused for the account's sake (set-up, contract, funds), not the order's: not processed, no money moved.",
  GATEWAY_REFUSED: 'The gateway refused the order and said why; no money moved.',
  HTTP_4xx: 'The gateway answered this 4xx status without a readable refusal; nothing was created, no money moved.',
  NO_ANSWER: 'The request may have arrived and no whole answer came back: money may have moved.',
  CHECK_UNANSWERED: 'An eligibility check got no clear answer, several times; a check moves no money.',
  UNCLEAR_ANSWER: 'An answer came back that does not say whether the order was taken: money may have moved.',
  FILTERED: "The gateway's fraud control stopped it; no money moved.",
  STATUS_UNPROVEN:
    'Asked how the order stands, the gateway says a word that proves nothing (`error`, `unknown`, or `filtered` after an earlier attempt): money may have moved.',
  GATEWAY_DECLINED: 'Asked how the order stands, the gateway says that it ended unpaid.',
} as const;

/** A code that this room says. */
export type GatewayFailureCode = Exclude<keyof typeof gatewayFailureCodes, 'HTTP_4xx'> | `HTTP_${number}`;

/** Why something did not go through: a stable code of ours, and what the gateway said where it said anything. */
export interface FailureOf<Code extends string> {
  readonly code: Code;
  /** One sentence for a person; never contains card data or secrets. */
  readonly message: string;
  readonly gatewayCode?: string;
  readonly httpStatus?: number;
}

/** A failure that this room says. */
export type GatewayFailure = FailureOf<GatewayFailureCode>;
