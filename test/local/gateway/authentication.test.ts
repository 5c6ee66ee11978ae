// Who is let in, and who is not. Every refusal looks the same from outside; the reason is kept for the test to read.
import { describe, expect, it } from 'vitest';
import { formFields, post, payoutFields, postPayout, sendRaw } from './support/client.ts';
import type { Evidence, Sending } from './support/client.ts';
import { acme, acmePublicKeySpkiPem, authorizationFrom, signedPost } from './support/signer.ts';
import { aGateway } from './support/story.ts';

const form = 'application/x-www-form-urlencoded';

/** Posts a correctly signed payout after changing it on the way. */
async function postTampered(
  change: (post: { authorization: string; body: string }) => {
    authorization?: string;
    body?: string;
    contentType?: string;
  },
): Promise<{ evidence: Evidence; gateway: Awaited<ReturnType<typeof aGateway>> }> {
  const gateway = await aGateway();
  const url = `${gateway.apiUrl}/v4/payout/39915`;
  const signed = signedPost(url, Object.entries(payoutFields('INV-1')), {
    nonce: 'abc123',
    timestampSeconds: nowSeconds(),
  });
  const { authorization, body, contentType } = { ...signed, contentType: form, ...change(signed) };
  const evidence = await sendRaw({ url, body, headers: { authorization, 'content-type': contentType } });
  return { evidence, gateway };
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

describe('a correct signature', () => {
  it.each(['HMAC-SHA1', 'RSA-SHA256'] as const)('made with %s is let in', async (method) => {
    const gateway = await aGateway();
    expect(formFields(await postPayout(gateway, "it's (new)! *~", { method }))).toMatchObject({
      type: 'async-response',
    });
  });

  it('verifies with the public key in SPKI form', async () => {
    const gateway = await aGateway({ merchants: [{ ...acme, publicKeyPem: acmePublicKeySpkiPem }] });
    expect(formFields(await postPayout(gateway, 'INV-1', { method: 'RSA-SHA256' }))['type']).toBe('async-response');
  });

  it('covers the query string', async () => {
    const gateway = await aGateway();
    const evidence = await post(gateway, 'v4/payout/39915?b=2&a=1&a=0', payoutFields('INV-1'));
    expect(formFields(evidence)).toMatchObject({ type: 'async-response' });
  });

  it('may have oauth_* values in the body too, realm, odd spacing and any case of OAuth', async () => {
    const { evidence } = await postTampered(({ authorization, body }) => ({
      authorization: authorization.replace('OAuth ', 'oauth  realm="a,b",').replaceAll(', ', ' ,'),
      body: `${body}&oauth_nonce=abc123&oauth_version=1.0`,
    }));
    expect(formFields(evidence)).toMatchObject({ type: 'async-response' });
  });

  it('covers the Host header as the client sent it', async () => {
    const gateway = await aGateway();
    const port = new URL(gateway.url).port;
    const url = `http://Gate.LocalHost/paynet/api/v4/payout/39915`;
    const { authorization, body } = signedPost(url, Object.entries(payoutFields('INV-1')));
    const headers = { host: 'Gate.LocalHost:80', authorization, 'content-type': form };
    const evidence = await sendRaw({ url: `http://127.0.0.1:${port}/paynet/api/v4/payout/39915`, headers, body });
    expect(formFields(evidence)).toMatchObject({ type: 'async-response' });
  });
});

describe('a request that is not let in', () => {
  it('is answered 403 in short plain text, and nothing is stored', async () => {
    const gateway = await aGateway();
    const evidence = await postPayout(gateway, 'INV-1', { controlKey: 'wrong' });
    expect(evidence).toMatchObject({
      status: 403,
      headers: { 'content-type': 'text/plain;charset=utf-8' },
      text: 'Forbidden\n',
    });
    expect(gateway.orders()).toEqual([]);
    expect(gateway.refusals()).toMatchObject([{ reason: 'wrong-signature', login: 'acme', operation: 'payout' }]);
  });

  it('is answered 401 with a challenge where the gateway is set so', async () => {
    const gateway = await aGateway({ authFailureStatus: 401 });
    expect(await postPayout(gateway, 'INV-1', { controlKey: 'wrong' })).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'OAuth' },
      text: 'Unauthorized\n',
    });
  });

  it.each<[string, Sending]>([
    ['unknown-login', { login: 'nobody' }],
    ['unsupported-oauth-version', { version: '2.0' }],
    ['malformed-timestamp', { timestampSeconds: '17e8' }],
    ['stale-timestamp', { timestampSeconds: 1_600_000_000 }],
  ])('is refused as %s', async (reason, how) => {
    const gateway = await aGateway();
    expect(await postPayout(gateway, 'INV-1', how)).toMatchObject({ status: 403 });
    expect(gateway.refusals()).toMatchObject([{ reason }]);
  });

  it.each<[string, Parameters<typeof postTampered>[0]]>([
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
    ['oauth-parameters-differ', ({ body }) => ({ body: `${body}&oauth_signature=other` })],
    ['malformed-encoding', ({ body }) => ({ body: `${body}&note=100%` })],
    ['not-a-form', () => ({ contentType: 'application/json' })],
    ['header-value-not-encoded', ({ authorization }) => ({ authorization: authorization.replace('%3D"', '="') })],
    [
      'unsupported-signature-method',
      ({ authorization }) => ({ authorization: authorization.replace('HMAC-SHA1', 'PLAINTEXT') }),
    ],
  ])('is refused as %s', async (reason, change) => {
    const { evidence, gateway } = await postTampered(change);
    expect(evidence).toMatchObject({ status: 403 });
    expect(gateway.refusals()).toMatchObject([{ reason }]);
    expect(gateway.orders()).toEqual([]);
  });

  it('is refused as missing-authorization without the header', async () => {
    const gateway = await aGateway();
    const url = `${gateway.apiUrl}/v4/payout/39915`;
    expect(await sendRaw({ url, headers: { 'content-type': form }, body: 'a=1' })).toMatchObject({ status: 403 });
    expect(gateway.refusals()).toMatchObject([{ reason: 'missing-authorization' }]);
  });

  it('leaves no secret in the refusals', async () => {
    const gateway = await aGateway();
    const url = `${gateway.apiUrl}/v4/payout/39915`;
    const authorization = authorizationFrom([['oauth_consumer_key', acme.controlKey]]);
    await sendRaw({ url, headers: { 'content-type': form, authorization }, body: 'cvv2=123' });
    await postPayout(gateway, 'INV-1', { controlKey: 'wrong', login: acme.controlKey });
    expect(gateway.refusals()).toHaveLength(2);
    expect(JSON.stringify(gateway.refusals())).not.toContain(acme.controlKey);
  });
});
