// A callback where the contract offers no inquiry: it may end its order where everything fits, and nothing valid that does
// not fit is dropped in silence.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { moved, type OrderState } from '../../lib/payout/ledger.ts';
import { aWorldWith, key, standing } from '../support/asked-order.ts';
import { someControlKey, someCredentials } from '../support/fake-credentials.ts';
import { anEligibilityJob, aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const paid = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
const unpaid = { ...paid, status: 'declined' };

/** The order accepted (or held as doubt) under the interface document alone: nobody can be asked. */
async function aWorldWithoutInquiry(mood: 'accepts' | 'stalls' = 'accepts'): Promise<World> {
  const world = aWorld();
  world.gateway.moods(mood);
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  world.results.taken.splice(0);
  world.log.splice(0);
  return world;
}

const told = (world: World) => world.results.taken.map(({ resultId, status }) => `${resultId} ${status}`);
const surprises = (world: World) =>
  world.log.filter(({ event }) => event === 'callback-surprise').map(({ level, fields }) => [level, fields.finding]);

describe('a callback ends its order', () => {
  it.each([
    [paid, { status: 'approved', final: true, payoutId: '9000001' }],
    [unpaid, { status: 'declined', final: true, failure: { code: 'GATEWAY_DECLINED' } }],
    [
      { ...paid, status: 'filtered' },
      { status: 'declined', final: true, failure: { code: 'FILTERED' } },
    ],
    [
      { ...paid, type: 'sale' },
      { status: 'approved', final: true },
    ],
  ] as const)('%j', async (fields, result) => {
    const world = await aWorldWithoutInquiry();
    expect(await world.callBack(fields)).toBe(200);
    expect(world.results.taken).toMatchObject([{ resultId: 'acme-eu/INV-1/3', ...result }]);
    expect(standing(world)).not.toHaveProperty('unpublished');
    expect(world.checksQueue.taken).toEqual([]);
    expect(surprises(world)).toEqual([]);
  });

  it('once, however often it comes', async () => {
    const world = await aWorldWithoutInquiry();
    await Promise.all([world.callBack(paid), world.callBack(paid)]);
    for (let times = 0; times < 30; times += 1) expect(await world.callBack(paid)).toBe(200);
    expect(told(world)).toEqual(['acme-eu/INV-1/3 approved']);
    expect(surprises(world)).toEqual([]);
  });

  it('that a person released as not paid: its own attempt was paid all the same', async () => {
    const world = await aWorldWithoutInquiry();
    const failure = { code: 'RELEASED_NOT_PAID', message: 'jane: seen' } as const;
    world.entries.set(key, { ...standing(world), state: 'failed', revision: 4, failure });
    await world.callBack(unpaid);
    expect(told(world)).toEqual([]);
    await world.callBack(paid);
    expect(told(world)).toEqual(['acme-eu/INV-1/5 approved']);
  });

  it('when the answer to its POST is in the ledger, not before', async () => {
    const world = aWorld();
    world.gateway.meanwhile(async () => expect(await world.callBack(paid)).toBe(200));
    await world.deliver(aRecord(aPayoutJob()));
    expect(told(world)).toEqual(['acme-eu/INV-1/2 accepted']);
    await world.pass(120_000);
    expect(told(world)).toEqual(['acme-eu/INV-1/2 accepted', 'acme-eu/INV-1/3 approved']);
  });

  it.each(['read', 'advance'] as const)('later, while the ledger does not answer (%s)', async (verb) => {
    const world = await aWorldWithoutInquiry();
    world.ledger.faults(verb, 'down');
    expect(await world.callBack(paid)).toBe(200);
    expect(told(world)).toEqual([]);
    await world.pass(60_000);
    expect(told(world)).toEqual(['acme-eu/INV-1/3 approved']);
  });

  it('later, while its secret cannot be had or newer code has the order: at last it is a dead letter', async () => {
    const world = await aWorldWithoutInquiry();
    const { read } = world.ledger;
    world.ledger.read = async () => ({ kind: 'unreadable', reason: 'newer' });
    await world.callBack(paid);
    expect(world.checksQueue.taken).toHaveLength(1);
    world.ledger.read = read;
    await world.pass(60_000);
    expect(told(world)).toEqual(['acme-eu/INV-1/3 approved']);
  });

  it.each(['results', 'refused results', 'mark', 'answer'] as const)(
    'and is told by the sweeper, should the %s be lost',
    async (what) => {
      const world = await aWorldWithoutInquiry();
      if (what === 'results') world.results.moods('down', 'down', 'down');
      if (what === 'refused results') world.results.moods({ refuses: [0] }, { refuses: [0] }, { refuses: [0] });
      if (what === 'mark') world.ledger.faults('markUnpublished', 'down');
      if (what === 'answer') world.ledger.faults('advance', 'answer lost');
      expect(await world.callBack(paid)).toBe(200);
      expect(standing(world)).toMatchObject({ state: 'approved', unpublished: true });
      await world.pass(240_000);
      expect(new Set(told(world))).toEqual(new Set(['acme-eu/INV-1/3 approved']));
      expect(standing(world)).not.toHaveProperty('unpublished');
    },
  );
});

describe('a callback that does not fit is kept on its order, and moves nothing', () => {
  it.each<[string, object, string]>([
    ['no amount', { amount: '' }, 'recorded'],
    ["another of the gateway's orders", { orderid: '9000002' }, 'contradicts'],
    ['a capture', { type: 'capture' }, 'recorded'],
    ["a reversal of another of the gateway's orders", { type: 'reversal', orderid: '9000002' }, 'contradicts'],
  ])('with %s', async (_, changes, finding) => {
    const world = await aWorldWithoutInquiry();
    for (let times = 0; times < 3; times += 1) expect(await world.callBack({ ...paid, ...changes })).toBe(200);
    expect(standing(world)).toMatchObject({ state: 'accepted', revision: 2 });
    expect(standing(world).surprises).toHaveLength(1);
    expect(world.results.taken).toEqual([]);
    expect(surprises(world)).toEqual([[finding === 'contradicts' ? 'error' : 'warn', finding]]);
  });

  it.each<[OrderState, 'approved' | 'declined', string | undefined]>([
    ['approved', 'declined', 'contradicts'],
    ['declined', 'approved', 'contradicts'],
    ['cancelled', 'approved', 'contradicts'],
    ['failed', 'approved', 'contradicts'],
    ['cancelled', 'declined', 'recorded'],
  ])('of an order that is %s, and says %s', async (state, status, finding) => {
    const world = await aWorldWithoutInquiry('stalls');
    world.entries.set(key, { ...standing(world), state, revision: 3 });
    expect(await world.callBack({ ...paid, status })).toBe(200);
    expect(told(world)).toEqual([]);
    expect(surprises(world).map(([, it]) => it)).toEqual([finding]);
    expect(standing(world).surprises).toEqual([`${status} - 9000001 10.42 EUR`]);
  });

  it('eight different ones, then their number', async () => {
    const world = await aWorldWithoutInquiry();
    for (let other = 0; other < 20; other += 1) await world.callBack({ ...paid, orderid: `80000${other}` });
    expect(standing(world).surprises).toHaveLength(8);
    expect(standing(world).moreSurprises).toBe(12);
  });

  it('however the order moves meanwhile', async () => {
    const world = await aWorldWithoutInquiry();
    await world.callBack({ ...paid, orderid: '9000002' });
    await world.callBack(paid);
    expect(standing(world)).toMatchObject({ state: 'approved', surprises: ['approved - 9000002 10.42 EUR'] });
  });

  it('and about an order that nobody knows is told to a person', async () => {
    const world = await aWorldWithoutInquiry();
    expect(await world.callBack({ ...paid, client_orderid: 'INV-9' })).toBe(200);
    expect(world.results.taken).toEqual([]);
    expect(surprises(world)).toEqual([['warn', 'unknown-order']]);
  });
});

describe('where the ledger has no id of the gateway', () => {
  it.each([paid, unpaid])('%j is evidence for a person: neither an end nor an alarm', async (fields) => {
    const world = await aWorldWithoutInquiry('stalls');
    expect(await world.callBack(fields)).toBe(200);
    expect(standing(world)).toMatchObject({ state: 'held', surprises: [`${fields.status} - 9000001 10.42 EUR`] });
    expect(surprises(world)).toEqual([['warn', 'recorded']]);
    expect(world.results.taken).toEqual([]);
    await world.pass(3_600_000);
    expect(world.checksQueue.taken).toEqual([]);
  });

  it('a callback is weighed again for half an hour: the answer to the POST may come late, and bring the id', async () => {
    const world = await aWorldWithoutInquiry('stalls');
    await world.callBack(paid);
    await world.pass(600_000);
    const late = moved(standing(world), {
      state: 'accepted',
      final: true,
      reason: 'x',
      nowMs: 1,
      gatewayOrderId: '9000001',
    });
    world.entries.set(key, late);
    await world.pass(1_800_000);
    expect(told(world)).toEqual(['acme-eu/INV-1/4 approved']);
  });

  it('a callback about an eligibility check says nothing about a payment of the same id', async () => {
    const world = await aWorldWithoutInquiry('stalls');
    await world.deliver(aRecord(anEligibilityJob({ orderId: 'INV-1' })));
    world.results.taken.splice(0);
    const { amount: _1, currency: _2, ...ofCheck } = paid;
    expect(await world.callBack(ofCheck)).toBe(200);
    expect(world.results.taken).toEqual([]);
    expect(standing(world).state).toBe('held');
  });
});

it('no way of cutting a genuine control moves a word from one order to another', async () => {
  // given a genuine callback of one order, and one order for every other way to read its control
  const [status, id, own] = ['approved', '9000001', '71117'];
  const control = createHash('sha1').update(`${status}${id}${own}${someControlKey}`).digest('hex');
  const text = `${id}${own}`;
  const cuts = Array.from({ length: text.length - 1 }, (_, at) => [text.slice(0, at + 1), text.slice(at + 1)] as const);
  for (const mood of ['accepts', 'stalls'] as const) {
    const world = aWorld();
    world.gateway.stays(mood);
    for (const [, orderId] of cuts) if (orderId !== own) await world.deliver(aRecord(aPayoutJob({ orderId })));
    const before = new Map([...world.entries].map(([at, { state }]) => [at, state]));

    // when each reading is sent in
    for (const [orderid, orderId] of cuts) {
      if (orderId === own) continue;
      expect(await world.callBack({ ...paid, orderid, client_orderid: orderId, control })).toBe(200);
    }

    // then no order has moved
    expect(new Map([...world.entries].map(([at, { state }]) => [at, state]))).toEqual(before);
  }
});

it('whatever the order of arrival, repetition and loss: the first word that fits is the end, and stays', async () => {
  const words = ['approved', 'declined', 'filtered', 'processing'] as const;
  for (const first of words) {
    for (const second of words) {
      for (const third of words) {
        const world = await aWorldWithoutInquiry();
        for (const status of [first, first, second, third, second]) await world.callBack({ ...paid, status });
        const ends = [first, second, third]
          .filter((it) => it !== 'processing')
          .map((it) => (it === 'approved' ? it : 'declined'));
        expect(told(world)).toEqual(ends.slice(0, 1).map((end) => `acme-eu/INV-1/3 ${end}`));
        const isContradicted = new Set(ends).size > 1;
        expect(surprises(world).some(([level]) => level === 'error')).toBe(isContradicted);
      }
    }
  }
});

it('a word that is no end leaves doubt as it is, where the contract offered inquiry once', async () => {
  const world = await aWorldWith('in-doubt');
  world.credentials.rotate('acme-eu', someCredentials());
  await world.credentials.refresh('acme-eu', someCredentials());
  const before = standing(world);
  expect(await world.callBack({ ...paid, status: 'processing' })).toBe(200);
  expect(standing(world)).toBe(before);
  expect(world.results.taken).toEqual([]);
});
