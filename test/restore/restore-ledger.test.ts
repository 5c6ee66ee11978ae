// Taking a restored table into service, and putting back what was told in the gap: in which order, and what of each line.
import { describe, expect, it } from 'vitest';
import { type Item } from '../../lib/aws/dynamodb-table.ts';
import { attributesOf, orderOf } from '../../lib/aws/order-item.ts';
import { endOf } from '../../lib/payout/order/ends.ts';
import { adoptLine, beginRestore } from '../../lib/restore/restore-ledger.ts';
import { type OrderView, resultOf } from '../../lib/payout/order/projection.ts';
import { createMemoryRestoration } from '../support/memory-restoration.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { anOrder, aView, type OrderChoices } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld, type World } from '../support/world.ts';

const lost = { by: 'anna', reason: 'the table was deleted', atMs: 0 };
const key = 'acme-eu/INV-1';

function aBackup(attempt?: OrderChoices['attempt']): World {
  const world = aWorld();
  if (attempt) {
    const order = anOrder({ orderId: 'INV-1', attempt });
    world.items.set(order.key, order);
  }
  return world;
}
const inDoubt = { lapsed: { code: 'NO_ANSWER', message: 'closed' } };
/** What is written with so few facts is read again as it is. */
function expectReadable(world: World) {
  const order = world.items.get(key);
  const item = order && (Object.fromEntries(Object.entries(attributesOf(order, 4)).filter(([, it]) => it)) as Item);
  expect(item && orderOf(item)).toEqual({ kind: 'found', order });
}
const told = (changes: Partial<OrderView>) =>
  JSON.stringify(resultOf(aView({ orderId: 'INV-1', revision: 3, ...changes })));

it('everybody is paused before the table is the ledger, from this clock’s now on', async () => {
  const world = aBackup();
  const desk = createMemoryRestoration();
  const said: string[] = [];
  await beginRestore({ toMs: startMs - 1, tableId: 'restored' }, lost, {
    ...world.ports,
    controlsAdmin: { pause: async (...it) => (said.push('paused'), world.controls.pause(...it)) },
    restoreAdmin: { ...desk, begin: async (...it) => (said.push('begun'), desk.begin(...it)) },
  });
  expect(said).toEqual(['paused', 'begun']);
  expect(await desk.role()).toEqual({
    kind: 'restored',
    restored: { toMs: startMs - 1, sinceMs: startMs, settled: false },
  });
  expect(await world.controls.of('anybody')).toMatchObject({ paused: true });
});

