import { describe, expect, test } from 'vitest';
import { signFromJson } from '../../lib/cli/sign.ts';
import { normalizeParameters } from '../../lib/oauth1/parameters.ts';
import { parseRequestUrl, signatureBaseString, signRequest } from '../../lib/oauth1/sign-request.ts';
import { parseSigningKey, SIGNATURE_METHODS } from '../../lib/oauth1/signature-methods.ts';
import { signingVectors, withoutQuery } from './vectors.ts';

const decodedParametersOf = (baseString: string): string => decodeURIComponent(baseString.split('&')[2] ?? '');

describe.each(signingVectors)('$name', (vector) => {
  const { method, url, params, baseString, signature, signatureMethod, consumerKey, nonce, timestamp } = vector;
  const material = vector.privateKeyPem ?? vector.consumerSecret ?? 'not published';
  const key = parseSigningKey(signatureMethod, material, { allowSmallKeys: true });
  const isRequest = consumerKey !== null && nonce !== null && timestamp !== null;
  const published = { baseString, ...(signature !== null && { signature }) };
  const ownParams = withoutQuery(params, url);
  const oauthVersion = params.some(([name]) => name === 'oauth_version') ? '1.0' : null;

  test('normalised parameters', () => {
    expect(normalizeParameters(params)).toBe(decodedParametersOf(baseString));
  });

  test('base string', () => {
    const { baseStringUri } = parseRequestUrl(url);
    expect(signatureBaseString(method, baseStringUri, normalizeParameters(params))).toBe(baseString);
  });

  test.runIf(signature !== null)('signature of the base string', async () => {
    const made = await SIGNATURE_METHODS[signatureMethod].sign(baseString, key, vector.tokenSecret ?? '');
    expect(made).toBe(signature);
  });

  test.runIf(isRequest)('the whole request, its oauth_* parameters given among params and counted once', async () => {
    const signed = await signRequest({
      method,
      url,
      params: ownParams,
      consumerKey: consumerKey ?? '',
      signatureMethod,
      key,
      nonce: nonce ?? '',
      timestamp: timestamp ?? '',
      oauthVersion,
      tokenSecret: vector.tokenSecret ?? '',
      ...(vector.token !== null && { token: vector.token }),
    });
    expect(signed).toMatchObject(published);
  });

  test.runIf(isRequest)('payouts sign', async () => {
    const input = {
      ...vector,
      params: ownParams,
      oauthVersion,
      consumerSecret: vector.consumerSecret ?? 'not published',
      privateKey: vector.privateKeyPem,
    };
    const result = await signFromJson(JSON.stringify(input));
    expect(result).toMatchObject({ kind: 'signed', output: published });
  });
});
