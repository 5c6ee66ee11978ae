// The callbacks of the Payneteasy family: what a callback proves of its order. Apart from the dialect's other parts, as the function that
// takes callbacks signs nothing and knows no operation's form.
import { isAuthentic, readCallback, signersOf } from './callback.ts';
import { kindOfTransaction } from './finding.ts';
import { type OperationName, operationNames, operations } from './operations.ts';
import type { Callback, CallbackDialect, MerchantCredentials } from './ports.ts';

/**
 * `control` is made of the gateway's id and ours with nothing between them, so that a genuine one could be cut elsewhere and be
 * about another order; not where the gateway's id is a number, and ours does not go on with a digit.
 */
const isUnambiguous = ({ gatewayOrderId, orderId }: Callback): boolean =>
  /^\d+$/.test(gatewayOrderId) && /^\D/.test(orderId);

/** The meaning of a status by itself; `filtered` is what duplicate filters answer too. */
function saysOf(status: string): ReturnType<CallbackDialect['saysOf']> {
  const lower = status.toLowerCase();
  return lower === 'approved' || lower === 'declined' || lower === 'filtered' ? lower : 'seen';
}

/** A callback without a type, or of a type that no profile names, is taken for the payment's own; never that of a check. */
const kindOf: CallbackDialect['kindOf'] = (type, operation, profile) => {
  if (type === undefined || type === '') return 'own';
  const kind = kindOfTransaction(type, { operation }, profile);
  if (kind !== 'another') return kind;
  const isNamed = (profile.transactionTypes[operation] ?? []).length > 0;
  const isOther = type.toLowerCase() === 'capture' || isCheckAlone(type);
  return isNamed || isOther ? 'another' : 'own';
};

/** True for the type of a check that no operation which moves money shares. */
const isCheckAlone = (type: string): boolean => areAll(type, (it) => operations[it].step === 'check');

/** True where operations have this type, and all of them are such. */
function areAll(type: string, isSuch: (operation: OperationName) => boolean): boolean {
  const named = operationNames.filter(
    (it) => kindOfTransaction(type, { operation: it }, { transactionTypes: {} }) === 'own',
  );
  return named.length > 0 && named.every(isSuch);
}

const isOfCheck = (type = ''): boolean => areAll(type, (it) => !operations[it].movesMoney);

/** `control` covers neither type nor amount. */
function replayKey({ proof, type = '' }: Pick<Callback, 'proof' | 'type'>): string {
  const kind = type === '' ? 'own' : kindOfTransaction(type, { operation: 'payout' }, { transactionTypes: {} });
  return `${proof.toLowerCase()} ${kind === 'undoing' ? 'reversal' : kind === 'own' ? 'payment' : 'other'}`;
}

/** Callbacks as the Payneteasy family makes them. */
export const payneteasyCallbacks: CallbackDialect = {
  read: readCallback,
  isAuthentic: (callback, key) => isAuthentic(callback, key),
  signersOf: (callback, access) => signersOf(callback, access as MerchantCredentials),
  isUnambiguous,
  saysOf,
  kindOf,
  isOfCheck,
  replayKey,
};
