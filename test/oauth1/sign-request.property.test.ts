// Any request, signed by the library and by the naive reading of the RFC.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { signRequest } from '../../lib/oauth1/sign-request.ts';
import { parseSigningKey } from '../../lib/oauth1/signature-methods.ts';
import { lengthOf } from '../support/long-proof.ts';
import { naiveBaseString, naiveEncode, naiveHeader, naiveHmacSha1 } from './naive-oauth1.ts';
import { anyText } from '../support/any-text.ts';

// Few letters make equal names and equal beginnings; the second kind is any Unicode text.
const tangledText = fc.string({
  unit: fc.constantFrom('a', 'A', '1', '-', '!', '%', '=', '&', ' ', '+', '~', 'é'),
  maxLength: 4,
});
const oddText = fc.oneof(tangledText, anyText({ maxLength: 20 }));
const anyParams = fc.array(fc.tuple(oddText, oddText), { maxLength: 12 });
const anyUrl = fc
  .record({
    start: fc.constantFrom('https://', 'HTTP://'),
    host: fc.constantFrom('Gate.Example.com', 'a', '127.0.0.1', '[::1]'),
    port: fc.constantFrom('', ':80', ':443', ':8443'),
    path: fc.constantFrom('', '/', '/paynet/api/v4/Payout/1', '/a%2fb%7E//c;d'),
    query: fc.constantFrom('', '?', '?a=1&a=%20&b', '?x+y=%7E%2B&=&é'.replace('é', '%C3%A9')),
  })
  .map((parts) => Object.values(parts).join(''));

const anyRequest = fc.record({
  method: fc.constantFrom('POST', 'get'),
  url: anyUrl,
  params: anyParams.map((params) => params.filter(([name]) => !name.startsWith('oauth_'))),
  consumerKey: oddText,
  nonce: oddText,
  timestamp: fc.nat().map(String),
});

test('signRequest agrees with the naive reading of the RFC', async () => {
  await fc.assert(
    fc.asyncProperty(anyRequest, oddText, oddText, async (request, consumerSecret, tokenSecret) => {
      const key = parseSigningKey('HMAC-SHA1', consumerSecret);
      const signed = await signRequest({ ...request, signatureMethod: 'HMAC-SHA1', key, tokenSecret });
      const protocol = [
        ['oauth_consumer_key', request.consumerKey],
        ['oauth_nonce', request.nonce],
        ['oauth_signature_method', 'HMAC-SHA1'],
        ['oauth_timestamp', request.timestamp],
        ['oauth_version', '1.0'],
      ] as const;
      const pairs = [...request.params, ...protocol];
      const baseString = naiveBaseString(request.method, request.url, pairs);
      const signature = naiveHmacSha1(baseString, consumerSecret, tokenSecret);
      expect(signed.baseString).toBe(baseString);
      expect(signed.signature).toBe(signature);
      expect(signed.authorization).toBe(naiveHeader([...protocol, ['oauth_signature', signature]]));
      expect(signed.body).toBe(pairs.map((pair) => pair.map(naiveEncode).join('=')).join('&'));
      expect([...new URLSearchParams(signed.body)]).toEqual(pairs);
      // What a server rebuilds from the request that arrives is what was signed.
      const received = [...new URLSearchParams(signed.body)] as [string, string][];
      expect(naiveBaseString(request.method, signed.url, received)).toBe(baseString);
    }),
    { numRuns: lengthOf({ short: 300, long: 1500 }) },
  );
});
