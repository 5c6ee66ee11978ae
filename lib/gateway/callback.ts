// The gateway's callback: read, and its `control` checked. A right control proves the sender of the callback,
// not that its status is the last: a callback is a reason to ask now, and the outcome only where nobody can be asked.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Callback, ControlKey, MerchantCredentials } from './ports.ts';
import { cardDataInName, holdsCardData } from './redact.ts';

/** Reads the callback's parameters; undefined where one under `control` is missing, absurdly long or card data, or names no order. */
export function readCallback(parameters: ReadonlyMap<string, string>): Callback | undefined {
  const status = parameters.get('status');
  const gatewayOrderId = parameters.get('orderid');
  const orderId = parameters.get('client_orderid') ?? parameters.get('merchant_order');
  const proof = parameters.get('control');
  if (status === undefined || gatewayOrderId === undefined || orderId === undefined || proof === undefined)
    return undefined;
  if (orderId === '' || [status, gatewayOrderId, orderId, proof].some((it) => it.length > 128)) return undefined;
  const type = parameters.get('type');
  // Status and type go on a queue and may be kept with their order. An id with card data can be no order of ours: no job bears one.
  if ([status, type ?? ''].some((it) => holdsCardData(it)) || cardDataInName(orderId)) return undefined;
  // `control` covers neither, so that whoever has a genuine callback may write here what they like; without them it ends nothing.
  const [amount, currency] = [parameters.get('amount'), parameters.get('currency')].map((it) =>
    it !== undefined && holdsCardData(it) ? undefined : it,
  );
  return {
    status,
    gatewayOrderId,
    orderId,
    proof,
    ...(type !== undefined && { type }),
    ...(amount !== undefined && { amount }),
    ...(currency !== undefined && { currency }),
  };
}

/** True when `control` is SHA-1(status + orderid + client order id + control key) in hexadecimal; in constant time. */
export function isAuthentic({ status, gatewayOrderId, orderId, proof }: Callback, controlKey: ControlKey): boolean {
  const expected = createHash('sha1')
    .update(status + gatewayOrderId + orderId)
    .update(controlKey.export())
    .digest();
  const given = Buffer.from(/^[0-9a-f]{40}$/i.test(proof) ? proof : '', 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The accounts of a secret under whose key its `control` is right: the present one and earlier ones; none if it is forged. */
export function signersOf(callback: Callback, credentials: MerchantCredentials): readonly MerchantCredentials[] {
  const accounts = [credentials, ...(credentials.earlierAccounts ?? [])];
  return accounts.filter(({ controlKey }) => controlKey && isAuthentic(callback, controlKey));
}
