// The gateway's callback (gateway-facts.md section 4): read, and its `control` checked. A right control proves who sent
// it, not that its news is the last: it is a hint to ask now, and the outcome only where nobody can be asked.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Finding } from './finding.ts';
import type { GatewayFailure } from './failures.ts';
import type { ControlKey, MerchantCredentials } from './ports.ts';
import { holdsCardData } from './redact.ts';
import { isGatewayId } from './reply-words.ts';

/** The fields of a callback that are looked at. */
export interface Callback {
  readonly status: string;
  /** The gateway's own order id. */
  readonly gatewayOrderId: string;
  readonly orderId: string;
  readonly control: string;
  /** Of the transaction: the payment itself, or one that undoes it. `control` does not cover it. */
  readonly type?: string;
  readonly amount?: string;
  readonly currency?: string;
}

/** Reads the callback's parameters; undefined where one that `control` covers is missing, absurdly long or card data. */
export function readCallback(parameters: ReadonlyMap<string, string>): Callback | undefined {
  const status = parameters.get('status');
  const gatewayOrderId = parameters.get('orderid');
  const orderId = parameters.get('client_orderid') ?? parameters.get('merchant_order');
  const control = parameters.get('control');
  if (status === undefined || gatewayOrderId === undefined || orderId === undefined || control === undefined)
    return undefined;
  if ([status, gatewayOrderId, orderId, control].some((it) => it.length > 128)) return undefined;
  const type = parameters.get('type');
  // A word goes on a queue and may be kept with its order.
  if ([status, type ?? ''].some((it) => holdsCardData(it))) return undefined;
  const amount = parameters.get('amount');
  const currency = parameters.get('currency');
  return {
    status,
    gatewayOrderId,
    orderId,
    control,
    ...(type !== undefined && { type }),
    ...(amount !== undefined && { amount }),
    ...(currency !== undefined && { currency }),
  };
}

/** True when `control` is SHA-1(status + orderid + client order id + control key) in hexadecimal; in constant time. */
export function isAuthentic({ status, gatewayOrderId, orderId, control }: Callback, controlKey: ControlKey): boolean {
  const expected = createHash('sha1')
    .update(status + gatewayOrderId + orderId)
    .update(controlKey.export())
    .digest();
  const given = Buffer.from(/^[0-9a-f]{40}$/i.test(control) ? control : '', 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The accounts of a secret under whose key its `control` is right: the present one, and those before; none if it is forged. */
export function signersOf(callback: Callback, credentials: MerchantCredentials): readonly MerchantCredentials[] {
  const accounts = [credentials, ...(credentials.earlierAccounts ?? [])];
  return accounts.filter(({ controlKey }) => controlKey && isAuthentic(callback, controlKey));
}

/** The end that a word means by itself, as a callback says it; undefined for whatever proves none. */
export function endOfCallback(
  status: string,
  gatewayOrderId: string | undefined,
  failureFor: (code: 'FILTERED' | 'GATEWAY_DECLINED') => GatewayFailure,
): Extract<Finding, { kind: 'approved' | 'declined' }> | undefined {
  const identity = gatewayOrderId !== undefined && isGatewayId(gatewayOrderId) ? { gatewayOrderId } : {};
  switch (status.toLowerCase()) {
    case 'approved':
      return { kind: 'approved', ...identity };
    case 'declined':
      return { kind: 'declined', ...identity, failure: failureFor('GATEWAY_DECLINED') };
    case 'filtered':
      return { kind: 'declined', ...identity, failure: failureFor('FILTERED') };
    default:
      return undefined;
  }
}
