// Published and derived vectors against the simulator's own verifier, on pure data, with no clock.
import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authenticate, registerMerchants } from '../../../lib/local/gateway/authentication.ts';
import type { SimulatorMerchant } from '../../../lib/local/gateway/authentication.ts';
import { readParameters, signedPairsOf } from '../../../lib/local/gateway/oauth-parameters.ts';
import { createReplayGuard } from '../../../lib/local/gateway/replay-guard.ts';
import { signatureVerifies } from '../../../lib/local/gateway/signature-check.ts';
import { baseStringOf, baseStringUri } from '../../../lib/local/gateway/signed-request.ts';
import type { SimulatedSignedRequest } from '../../../lib/local/gateway/signed-request.ts';

const examplePublicKeyPem = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAyc1FZ6kIQ1hdh6cQDHMq
O3/rnCBCUtwEBxtBE/3cSdKrLBspiI3c3pSd1yPqE6tsvU04pkI7bo6Hoes5eOFq
1wmySwlA1rDY5Ye4ZgaK6VOrSVYcNeOuggMZJLTyR5DKiWBdHn3oCHzsFKLU88GO
LRpTeolitGjCeWVoVqWQ24Gqe9r60VynwjevyXk1HbDiOzwHmcNJntOI2fC6L2vR
VSG1cziWhRsElK6DL13ryAfKzg+e3N1Qi08RN2hjTM/vQy5ehgpvFmdVEh5oh8m6
oLxi8kLMATxXFcxYHewaYGbPiQM2A4fGRgDb4wORfbtG+mJ29zKZt/vUZQrb0sSs
KQIDAQAB
-----END PUBLIC KEY-----
`;

const pan = {
  baseString:
    'POST&https%3A%2F%2Fgate.payneteasy.com%2Fpaynet%2Fapi%2Fv2%2Fpan-eligibility%2Fsend%2FENDPOINTID' +
    '&client-order-id%3D1234567890%26oauth_consumer_key%3Dmerchantlogin%26oauth_nonce%3Dy3qlvMPky7g' +
    '%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D1669966913%26oauth_version%3D1.0' +
    '%26sending-card-ref-id%3D7654321',
  signature: 'd/IPlITUmPcniwjA7Vckjr6WQeE=',
};

const panRequest: SimulatedSignedRequest = {
  method: 'POST',
  scheme: 'https',
  host: 'gate.payneteasy.com',
  target: '/paynet/api/v2/pan-eligibility/send/ENDPOINTID',
  contentType: 'application/x-www-form-urlencoded',
  authorization:
    'OAuth oauth_consumer_key="merchantlogin", oauth_nonce="y3qlvMPky7g", ' +
    'oauth_signature="d%2FIPlITUmPcniwjA7Vckjr6WQeE%3D", oauth_signature_method="HMAC-SHA1", ' +
    'oauth_timestamp="1669966913", oauth_version="1.0"',
  body: Buffer.from('client-order-id=1234567890&sending-card-ref-id=7654321'),
};

const payoutSignature =
  'oCnskmPntdWP1G6Fm76K0TkFQamBPaMPbjGcsVEYRGemBOoYJl95XC8xQ0f9hzQqgIfrtPdimQvStFPKiMDGAS9iukTUr0yG9e0vai3P5U9H2pjF' +
  '14+bkrNJU541TpMESgqcA12keBxoIbz+T0WOujc4Bx9WfTQOkOaGbCSfeuOB2gJKi1QGPwmIFGX43IgfeIOtYT2KBv3kNRGkbL6OEnL6VvI1jx2m' +
  'aBqyeb30sLxyiKOJZVZs71LRdxdPkD6emUews0MoCQ9ui9RmF8XOg5YaIt+j1Mk7yJsnraopMLkM2sy6oV8iYmFest5VBE98zOo+NfsYZAxLxpIk' +
  'cYjOcQ==';

const payoutRequest: SimulatedSignedRequest = {
  method: 'POST',
  scheme: 'https',
  host: 'Sandbox.PaynetEasy.com:443',
  target: '/paynet/api/v4/payout/1',
  contentType: 'application/x-www-form-urlencoded; charset=UTF-8',
  authorization:
    'OAuth realm="",oauth_consumer_key="merchantlogin",oauth_nonce="b6b8bd9f1c3a4f0e9d2c7a5e8f10abcd",' +
    `oauth_signature="${encodeURIComponent(payoutSignature)}",oauth_signature_method="RSA-SHA256",` +
    'oauth_timestamp="1700000000",oauth_version="1.0"',
  // The signer wrote %20; a body that says + must verify just the same.
  body: Buffer.from(
    'client-order-id=bank-payout-5952a2f4a3b1c&amount=100&currency=USD&order_desc=Payout+to+bank' +
      '&account_number=123412341234&bank_name=Cool%20bank&bank_branch=Branch+1&bank_province=Some%20province&bank_city=Bank+city',
  ),
};

const merchant = {
  login: 'merchantlogin',
  controlKey: '11111111-1111-1111-1111-111111111111',
  publicKeyPem: examplePublicKeyPem,
};

function verify(request: SimulatedSignedRequest, merchants: readonly SimulatorMerchant[] = [merchant]) {
  return authenticate(request, {
    merchants: registerMerchants(merchants),
    allowedMethods: ['HMAC-SHA1', 'RSA-SHA256'],
    replayGuard: createReplayGuard({ windowSeconds: null, nowMs: () => 0 }),
  });
}

describe("the gateway's published HMAC-SHA1 example (pan-eligibility/send)", () => {
  it('verifies as a base string and signature', () => {
    expect(signatureVerifies({ method: 'HMAC-SHA1', ...pan }, merchant)).toBe(true);
  });

  it('gives the published base string when rebuilt from the request', () => {
    const pairs = [
      ['client-order-id', '1234567890'],
      ['sending-card-ref-id', '7654321'],
      ['oauth_consumer_key', 'merchantlogin'],
      ['oauth_nonce', 'y3qlvMPky7g'],
      ['oauth_signature_method', 'HMAC-SHA1'],
      ['oauth_timestamp', '1669966913'],
      ['oauth_version', '1.0'],
    ] as const;
    expect(baseStringOf(panRequest, pairs)).toBe(pan.baseString);
  });

  it('passes the whole gate with the timestamp check off', () => {
    expect(verify(panRequest)).toMatchObject({ kind: 'authentic', login: 'merchantlogin' });
  });

  it('passes with the oauth_* values repeated in the body, as the example prints them', () => {
    const repeated =
      'client-order-id=1234567890&oauth_consumer_key=merchantlogin&oauth_nonce=y3qlvMPky7g' +
      '&oauth_signature_method=HMAC-SHA1&oauth_timestamp=1669966913&oauth_version=1.0&sending-card-ref-id=7654321';
    expect(verify({ ...panRequest, body: Buffer.from(repeated) })).toMatchObject({
      kind: 'authentic',
      bodyFields: [
        ['client-order-id', '1234567890'],
        ['sending-card-ref-id', '7654321'],
      ],
    });
  });

  it('fails when the host is another one, as in the branded copies of the page', () => {
    expect(verify({ ...panRequest, host: 'gate.apropay.com' })).toMatchObject({ reason: 'wrong-signature' });
  });

  it('fails when one digit of one field differs', () => {
    const body = Buffer.from('client-order-id=1234567891&sending-card-ref-id=7654321');
    expect(verify({ ...panRequest, body })).toMatchObject({ reason: 'wrong-signature', login: 'merchantlogin' });
  });
});

describe("an RSA-SHA256 payout signed with the vendor's example key", () => {
  it('verifies with spaces written + or %20, realm ignored, host case and default port evened out', () => {
    expect(verify(payoutRequest)).toMatchObject({ kind: 'authentic' });
  });

  it('takes the same public key in PKCS#1 form', () => {
    const publicKeyPem = createPublicKey(examplePublicKeyPem).export({ type: 'pkcs1', format: 'pem' }).toString();
    expect(verify(payoutRequest, [{ ...merchant, publicKeyPem }])).toMatchObject({ kind: 'authentic' });
  });

  it('is refused for a merchant without a public key', () => {
    const { publicKeyPem: _none, ...hmacOnly } = merchant;
    expect(verify(payoutRequest, [hmacOnly])).toMatchObject({ reason: 'no-public-key' });
  });
});

describe('the base string of RFC 5849 section 3.4.1.1', () => {
  it('keeps repeated names, sorts by encoded name then value, and reads + as a space', () => {
    const request: SimulatedSignedRequest = {
      method: 'POST',
      scheme: 'http',
      host: 'EXAMPLE.COM:80',
      target: '/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b',
      contentType: 'application/x-www-form-urlencoded',
      authorization:
        'OAuth realm="Example", oauth_consumer_key="9djdj82h48djs9d2", oauth_token="kkk9d7dh3k39sjv7", ' +
        'oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131201", oauth_nonce="7d8f3e4a", ' +
        'oauth_signature="djosJKDKJSD8743243%2Fjdk33klY%3D"',
      body: Buffer.from('c2&a3=2+q'),
    };
    const reading = readParameters(request);
    expect(reading.kind === 'read' && baseStringOf(request, signedPairsOf(reading))).toBe(
      'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D' +
        '%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1' +
        '%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7',
    );
  });

  it.each([
    ['http', 'Example.COM:80', '/r%20v/X?id=123', 'http://example.com/r%20v/X'],
    ['https', 'www.example.net:8080', '/?q=1', 'https://www.example.net:8080/'],
    ['http', 'localhost:443', '/a', 'http://localhost:443/a'],
  ] as const)('%s %s %s has the URI %s', (scheme, host, target, uri) => {
    expect(baseStringUri({ scheme, host, target })).toBe(uri);
  });
});
