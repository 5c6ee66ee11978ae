// What callbacks mean where the contract offers no inquiry: facts of their order where everything fits, and nothing valid that
// does not fit is dropped in silence.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { aWorldWith, standing } from '../../support/asked-order.ts';
import { someControlKey, someCredentials } from '../../support/fake-credentials.ts';
import { aPayoutJob, anEligibilityJob } from '../../support/jobs.ts';
import { aRecord } from '../../support/records.ts';
import { aWorld, type World, type WorldChoices } from '../../support/world.ts';

const paid = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };

/** The order accepted (or held as doubt) under the interface document alone: the gateway cannot be asked. */
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
    [{}, { status: 'approved', final: true, payoutId: '9000001' }],
    [{ type: 'sale' }, { status: 'approved', final: true }],
    [{ status: 'APPROVED' }, { status: 'approved' }],
    // More digits than the currency has, and the currency in small letters.
    [{ amount: '10.4200' }, { status: 'approved' }],
    [{ currency: 'eur' }, { status: 'approved' }],
    [
      { status: 'declined' },
      {
        status: 'declined',
        final: true,
        failure: { code: 'GATEWAY_DECLINED', message: 'the gateway called back: declined' },
      },
    ],
    [
      { status: 'filtered' },
      { status: 'declined', final: true, failure: { code: 'FILTERED', message: 'the gateway called back: filtered' } },
    ],
  ] as const)('%j', async (said, result) => {
    const world = await aWorldWithoutInquiry();
    expect(await world.callBack({ ...paid, ...said })).toBe('stored');
    expect(world.results.taken).toMatchObject([{ resultId: 'acme-eu/INV-1/2', ...result }]);
    expect(standing(world)).not.toHaveProperty('unpublished');
    expect(world.ownQueue.taken).toEqual([]);
    expect(surprises(world)).toEqual([]);
  });

  it('that had no identity, and tells it where it is one', async () => {
    const [known, odd] = [await aWorldWithoutInquiry('stalls'), await aWorldWithoutInquiry('stalls')];
    await known.callBack(paid);
    expect(standing(known)).toMatchObject({ standing: 'paid', gatewayOrderId: '9000001' });
    await odd.callBack({ ...paid, orderid: '1'.repeat(41) });
    expect(standing(odd)).toMatchObject({ standing: 'paid' });
    expect(standing(odd)).not.toHaveProperty('gatewayOrderId');
  });

  it('between its claim and its POST: the POST leaves, and a person hears of two orders at the gateway', async () => {
    const world = aWorld();
    const { orders } = world.ports;
    const write: typeof orders.write = async (before, next) => {
      const written = await orders.write(before, next);
      if (before.version > 0) return written;
      expect(await world.callBack({ ...paid, orderid: '7000001' })).toBe('stored');
      return written;
    };
    await world.deliver(aRecord(aPayoutJob()), undefined, { orders: { ...orders, write } });
    expect([world.gateway.postsOf('INV-1'), standing(world).standing]).toEqual([1, 'held']);
    expect(standing(world).failure?.code).toBe('HELD_SEVERAL');
  });
});

describe('a callback that does not fit is kept on its order, and ends nothing', () => {
  const recorded = ['warn', 'recorded', 'accepted'] as const;
  const contradicts = ['error', 'contradicts', 'accepted'] as const;
  it.each<[string, object, readonly [level: string, finding: string, state: string]]>([
    ['no amount', { amount: '' }, recorded],
    ['no currency', { currency: '' }, recorded],
    ['another amount', { amount: '10.43' }, recorded],
    ['a thousandth more', { amount: '10.421' }, recorded],
    ['minor units', { amount: '1042' }, recorded],
    ['a sign', { amount: '+10.42' }, recorded],
    ['another currency', { currency: 'USD' }, recorded],
    ['a capture', { type: 'capture' }, recorded],
    ['a reversal', { type: 'reversal' }, contradicts],
    ["a reversal of another of the gateway's orders", { type: 'reversal', orderid: '9000002' }, contradicts],
    // It may be paid twice.
    ["another of the gateway's orders", { orderid: '9000002' }, ['error', 'contradicts', 'held']],
  ])('with %s', async (_, changes, [level, finding, state]) => {
    const world = await aWorldWithoutInquiry();
    expect(await world.callBack({ ...paid, ...changes })).toBe('stored');
    for (let times = 0; times < 2; times += 1)
      expect(await world.callBack({ ...paid, ...changes })).toBe('nothing-to-store');
    expect(standing(world).result).toBe(state);
    expect(standing(world).surprises).toHaveLength(1);
    expect(standing(world)).not.toHaveProperty('reversal');
    expect(surprises(world)).toEqual([[level, finding]]);
    expect(world.results.taken.filter(({ status }) => status !== 'accepted' && status !== 'held')).toEqual([]);
  });

  it.each(['error', 'processing', 'unknown', 'chain_declined', 'reversal'])('nor by the word %s', async (status) => {
    const world = await aWorldWithoutInquiry();
    await world.callBack({ ...paid, status });
    expect(standing(world)).toMatchObject({ result: 'accepted' });
    expect(told(world)).toEqual([]);
  });

  it('without an id of the gateway, which its control covers as nothing: a person hears of it', async () => {
    const world = await aWorldWithoutInquiry();
    expect(await world.callBack({ ...paid, orderid: '' })).toBe('stored');
    expect(surprises(world)).toEqual([['warn', 'recorded']]);
    expect(standing(world)).toMatchObject({ result: 'accepted', surprises: ['approved -  10.42 EUR'] });
  });
});

