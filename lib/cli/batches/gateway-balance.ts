// Asks a gateway for a merchant's balance, once, within the time of any of its calls.
import { systemClock, systemRandom } from '../../aws/system.ts';
import { type Balance, balancePath, readBalance } from '../../gateway/balance.ts';
import type { MerchantCredentials } from '../../gateway/ports.ts';
import { signRequest } from '../../oauth1/sign-request.ts';

/** Balances of merchants. */
export interface Balances {
  /** Never rejects. */
  of(credentials: MerchantCredentials): Promise<Balance>;
}

/** Balances by the gateway's own word. */
export function createGatewayBalances(timeoutMs: number): Balances {
  return {
    async of({ baseUrl, login, keys, profile }) {
      const key = keys['HMAC-SHA1'];
      if (!key) return { kind: 'unknown', why: 'the secret has no controlKey, by which the question is signed' };
      const { url, authorization } = await signRequest({
        method: 'POST',
        url: `${baseUrl.replace(/\/+$/, '')}${profile.apiPath}${balancePath(login)}`,
        params: [],
        consumerKey: login,
        signatureMethod: 'HMAC-SHA1',
        key,
        nonce: systemRandom.id(),
        timestamp: String(Math.floor(systemClock.nowMs() / 1000)),
      });
      return asked(url, authorization, timeoutMs);
    },
  };
}

async function asked(url: string, authorization: string, timeoutMs: number): Promise<Balance> {
  const type = 'application/x-www-form-urlencoded';
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body: '',
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    return response.status === 200 ? readBalance(text) : { kind: 'unknown', why: `it answered ${response.status}` };
  } catch {
    return { kind: 'unknown', why: 'it did not answer' };
  }
}
