// Where an order is sent: the account at the gateway. Another account knows nothing of it, so its "no such order" proves
// nothing, and an order of the sandbox is not the live one of the same id.
import { createHash } from 'node:crypto';
import type { MerchantCredentials } from './ports.ts';

/** As much of a merchant's credentials as makes an account; the endpoint comes with the order. */
type AccountOf = Pick<MerchantCredentials, 'baseUrl' | 'login' | 'mode'> & {
  readonly profile: Pick<MerchantCredentials['profile'], 'apiPath'>;
};

/** 72 bits of a digest: an account is recognised by it, and read from nowhere. */
const digestLength = 12;

/**
 * The digest of an account: host (in lower case, without a default port or a dot at its end), API path, login and endpoint.
 * A test account's begins with `test:`, so that none is ever taken for the live account of the same address.
 */
export function accountOf({ baseUrl, login, mode, profile }: AccountOf, endpointId: string): string {
  const { hostname, port } = new URL(baseUrl);
  const host = hostname.replace(/\.$/, '') + (port === '' ? '' : `:${port}`);
  const digest = createHash('sha256').update(JSON.stringify([host, profile.apiPath, login, endpointId]));
  return (mode === 'test' ? 'test:' : '') + digest.digest('base64url').slice(0, digestLength);
}

/** Shape of {@link accountOf}. */
export const accountShape = /^(test:)?[A-Za-z0-9_-]{12}$/;

/** Whom to ask about an order that was sent to `account`. */
export type AccountMatch =
  /** The account that orders are sent to now, however it was spelled then. */
  | { readonly kind: 'present'; readonly credentials: MerchantCredentials }
  /** One that the secret keeps for inquiries. */
  | { readonly kind: 'earlier'; readonly credentials: MerchantCredentials }
  /** None that is known: nobody can be asked, and what the present account says proves nothing. */
  | { readonly kind: 'unknown' };

/** The account that an order was sent to, among those of the secret. An order without one is taken for the present's. */
export function matchAccount(
  { account, endpointId }: { readonly account?: string; readonly endpointId: string },
  credentials: MerchantCredentials,
): AccountMatch {
  const isAccount = (it: AccountOf) => accountOf(it, endpointId) === account;
  if (account === undefined || isAccount(credentials) || credentials.sameAccountAs?.includes(account))
    return { kind: 'present', credentials };
  const earlier = credentials.earlierAccounts?.find(isAccount);
  return earlier ? { kind: 'earlier', credentials: earlier } : { kind: 'unknown' };
}