describe('a callback about a later transaction of an order that its gateway has refused', () => {
  it.each<[string, object, object]>([
    ['a reversal', { type: 'reversal' }, {}],
    ['a capture', { type: 'capture' }, {}],
    ['a type that the profile does not name', { type: 'b2c' }, { transactionTypes: { payout: ['payout'] } }],
  ])('is a sign that the gateway has taken it, and nothing sends it again: %s', async (_, changes, profile) => {
    const world = aWorld({ profile });
    world.gateway.moods('asks to slow down', 'accepts');
    await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
    expect(await world.callBack({ ...paid, ...changes })).toBe('stored');
    expect(standing(world)).toMatchObject({ standing: 'held', revision: 1 });
    expect(standing(world)).not.toHaveProperty('reversal');
    world.clock.advance(3_600_000);
    await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
    expect(world.gateway.postsOf('INV-1')).toBe(1);
    expect(world.results.taken.map(({ status }) => status)).not.toContain('accepted');
  });
});

describe('where the order has no id of the gateway', () => {
  it('a callback about an eligibility check says nothing about a payment of the same id', async () => {
    const world = await aWorldWithoutInquiry('stalls');
    await world.deliver(aRecord(anEligibilityJob({ orderId: 'INV-1' })));
    world.results.taken.splice(0);
    const { amount: _1, currency: _2, ...ofCheck } = paid;
    expect(await world.callBack(ofCheck)).toBe('stored');
    expect(world.results.taken.map(({ status }) => status)).not.toContain('approved');
  });
});

/** What becomes of orders for every other way to read one genuine control, which has no separators. */
async function statesAfterCuts(
  mood: 'accepts' | 'stalls',
  { status = 'approved', profile = {} }: { status?: string; profile?: WorldChoices['profile'] } = {},
) {
  const [id, own] = ['9000001', '71117'];
  const control = createHash('sha1').update(`${status}${id}${own}${someControlKey}`).digest('hex');
  const text = `${id}${own}`;
  const cuts = Array.from({ length: text.length - 1 }, (_, at) => [text.slice(0, at + 1), text.slice(at + 1)] as const);
  const world = aWorld({ profile });
  world.gateway.stays(mood);
  for (const [, orderId] of cuts) if (orderId !== own) await world.deliver(aRecord(aPayoutJob({ orderId })));
  for (const [orderid, orderId] of cuts) {
    if (orderId === own) continue;
    expect(await world.callBack({ ...paid, status, orderid, client_orderid: orderId, control })).not.toBe('refused');
  }
  await world.pass(600_000);
  return [...world.entries.values()].map(({ result }) => result);
}

describe('no way of cutting a genuine control moves a word from one order to another', () => {
  it('whose id is known: none is called paid', async () => {
    expect(new Set(await statesAfterCuts('accepts'))).toEqual(new Set(['accepted']));
  });

  it.each([
    ['approved', false],
    ['approved', true],
    ['declined', false],
    ['declined', true],
  ])('whose id is not known: none is called %s, where the gateway can be asked: %j', async (status, statusInquiry) => {
    const states = await statesAfterCuts('stalls', { status, profile: { statusInquiry } });
    expect(states).not.toContain(status);
    // A word that may be about another order is a sign of life all the same: a person looks, where the gateway can't be asked.
    expect(new Set(states)).toEqual(new Set([statusInquiry ? 'accepted' : 'held']));
  });
});

it('whatever the order of arrival and repetition: approved is the end once it was said, else what was said', async () => {
  const words = ['approved', 'declined', 'filtered', 'processing'] as const;
  for (const first of words) {
    for (const second of words) {
      for (const third of words) {
        const world = await aWorldWithoutInquiry();
        const said = [first, first, second, third, second];
        for (const status of said) await world.callBack({ ...paid, status });
        const isPaid = said.includes('approved');
        const isEnded = isPaid || said.some((it) => it !== 'processing');
        expect(standing(world).result).toBe(isPaid ? 'approved' : isEnded ? 'declined' : 'accepted');
        // A revision has one content for ever.
        const contents = new Map(world.results.taken.map((it) => [it.resultId, it.status]));
        expect(world.results.taken.every(({ resultId, status }) => contents.get(resultId) === status)).toBe(true);
      }
    }
  }
});

it('a word that is no end is a sign of life of what was in doubt', async () => {
  const world = await aWorldWith('in-doubt');
  world.credentials.rotate('acme-eu', someCredentials());
  await world.credentials.refresh('acme-eu', someCredentials());
  world.clock.advance(3_600_000);
  expect(await world.callBack({ ...paid, status: 'processing' })).toBe('stored');
  expect(standing(world)).toMatchObject({ result: 'accepted', gatewayOrderId: '9000001' });
});
