// What callbacks mean where the contract offers no inquiry: facts of their order where everything fits, and nothing valid that
// does not fit is dropped in silence.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accountOf } from '../../../lib/gateway/signed-request.ts';
import { factsOfUnsent } from '../../../lib/payout/inquire/inbox.ts';
import { releaseOrder } from '../../../lib/payout/operate/decide.ts';
import { aWorldWith, key, standing } from '../../support/asked-order.ts';
import { someControlKey, someCredentials } from '../../support/fake-credentials.ts';
import { aPayoutJob, anEligibilityJob } from '../../support/jobs.ts';
import { anOrder } from '../../support/orders.ts';
import { aRecord } from '../../support/records.ts';
import { aWorld, type World, type WorldChoices } from '../../support/world.ts';

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
    expect(world.results.taken).toMatchObject([{ resultId: 'acme-eu/INV-1/2', ...result }]);
    expect(standing(world)).not.toHaveProperty('unpublished');
    expect(world.ownQueue.taken).toEqual([]);
    expect(surprises(world)).toEqual([]);
  });

  it.each([
    ['APPROVED', { status: 'approved' }],
    ['declined', { status: 'declined', failure: { message: 'the gateway called back: declined' } }],
    ['filtered', { status: 'declined', failure: { message: 'the gateway called back: filtered' } }],
  ])('by the word %s, as it says', async (status, result) => {
    const world = await aWorldWithoutInquiry();
    await world.callBack({ ...paid, status });
    expect(world.results.taken).toMatchObject([result]);
  });

  it.each([
    ['more digits than the currency has', { amount: '10.4200' }],
    ['the currency in small letters', { currency: 'eur' }],
  ])('though it writes %s', async (_, changes) => {
    const world = await aWorldWithoutInquiry();
    await world.callBack({ ...paid, ...changes });
    expect(told(world)).toEqual(['acme-eu/INV-1/2 approved']);
  });

  it('that had no identity, and tells it where it is one', async () => {
    const [known, odd] = [await aWorldWithoutInquiry('stalls'), await aWorldWithoutInquiry('stalls')];
    await known.callBack(paid);
    expect(standing(known)).toMatchObject({ state: 'approved', gatewayOrderId: '9000001' });
    await odd.callBack({ ...paid, orderid: '1'.repeat(41) });
    expect(standing(odd)).toMatchObject({ state: 'approved' });
    expect(standing(odd)).not.toHaveProperty('gatewayOrderId');
  });

  it('that was sent under a login of before, as the secret names it: the same account, and another key', async () => {
    const world = await aWorldWithoutInquiry();
    const sameAccountAs = [accountOf(someCredentials(), '39915')];
    world.credentials.rotate('acme-eu', { ...someCredentials(), login: 'renamed', sameAccountAs });
    expect(await world.callBack(paid)).toBe(200);
    expect(told(world)).toEqual(['acme-eu/INV-1/2 approved']);
    expect(surprises(world)).toEqual([]);
  });

  it('once, however often it comes', async () => {
    const world = await aWorldWithoutInquiry();
    await Promise.all([world.callBack(paid), world.callBack(paid)]);
    for (let times = 0; times < 30; times += 1) expect(await world.callBack(paid)).toBe(200);
    expect(told(world)).toEqual(['acme-eu/INV-1/2 approved']);
    expect(surprises(world)).toEqual([]);
  });

  it('never to take a payment back: that it was declined is for a person, once', async () => {
    const world = await aWorldWithoutInquiry();
    await world.callBack(paid);
    await world.callBack(unpaid);
    await world.callBack(unpaid);
    expect(standing(world)).toMatchObject({ state: 'approved', surprises: ['declined - 9000001 10.42 EUR'] });
    expect(surprises(world)).toEqual([['error', 'contradicts']]);
  });

  it('that a person released as not paid: its own attempt was paid all the same', async () => {
    const world = await aWorldWithoutInquiry('stalls');
    world.clock.advance(3_600_000);
    await releaseOrder('acme-eu/INV-1', { as: 'not-paid', by: 'jane', reason: 'seen' }, world.ports);
    await world.callBack(paid);
    expect(told(world)).toEqual(['acme-eu/INV-1/2 failed', 'acme-eu/INV-1/3 approved']);
    expect(surprises(world)).toEqual([['error', 'contradicts']]);
  });

  it('when the answer to its POST is in the ledger, not before', async () => {
    const world = aWorld();
    world.gateway.meanwhile(async () => expect(await world.callBack(paid)).toBe(200));
    await world.deliver(aRecord(aPayoutJob()));
    // Nothing is published over a callback that nobody has read.
    expect(told(world)).toEqual([]);
    await world.pass(120_000);
    expect(told(world)).toEqual(['acme-eu/INV-1/1 approved']);
  });

  it.each(['read', 'write'] as const)('later, while the ledger does not answer (%s)', async (verb) => {
    const world = await aWorldWithoutInquiry();
    world.orders.faults(verb, 'down');
    expect(await world.callBack(paid)).toBe(200);
    expect(told(world)).toEqual([]);
    await world.pass(120_000);
    expect(told(world)).toEqual(['acme-eu/INV-1/2 approved']);
  });

  it('later, while its secret cannot be had: it waits in the inbox, and nothing is lost', async () => {
    const world = await aWorldWithoutInquiry();
    const { of } = world.ports.credentials;
    const down = { kind: 'unavailable', failure: { code: 'CREDENTIALS_UNAVAILABLE', message: 'no answer' } } as const;
    Object.assign(world.ports, { credentials: { ...world.ports.credentials, of: async () => down } });
    expect(await world.callBack(paid)).toBe(200);
    await world.pass(3_600_000);
    expect(told(world)).toEqual([]);
    Object.assign(world.ports, { credentials: { ...world.ports.credentials, of } });
    await world.pass(900_000);
    expect(told(world)).toEqual(['acme-eu/INV-1/2 approved']);
  });

  it.each(['results', 'refused results', 'mark', 'answer'] as const)(
    'and is told by the sweeper, should the %s be lost',
    async (what) => {
      const world = await aWorldWithoutInquiry();
      if (what === 'results') world.results.moods('down', 'down', 'down');
      if (what === 'refused results') world.results.moods({ refuses: [0] }, { refuses: [0] }, { refuses: [0] });
      if (what === 'mark') world.orders.faults('mark', 'down');
      if (what === 'answer') world.orders.faults('write', 'answer lost');
      expect(await world.callBack(paid)).toBe(200);
      expect(standing(world)).toMatchObject({ state: 'approved', unpublished: true });
      await world.pass(240_000);
      expect(new Set(told(world))).toEqual(new Set(['acme-eu/INV-1/2 approved']));
      expect(standing(world)).not.toHaveProperty('unpublished');
    },
  );
});

