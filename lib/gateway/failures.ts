// The failures between this worker and the gateway, as codes. The kernel's published list holds these and its own, and gives
// the meaning of each for the money.

/** The codes that this room makes; `HTTP_4xx` is `HTTP_400` to `HTTP_499`. */
export const gatewayFailureCodes = [
  'SECRET_INVALID',
  'SIGNER_UNAVAILABLE',
  'NOT_SENT',
  'RATE_LIMITED',
  'AUTHENTICATION',
  'ACCOUNT_NOT_READY',
  'GATEWAY_REFUSED',
  'HTTP_4xx',
  'NO_ANSWER',
  'CHECK_UNANSWERED',
  'UNCLEAR_ANSWER',
  'FILTERED',
  'STATUS_UNPROVEN',
  'GATEWAY_DECLINED',
] as const;

/** A code that this room makes. */
export type GatewayFailureCode = Exclude<(typeof gatewayFailureCodes)[number], 'HTTP_4xx'> | `HTTP_${number}`;

/** The reason why a request did not go through: a stable code of ours, and the gateway's text where it gave one. */
export interface FailureOf<Code extends string> {
  readonly code: Code;
  /** One sentence for a person; never contains card data or secrets. */
  readonly message: string;
  readonly gatewayCode?: string;
  readonly httpStatus?: number;
}

/** A failure that this room makes. */
export type GatewayFailure = FailureOf<GatewayFailureCode>;
