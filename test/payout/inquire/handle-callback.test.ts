// The gateway's callback: in the ledger before it is answered, and nothing when it is forged.
import { createHash, createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { handleCallback } from '../../../lib/payout/inquire/handle-callback.ts';
import { aWorldWith, key, standing } from '../../support/asked-order.ts';
import { someCredentials } from '../../support/fake-credentials.ts';
import { aPayoutJob } from '../../support/jobs.ts';
import { asMarked } from '../../support/orders.ts';
import { aRecord } from '../../support/records.ts';
import { aWorld, type World } from '../../support/world.ts';

const paid = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };

/** The order accepted under the interface document alone: the gateway cannot be asked. */
async function aWorldWithoutInquiry() {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  world.results.taken.splice(0);
  world.log.splice(0);
  return world;
}

describe('a callback that is not believed', () => {
  it.each<[string, object, string?]>([
    ['with a wrong control', { ...paid, control: 'f'.repeat(40) }],
    ['with a control of another length', { ...paid, control: 'f'.repeat(39) }],
    ['that names no order', { ...paid, client_orderid: '' }],
    ['for another merchant', paid, 'acme-us'],
    ['for the worker’s own secret', paid, '_worker'],
    ['for no merchant', paid, ''],
    ['for a path', paid, '../acme-eu'],
  ])('%s is refused, so that it comes again, and changes nothing', async (_, fields, merchant) => {
    const world = await aWorldWithoutInquiry();
    const before = world.items.get(key);
    expect(await world.callBack({ ...paid, ...fields }, merchant)).toBe('refused');
    expect([world.items.get(key), world.items.size]).toEqual([before, 1]);
  });

  it('is logged by its merchant alone, never with its query, and counted', async () => {
    const world = await aWorldWith('accepted');
    await world.callBack({ ...paid, control: 'f'.repeat(40) });
    expect(world.log).toEqual([{ level: 'warn', event: 'callback-forged', fields: { merchant: 'acme-eu' } }]);
    expect(world.figures.at(-1)?.values).toEqual({ callbacksForged: 1 });
    world.log.splice(0);
    await world.callBack(paid, 'a name from outside\n{"level":"error"}');
    expect(world.log).toEqual([{ level: 'warn', event: 'callback-forged', fields: {} }]);
  });

  it('costs the same for every name: one look at the keys that are let in, and as many comparisons', async () => {
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
      expect(await handleCallback({ merchant, parameters }, ports)).toBe('refused');
    expect([looks, asked]).toEqual([6, []]);
  });

  it('can be made for no unknown name: what those are compared with lets nothing in', async () => {
    const world = await aWorldWithoutInquiry();
    const before = world.items.get(key);
    const control = createHash('sha1').update('approved9000001INV-1nobody').digest('hex');
    expect(await world.callBack({ ...paid, control }, 'nobody')).toBe('refused');
    expect(await world.callBack({ ...paid, control })).toBe('refused');
    expect(world.items.get(key)).toBe(before);
  });
});

