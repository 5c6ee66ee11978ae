// Asks a gateway for a merchant's balance, once, within the time of any of its calls.
import { type Balance, balancePath, readBalance } from '../../gateway/balance.ts';
import type { GatewayLimits, MerchantCredentials } from '../../gateway/ports.ts';
import { askGatewayFor } from '../gateway-question.ts';

/** Balances of merchants. */
export interface Balances {
  /** Never rejects. */
  of(credentials: MerchantCredentials): Promise<Balance>;
}

/** Balances by the gateway's own word. */
export function createGatewayBalances(limits: GatewayLimits): Balances {
  return {
    async of(credentials) {
      const path = credentials.profile.apiPath + balancePath(credentials.login);
      const word = await askGatewayFor({ method: 'POST', path }, credentials, limits);
      return word.kind === 'answered' ? readBalance(word.text) : { kind: 'unknown', why: word.why };
    },
  };
}
