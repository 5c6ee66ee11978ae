// The gateway's own ids of an order: the identity, by which an order is asked about and named in callbacks, and an alias,
// which may differ and is kept beside it.

/** The ids that an answer gave. */
export interface GatewayIds {
  /** The identity; the alias where the answer bore nothing else. */
  readonly gatewayOrderId?: string;
  /** The alias, where it differs from the identity; the same as above where it is alone. */
  readonly gatewayAlias?: string;
}

/** The identity, where it is known: the field may hold an alias alone. */
export function gatewayIdentityOf({ gatewayOrderId, gatewayAlias }: GatewayIds): string | undefined {
  return gatewayOrderId === gatewayAlias ? undefined : gatewayOrderId;
}

const shape = /^[A-Za-z0-9_-]{1,40}$/;

/** True for a text that can be an id: it goes into results and the ledger's item, so a text that is too long or odd is none. */
export const isGatewayId = (text: string) => shape.test(text);
