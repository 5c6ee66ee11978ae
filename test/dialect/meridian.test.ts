// A gateway of another family, by a dialect that only the tests have, through the handlers that ship: the journeys of a payout are
// the kernel's, and none of them knows whom it speaks to.
import { describe, expect, it } from 'vitest';
import { handleCallback } from '../../lib/payout/inquire/handle-callback.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World, type WorldChoices } from '../support/world.ts';
import { aMeridianMerchant, macOf, meridian, meridianKey } from './meridian.ts';
import { createMeridianGateway } from './meridian-gateway.ts';

const hourMs = 3_600_000;
const key = 'acme-eu/INV-1';
const told = (world: World) => world.results.taken.map(({ status, final }) => [status, final]);

function aMeridianWorld(merchant = aMeridianMerchant(), choices: WorldChoices = {}) {
  const gateway = createMeridianGateway();
  const world = aWorld({
    ...choices,
    merchants: { 'acme-eu': merchant },
    speaks: { gateway, callbacks: meridian.callbacks },
  });
  const pay = () => world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  const callsBack = (status: string, proof?: string, minor = '1042') => {
    const said = { status, gatewayOrderId: 'mp-1', orderId: 'INV-1' };
    const parameters = new Map(
      Object.entries({
        state: status,
        payment: 'mp-1',
        reference: 'INV-1',
        mac: proof ?? macOf(said, meridianKey),
        minor,
        currency: 'EUR',
      }),
    );
    return handleCallback({ merchant: 'acme-eu', parameters }, world.ports);
  };
  return { ...world, other: gateway, pay, callsBack };
}

describe('a payout at a gateway of another family', () => {
  it('is accepted: one request in its own form, one result, and the end once it is asked', async () => {
    const world = aMeridianWorld();

    await world.pay();

    expect(world.other.requests).toMatchObject([
      {
        url: 'https://meridian.test/payments',
        headers: { authorization: 'Bearer fake-token', 'content-type': 'application/json' },
        body: '{"reference":"INV-1","value":{"minor":1042,"currency":"EUR"},"iban":"DE89370400440532013000"}',
      },
    ]);
    expect(world.results.taken).toMatchObject([{ status: 'accepted', gatewayOrderId: 'mp-1', attempts: 1 }]);

    world.other.ends('INV-1', 'paid');
    await world.look(key);
    expect(world.other.requests[1]).toMatchObject({ method: 'GET', url: 'https://meridian.test/payments/INV-1' });
    expect(told(world)).toEqual([
      ['accepted', false],
      ['approved', true],
    ]);
  });

  it('is declined by the answer, and by a later look', async () => {
    const refused = aMeridianWorld();
    refused.other.becomes('refuses');
    await refused.pay();
    await refused.pass(hourMs);
    expect(refused.results.taken.at(-1)).toMatchObject({
      status: 'declined',
      failure: { code: 'GATEWAY_REFUSED', message: 'the account is closed' },
    });

    const bounced = aMeridianWorld();
    await bounced.pay();
    bounced.other.ends('INV-1', 'bounced');
    await bounced.look(key);
    expect(told(bounced)).toEqual([
      ['accepted', false],
      ['declined', true],
    ]);
  });

  it('is in doubt after silence, is not sent again, and ends as the gateway knows it', async () => {
    const world = aMeridianWorld();
    world.other.becomes('takes and falls silent');
    await world.pay();
    await world.pay();
    expect(told(world)[0]).toEqual(['in-doubt', false]);

    world.other.ends('INV-1', 'paid');
    await world.pass(hourMs);
    expect(told(world).at(-1)).toEqual(['approved', true]);
    expect(world.other.requests.filter(({ method }) => method !== 'GET')).toHaveLength(1);
  });

  it('is held where the gateway never knew it: a person decides', async () => {
    const world = aMeridianWorld();
    world.other.becomes('loses');
    await world.pay();
    await world.pass(48 * hourMs);
    expect(told(world).at(-1)).toEqual(['held', false]);
    expect(world.other.requests.filter(({ method }) => method !== 'GET')).toHaveLength(1);
  });

  it('ends by its callback, once its proof is right and its amount is the order’s', async () => {
    const world = aMeridianWorld();
    await world.pay();

    expect(await world.callsBack('paid', 'forged')).toBe('refused');
    expect(await world.callsBack('paid')).toBe('stored');
    await world.look(key);
    expect(told(world)).toEqual([
      ['accepted', false],
      ['approved', true],
    ]);
  });

  it('does not end by a callback of another amount: that is kept, and alarmed', async () => {
    const world = aMeridianWorld();
    await world.pay();
    expect(await world.callsBack('paid', undefined, '1')).toBe('stored');
    await world.look(key);
    expect(told(world).at(-1)).not.toEqual(['approved', true]);
    expect(world.log).toContainEqual(expect.objectContaining({ event: 'callback-surprise' }));
  });

  it('waits unharmed while the token is refused, and goes with the next one', async () => {
    const world = aMeridianWorld(aMeridianMerchant({ token: 'fake-old-token' }), { lanes: 'open' });
    await world.pay();
    expect(told(world)).toEqual([]);
    expect(world.other.payments.size).toBe(0);

    world.credentials.rotate('acme-eu', aMeridianMerchant({ version: 'v2' }));
    await world.credentials.refresh('acme-eu', aMeridianMerchant());
    await world.pass(4 * hourMs);
    await world.pay();
    expect(told(world).at(-1)).toEqual(['accepted', false]);
    expect(world.other.payments.size).toBe(1);
  });
});
