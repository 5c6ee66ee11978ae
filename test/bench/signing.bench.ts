// What a signature by RSA costs, beside the bare platform call.
import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, randomUUID, sign, verify } from 'node:crypto';
import { signRequest } from '../../lib/oauth1/sign-request.ts';
import { parseSigningKey } from '../../lib/oauth1/signature-methods.ts';
import { sideBySide } from './harness.ts';
import type { Benchmark, Measurement } from './harness.ts';

const url = 'https://gate.example.com/paynet/api/v4/transfer/39915';
const consumerKey = 'merchantlogin';
const transfer = {
  amount: '10.42',
  currency: 'EUR',
  client_orderid: 'INV-2026-000123',
  order_desc: 'Transfer for invoice 123',
  credit_card_number: '4444555566661111',
  card_printed_name: 'JOHN SMITH',
  cvv2: '123',
  expire_month: '12',
  expire_year: '2030',
  'destination-card-no': '4444555566661112',
  deposit2card: 'false',
  ipaddress: '192.0.2.10',
  redirect_url: 'https://shop.example.com/return',
};
const params = Object.entries(transfer);
const freshNonce = (): string => randomUUID();
const freshTimestamp = (): string => String(Math.floor(Date.now() / 1000));

/** All benchmarks of this file. */
export const signingBenchmarks: readonly Benchmark[] = [
  {
    name: 'signing-rsa-sha256-4096',
    description: 'CPU of a 13-field transfer signed by RSA with 4096 bits, beside bare asynchronous crypto.sign',
    run: benchRsa,
  },
];

async function benchRsa(): Promise<Measurement> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });
  const key = parseSigningKey('RSA-SHA256', privateKey.export({ type: 'pkcs1', format: 'pem' }).toString());
  const fixed = { method: 'POST', url, params, consumerKey, signatureMethod: 'RSA-SHA256', key } as const;
  const ours = () => signRequest({ ...fixed, nonce: freshNonce(), timestamp: freshTimestamp() });
  const { baseString, signature } = await ours();
  const text = Buffer.from(baseString);
  assert.ok(verify('sha256', text, publicKey, Buffer.from(signature, 'base64')));
  const reference = () =>
    new Promise((resolve, reject) => {
      const bare = { key: privateKey, padding: constants.RSA_PKCS1_PADDING };
      sign('sha256', text, bare, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
    });

  const cpu = await sideBySide({ ours, reference, callsPerRound: 16, rounds: 31, clock: 'cpu' });
  return {
    figures: { ofBareSigning: cpu.ratio },
    bounds: [{ kind: 'least', figure: 'ofBareSigning', least: 0.9 }],
  };
}
