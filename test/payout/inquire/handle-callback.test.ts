// The gateway's callback at the public door: kept where it is authentic, and nothing when it is forged.
import { describe, expect, it } from 'vitest';
import { createHash, createSecretKey } from 'node:crypto';
import { callbacksPerMinute, createCallbackDoor, handleCallback } from '../../../lib/payout/inquire/handle-callback.ts';
import { aWorldWith, key } from '../../support/asked-order.ts';
import { someControlKey } from '../../support/fake-credentials.ts';
import { aPayoutJob } from '../../support/jobs.ts';
import { aRecord } from '../../support/records.ts';
import { createManualClock } from '../../support/time-and-chance.ts';
import { aWorld, type World } from '../../support/world.ts';

const paid = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };

/** The order accepted (or doubtful) under the interface document alone: nobody can be asked. */
async function aWorldWithoutInquiry() {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  world.results.taken.splice(0);
  world.log.splice(0);
  return world;
}

const told = (world: World) => world.results.taken.map(({ resultId, status }) => `${resultId} ${status}`);

describe('a callback that nobody believes', () => {
  it.each<[string, object, string?]>([
    ['with a wrong control', { ...paid, control: 'f'.repeat(40) }],
    ['with a control of another length', { ...paid, control: 'f'.repeat(39) }],
    ['for another merchant', paid, 'acme-us'],
    ['for the worker’s own secret', paid, '_worker'],
    ['for no merchant', paid, ''],
    ['for a path', paid, '../acme-eu'],
  ])('%s is answered 403 and changes nothing', async (_, fields, merchant) => {
    const world = await aWorldWithoutInquiry();
    const before = world.items.get(key);
    expect(await world.callBack({ ...paid, ...fields }, merchant)).toBe(403);
    expect(world.items.get(key)).toBe(before);
    expect(world.callbacksQueue.taken).toEqual([]);
  });

  it('and that names no order is answered 400: it is about none of ours, and would begin one that nobody can name', async () => {
    const world = await aWorldWithoutInquiry();
    expect(await world.callBack({ ...paid, client_orderid: '' })).toBe(400);
    expect(world.items.size).toBe(1);
    expect(world.callbacksQueue.taken).toEqual([]);
  });

  it('is logged by its merchant alone, never with its query', async () => {
    const world = await aWorldWith('accepted');
    await world.callBack({ ...paid, control: 'f'.repeat(40) });
    expect(world.log).toEqual([{ level: 'warn', event: 'callback-forged', fields: { merchant: 'acme-eu' } }]);
    world.log.splice(0);
    await world.callBack(paid, 'a name from outside\n{"level":"error"}');
    expect(world.log).toEqual([{ level: 'warn', event: 'callback-forged', fields: {} }]);
  });

  it('costs the same for every name: one look at the keys that are let in, and one comparison', async () => {
    const world = await aWorldWithoutInquiry();
    let looks = 0;
    const controlKeys = { all: async () => ((looks += 1), new Map([['acme-eu', [createSecretKey('k', 'utf8')]]])) };
    const asked: string[] = [];
    const of: World['credentials']['of'] = async (merchant) => {
      asked.push(merchant);
      return world.credentials.of(merchant);
    };
    const ports = { ...world.ports, controlKeys, credentials: { ...world.credentials, of } };
    const parameters = new Map(Object.entries({ ...paid, control: 'f'.repeat(40) }));
    for (const merchant of ['acme-eu', 'acme-us', '_worker', '', '.hidden', 'a'.repeat(65)])
      expect(await handleCallback({ merchant, parameters }, ports)).toBe(403);
    expect([looks, asked]).toEqual([6, []]);
  });

  it('can be made for nobody: what unknown names are compared with lets nothing in', async () => {
    const world = await aWorldWithoutInquiry();
    const control = createHash('sha1').update('approved9000001INV-1nobody').digest('hex');
    expect(await world.callBack({ ...paid, control }, 'nobody')).toBe(403);
    expect(await world.callBack({ ...paid, control })).toBe(403);
    expect(world.items.get(key)?.inbox).toEqual({});
    expect(world.callbacksQueue.taken).toEqual([]);
  });

  it('fills no log, however many come: sixty lines a minute, and a figure a second that counts them all', async () => {
    const world = await aWorldWithoutInquiry();
    const before = world.figures.length;
    for (let times = 0; times < 2_000; times += 1) {
      await world.callBack({ ...paid, control: 'f'.repeat(40) });
      world.clock.advance(times % 40 === 39 ? 1_000 : 0);
    }
    const lines = () => world.log.filter(({ event }) => event === 'callback-forged').length;
    expect(lines()).toBe(60);
    const figures = world.figures.slice(before).filter(({ values }) => Object.keys(values).length > 0);
    expect(figures.length).toBeLessThanOrEqual(51);
    await world.callBack({ ...paid, control: 'f'.repeat(40) });
    const counted = world.figures.reduce((sum, { values }) => sum + Number(values.callbacksForged ?? 0), 0);
    expect(counted).toBe(2_001);
    world.clock.advance(60_000);
    await world.callBack({ ...paid, control: 'f'.repeat(40) });
    expect(lines()).toBe(61);
  });
});

