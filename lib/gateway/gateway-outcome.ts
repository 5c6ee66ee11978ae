// The outcomes of one attempt at the gateway, with the gateway's ids and the failures. A dialect gives them; the kernel decides by
// them.

/**
 * Why an attempt was not processed: what must change before the same order can be sent again.
 *
 * - `not-sent`: nothing was sent; there was no connection, or no time left.
 * - `credentials-refused`: the signature or the login.
 * - `rate-limited`: too many requests.
 * - `account`: the account at the gateway: its set-up, contract or funds.
 * - `address`: the gateway has no such address.
 */
export type NotProcessedReason = 'not-sent' | 'credentials-refused' | 'rate-limited' | 'account' | 'address';

/** The outcome of one attempt, by its evidence alone, with the ids that the answer gave. */
export type GatewayOutcome =
  /** The gateway took the order. */
  | ({ readonly kind: 'accepted' } & GatewayIds)
  /** The gateway refused this order; no money moved and none will. */
  | { readonly kind: 'declined'; readonly failure: GatewayFailure }
  /** Proven not processed, for a reason that is not about the order: the same order waits and may be sent again. */
  | { readonly kind: 'not-processed'; readonly reason: NotProcessedReason; readonly failure: GatewayFailure }
  /** Money may have moved. */
  | ({ readonly kind: 'in-doubt'; readonly failure: GatewayFailure } & GatewayIds);

/**
 * The gateway's own ids of an order, as an answer gave them: the identity, by which an order is asked about and named in
 * callbacks, and an alias, which may differ and is kept beside it.
 */
export interface GatewayIds {
  /** The identity; the alias if the answer bore nothing else. */
  readonly gatewayOrderId?: string;
  /** The alias, if it differs from the identity; the same as above if it is alone. */
  readonly gatewayAlias?: string;
}

/** The identity, if it is known: the field may hold an alias alone. */
export function gatewayIdentityOf({ gatewayOrderId, gatewayAlias }: GatewayIds): string | undefined {
  return gatewayOrderId === gatewayAlias ? undefined : gatewayOrderId;
}

// The first character is a letter or digit: facts are stored under the id, and `__proto__` must not be a key.
const shape = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;

/** True for a text that means "no id": empty, `null` or `0`. */
export const isNoId = (text: string) => /^(?:0*|null)$/.test(text);

/** True for a text that can be an id. Ids go into results and the ledger, so a text that is too long or odd is none. */
export const isGatewayId = (text: string) => shape.test(text) && !isNoId(text);

/**
 * The failures between this worker and the gateway, as codes. The kernel's published list holds these and its own, and gives the
 * meaning of each for the money. `HTTP_4xx` is `HTTP_400` to `HTTP_499`.
 */
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
  'UNCLEAR_ANSWER',
  'FILTERED',
  'STATUS_UNPROVEN',
  'GATEWAY_DECLINED',
] as const;

/** A code that this folder gives. */
export type GatewayFailureCode = Exclude<(typeof gatewayFailureCodes)[number], 'HTTP_4xx'> | `HTTP_${number}`;

/** The reason why a request did not go through: a stable code of ours, and the gateway's text if it gave one. */
export interface FailureOf<Code extends string> {
  readonly code: Code;
  /** One sentence for a person; never contains card data or secrets. */
  readonly message: string;
  readonly gatewayCode?: string;
  readonly httpStatus?: number;
}

/** A failure that this folder gives. */
export type GatewayFailure = FailureOf<GatewayFailureCode>;