describe('a callback that does not fit is kept on its order, and ends nothing', () => {
  it.each<[string, object, string, string]>([
    ['no amount', { amount: '' }, 'recorded', 'accepted'],
    ['another amount', { amount: '99.00' }, 'recorded', 'accepted'],
    ['a capture', { type: 'capture' }, 'recorded', 'accepted'],
    ['a reversal', { type: 'reversal' }, 'contradicts', 'accepted'],
    [
      "a reversal of another of the gateway's orders",
      { type: 'reversal', orderid: '9000002' },
      'contradicts',
      'accepted',
    ],
    // It may be paid twice.
    ["another of the gateway's orders", { orderid: '9000002' }, 'contradicts', 'held'],
  ])('with %s', async (_, changes, finding, state) => {
    const world = await aWorldWithoutInquiry();
    for (let times = 0; times < 3; times += 1) expect(await world.callBack({ ...paid, ...changes })).toBe(200);
    expect(standing(world).state).toBe(state);
    expect(standing(world).surprises).toHaveLength(1);
    expect(standing(world)).not.toHaveProperty('reversal');
    expect(new Set(surprises(world).map((it) => it.join(' ')))).toEqual(
      new Set([`${finding === 'contradicts' ? 'error' : 'warn'} ${finding}`]),
    );
  });

  it.each<['approved' | 'declined', 'approved' | 'declined', string[]]>([
    // Once it was said to be paid, it stays so: a person hears of it.
    ['approved', 'declined', ['approved']],
    ['declined', 'approved', ['declined', 'approved']],
  ])('of an order that is %s, and says %s', async (first, second, statuses) => {
    const world = await aWorldWithoutInquiry();
    await world.callBack({ ...paid, status: first });
    await world.callBack({ ...paid, status: second });
    expect([...new Set(world.results.taken.map(({ status }) => status))]).toEqual(statuses);
    expect(standing(world).state).toBe('approved');
  });

  it('without an id of the gateway, which its control covers as nothing: a person hears of it', async () => {
    const world = await aWorldWithoutInquiry();
    expect(await world.callBack({ ...paid, orderid: '' })).toBe(200);
    expect(surprises(world)).toEqual([['warn', 'recorded']]);
    expect(standing(world)).toMatchObject({ state: 'held', surprises: ['approved -  10.42 EUR'] });
  });

  it.each(['__proto__', 'constructor'])('nor under %s, of an order that nobody sent from here: a sign', (id) => {
    const called = { status: 'approved', gatewayOrderId: id, orderId: 'INV-1', proof: 'unread' };
    const { unattributed, surprises: kept } = factsOfUnsent({ ...anOrder(), inbox: { place: called } }, undefined, 1);
    expect(Object.values(unattributed)).toEqual([{ reports: ['seen'] }]);
    expect(kept).toEqual([`approved - ${id} - -`]);
  });

  it('nor is anything emptied out of an inbox in silence, whatever lies beside it', async () => {
    const world = await aWorldWithoutInquiry();
    const order = world.items.get(key);
    if (!order) throw new Error('it was sent');
    const proof = createHash('sha1').update(`approved9000001INV-1${someControlKey}`).digest('hex');
    const genuine = { status: 'approved', gatewayOrderId: '9000001', orderId: 'INV-1', proof };
    const inbox = {
      'place-1': { status: 'approved' },
      'place-2': { ...genuine, proof: 'f'.repeat(40) },
      'place-3': { ...genuine, type: 'capture' },
    };
    world.items.set(key, { ...order, version: order.version + 9, inbox, unpublished: true });
    await world.look(key);
    expect(world.items.get(key)?.inbox).toEqual({});
    expect(surprises(world)).toEqual([
      ['warn', 'unreadable'],
      ['warn', 'forged'],
      ['warn', 'recorded'],
    ]);
    const its = world.log.filter(({ event }) => event === 'callback-surprise').map(({ fields }) => fields);
    expect(its.map(({ merchant, orderId }) => `${merchant}/${orderId}`)).toEqual([key, key, key]);
  });

  it('eight different ones, then their number', async () => {
    const world = await aWorldWithoutInquiry();
    for (let other = 0; other < 20; other += 1) await world.callBack({ ...paid, orderid: `80000${other}` });
    expect(standing(world).surprises).toHaveLength(8);
    expect(standing(world).moreSurprises).toBeGreaterThanOrEqual(12);
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
    expect(await world.callBack({ ...paid, ...changes })).toBe(200);
    expect(standing(world)).toMatchObject({ state: 'held', revision: 1 });
    expect(standing(world)).not.toHaveProperty('reversal');
    world.clock.advance(3_600_000);
    await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
    expect(world.gateway.postsOf('INV-1')).toBe(1);
    expect(world.results.taken.map(({ status }) => status)).not.toContain('accepted');
  });
});