describe('a line of the results of the gap', () => {
  it.each<[string, Partial<OrderView>]>([
    ['approved', { state: 'approved', final: true, gatewayOrderId: '77' }],
    ['accepted', { state: 'accepted', gatewayOrderId: '77' }],
    ['in-doubt', { state: 'in-doubt', failure: { code: 'NO_ANSWER', message: 'closed' } }],
    ['declined', { state: 'declined', final: true, gatewayOrderId: '77' }],
  ])('puts back an order that the ledger has forgotten, once: %s', async (state, changes) => {
    const world = aBackup();
    const line = told(changes);
    expect(await adoptLine(line, world.ports)).toBe('adopted');
    expect(world.entries.get(key)).toMatchObject({ state, money: { minorUnits: 1042n } });
    // A result has one content for ever: what is told from now on bears a later revision.
    expect(world.entries.get(key)?.revision).toBeGreaterThan(3);
    expect(await adoptLine(line, world.ports)).toBe('known');
    expectReadable(world);
  });

  it.each(['failed', 'declined', 'cancelled'] as const)(
    'that says an order is %s ends it here too: no copy of its job pays after it',
    async (state) => {
      const world = aBackup();
      expect(await adoptLine(told({ state, final: true }), world.ports)).toBe('adopted');
      expect(world.entries.get(key)).toMatchObject({ state });
      expectReadable(world);
      expect(await adoptLine(told({ state, final: true }), world.ports)).toBe('known');
    },
  );

  it('whose facts are known but not its revision is told again above it, and leaves no mark for ever', async () => {
    const world = aBackup();
    await adoptLine(told({ state: 'approved', final: true, gatewayOrderId: '77' }), world.ports);
    const later = told({ state: 'approved', final: true, gatewayOrderId: '77', revision: 9 });
    expect(await adoptLine(later, world.ports)).toBe('adopted');
    await world.pass(30 * 60_000);
    expect(world.results.taken).toMatchObject([{ resultId: `${key}/10`, status: 'approved' }]);
    expect(world.items.get(key)).not.toHaveProperty('unpublished');
    expect(await adoptLine(later, world.ports)).toBe('known');
  });

  it('goes over an order of which the ledger remembers less', async () => {
    const world = aBackup(inDoubt);
    expect(await adoptLine(told({ state: 'approved', final: true }), world.ports)).toBe('adopted');
    expect(world.entries.get(key)).toMatchObject({ state: 'approved' });
  });

  it('that says it failed settles no doubt of the ledger: it may have been sent again since', async () => {
    const world = aBackup(inDoubt);
    await adoptLine(told({ state: 'failed', final: true }), world.ports);
    expect(world.entries.get(key)).toMatchObject({ state: 'in-doubt' });
  });

  it('with another id of the gateway’s than the ledger has is for a person: it may be paid twice', async () => {
    const world = aBackup({ ids: ['77'] });
    await adoptLine(told({ state: 'accepted', gatewayOrderId: '78' }), world.ports);
    expect(world.entries.get(key)).toMatchObject({ state: 'held', failure: { code: 'HELD_SEVERAL' } });
  });

  it.each([
    ['of before the end that the backup has reopens nothing', 1, 'declined'],
    ['of after that end is in doubt: it was sent again by name', 3, 'in-doubt'],
  ])('that tells a doubt %s', async (_, revision, state) => {
    const world = aBackup({ ids: ['77'], reports: ['declined'] });
    const order = world.items.get(key);
    if (!order) throw new Error('the backup holds the order');
    const declined = {
      id: 'e-1',
      number: 2,
      reason: 'declined',
      code: 'GATEWAY_DECLINED',
      message: 'declined',
    } as const;
    const ends = { 'e-1': endOf(order.facts, declined, startMs) };
    const published = { ...order.published, revision: 2 };
    world.items.set(key, { ...order, published, facts: { ...order.facts, ends } });
    expect(world.entries.get(key)).toMatchObject({ state: 'declined' });
    await adoptLine(
      told({ state: 'in-doubt', failure: { code: 'NO_ANSWER', message: 'closed' }, revision }),
      world.ports,
    );
    expect(world.entries.get(key)).toMatchObject({ state });
  });

  it('of a doubt with an id is told by a callback under it, whatever its lease', async () => {
    const world = aBackup();
    const failure = { code: 'NO_ANSWER', message: 'closed' } as const;
    await adoptLine(told({ state: 'in-doubt', failure, gatewayOrderId: '77' }), world.ports);
    await world.pass(20 * 60_000);
    const fields = { status: 'approved', orderid: '77', client_orderid: 'INV-1', type: 'transfer', amount: '10.42' };
    expect(await world.callBack(fields)).toBe('stored');
    expect(world.entries.get(key)?.surprises).toEqual(['approved transfer 77 10.42 -']);
  });

  it.each(['approved', 'declined'])(
    'is ended by a callback under its id, though its account is unknown: %s',
    async (status) => {
      const world = aBackup();
      await adoptLine(told({ state: 'accepted', gatewayOrderId: '77' }), world.ports);
      const fields = { orderid: '77', client_orderid: 'INV-1', type: 'transfer', amount: '10.42', currency: 'EUR' };
      expect(await world.callBack({ ...fields, status })).toBe('stored');
      await world.pass(60_000);
      expect(world.entries.get(key)).toMatchObject({ state: status, gatewayOrderId: '77' });
      expect(world.entries.get(key)).not.toHaveProperty('surprises');
    },
  );

  it('that tells of a check keeps its id from a payment', async () => {
    const world = aBackup();
    expect(await adoptLine(told({ state: 'held', operation: 'pan-eligibility' }), world.ports)).toBe('adopted');
    await world.deliver(aRecord(aPayoutJob()));
    expect(world.gateway.posts).toEqual([]);
    expect(world.results.taken).toMatchObject([{ failure: { code: 'ORDER_ID_REUSED' } }]);
  });

  it('is taken in any order with the same end', async () => {
    const lines = [
      told({ state: 'accepted', gatewayOrderId: '77', revision: 2 }),
      told({ state: 'approved', final: true, gatewayOrderId: '77', revision: 3 }),
    ];
    for (const some of [lines, lines.toReversed()]) {
      const world = aBackup();
      for (const line of some) await adoptLine(line, world.ports);
      expect(world.entries.get(key)).toMatchObject({ state: 'approved', gatewayOrderId: '77' });
    }
  });

  it.each([
    ['is no JSON', 'no JSON'],
    ['tells of a message', JSON.stringify({ ...JSON.parse(told({ state: 'approved' })), resultId: 'rejected/m-1' })],
  ])('that %s tells of no order', async (_, line) => {
    const world = aBackup();
    expect(await adoptLine(line, world.ports)).toBe('nothing');
    expect(world.items.size).toBe(0);
  });
});

describe('a line of the worker’s log', () => {
  const line = (changes: object = {}) =>
    JSON.stringify({
      time: '2026-11-21T10:00:00.000Z',
      level: 'info',
      event: 'job',
      operation: 'payout',
      merchant: 'acme-eu',
      endpointId: '39915',
      orderId: 'INV-1',
      resultId: 'acme-eu/INV-1/2',
      state: 'accepted',
      revision: 2,
      attempts: 1,
      ...changes,
    });

  it.each(['accepted', 'in-doubt', 'approved'])('puts back where an order stands that is %s', async (state) => {
    const world = aBackup();
    expect(await adoptLine(line({ state, batchId: 'b-1' }), world.ports)).toBe('adopted');
    expect(world.entries.get(key)).toMatchObject({ state, batchId: 'b-1', endpointId: '39915' });
  });

  it.each([
    ['of something else', { event: 'sweep' }],
    ['without a revision', { revision: undefined }],
    ['of a state that no result tells', { state: 'submitting' }],
  ])('%s tells of no order', async (_, changes) => {
    expect(await adoptLine(line(changes), aBackup().ports)).toBe('nothing');
  });
});
