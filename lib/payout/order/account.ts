// Where an order is sent: the account at the gateway. Another account knows nothing of the order, so its "no such order" proves
// nothing, and an order of the sandbox is not the live one of the same id.
import type { MerchantAccess } from '../../gateway/ports.ts';

/** The account to ask about an order that was sent to `account`. */
type AccountMatch =
  /** The account that orders are sent to now, however it was spelled then. */
  | { readonly kind: 'present'; readonly credentials: MerchantAccess }
  /** An account that the secret keeps for inquiries. */
  | { readonly kind: 'earlier'; readonly credentials: MerchantAccess }
  /** No known account: no gateway can be asked, and an answer of the present account proves nothing. */
  | { readonly kind: 'unknown' };

/** The account that an order was sent to, among those of the secret. */
export function matchAccount(
  { account, endpointId }: { readonly account: string; readonly endpointId: string },
  credentials: MerchantAccess,
): AccountMatch {
  const isAccount = (it: MerchantAccess) => it.dialect.accountOf(it, endpointId) === account;
  if (isAccount(credentials) || credentials.sameAccountAs?.includes(account)) return { kind: 'present', credentials };
  const earlier = credentials.earlierAccounts?.find(isAccount);
  return earlier ? { kind: 'earlier', credentials: earlier } : { kind: 'unknown' };
}
