// Who is let in: the published vectors, each rule of the gate broken once, and a request that comes a second time. Every refusal
// looks the same from outside; the reason is kept for the test to read.
import { createPublicKey } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { authenticate, registerMerchants } from '../../../lib/local/gateway/authentication.ts';
import { baseStringOf, readParameters, signedPairsOf } from '../../../lib/local/gateway/oauth-parameters.ts';
import { createReplayGuard } from '../../../lib/local/gateway/replay-guard.ts';
import { type GatewaySimulator } from '../../../lib/local/gateway/simulator.ts';
import { type SigningVector, signingVectors } from '../../oauth1/vectors.ts';
import { payoutFields, postPayout, type Sending, sendRaw } from './support/client.ts';
import { acme, authorizationFrom, signedPost } from './support/signer.ts';
import { aClock, aGateway } from './support/story.ts';

const form = 'application/x-www-form-urlencoded';

/** The request of a vector as it came from the wire: query or body, and the rest in the header. */
function requestOf({ method, url, params, requestParams, signature }: SigningVector) {
  const { protocol, host, pathname, search } = new URL(url);
  const own = new Set(requestParams.map((it) => JSON.stringify(it)));
  const oauth = params.filter((it) => !own.has(JSON.stringify(it)));
  const rest = requestParams.filter(([name, value]) => !new URL(url).searchParams.getAll(name).includes(value));
  const written = rest.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
  return {
    method,
    scheme: protocol === 'https:' ? 'https' : 'http',
    host: `${host.toUpperCase()}${protocol === 'https:' ? ':443' : ':80'}`,
    target: `${pathname}${search}${method === 'GET' ? `?${written}` : ''}`,
    contentType: form,
    authorization: authorizationFrom([...oauth, ['oauth_signature', signature ?? 'none']]),
    body: Buffer.from(method === 'GET' ? '' : written),
  } as const;
}

describe.each(signingVectors.filter(({ consumerKey }) => consumerKey !== null))('$name', (vector) => {
  const request = requestOf(vector);

  it('has the base string that is published', () => {
    const reading = readParameters(request);
    expect(reading.kind === 'read' && baseStringOf(request, signedPairsOf(reading))).toBe(vector.baseString);
  });

  it.runIf(vector.consumerKey === 'merchantlogin')('verifies as it is, and not from another host or body', () => {
    const publicKeyPem =
      vector.privateKeyPem && createPublicKey(vector.privateKeyPem).export({ type: 'spki', format: 'pem' }).toString();
    const controlKey = vector.consumerSecret ?? 'none';
    const merchants = [{ login: 'merchantlogin', controlKey, ...(publicKeyPem && { publicKeyPem }) }];
    const verified = (changes: object) =>
      authenticate(
        { ...request, ...changes },
        {
          merchants: registerMerchants(merchants),
          replayGuard: createReplayGuard({ windowSeconds: null, nowMs: () => 0 }),
        },
      );
    expect(verified({})).toMatchObject({ kind: 'authentic', login: 'merchantlogin' });
    for (const changed of [{ host: 'gate.apropay.com' }, { body: Buffer.from(`${String(request.body)}1`) }])
      expect(verified(changed)).toMatchObject({ reason: 'wrong-signature' });
  });
});

interface Wire {
  readonly authorization: string;
  readonly body: string;
  readonly contentType?: string;
}

