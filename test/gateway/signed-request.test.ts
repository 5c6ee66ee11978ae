// A request as it leaves: signed for the very call that is made, or not at all.
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { signedRequest, type UnsignedRequest } from '../../lib/gateway/signed-request.ts';
import { operations } from '../../lib/gateway/operations.ts';
import { someControlKey, someCredentials } from '../support/fake-credentials.ts';

const unsigned = (signatureMethod: UnsignedRequest['signatureMethod']): UnsignedRequest => ({
  operation: operations.payout,
  endpointId: '39915',
  signatureMethod,
  parameters: [
    ['client_orderid', 'INV-1'],
    ['order_desc', 'Invoice 123 & more'],
  ],
});
const now = { nonce: 'n-1', timestampSeconds: 1_795_255_200 };

it('is signed as a POST of its fields to its URL', async () => {
  const signed = await signedRequest(unsigned('HMAC-SHA1'), someCredentials(), now);
  if (signed.kind !== 'signed') throw new Error('it is not signed');
  const { url, body, headers } = signed.request;
  expect(url).toBe('https://gateway.test/paynet/api/v4/payout/39915');

  // RFC 5849, 3.4.1: the body repeats the protocol parameters here, so that its pairs are all that is signed
  const text = ['POST', url, body.split('&').toSorted().join('&')].map(encodeURIComponent).join('&');
  const signature = createHmac('sha1', `${someControlKey}&`).update(text).digest('base64');
  expect(headers['authorization']).toContain(`oauth_signature="${encodeURIComponent(signature)}"`);
  expect(headers['authorization']).toContain('oauth_nonce="n-1"');
  expect(headers['authorization']).toContain('oauth_timestamp="1795255200"');
  expect(headers['authorization']).not.toContain('realm');
});

it('bears the realm of the profile', async () => {
  const credentials = someCredentials({ profile: { realm: 'payments' } });
  const signed = await signedRequest(unsigned('HMAC-SHA1'), credentials, now);
  expect(signed).toMatchObject({
    request: { headers: { authorization: expect.stringContaining('realm="payments"') } },
  });
});
