// The gateway's own ids of an order. `paynet-order-id` is the identity, by which an order is asked about and named in
// callbacks; `payout-id` and `transaction-id` of interface.md are aliases of it, which may differ, and are kept beside it.
import type { Leaf } from './json-leaves.ts';
import { type OperationName, operations } from './operations.ts';

/** The ids that an answer gave. */
export interface GatewayIds {
  /** `paynet-order-id`; the alias where the answer bore nothing else. */
  readonly gatewayOrderId?: string;
  /** `payout-id` or `transaction-id`, where it is not the identity said again; the same as above where it stands alone. */
  readonly gatewayAlias?: string;
}

/** The `paynet-order-id`, where it is known: what stands there may be an alias alone. */
export function identityOf({ gatewayOrderId, gatewayAlias }: GatewayIds): string | undefined {
  return gatewayOrderId === gatewayAlias ? undefined : gatewayOrderId;
}

/** Every field that bears an id. */
export const idFields = ['paynet-order-id', 'payout-id', 'transaction-id'] as const;

const shape = /^[A-Za-z0-9_-]{1,40}$/;

/** True for what can be an id: it goes into results and the ledger's item, so what is too long or odd is none. */
export const isGatewayId = (text: string) => shape.test(text);

/**
 * The ids among the fields of an answer, the outermost first. An echoed card or account number is none.
 * `secrets`: what the request held of them.
 */
export function idsOf(leaves: readonly Leaf[], operation: OperationName, secrets: readonly string[]): GatewayIds {
  const outermostFirst = leaves.toSorted((a, b) => a.path.length - b.path.length);
  const echoes = (id: string) => secrets.some((it) => (it.length < 12 ? id === it : id.includes(it)));
  const idOf = (names: readonly string[]) =>
    names
      .flatMap((name) => outermostFirst.filter(({ path }) => path.at(-1)?.toLowerCase() === name))
      .map(({ value }) => value)
      .find((id) => id !== 'null' && isGatewayId(id) && !echoes(id));
  const identity = idOf(['paynet-order-id']);
  // The operation's own alias first; another one is better than none.
  const gatewayAlias = idOf([operations[operation].aliasField, 'payout-id', 'transaction-id']);
  const gatewayOrderId = identity ?? gatewayAlias;
  return {
    ...(gatewayOrderId !== undefined && { gatewayOrderId }),
    ...(gatewayAlias !== undefined && gatewayAlias !== identity && { gatewayAlias }),
  };
}
