// The gateway's callback: a hint to look where it can be asked, the outcome where it can't, and nothing when forged.
import { describe, expect, it } from 'vitest';
import { handleCallback } from '../../lib/payout/handle-callback.ts';
import type { OrderState } from '../../lib/payout/ledger.ts';
import { aWorldWith, check, key, moveTo, standing } from '../support/asked-order.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { anEligibilityJob, aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
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
    const world = await aWorldWithoutInquiry();
    await world.callBack({ ...paid, control: 'f'.repeat(40) });
    expect(world.log).toEqual([{ level: 'warn', event: 'callback-forged', fields: { merchant: 'acme-eu' } }]);
    world.log.splice(0);
    await world.callBack(paid, 'a name from outside\n{"level":"error"}');
    expect(world.log).toEqual([{ level: 'warn', event: 'callback-forged', fields: {} }]);
  });

  it('costs no question to the secrets service where its path can be no merchant', async () => {
    const world = await aWorldWithoutInquiry();
    const asked: string[] = [];
    const of: World['credentials']['of'] = async (merchant) => {
      asked.push(merchant);
      return world.credentials.of(merchant);
    };
    const ports = { ...world.ports, credentials: { ...world.credentials, of } };
    const parameters = new Map(Object.entries({ ...paid, control: 'f'.repeat(40) }));
    for (const merchant of ['_worker', '', '.hidden', 'a'.repeat(65)])
      await handleCallback({ merchant, parameters }, ports);
    expect(asked).toEqual([]);
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

  it('that comes again and again triggers looks, each of them harmless', async () => {
    const world = await aWorldWith('accepted');
    world.gateway.statusStays('approved');
    for (let times = 0; times < 5; times += 1) expect(await world.callBack(paid)).toBe(200);
    await world.inquire();
    expect(new Set(told(world))).toEqual(new Set(['acme-eu/INV-1/3 approved']));
    await world.inquire();
    expect(world.checksQueue.taken).toEqual([]);
    expect(standing(world)).toMatchObject({ state: 'approved', revision: 3 });
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

describe('where nobody can be asked, a callback', () => {
  it.each([
    [paid, 'accepts', { status: 'approved', final: true, payoutId: '9000001' }],
    [unpaid, 'accepts', { status: 'declined', final: true, failure: { code: 'GATEWAY_DECLINED' } }],
    [{ ...paid, status: 'filtered' }, 'accepts', { status: 'declined', final: true, failure: { code: 'FILTERED' } }],
    [paid, 'stalls', { status: 'approved', final: true, payoutId: '9000001' }],
    [unpaid, 'stalls', { status: 'declined', final: true }],
  ] as const)('%j is the outcome of an order that the gateway %s', async (fields, mood, result) => {
    const world = await aWorldWithoutInquiry(mood);
    expect(await world.callBack(fields)).toBe(200);
    expect(world.results.taken).toMatchObject([{ resultId: 'acme-eu/INV-1/3', ...result }]);
    expect(standing(world)).not.toHaveProperty('unpublished');
    expect(world.checksQueue.taken).toEqual([]);
  });

  it.each<[string, object]>([
    ['another amount', { amount: '10.43' }],
    ['no amount', { amount: '' }],
    ['another currency', { currency: 'USD' }],
    ["another of the gateway's orders", { orderid: '9000002' }],
    ['a state that is no end', { status: 'processing' }],
    ['a reversal', { status: 'reversal' }],
  ])('with %s is answered 200 and not taken', async (_, changes) => {
    const world = await aWorldWithoutInquiry();
    const before = standing(world);
    expect(await world.callBack({ ...paid, ...changes })).toBe(200);
    expect(standing(world)).toBe(before);
    expect(world.results.taken).toEqual([]);
  });

  it('that is no end leaves doubt as it is, where the contract offered inquiry once', async () => {
    const world = await aWorldWith('in-doubt');
    world.credentials.rotate('acme-eu', someCredentials());
    await world.credentials.refresh('acme-eu', someCredentials());
    const before = standing(world);
    expect(await world.callBack({ ...paid, status: 'processing' })).toBe(200);
    expect(standing(world)).toBe(before);
    expect(world.results.taken).toEqual([]);
  });

  it('that comes twice is told once', async () => {
    const world = await aWorldWithoutInquiry();
    expect([await world.callBack(paid), await world.callBack(paid)]).toEqual([200, 200]);
    expect(told(world)).toEqual(['acme-eu/INV-1/3 approved']);
  });

  it('that comes twice at once is told once, or comes again', async () => {
    const world = await aWorldWithoutInquiry();
    const answers = await Promise.all([world.callBack(paid), world.callBack(paid)]);
    expect(answers.toSorted()).toEqual([200, 503]);
    expect(await world.callBack(paid)).toBe(200);
    expect(told(world)).toEqual(['acme-eu/INV-1/3 approved']);
  });

  it('that contradicts an earlier one supersedes it: a later truth, a new revision', async () => {
    const world = await aWorldWithoutInquiry();
    await world.callBack(paid);
    await world.callBack(unpaid);
    expect(told(world)).toEqual(['acme-eu/INV-1/3 approved', 'acme-eu/INV-1/4 declined']);
  });

  it.each<[OrderState, string[]]>([
    // Never sent by us, yet paid: it must not be sent again.
    ['retryable', ['acme-eu/INV-1/4 approved']],
    ['failed', ['acme-eu/INV-1/4 approved']],
    ['cancelled', []],
  ])('about an order that is %s', async (state, results) => {
    const world = await aWorldWithoutInquiry('stalls');
    const entry = { ...standing(world), state, revision: 3 };
    world.entries.set(key, entry);
    expect(await world.callBack(paid)).toBe(200);
    expect(told(world)).toEqual(results);
  });

  it('before the answer to the POST is settled comes again', async () => {
    const world = aWorld();
    world.gateway.meanwhile(async () => expect(await world.callBack(paid)).toBe(503));
    await world.deliver(aRecord(aPayoutJob()));
    expect(await world.callBack(paid)).toBe(200);
    expect(told(world)).toEqual(['acme-eu/INV-1/2 accepted', 'acme-eu/INV-1/3 approved']);
  });

  it('about an order that newer code wrote comes again', async () => {
    const world = await aWorldWithoutInquiry();
    world.ledger.read = async () => ({ kind: 'unreadable', reason: 'newer' });
    expect(await world.callBack(paid)).toBe(503);
  });

  it('about an order that this worker never saw is not called for again', async () => {
    const world = await aWorldWithoutInquiry();
    expect(await world.callBack({ ...paid, client_orderid: 'INV-9' })).toBe(200);
    expect(world.results.taken).toEqual([]);
  });

  it('about an eligibility check says nothing about a payment of the same id', async () => {
    const world = await aWorldWithoutInquiry('stalls');
    await world.deliver(aRecord(anEligibilityJob({ orderId: 'INV-1' })));
    world.results.taken.splice(0);
    const { amount: _1, currency: _2, ...ofCheck } = paid;
    expect(await world.callBack(ofCheck)).toBe(200);
    expect(world.results.taken).toEqual([]);
    expect(standing(world).state).toBe('held');
  });

  it.each(['read', 'advance'] as const)('while the ledger does not answer (%s) comes again', async (verb) => {
    const world = await aWorldWithoutInquiry();
    world.ledger.faults(verb, 'down');
    expect(await world.callBack(paid)).toBe(503);
    expect(await world.callBack(paid)).toBe(200);
    expect(told(world)).toEqual(['acme-eu/INV-1/3 approved']);
  });

  it.each(['results', 'refused results', 'mark', 'answer'] as const)(
    'is told by the sweeper, should the %s be lost',
    async (what) => {
      const world = await aWorldWithoutInquiry();
      if (what === 'results') world.results.moods('down');
      if (what === 'refused results') world.results.moods({ refuses: [0] });
      if (what === 'mark') world.ledger.faults('markUnpublished', 'down');
      if (what === 'answer') world.ledger.faults('advance', 'answer lost');
      expect(await world.callBack(paid)).toBe(what === 'answer' ? 503 : 200);
      expect(standing(world)).toMatchObject({ state: 'approved', unpublished: true });
      await world.pass(180_000);
      expect(new Set(told(world))).toEqual(new Set(['acme-eu/INV-1/3 approved']));
      expect(standing(world)).not.toHaveProperty('unpublished');
    },
  );
});

it('an order id of any characters comes through', async () => {
  const orderId = 'INV +1&2=3%20/4?#"~';
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob({ orderId })));
  expect(await world.callBack({ ...paid, client_orderid: orderId })).toBe(200);
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }, { orderId, status: 'approved' }]);
});
