// The signatures checked by a program that shares no code with node: openssl, where it is installed.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { signRequest } from '../../lib/oauth1/sign-request.ts';
import { parseSigningKey } from '../../lib/oauth1/signature-methods.ts';
import { pkcs1Pem, rsaPair } from './keys.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.skipIf(!hasOpenssl)('openssl agrees', () => {
  const directory = mkdtempSync(join(tmpdir(), 'payouts-oauth1-'));
  const file = (name: string, content: string | Buffer): string => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
  afterAll(() => rmSync(directory, { recursive: true }));

  const request = {
    method: 'POST',
    url: 'https://gate.example.com/paynet/api/v4/payout/1',
    params: [['order_desc', "Zoë's 100% (¼)"] as const],
    consumerKey: 'login',
    nonce: 'n1',
    timestamp: '1700000000',
  };

  test('RSA-SHA256', async () => {
    const key = parseSigningKey('RSA-SHA256', pkcs1Pem);
    const { baseString, signature } = await signRequest({ ...request, signatureMethod: 'RSA-SHA256', key });
    const publicKey = file('public.pem', rsaPair.publicKey.export({ type: 'spki', format: 'pem' }).toString());
    const signatureFile = file('signature', Buffer.from(signature, 'base64'));
    const text = file('base-string', baseString);
    const answer = execFileSync('openssl', [
      'dgst',
      '-sha256',
      '-verify',
      publicKey,
      '-signature',
      signatureFile,
      text,
    ]);
    expect(answer.toString().trim()).toBe('Verified OK');
  });

  test('HMAC-SHA1', async () => {
    const key = parseSigningKey('HMAC-SHA1', 'control-key');
    const { baseString, signature } = await signRequest({ ...request, signatureMethod: 'HMAC-SHA1', key });
    const text = file('base-string', baseString);
    const digest = execFileSync('openssl', ['dgst', '-sha1', '-hmac', 'control-key&', '-binary', text]);
    expect(digest.toString('base64')).toBe(signature);
  });
});