describe('over a socket', () => {
  let gateway: GatewaySimulator;
  beforeEach(async () => void (gateway = await aGateway()));

  /** Posts a correctly signed payout after changing it on the way. */
  function postChanged(change: (post: Wire) => Partial<Wire>) {
    const url = `${gateway.apiUrl}/v4/payout/39915?b=2&a=1&a=0`;
    const how = { nonce: 'abc123', timestampSeconds: Math.floor(Date.now() / 1000) };
    const signed = signedPost(url, Object.entries(payoutFields("it's (new)! *~")), how);
    const { authorization, body, contentType = form } = { ...signed, ...change(signed) };
    return sendRaw({ url, body, headers: { authorization, 'content-type': contentType } });
  }

  it.each<[reason: string, change: Parameters<typeof postChanged>[0]]>([
    ['wrong-signature', ({ body }) => ({ body: body.replace('10.42', '10.43') })],
    ['wrong-signature', ({ body }) => ({ body: `${body}&extra=1` })],
    ['malformed-authorization', () => ({ authorization: 'Basic YTpi' })],
    ['malformed-authorization', ({ authorization }) => ({ authorization: authorization.replaceAll('"', '') })],
    [
      'missing-oauth-parameter',
      ({ authorization }) => ({ authorization: authorization.replace(/oauth_nonce="[^"]*", /, '') }),
    ],
    ['repeated-oauth-parameter', ({ authorization }) => ({ authorization: `${authorization}, oauth_nonce="abc123"` })],
    ['oauth-parameters-differ', ({ body }) => ({ body: `${body}&oauth_nonce=other` })],
    ['malformed-encoding', ({ body }) => ({ body: `${body}&note=100%` })],
    ['not-a-form', () => ({ contentType: 'application/json' })],
    ['header-value-not-encoded', ({ authorization }) => ({ authorization: authorization.replace('%3D"', '="') })],
    [
      'unsupported-signature-method',
      ({ authorization }) => ({ authorization: authorization.replace('HMAC-SHA1', 'PLAINTEXT') }),
    ],
  ])('is refused as %s, and nothing is stored', async (reason, change) => {
    expect(await postChanged(change)).toMatchObject({ status: 403, text: 'Forbidden\n' });
    expect(gateway.refusals()).toMatchObject([{ reason }]);
    expect(gateway.orders()).toEqual([]);
  });

  it.each<[reason: string, how: Sending]>([
    ['wrong-signature', { controlKey: 'wrong' }],
    ['unknown-login', { login: acme.controlKey }],
    ['unsupported-oauth-version', { version: '2.0' }],
    ['malformed-timestamp', { timestampSeconds: '17e8' }],
    ['stale-timestamp', { timestampSeconds: 1_600_000_000 }],
  ])('is refused as %s, with no secret in what is written down', async (reason, how) => {
    expect(await postPayout(gateway, 'INV-1', how)).toMatchObject({ status: 403 });
    expect(gateway.refusals()).toMatchObject([{ reason }]);
    expect(JSON.stringify(gateway.refusals())).not.toContain(acme.controlKey);
  });
});

describe('a request that comes a second time', () => {
  let clock: ReturnType<typeof aClock>;
  let gateway: GatewaySimulator;
  beforeAll(() => void (clock = aClock()));
  beforeEach(async () => {
    const merchants = [acme, { ...acme, login: 'other' }];
    gateway = await aGateway({ merchants, nowMs: clock.nowMs, timestampWindowSeconds: 60 });
  });
  const statusOf = async (how: Sending) => {
    const evidence = await postPayout(gateway, 'INV-1', how);
    return evidence.kind === 'answer' && evidence.status;
  };

  it('is refused however long one waits; the nonce is its login’s', async () => {
    const how = { nonce: 'once', timestampSeconds: clock.timestampSeconds() + 60 };
    expect(await statusOf({ ...how, controlKey: 'wrong' })).toBe(403);
    expect([await statusOf(how), await statusOf(how), await statusOf({ ...how, login: 'other' })]).toEqual([
      200, 403, 200,
    ]);
    for (const _minute of [1, 2, 3]) {
      clock.pass(60_000);
      expect(await statusOf(how)).toBe(403);
    }
  });

  it('holds timestamps to the window on both sides', async () => {
    const at = (offset: number) => statusOf({ timestampSeconds: clock.timestampSeconds() + offset });
    expect([await at(-61), await at(-60), await at(60), await at(61)]).toEqual([403, 200, 200, 403]);
  });
});
