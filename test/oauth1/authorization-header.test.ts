import { describe, expect, test } from 'vitest';
import { authorizationHeader } from '../../lib/oauth1/sign-request.ts';

const pair = (name: string, value: string) => [name, value] as const;

describe('authorizationHeader, RFC 5849 section 3.5.1', () => {
  test('encoded, sorted, quoted, joined by comma and space', () => {
    expect(
      authorizationHeader([
        pair('oauth_version', '1.0'),
        pair('oauth_signature_method', 'HMAC-SHA1'),
        pair('oauth_signature', 'a/b+c='),
        pair('oauth_nonce', ''),
      ]),
    ).toBe(
      'OAuth oauth_nonce="", oauth_signature="a%2Fb%2Bc%3D", oauth_signature_method="HMAC-SHA1", oauth_version="1.0"',
    );
  });

  test.each([
    ['', 'realm=""'],
    ['Photos', 'realm="Photos"'],
    ['http://example.com/a b', 'realm="http://example.com/a b"'],
    [String.raw`say "hi" \ bye`, String.raw`realm="say \"hi\" \\ bye"`],
  ])('realm %j goes first, as a quoted-string', (realm, written) => {
    expect(authorizationHeader([pair('oauth_nonce', 'n')], realm)).toBe(`OAuth ${written}, oauth_nonce="n"`);
  });

  test.each(['a\r\nX-Injected: 1', 'é', '\0', '\u007F'])('realm %j is refused', (realm) => {
    expect(() => authorizationHeader([], realm)).toThrow(expect.objectContaining({ code: 'OAUTH1_REALM_INVALID' }));
  });
});
