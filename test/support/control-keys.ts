// The control keys of the public door, out of merchants' credentials.
import type { ControlKey, Credentials, MerchantCredentials } from '../../lib/gateway/ports.ts';
import type { ControlKeys } from '../../lib/payout/inquire/handle-callback.ts';

/** The control keys of these merchants, as if each were let in at the public door. */
export function controlKeysBy(
  credentials: Pick<Credentials<MerchantCredentials>, 'of'>,
  merchants: readonly string[],
): ControlKeys {
  return {
    async all() {
      const keys = new Map<string, ControlKey[]>();
      for (const merchant of merchants) {
        const answer = await credentials.of(merchant);
        if (answer.kind === 'unavailable') throw new Error('the secrets service did not answer');
        const accounts = [answer.credentials, ...(answer.credentials.earlierAccounts ?? [])];
        keys.set(
          merchant,
          accounts.flatMap(({ controlKey }) => controlKey ?? []),
        );
      }
      return keys;
    },
  };
}
