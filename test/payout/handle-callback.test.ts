// The gateway's callback at the public door: handed on where it is authentic, and nothing when it is forged.
import { describe, expect, it } from 'vitest';
import { createHash, createSecretKey } from 'node:crypto';
import { callbacksPerMinute, createCallbackDoor, handleCallback } from '../../lib/payout/handle-callback.ts';
import { aWorldWith, check, moveTo, standing } from '../support/asked-order.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { createManualClock } from '../support/time-and-chance.ts';
import { aWorld, type World, type WorldChoices } from '../support/world.ts';

const paid = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
const unpaid = { ...paid, status: 'declined' };

/** The order accepted (or doubtful) under the interface document alone: nobody can be asked. */
async function aWorldWithoutInquiry(mood: 'accepts' | 'stalls' = 'accepts', choices: WorldChoices = {}) {
  const world = aWorld(choices);
  world.gateway.moods(mood);
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
    const before = standing(world);
    expect(await world.callBack({ ...paid, ...fields }, merchant)).toBe(403);
    expect(standing(world)).toBe(before);
    expect(world.checksQueue.taken).toEqual([]);
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
    expect(world.checksQueue.taken).toEqual([]);
  });

  it('fills no log, however many come: sixty lines a minute, and a figure a second that counts them all', async () => {
    const world = await aWorldWithoutInquiry();
    const before = world.figures.length;
    for (let times = 0; times < 10_000; times += 1) {
      await world.callBack({ ...paid, control: 'f'.repeat(40) });
      world.clock.advance(times % 200 === 199 ? 1_000 : 0);
    }
    const lines = () => world.log.filter(({ event }) => event === 'callback-forged').length;
    expect(lines()).toBe(60);
    const figures = world.figures.slice(before).filter(({ values }) => Object.keys(values).length > 0);
    expect(figures.length).toBeLessThanOrEqual(51);
    await world.callBack({ ...paid, control: 'f'.repeat(40) });
    const counted = world.figures.reduce((sum, { values }) => sum + Number(values.callbacksForged ?? 0), 0);
    expect(counted).toBe(10_001);
    world.clock.advance(60_000);
    await world.callBack({ ...paid, control: 'f'.repeat(40) });
    expect(lines()).toBe(61);
  });

  it('is any, for a merchant without a control key', async () => {
    const { controlKey: _, ...credentials } = someCredentials();
    const world = await aWorldWithoutInquiry('accepts', { merchants: { 'acme-eu': credentials } });
    expect(await world.callBack(paid)).toBe(403);
  });
});

describe('a callback that is none', () => {
  it.each(['status', 'orderid', 'client_orderid', 'control'])('without its %s is answered 400', async (name) => {
    const world = await aWorldWithoutInquiry();
    const fields = Object.entries({ ...paid, control: 'f'.repeat(40) }).filter(([it]) => it !== name);
    expect(await handleCallback({ merchant: 'acme-eu', parameters: new Map(fields) }, world.ports)).toBe(400);
  });
});

describe('where the gateway can be asked, a callback', () => {
  it('triggers a look at once, and changes nothing itself', async () => {
    const world = await aWorldWith('accepted');
    const before = standing(world);
    expect(await world.callBack(unpaid)).toBe(200);
    expect(standing(world)).toBe(before);
    expect(world.checksQueue.taken).toMatchObject([{ check: check({ now: true }), delaySeconds: 0 }]);
    expect(world.log).toEqual([
      { level: 'info', event: 'callback', fields: { merchant: 'acme-eu', orderId: 'INV-1' } },
    ]);

    // The gateway itself says otherwise, and its word counts.
    world.gateway.statuses('approved');
    await world.inquire();
    expect(told(world)).toEqual(['acme-eu/INV-1/3 approved']);
  });

  it('that comes again and again within a minute triggers one look, and later another, each harmless', async () => {
    const world = await aWorldWith('accepted');
    world.gateway.statusStays('approved');
    for (let times = 0; times < 100; times += 1) expect(await world.callBack(paid)).toBe(200);
    expect(world.checksQueue.taken).toHaveLength(1);
    world.clock.advance(60_000);
    expect(await world.callBack(paid)).toBe(200);
    expect(world.checksQueue.taken).toHaveLength(2);
    await world.inquire();
    expect(new Set(told(world))).toEqual(new Set(['acme-eu/INV-1/3 approved']));
    await world.inquire();
    expect(world.checksQueue.taken).toEqual([]);
    expect(standing(world)).toMatchObject({ state: 'approved', revision: 3 });
  });

  it('that was not taken yet is no repeat, and another word of the same order is none', async () => {
    const world = await aWorldWith('accepted');
    world.checksQueue.moods('down');
    expect(await world.callBack(paid)).toBe(503);
    expect(await world.callBack(paid)).toBe(200);
    expect(await world.callBack(unpaid)).toBe(200);
    expect(await world.callBack({ ...paid, amount: '10.43' })).toBe(200);
    expect(world.checksQueue.taken).toHaveLength(3);
  });

  it('has room a hundred times a second and merchant; beyond that it is asked to come again', () => {
    const clock = createManualClock();
    const door = createCallbackDoor(clock);
    for (let n = 0; n < callbacksPerMinute; n += 1) expect(door.hasRoom('acme-eu')).toBe(true);
    expect(door.hasRoom('acme-eu')).toBe(false);
    expect(door.hasRoom('acme-us')).toBe(true);
    clock.advance(60_000);
    expect(door.hasRoom('acme-eu')).toBe(true);
  });

  it('is remembered in bounded room, the oldest forgotten first', () => {
    const door = createCallbackDoor(createManualClock());
    for (let n = 0; n <= 10_000; n += 1) door.taken(`word ${n}`);
    expect([door.hasTaken('word 0'), door.hasTaken('word 1'), door.hasTaken('word 10000')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('finds the order of a held doubt', async () => {
    const world = await aWorldWith('in-doubt');
    await moveTo(world, 'held');
    world.gateway.statuses('approved');
    await world.callBack(paid);
    await world.inquire();
    expect(told(world)).toEqual(['acme-eu/INV-1/4 approved']);
  });

  it('before the answer to the POST is settled is looked into when the lease is over', async () => {
    const world = aWorld({ profile: { statusInquiry: true } });
    world.gateway.meanwhile(async ({ url }) => {
      if (!url.includes('/payout/')) return;
      expect(await world.callBack(paid)).toBe(200);
      expect(await world.inquire()).toEqual([]);
    });
    await world.deliver(aRecord(aPayoutJob()));
    const delays = world.checksQueue.taken.map((it) => [it.check.now, it.delaySeconds]);
    expect(delays).toEqual([
      [true, 101],
      [undefined, 5],
    ]);
  });

  it('is answered 503 while the checks queue does not take the look', async () => {
    const world = await aWorldWith('accepted');
    world.checksQueue.moods('down', { refuses: [0] });
    expect(await world.callBack(paid)).toBe(503);
    expect(await world.callBack(paid)).toBe(503);
    expect(await world.callBack(paid)).toBe(200);
  });

  it('is answered 503 while the secrets service is down', async () => {
    const world = await aWorldWith('accepted');
    world.credentials.outage('down');
    expect(await world.callBack(paid)).toBe(503);
  });
});

it('an order id of any characters comes through', async () => {
  const orderId = 'INV +1&2=3%20/4?#"~';
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob({ orderId })));
  expect(await world.callBack({ ...paid, client_orderid: orderId })).toBe(200);
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }, { orderId, status: 'approved' }]);
});
