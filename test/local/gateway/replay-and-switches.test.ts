// The gate's switches, its memory of nonces, and what it writes down.
import { generateKeyPairSync } from 'node:crypto';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startGatewaySimulator } from '../../../lib/local/gateway/simulator.ts';
import { formFields, post, postPayout } from './support/client.ts';
import { acme } from './support/signer.ts';
import { aClock, aGateway } from './support/story.ts';

describe('contract switches', () => {
  it('will not start with a public key that is too small', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    await expect(startGatewaySimulator({ merchants: [{ ...acme, publicKeyPem }] })).rejects.toThrow(
      'at least 2048 bits',
    );
  });
});

describe('replay', () => {
  it('refuses a used nonce of the same login, and takes it from another login', async () => {
    const gateway = await aGateway({ merchants: [acme, { ...acme, login: 'other' }] });
    const how = { nonce: 'once', timestampSeconds: Math.floor(Date.now() / 1000) };
    expect(await postPayout(gateway, 'INV-1', how)).toMatchObject({ status: 200 });
    expect(await postPayout(gateway, 'INV-1', how)).toMatchObject({ status: 403 });
    expect(await postPayout(gateway, 'INV-1', { ...how, login: 'other' })).toMatchObject({ status: 200 });
    expect(gateway.refusals()).toMatchObject([{ reason: 'repeated-nonce', login: 'acme' }]);
  });

  it('does not remember the nonce of a request that was not authentic', async () => {
    const gateway = await aGateway();
    expect(await postPayout(gateway, 'INV-1', { nonce: 'once', controlKey: 'wrong' })).toMatchObject({ status: 403 });
    expect(await postPayout(gateway, 'INV-1', { nonce: 'once' })).toMatchObject({ status: 200 });
  });

  it('holds timestamps to the window on both sides, by the injected clock', async () => {
    const clock = aClock();
    const gateway = await aGateway({ nowMs: clock.nowMs, timestampWindowSeconds: 60 });
    const at = async (offsetSeconds: number) =>
      postPayout(gateway, 'INV-1', { timestampSeconds: clock.timestampSeconds() + offsetSeconds });
    const statuses = [await at(-61), await at(-60), await at(60), await at(61)].map(
      (e) => e.kind === 'answer' && e.status,
    );
    expect(statuses).toEqual([403, 200, 200, 403]);
  });

  it('never takes a request again, however long one waits', async () => {
    const clock = aClock();
    const gateway = await aGateway({ nowMs: clock.nowMs, timestampWindowSeconds: 60 });
    const how = { nonce: 'once', timestampSeconds: clock.timestampSeconds() + 60 };
    expect(await postPayout(gateway, 'INV-1', how)).toMatchObject({ status: 200 });
    for (const _minute of [1, 2, 3]) {
      clock.pass(60_000);
      expect(await postPayout(gateway, 'INV-1', how)).toMatchObject({ status: 403 });
    }
    expect(gateway.refusals().map(({ reason }) => reason)).toEqual([
      'repeated-nonce',
      'repeated-nonce',
      'stale-timestamp',
    ]);
  });

  it('can be switched off', async () => {
    const gateway = await aGateway({ timestampWindowSeconds: null });
    const how = { nonce: 'once', timestampSeconds: 1_600_000_000 };
    expect(await postPayout(gateway, 'INV-1', how)).toMatchObject({ status: 200 });
    expect(await postPayout(gateway, 'INV-1', how)).toMatchObject({ status: 200 });
  });
});

describe('the book of orders', () => {
  it('holds no card data', async () => {
    const gateway = await aGateway();
    const transfer = {
      client_orderid: 'T-1',
      amount: '5',
      currency: 'USD',
      'destination-card-no': '4111111111111111',
      credit_card_number: '5555555555554444',
      cvv2: '987',
      expire_month: '1',
      expire_year: '2031',
      card_printed_name: 'JANE ROE',
    };
    await post(gateway, 'v4/transfer/39915', transfer);
    expect(gateway.orders()).toHaveLength(1);
    expect(JSON.stringify(gateway.orders())).not.toMatch(/4111111111111111|5555555555554444|987|JANE/);
  });
});

describe('a client that leaves in the middle of its body', () => {
  it('leaves no order and no error behind', async () => {
    const gateway = await aGateway();
    const call = request(`${gateway.apiUrl}/v4/payout/39915`, {
      method: 'POST',
      headers: { 'content-length': '1000' },
    });
    await new Promise<void>((resolve) => {
      call.on('error', () => resolve());
      call.write('half', () => call.destroy(new Error('left')));
    });
    expect(formFields(await postPayout(gateway, 'INV-1'))['type']).toBe('async-response');
    expect(gateway.orders()).toHaveLength(1);
  });
});
