// The libraries that sign OAuth 1.0 requests, each called the way it is meant to be: a fresh nonce and timestamp, the
// Authorization header out.
import { createHmac, randomUUID } from 'node:crypto';
import { OAuth as NodeOAuth } from 'oauth';
import OAuth1a from 'oauth-1.0a';
import { hmacsign, rfc3986 } from 'oauth-sign';
// The package has no export map, and its index makes a client for one service alone.
import { OAuth1Helper } from 'twitter-api-v2/dist/cjs/client-mixins/oauth1.helper.js';

/** What is signed by all of them. */
export interface SignedByAll {
  readonly url: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly data: Readonly<Record<string, string>>;
}

/** Each library's way to the header. */
export function signers({ url, consumerKey, consumerSecret, data }: SignedByAll): Record<string, () => string> {
  const oauth1a = new OAuth1a({
    consumer: { key: consumerKey, secret: consumerSecret },
    signature_method: 'HMAC-SHA1',
    hash_function: (text, key) => createHmac('sha1', key).update(text).digest('base64'),
  });
  // The same nonces on all sides: what is compared is the signing.
  oauth1a.getNonce = () => randomUUID();
  const nodeOAuth = new NodeOAuth(null, null, consumerKey, consumerSecret, '1.0', null, 'HMAC-SHA1');
  const helper = new OAuth1Helper({ consumerKeys: { key: consumerKey, secret: consumerSecret } });
  return {
    oauth1a: () => oauth1a.toHeader(oauth1a.authorize({ url, method: 'POST', data })).Authorization,
    oauthSign: () => {
      const protocol: Record<string, string> = {
        oauth_consumer_key: consumerKey,
        oauth_nonce: randomUUID(),
        oauth_signature_method: 'HMAC-SHA1',
        oauth_timestamp: String(Math.floor(Date.now() / 1000)),
        oauth_version: '1.0',
      };
      const signature = hmacsign('POST', url, { ...data, ...protocol }, consumerSecret);
      const pairs = Object.entries({ ...protocol, oauth_signature: signature });
      return `OAuth ${pairs.map(([name, value]) => `${name}="${rfc3986(value)}"`).join(', ')}`;
    },
    oauth: () => nodeOAuth._buildAuthorizationHeaders(nodeOAuth._prepareParameters(null, null, 'POST', url, data)),
    twitterApiV2: () => helper.toHeader(helper.authorize({ url, method: 'POST', data })).Authorization,
  };
}
