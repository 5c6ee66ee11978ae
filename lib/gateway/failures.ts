// What can go wrong between this worker and the gateway, as codes. The kernel's published list holds these and its own, and says
// of each what it means for the money.

/** Every code that this room says itself; `HTTP_4xx` stands for `HTTP_400` to `HTTP_499`. */
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

/** A code that this room says. */
export type GatewayFailureCode = Exclude<(typeof gatewayFailureCodes)[number], 'HTTP_4xx'> | `HTTP_${number}`;

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