describe('where the order has no id of the gateway', () => {
  it.each([
    [paid, 'approved'],
    [unpaid, 'declined'],
  ])('%j can be about its one attempt alone, and ends it', async (fields, status) => {
    const world = await aWorldWithoutInquiry('stalls');
    world.clock.advance(3_600_000);
    expect(await world.callBack(fields)).toBe(200);
    expect(told(world)).toEqual([`acme-eu/INV-1/2 ${status}`]);
  });

  it('a callback about an eligibility check says nothing about a payment of the same id', async () => {
    const world = await aWorldWithoutInquiry('stalls');
    await world.deliver(aRecord(anEligibilityJob({ orderId: 'INV-1' })));
    world.results.taken.splice(0);
    const { amount: _1, currency: _2, ...ofCheck } = paid;
    expect(await world.callBack(ofCheck)).toBe(200);
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
    expect(await world.callBack({ ...paid, status, orderid, client_orderid: orderId, control })).toBe(200);
  }
  await world.pass(600_000);
  return [...world.entries.values()].map(({ state }) => state);
}

describe('a callback ends no order', () => {
  it.each(['error', 'processing', 'unknown', 'chain_declined', 'reversal'])('by the word %s', async (status) => {
    const world = await aWorldWithoutInquiry();
    await world.callBack({ ...paid, status });
    expect(standing(world)).toMatchObject({ state: 'accepted' });
    expect(told(world)).toEqual([]);
  });

  it.each([
    ['no amount', { amount: '' }],
    ['no currency', { currency: '' }],
    ['another amount', { amount: '10.43' }],
    ['a thousandth more', { amount: '10.421' }],
    ['minor units', { amount: '1042' }],
    ['a sign', { amount: '+10.42' }],
    ['another currency', { currency: 'USD' }],
    ["the id of another of the gateway's orders", { orderid: '9000002' }],
  ])('with %s', async (_, changes) => {
    const world = await aWorldWithoutInquiry();
    await world.callBack({ ...paid, ...changes });
    expect(['accepted', 'held']).toContain(standing(world).state);
    expect(world.results.taken.filter(({ status }) => status === 'approved' || status === 'declined')).toEqual([]);
  });
});

describe('no way of cutting a genuine control moves a word from one order to another', () => {
  it('whose id is known: none is called paid, and a person hears of it', async () => {
    expect(new Set(await statesAfterCuts('accepts'))).toEqual(new Set(['held']));
  });

  it.each([
    ['approved', false],
    ['approved', true],
    ['declined', false],
    ['declined', true],
  ])('whose id is not known: none is called %s, where the gateway can be asked: %j', async (status, statusInquiry) => {
    const states = await statesAfterCuts('stalls', { status, profile: { statusInquiry } });
    expect(states).not.toContain(status);
    // A word that may be about another order is a sign of life all the same: a person looks.
    expect(new Set(states)).toEqual(new Set(['held']));
  });

  it('while the genuine one, of an order whose id is a number too, is kept for a person where its answer was lost', async () => {
    const world = aWorld();
    world.gateway.moods('stalls');
    await world.deliver(aRecord(aPayoutJob({ orderId: '71117' })));
    expect(await world.callBack({ ...paid, client_orderid: '71117' })).toBe(200);
    expect(world.entries.get('acme-eu/71117')).toMatchObject({
      state: 'held',
      surprises: ['approved - 9000001 10.42 EUR'],
    });
    expect(surprises(world)).toEqual([['warn', 'recorded']]);
  });

  it('and is confirmed by the gateway where that can be asked', async () => {
    const world = aWorld({ profile: { statusInquiry: true } });
    world.gateway.moods('stalls');
    await world.deliver(aRecord(aPayoutJob({ orderId: '71117' })));
    world.gateway.statusStays('approved');
    await world.callBack({ ...paid, client_orderid: '71117' });
    await world.pass(600_000);
    expect(world.entries.get('acme-eu/71117')).toMatchObject({ state: 'approved', gatewayOrderId: '9000001' });
  });

  it('and ends its order where the answer has named its id', async () => {
    const world = aWorld();
    await world.deliver(aRecord(aPayoutJob({ orderId: '71117' })));
    const orderid = world.entries.get('acme-eu/71117')?.gatewayOrderId ?? '';
    await world.callBack({ ...paid, orderid, client_orderid: '71117' });
    expect(world.entries.get('acme-eu/71117')).toMatchObject({ state: 'approved' });
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
        expect(standing(world).state).toBe(isPaid ? 'approved' : isEnded ? 'declined' : 'accepted');
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
  expect(await world.callBack({ ...paid, status: 'processing' })).toBe(200);
  expect(standing(world)).toMatchObject({ state: 'accepted', gatewayOrderId: '9000001' });
});