describe('a callback that is none', () => {
  it.each(['status', 'orderid', 'client_orderid', 'control'])('without its %s is answered 400', async (name) => {
    const world = await aWorldWithoutInquiry();
    const fields = Object.entries({ ...paid, control: 'f'.repeat(40) }).filter(([it]) => it !== name);
    expect(await handleCallback({ merchant: 'acme-eu', parameters: new Map(fields) }, world.ports)).toBe(400);
  });
});

/** The door alone: nobody looks at the order after it. */
const atDoor = (world: World, fields: Record<string, string> = paid) => {
  const { status = '', orderid = '', client_orderid = '' } = fields;
  const control = createHash('sha1').update(`${status}${orderid}${client_orderid}${someControlKey}`).digest('hex');
  return handleCallback(
    { merchant: 'acme-eu', parameters: new Map(Object.entries({ ...fields, control })) },
    world.ports,
  );
};

describe('a genuine callback', () => {
  it('lies in the inbox of its order before it is answered 200, and nothing else of the order has changed', async () => {
    const world = await aWorldWithoutInquiry();
    const before = world.items.get(key);
    expect(await atDoor(world, { ...paid, card: '4111111111111111' })).toBe(200);
    const after = world.items.get(key);
    const { orderid: gatewayOrderId, client_orderid: orderId, ...said } = paid;
    const kept = { ...said, gatewayOrderId, orderId, proof: expect.any(String) };
    expect(Object.values(after?.inbox ?? {})).toEqual([kept]);
    expect(after?.facts).toEqual(before?.facts);
    expect(world.results.taken).toEqual([]);
    expect(world.log).toEqual([
      { level: 'info', event: 'callback', fields: { merchant: 'acme-eu', orderId: 'INV-1' } },
    ]);
  });

  it('is kept once, however often it comes, and however its amount is replayed', async () => {
    const world = await aWorldWithoutInquiry();
    for (let times = 0; times < 100; times += 1) expect(await atDoor(world)).toBe(200);
    expect(await atDoor(world, { ...paid, amount: '10.43' })).toBe(200);
    expect(Object.keys(world.items.get(key)?.inbox ?? {})).toHaveLength(1);
  });

  it.each<[part: string, said: Record<string, string>]>([
    ['amount', { amount: '4111111111111111' }],
    ['currency', { currency: '4111 1111 1111 1111' }],
    ['order id', { client_orderid: '4111111111111111' }],
  ])('brings no card number into the ledger, the queue or the log, where its %s is one', async (_, said) => {
    const world = await aWorldWithoutInquiry();
    await atDoor(world, { ...paid, ...said });
    world.orders.stays('down', 'note');
    await atDoor(world, { ...paid, ...said, type: 'capture' });
    const kept = JSON.stringify([
      [...world.items.entries()].map(([at, { inbox }]) => [at, inbox]),
      world.callbacksQueue.taken,
      world.log,
    ]);
    expect(kept.replaceAll(' ', '')).not.toContain('4111111111111111');
  });
});

describe('while the table is down, a callback', () => {
  it.each(['down', 'answer lost'] as const)(
    'waits on its own queue (%s), and is read once the table is back',
    async (fault) => {
      const world = await aWorldWithoutInquiry();
      world.orders.stays(fault, 'note');
      expect(await atDoor(world)).toBe(200);
      expect(world.callbacksQueue.taken).toMatchObject([{ key }]);
      expect(await world.deliverCallbacks()).toBe(1);
      world.orders.stays('up', 'note');
      expect(await world.deliverCallbacks()).toBe(0);
      await world.look(key);
      expect(told(world)).toEqual(['acme-eu/INV-1/2 approved']);
    },
  );

  it('is answered 503 where its queue is down too, and is no repeat when it comes again', async () => {
    const world = await aWorldWithoutInquiry();
    world.orders.stays('down', 'note');
    world.callbacksQueue.moods('down', { refuses: [0] });
    expect([await atDoor(world), await atDoor(world)]).toEqual([503, 503]);
    world.orders.stays('up', 'note');
    expect(await atDoor(world)).toBe(200);
    expect(Object.keys(world.items.get(key)?.inbox ?? {})).toHaveLength(1);
  });
});

it('a callback is answered 503 while the secrets service is down', async () => {
  const world = await aWorldWith('accepted');
  world.credentials.outage('down');
  expect(await atDoor(world)).toBe(503);
});

describe('the door', () => {
  it('has room a hundred times a second and merchant; beyond that it is asked to come again', () => {
    const clock = createManualClock();
    const door = createCallbackDoor(clock);
    for (let n = 0; n < callbacksPerMinute; n += 1) expect(door.hasRoom('acme-eu')).toBe(true);
    expect(door.hasRoom('acme-eu')).toBe(false);
    expect(door.hasRoom('acme-us')).toBe(true);
    clock.advance(60_000);
    expect(door.hasRoom('acme-eu')).toBe(true);
  });
});

it('an order id of any characters comes through', async () => {
  const orderId = 'INV +1&2=3%20/4?#"~';
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob({ orderId })));
  expect(await world.callBack({ ...paid, client_orderid: orderId })).toBe(200);
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }, { orderId, status: 'approved' }]);
});
