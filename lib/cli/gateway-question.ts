// A question that a person's command asks a gateway beside the orders, a balance: signed with the merchant's control
// key, by the same route as its payments. Certificates are verified whatever the environment says, its proxy, certificate and
// private authority count, nothing is followed, and neither time nor length is without end.
import { systemClock, systemRandom } from '../aws/system.ts';
import { type Balance, balancePath, readBalance } from '../gateway/balance.ts';
import { createHttpGateway } from '../gateway/http-gateway.ts';
import type { GatewayLimits, MerchantCredentials } from '../gateway/ports.ts';
import { redact } from '../gateway/redact.ts';
import { signRequest } from '../oauth1/sign-request.ts';

/** The whole answer of a 200, or why there is none; in words of ours, or the gateway's own, cleaned and short. */
type AskedWord = { readonly kind: 'answered'; readonly text: string } | { readonly kind: 'none'; readonly why: string };

/** Asks once. `path` is what follows the base URL. Never rejects. */
async function askGatewayFor(
  path: string,
  { baseUrl, login, keys, route }: Pick<MerchantCredentials, 'baseUrl' | 'login' | 'keys' | 'route'>,
  limits: GatewayLimits,
): Promise<AskedWord> {
  const key = keys['HMAC-SHA1'];
  if (!key) return none('the secret has no controlKey, by which the question is signed');
  const { url, authorization } = await signRequest({
    method: 'POST',
    url: baseUrl.replace(/\/+$/, '') + path,
    params: [],
    consumerKey: login,
    signatureMethod: 'HMAC-SHA1',
    key,
    nonce: systemRandom.id(),
    timestamp: String(Math.floor(systemClock.nowMs() / 1000)),
  });
  const gateway = createHttpGateway({ limits, ...systemClock });
  const evidence = await gateway.post({
    url,
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
    body: '',
    ...(route && { route }),
    notAfterMs: systemClock.nowMs() + limits.gatewayTotalTimeoutMs,
  });
  if (evidence.kind !== 'answer') return none(`it did not answer: ${evidence.reason}`);
  const { httpStatus, body, unreadable } = evidence;
  if (unreadable !== undefined) return none(unreadable);
  if (httpStatus === 200) return { kind: 'answered', text: body };
  return none(`it answered ${httpStatus}${body.trim() === '' ? '' : ` (${redact(body, [])})`}`);
}

const none = (why: string): AskedWord => ({ kind: 'none', why });

/** Balances as the gateway reports them. */
export function createGatewayBalances(limits: GatewayLimits) {
  return {
    /** Asks once. Never rejects. */
    async of(credentials: MerchantCredentials): Promise<Balance> {
      const path = credentials.profile.apiPath + balancePath(credentials.login);
      const answer = await askGatewayFor(path, credentials, limits);
      return answer.kind === 'answered' ? readBalance(answer.text) : { kind: 'unknown', why: answer.why };
    },
  };
}
