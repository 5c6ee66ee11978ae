// `payouts sign`: what it reads, and that what it refuses is named without its value.
import { describe, expect, test } from 'vitest';
import { signFromJson } from '../../lib/cli/sign.ts';
import { pkcs1Pem } from '../oauth1/keys.ts';
import { signingVectors } from '../oauth1/vectors.ts';
import { runHosted } from './support/cli.ts';

const request = {
  method: 'POST',
  url: 'https://gate.example.com/paynet/api/v2/pan-eligibility/send/1',
  params: { 'client-order-id': '1' },
  consumerKey: 'login',
  signatureMethod: 'HMAC-SHA1',
  consumerSecret: 'secret-control-key',
  nonce: 'a-nonce',
  timestamp: 1_700_000_000,
};
const sign = (change: object) => signFromJson(JSON.stringify({ ...request, ...change }));

async function outputOf(change: object) {
  const result = await sign(change);
  if (result.kind !== 'signed') throw new Error(result.reason);
  return result.output;
}

describe('what is read', () => {
  test('nonce and timestamp are made when they are left out, and the keys of the answer are these', async () => {
    const output = await outputOf({ nonce: undefined, timestamp: null });
    expect(Object.keys(output)).toEqual(['parameters', 'baseString', 'signature', 'authorization', 'body']);
    expect(output.parameters).toMatch(/oauth_nonce=[\w-]{16,}&.*oauth_timestamp=\d{10}&/);
  });

  test('params as an object, with repeated names as lists, or as pairs', async () => {
    const asObject = await outputOf({ params: { b: ['2', '1'], a: 'x y' } });
    const asPairs = await outputOf({
      params: [
        ['b', '2'],
        ['b', '1'],
        ['a', 'x y'],
      ],
    });
    expect(asObject).toEqual(asPairs);
    expect(asObject.parameters).toMatch(/^a=x%20y&b=1&b=2&/);
  });

  test.each(['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty'])(
    'a parameter of the name %j is signed and sent',
    async (name) => {
      const params: unknown = JSON.parse(`{"a":"1",${JSON.stringify(name)}:"2"}`);
      const { baseString, body } = await outputOf({ params });
      const listed = await outputOf({
        params: [
          ['a', '1'],
          [name, '2'],
        ],
      });
      expect(body).toMatch(new RegExp(`^a=1&${name}=2&`));
      expect(decodeURIComponent(baseString)).toContain(`&${name}=2`);
      expect({ baseString, body }).toEqual({ baseString: listed.baseString, body: listed.body });
    },
  );

  test('null means what is left out, but takes oauth_version away', async () => {
    const nulls = { token: null, tokenSecret: null, realm: null, privateKey: null };
    expect(await outputOf(nulls)).toEqual(await outputOf({}));
    expect((await outputOf({ oauthVersion: null })).authorization).not.toContain('oauth_version');
    expect((await outputOf({})).authorization).toContain('oauth_version="1.0"');
  });

  test('params may repeat the protocol parameters, as published examples do', async () => {
    const params = { 'client-order-id': '1', oauth_consumer_key: 'login', oauth_version: '1.0' };
    expect(await outputOf({ params })).toEqual(await outputOf({}));
  });
});

describe('what is refused names the field and the remedy, and no value', () => {
  test.each<[field: string, change: object]>([
    ['method', { method: undefined }],
    ['url', { url: 'gate.example.com/a' }],
    ['params', { params: 'a=b' }],
    ['params', { params: { a: null } }],
    ['params', { params: 7 }],
    ['params', { params: [{ a: '1' }] }],
    ['params', { params: [['a']] }],
    ['params', { params: { a: '\uD800' } }],
    ['params', { params: { oauth_nonce: 'x' }, nonce: 'y' }],
    ['signatureMethod', { signatureMethod: 'PLAINTEXT' }],
    ['consumerSecret', { consumerSecret: undefined }],
    ['privateKey', { signatureMethod: 'RSA-SHA256' }],
    ['privateKey', { signatureMethod: 'RSA-SHA256', privateKey: 'secret-control-key' }],
    ['timestamp', { timestamp: '2026-11-21' }],
    ['realm', { realm: 'é' }],
  ])('%s: %j', async (field, change) => {
    const result = await sign(change);
    expect(result).toEqual({ kind: 'bad-input', reason: expect.stringMatching(new RegExp(`^${field}: [^\\n]+$`)) });
    expect(JSON.stringify(result)).not.toContain('secret-control-key');
    expect(JSON.stringify(result)).not.toContain(pkcs1Pem.split('\n')[2]);
  });

  test.each([
    '',
    'secret-control-key',
    '[]',
    'null',
    '{',
    '{"method":"POST","params":{"a":"secret-control-key","a":"2"}}',
  ])('an input that is not an object of single names: %j', async (text) => {
    const result = await signFromJson(text);
    expect(result).toEqual({ kind: 'bad-input', reason: expect.stringMatching(/^input: [^\n]+$/) });
    expect(JSON.stringify(result)).not.toContain('secret-control-key');
  });
});

test('the parameters of the query are told in the URL alone, or again among the params: the same request', async () => {
  const [url, rest] = ['https://gate.example.com/x?a=1&b=two%20words', [['c', '3']]];
  const alone = await outputOf({ url, params: rest });
  expect(alone.parameters).toMatch(/^a=1&b=two%20words&c=3&oauth_/);
  expect(await outputOf({ url, params: [['a', '1'], ['b', 'two words'], ...rest] })).toEqual(alone);
});

test('a secret that is null is an empty one, with a warning; one that is missing is bad input', async () => {
  const empty = await sign({ consumerSecret: '' });
  const none = await sign({ consumerSecret: null });
  expect(none).toEqual({
    ...empty,
    warnings: ['consumerSecret: null, so the signature is that of an empty secret'],
  });
  expect(await sign({ consumerSecret: undefined })).toMatchObject({ kind: 'bad-input' });
});

test('the command signs with a key below 2048 bits, with a warning, and one for a field without meaning', async () => {
  const vector = signingVectors.find(({ name }) => name === 'postman-rsa-sha256');
  const input = JSON.stringify({ ...vector, privateKey: vector?.privateKeyPem });
  const { code, stdout, stderr } = await runHosted(['sign'], { input });
  expect({ code, signature: JSON.parse(stdout).signature }).toEqual({ code: 0, signature: vector?.signature });
  expect(stderr).toMatch(/warning: ignored, as these are no fields: name, source/);
  expect(stderr).toMatch(/warning: privateKey: 1023 bits are too few/);
  const input7 = JSON.stringify({ ...request, method: 7 });
  expect(await runHosted(['sign'], { input: input7 })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'payouts sign: method: write the HTTP method as text, such as "POST"\n',
  });
});