describe('a genuine callback', () => {
  it('is judged again if another writer was first: what is answered as stored is in the ledger', async () => {
    const world = await aWorldWithoutInquiry();
    const { write } = world.ports.orders;
    let isFirst = true;
    const overtaken: typeof write = async (before, next) => {
      if (isFirst) await write(before, asMarked(before));
      isFirst = false;
      return write(before, next);
    };
    Object.assign(world.ports, { orders: { ...world.ports.orders, write: overtaken } });
    expect(await world.callBack(paid)).toBe('stored');
    expect(standing(world)).toMatchObject({ standing: 'paid' });
  });

  it('is in the ledger before it is answered, with the mark of its result, and its order is due at once', async () => {
    const world = await aWorldWithoutInquiry();
    world.orders.stays('down', 'markPublished');
    expect(await world.callBack(paid)).toBe('stored');
    expect(world.items.get(key)).toMatchObject({ unpublished: true, published: { revision: 2 } });
    expect(standing(world)).toMatchObject({ standing: 'paid' });
    expect(world.log[0]).toEqual({
      level: 'info',
      event: 'callback',
      fields: { merchant: 'acme-eu', orderId: 'INV-1' },
    });
  });

  it('that comes again finds nothing to store, and costs one read', async () => {
    const world = await aWorldWithoutInquiry();
    expect(await world.callBack(paid)).toBe('stored');
    const before = world.items.get(key);
    world.orders.stays('down', 'write');
    for (let times = 0; times < 100; times += 1) expect(await world.callBack(paid)).toBe('nothing-to-store');
    expect(world.items.get(key)).toBe(before);
  });

  it('that contradicts the order wakes a person, though the answer to its write is lost', async () => {
    const world = await aWorldWithoutInquiry();
    await world.callBack(paid);
    const { orders } = world.ports;
    const unanswered: typeof orders.write = async (before, next) => {
      Object.assign(world.ports, { orders });
      await orders.write(before, next);
      throw new Error('no answer');
    };
    Object.assign(world.ports, { orders: { ...orders, write: unanswered } });
    const earlier = world.figures.length;
    const declined = { ...paid, status: 'declined' };
    expect([await world.callBack(declined), await world.callBack(declined)]).toEqual(['refused', 'nothing-to-store']);
    const told = world.figures.slice(earlier).map(({ values }) => values.callbackContradictions);
    expect(told).toEqual([1, undefined]);
  });

  it('that contradicts the order wakes a person once, though another writer is faster', async () => {
    const world = await aWorldWithoutInquiry();
    await world.callBack(paid);
    const { orders } = world.ports;
    let races = 0;
    const raced: typeof orders.write = async (before, next) => {
      races += 1;
      return races < 3 ? orders.read(before.key) : orders.write(before, next);
    };
    Object.assign(world.ports, { orders: { ...orders, write: raced } });
    const earlier = world.figures.length;
    expect(await world.callBack({ ...paid, status: 'declined' })).toBe('stored');
    const told = world.figures.slice(earlier).map(({ values }) => values.callbackContradictions);
    expect([races, told]).toEqual([3, [1]]);
  });

  it('that contradicts what a faster writer has found wakes a person, though it was only odd before', async () => {
    const world = await aWorldWithoutInquiry();
    const { orders } = world.ports;
    const overtaken: typeof orders.write = async (before, next) => {
      if (world.ports.orders === orders) return orders.write(before, next);
      Object.assign(world.ports, { orders });
      await world.callBack({ ...paid, status: 'declined' });
      return orders.read(before.key);
    };
    Object.assign(world.ports, { orders: { ...orders, write: overtaken } });
    expect(await world.callBack({ ...paid, amount: '' })).toBe('stored');
    expect(world.figures.some(({ values }) => values.callbackContradictions === 1)).toBe(true);
  });

  it.each<[part: string, said: Record<string, string>]>([
    ['amount', { amount: '4111111111111111' }],
    ['currency', { currency: '4111 1111 1111 1111' }],
    ['order id', { client_orderid: '4111111111111111' }],
  ])('brings no card number into the ledger or the log, where its %s is one', async (_, said) => {
    const world = await aWorldWithoutInquiry();
    await world.callBack({ ...paid, ...said });
    await world.callBack({ ...paid, ...said, type: 'capture' });
    const kept = JSON.stringify([[...world.items.entries()].map(([at, { facts }]) => [at, facts]), world.log]);
    expect(kept.replaceAll(' ', '')).not.toContain('4111111111111111');
  });
});

it('a callback is refused while the secrets service is down', async () => {
  const world = await aWorldWith('accepted');
  world.credentials.outage('down');
  expect(await world.callBack(paid)).toBe('refused');
});

it('a reversal asks the gateway once, whatever the order is, and however often it comes', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  await world.deliver(aRecord(aPayoutJob()));
  world.gateway.statusStays('approved');
  await world.pass(60_000);
  expect(standing(world).standing).toBe('paid');
  const asked = world.gateway.inquiries.length;
  for (let times = 0; times < 5; times += 1) await world.callBack({ ...paid, type: 'reversal' });
  await world.pass(3_600_000);
  expect(world.gateway.inquiries).toHaveLength(asked + 1);
  expect(world.items.get(key)).not.toHaveProperty('asks');
});

it('a key that a merchant has just got counts, though the process still holds the secret of before', async () => {
  const world = await aWorldWithoutInquiry();
  const control = createHash('sha1').update('approved9000001INV-1new-key').digest('hex');
  const controlKeys = { all: async () => new Map([['acme-eu', [createSecretKey('new-key', 'utf8')]]]) };
  Object.assign(world.ports, { controlKeys });
  world.credentials.rotate('acme-eu', someCredentials({ version: 'v2', controlKey: 'new-key' }));
  expect(await world.callBack({ ...paid, control })).toBe('stored');
});

it('an order id of any characters comes through', async () => {
  const orderId = 'INV +1&2=3%20/4?#"~';
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob({ orderId })));
  expect(await world.callBack({ ...paid, client_orderid: orderId })).toBe('stored');
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }, { orderId, status: 'approved' }]);
});
