// `payouts local` against a gateway whose signature check is foreign (oauthlib): all four operations, both
// signature methods, and text that every encoder gets wrong somewhere.
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { EmulatorProcess } from './emulators/emulator-process.ts';
import { startOauthlibGateway } from './emulators/oauthlib.ts';
import { merchantSecrets } from '../support/merchant-secrets.ts';

const oauthlib = inject('oauthlib');
const controlKey = 'FAKE-control key &=+%~ключ';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const hostile = `a  b+c%20d&e=f~(g)*'h'!"<ü>日本 Ω é`;

const operations: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  payout: { amount: '10.42', currency: 'EUR', order_desc: hostile, account_number: 'DE89 3704', bank_name: hostile },
  transfer: { amount: '1', currency: 'USD', order_desc: hostile, redirect_url: 'https://x.example/?a=b&c=d%20e' },
  'transfer-by-ref': { amount: '2.50', currency: 'EUR', 'destination-card-no': '4111111111111111' },
  'pan-eligibility': { 'sending-card-ref-id': '7654321' },
};

describe.skipIf(oauthlib === null)('a foreign gateway', () => {
  let directory: string;
  let gateway: EmulatorProcess;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'foreign-gateway-'));
    gateway = await startOauthlibGateway(oauthlib ?? '', join(directory, 'keys.json'));
  });

  afterAll(async () => {
    await gateway.stop();
    await rm(directory, { recursive: true });
  });

  it('verifies all four operations under both methods', async () => {
    // given a merchant who signs by the defaults, and one who signs the other way round
    const swapped = {
      payout: 'HMAC-SHA1',
      transfer: 'HMAC-SHA1',
      'transfer-by-ref': 'HMAC-SHA1',
      'pan-eligibility': 'RSA-SHA256',
    };
    const secret = { controlKey, privateKey: pem, mode: 'test' };
    const secrets = {
      plain: merchantSecrets({ ...secret, login: 'foreign-login', profile: {} }),
      swapped: merchantSecrets({ ...secret, login: 'other-login', profile: { signatureMethod: swapped } }),
    };
    const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const jobs = Object.keys(secrets).flatMap((merchant) =>
      Object.entries(operations).map(([operation, params]) => {
        const orderId = `${operation} (${merchant})*!'~+&`;
        return JSON.stringify({ version: 1, operation, merchant, endpointId: '39915', orderId, params });
      }),
    );
    const keys = { controlKey, publicKey: publicPem };
    const write = (file: string, text: string) => writeFile(join(directory, file), text);
    await write('keys.json', JSON.stringify({ 'foreign-login': keys, 'other-login': keys }));
    await write('secrets.json', JSON.stringify(secrets));
    await write('jobs.jsonl', jobs.join('\n'));

    // when they are run against it
    const file = (name: string) => join(directory, name);
    const options = [
      '--gateway-url',
      gateway.url,
      '--secrets',
      file('secrets.json'),
      '--results',
      file('results.jsonl'),
    ];
    const { stdout } = await promisify(execFile)(process.execPath, [
      'lib/cli/payouts.js',
      'local',
      file('jobs.jsonl'),
      '--json',
      ...options,
    ]);

    // then it has verified each, and every job was accepted
    const seen: unknown = await (await fetch(gateway.url)).json();
    expect(seen).toHaveLength(8);
    for (const request of seen as { method: string }[]) {
      expect(request).toMatchObject({ verified: true, repeatedInBody: request.method === 'HMAC-SHA1' });
    }
    expect(JSON.parse(stdout)).toMatchObject({ settled: true, standings: { accepted: 6, checked: 2 } });
  });
});
