// The callbacks of the Payneteasy family: read, their `control` checked, and what they prove of their order. A right control proves
// the sender of a callback, not that its status is the last: a callback is a reason to ask now, and the outcome only if
// the gateway cannot be asked. Apart from the dialect's other parts, as the function that takes callbacks signs nothing
// and knows no operation's form.
import { createHash, timingSafeEqual } from 'node:crypto';
import { kindOfTransaction } from './finding.ts';
import { type OperationName, operationNames, operations } from './operations.ts';
import type { Callback, CallbackDialect, ControlKey, MerchantCredentials } from './ports.ts';
import { cardDataInName, holdsCardData } from './redact.ts';

/**
 * Reads the callback's parameters. Undefined if a part that `control` covers is missing or too long, if our order id is empty, or if status,
 * type or order id hold card data.
 */
function readCallback(parameters: ReadonlyMap<string, string>): Callback | undefined {
  const status = parameters.get('status');
  const gatewayOrderId = parameters.get('orderid');
  const orderId = parameters.get('client_orderid') ?? parameters.get('merchant_order');
  const proof = parameters.get('control');
  if (status === undefined || gatewayOrderId === undefined || orderId === undefined || proof === undefined)
    return undefined;
  if (orderId === '' || [status, gatewayOrderId, orderId, proof].some((it) => it.length > 128)) return undefined;
  const type = parameters.get('type');
  // Status and type may be stored. No order id of ours holds card data: jobs with one are refused.
  if ([status, type ?? ''].some((it) => holdsCardData(it)) || cardDataInName(orderId)) return undefined;
  // `control` covers neither: the holder of a genuine callback can change them. A callback without them ends nothing.
  const [amount, currency] = [parameters.get('amount'), parameters.get('currency')].map((it) =>
    it !== undefined && holdsCardData(it) ? undefined : it,
  );
  return { status, gatewayOrderId, orderId, proof, type, amount, currency };
}

/** True when `control` is SHA-1(status + orderid + client order id + control key) in hexadecimal; in constant time. */
function isAuthentic({ status, gatewayOrderId, orderId, proof }: Callback, controlKey: ControlKey): boolean {
  const expected = createHash('sha1')
    .update(status + gatewayOrderId + orderId)
    .update(controlKey.export())
    .digest();
  const given = Buffer.from(/^[0-9a-f]{40}$/i.test(proof) ? proof : '', 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The accounts of a secret, present and earlier, whose key made this `control`; none if it is forged. */
function signersOf(callback: Callback, credentials: MerchantCredentials): readonly MerchantCredentials[] {
  const accounts = [credentials, ...(credentials.earlierAccounts ?? [])];
  return accounts.filter(({ controlKey }) => controlKey && isAuthentic(callback, controlKey));
}

/**
 * `control` joins the status, the gateway's id and ours without a separator: the same proof may fit another split, and so another
 * order. Only one split fits if the gateway's id is a number and no digit is next to it.
 */
const isUnambiguous = ({ status, gatewayOrderId, orderId }: Callback): boolean =>
  /\D$/.test(status) && /^\d+$/.test(gatewayOrderId) && /^\D/.test(orderId);

/** The meaning of a status; duplicate filters answer `filtered` too. */
function saysOf(status: string): ReturnType<CallbackDialect['saysOf']> {
  const lower = status.toLowerCase();
  return lower === 'approved' || lower === 'declined' || lower === 'filtered' ? lower : 'seen';
}

/** A callback without a type, or of an unknown type, is taken for the order's own. A check's type never counts for a payment. */
const kindOf: CallbackDialect['kindOf'] = (type, operation, profile) => {
  if (type === undefined || type === '') return 'own';
  const kind = kindOfTransaction(type, { operation }, profile);
  if (kind !== 'another') return kind;
  const isNamed = (profile.transactionTypes[operation] ?? []).length > 0;
  return isNamed || type.toLowerCase() === 'capture' || isOfOther(type, operation) ? 'another' : 'own';
};

/** True if the operation moves money and only checks have this type, or the other way round. */
function isOfOther(type: string, operation: OperationName): boolean {
  const named = operationNames.filter(
    (it) => kindOfTransaction(type, { operation: it }, { transactionTypes: {} }) === 'own',
  );
  return named.length > 0 && named.every((it) => operations[it].movesMoney !== operations[operation].movesMoney);
}

/** Callbacks as the Payneteasy family makes them. */
export const payneteasyCallbacks: CallbackDialect = {
  read: readCallback,
  isAuthentic,
  signersOf: (callback, access) => signersOf(callback, access as MerchantCredentials),
  isUnambiguous,
  saysOf,
  kindOf,
};
