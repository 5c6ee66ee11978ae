// What the gateway calls back: early, late, again and again, of one account or another, about orders that were sent from here or not.
import { describe, expect, it } from 'vitest';
import { type MerchantCredentials } from '../../lib/gateway/ports.ts';
import { accountOf } from '../../lib/gateway/signed-request.ts';
import { someControlKey, someCredentials } from '../support/fake-credentials.ts';
import { anEligibilityJob, aPayoutJob } from '../support/jobs.ts';
import { http, type Reaction } from './gateway.ts';
import { days, hours, minutes, seconds, storyWorld, type StoryWorld } from './harness.ts';

const statuses = (world: StoryWorld) => world.results('INV-1').map(({ status }) => status);

describe('if the gateway cannot be asked', () => {
  it.each([
    ['taken', 'accepted', true],
    ['silent though taken', 'held', false],
  ] as const)(
    'a callback in which everything fits says how an order ended that was %s; a forged one says nothing',
    async (next, status, final) => {
      const world = storyWorld();
      world.gateway.answers('INV-1', next);
      world.send(aPayoutJob());
      await world.pass(1 * minutes);
      expect(await world.callback('INV-1', 'declined', { key: 'not the key' })).toBe(503);
      await world.pass(1 * minutes);
      expect(world.last('INV-1')).toMatchObject({ status, final });
      expect([await world.callback('INV-1', 'approved'), await world.callback('INV-1', 'approved')]).toEqual([
        200, 200,
      ]);
      await world.pass(5 * minutes);
      expect([new Set(statuses(world)), world.last('INV-1')]).toMatchObject([
        new Set([status, 'approved']),
        { status: 'approved', final: true },
      ]);
      expect(world.retold()).toEqual([]);
    },
  );

  it.each([
    ['of a check', aPayoutJob(), { type: 'pan-eligibility' }],
    ['of another amount', aPayoutJob(), { amount: '10.43' }],
    ['of a payment, about a check', anEligibilityJob({ orderId: 'INV-1' }), {}],
  ])('one %s ends nothing', async (_, job, call) => {
    const world = storyWorld();
    world.send(job);
    await world.pass(1 * minutes);
    expect(await world.callback('INV-1', 'approved', call)).toBe(200);
    await world.pass(1 * hours);
    expect(statuses(world)).not.toContain('approved');
    expect(world.last('INV-1')?.gatewayAmount).toBeUndefined();
  });

  it.each([
    [{}, 'approved'],
    [{ transactionTypes: { payout: ['disbursement'] } }, 'accepted'],
  ])('one of a type that is on no list ends it, unless the profile (%j) lists others', async (profile, status) => {
    const world = storyWorld({ profile });
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    await world.callback('INV-1', 'approved', { type: 'sale' });
    await world.pass(5 * minutes);
    expect(world.last('INV-1')?.status).toBe(status);
    await world.callback('INV-1', 'approved', { type: 'disbursement' });
    await world.pass(5 * minutes);
    expect(world.last('INV-1')?.status).toBe('approved');
  });

  it.each(['9000001', '55', '777'])(
    'one by the id %s ends an order whose answer named another id, as there is no other attempt',
    async (id) => {
      const world = storyWorld();
      const alias = id === '777' ? { 'payout-id': '55' } : { 'payout-id': '55', 'paynet-order-id': '9000001' };
      world.gateway.answers('INV-1', {
        as: 'taken',
        answers: (orderId) => http(200, { type: 'async-response', 'merchant-order-id': orderId, ...alias }),
      });
      world.send(aPayoutJob());
      await world.pass(1 * minutes);
      await world.callback('INV-1', 'approved', { id });
      await world.pass(5 * minutes);
      expect(world.last('INV-1')).toMatchObject({
        status: 'approved',
        payoutId: '55',
        gatewayOrderId: id === '777' ? '777' : '9000001',
      });
      expect(world.alarms('INV-1')).toEqual([]);
    },
  );
});

it.each([
  ['declined', 'approved', ['accepted', 'declined', 'approved']],
  ['approved', 'declined', ['accepted', 'approved']],
] as const)('an end %s that is called %s days later: %j', async (end, later, told) => {
  const world = storyWorld({ profile: { statusInquiry: true } });
  world.send(aPayoutJob());
  await world.pass(1 * minutes);
  world.gateway.ends('INV-1', end);
  await world.pass(2 * days);
  world.gateway.ends('INV-1', later);
  expect(await world.callback('INV-1', later)).toBe(200);
  await world.pass(1 * days);
  expect([...new Map(world.results('INV-1').map((it) => [it.revision, it.status])).values()]).toEqual(told);
  expect(world.alarms('INV-1')).toContain('callback-surprise');
  expect(world.last('INV-1')).not.toHaveProperty('failure.code', 'GATEWAY_DECLINED');
});

it('where the gateway can be asked, callbacks in any order lead to what it says now', async () => {
  const world = storyWorld({ profile: { statusInquiry: true } });
  world.send(aPayoutJob());
  await world.pass(1 * seconds);
  world.gateway.ends('INV-1', 'approved');
  for (const word of ['approved', 'declined', 'approved', 'filtered'])
    expect(await world.callback('INV-1', word)).toBe(200);
  await world.pass(5 * minutes);
  expect(new Set(statuses(world))).toEqual(new Set(['accepted', 'approved']));
});

it.each([false, true])(
  'a decline beside a later transaction is told at once, but not after a restore (%j)',
  async (isRestored) => {
    const world = storyWorld({ profile: { statusInquiry: true } });
    world.send(aPayoutJob());
    await world.pass(1 * seconds);
    world.gateway.desk('INV-1', 'no such order');
    if (isRestored) await world.restoreTableTo(world.tableNow());
    await world.callback('INV-1', 'declined');
    await world.callback('INV-1', 'approved', { type: 'reversal' });
    await world.pass(1 * minutes);
    expect(world.last('INV-1')?.status).toBe(isRestored ? 'in-doubt' : 'declined');
  },
);

describe('a merchant that has moved to another account, whose secret keeps the one before', () => {
  const newKey = 'another-control-key';
  const before = someCredentials();
  const after: MerchantCredentials = {
    ...someCredentials({ version: 'v2', login: 'acme-2', controlKey: newKey }),
    baseUrl: 'https://new-gateway.test',
    earlierAccounts: [before],
  };

  /** Sent at the account of before; the secret has moved since. */
  async function moved(secret = after, how?: 'unseen') {
    const world = storyWorld();
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    await world.secretIs(secret, how);
    return world;
  }

  it.each<[what: string, secret: MerchantCredentials, key: string, answered: number, status: string]>([
    ['the account of before ends its own order', after, someControlKey, 200, 'approved'],
    ['the new one, which may have an order of the same ids, does not', after, newKey, 200, 'accepted'],
    [
      'an account that is named no longer is a stranger',
      { ...after, earlierAccounts: [] },
      someControlKey,
      503,
      'accepted',
    ],
    [
      'both with one key: the word is about its order',
      { ...after, ...(before.controlKey && { controlKey: before.controlKey }) },
      someControlKey,
      200,
      'approved',
    ],
    [
      'one account whose key was changed: what it signed before counts',
      { ...someCredentials({ version: 'v2', controlKey: newKey }), earlierAccounts: [before] },
      someControlKey,
      200,
      'approved',
    ],
  ])('%s', async (_, secret, key, answered, status) => {
    const world = await moved(secret);
    expect(await world.callback('INV-1', 'approved', { key })).toBe(answered);
    await world.pass(5 * minutes);
    expect(world.last('INV-1')?.status).toBe(status);
    expect(world.alarms('INV-1').includes('callback-surprise')).toBe(answered === 200 && status === 'accepted');
  });

  it.each(['approved', 'processing'])(
    'another account that shows the order, %s, when its own has declined it: held, and nothing sends it',
    async (status) => {
      const world = storyWorld();
      await world.secretIs(after);
      const message = world.send(aPayoutJob());
      await world.pass(1 * minutes);
      await world.callback('INV-1', status, { id: '8000009', key: someControlKey });
      await world.callback('INV-1', 'declined', { key: newKey });
      await world.pass(5 * minutes);
      expect(world.last('INV-1')).toMatchObject({ status: 'held', failure: { code: 'HELD_UNKNOWN_TRANSACTION' } });
      world.sendAgain(message);
      await world.pass(1 * hours);
      expect(world.gateway.posts('INV-1')).toBe(1);
      // One person alone does not say the contrary of "paid".
      expect([await world.person.decides('INV-1', 'not-paid'), world.last('INV-1')?.status]).toEqual(
        status === 'approved' ? ['refused', 'held'] : ['done', 'failed'],
      );
    },
  );

  it('an account whose refused attempts are not kept any more shows that it has the order: nothing sends it again', async () => {
    const world = storyWorld();
    world.gateway.answers('INV-1', '429 though taken', ...Array.from({ length: 50 }, () => '429' as const));
    world.send(aPayoutJob());
    await world.pass(10 * seconds);
    await world.secretIs(after);
    await world.pass(3 * hours);
    const posts = world.gateway.posts('INV-1');
    await world.callback('INV-1', 'processing', { n: 1, key: someControlKey });
    await world.pass(1 * days);
    expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([posts, 'held']);
  });

  it('what the new one says is nothing to an attempt of the one before, though their ids are alike', async () => {
    const world = await moved();
    await world.callback('INV-1', 'declined', { key: someControlKey });
    await world.pass(1 * minutes);
    world.gateway.answers('INV-1', '429');
    world.send(aPayoutJob({ resends: world.last('INV-1')?.endId ?? '' }));
    await world.pass(10 * seconds);
    await world.callback('INV-1', 'processing', { n: 1, key: newKey });
    await world.pass(1 * hours);
    expect([world.gateway.posts('INV-1'), world.last('INV-1')]).toMatchObject([2, { status: 'accepted' }]);
  });

  it.each<[what: string, profile: object, secret: Partial<MerchantCredentials>, says: 'approved' | undefined]>([
    ['is asked about nowhere where the secret no longer names it, and is held', {}, { earlierAccounts: [] }, undefined],
    ['is asked about at its own account', {}, {}, 'approved'],
    [
      'is asked about at the new one, if that is the same account',
      {},
      { earlierAccounts: [], sameAccountAs: [accountOf(before, '39915')] },
      'approved',
    ],
  ])('an order in doubt %s', async (_, profile, changes, says) => {
    const inquiring = { statusInquiry: true, resubmitUnknownOrders: true, doubtHorizonSeconds: 7_200, ...profile };
    const asking = (it: MerchantCredentials) => ({ ...it, profile: { ...it.profile, ...inquiring } });
    const world = storyWorld({ profile: inquiring });
    world.gateway.answers('INV-1', 'silent though taken');
    world.send(aPayoutJob());
    await world.pass(1 * seconds);
    await world.secretIs(asking({ ...after, earlierAccounts: [asking(before)], ...changes }));
    if (says) world.gateway.ends('INV-1', says);
    else world.gateway.desk('INV-1', 'no such order');
    await world.pass(4 * hours);
    expect(world.last('INV-1')?.status).toBe(says ?? 'held');
    if (says) return;
    expect([world.gateway.looks('INV-1'), world.alarms('INV-1').includes('account-changed')]).toEqual([0, true]);
    expect(await world.person.decides('INV-1', 'not-paid', { unlessContradicted: true })).toBe('asking');
    world.send(aPayoutJob());
    await world.pass(1 * hours);
    expect(world.gateway.posts('INV-1')).toBe(1);
  });

  it('an order of a sandbox is never told as the live payment of the same id, nor paid a second time', async () => {
    const world = storyWorld({ profile: { statusInquiry: true } });
    const profile = { statusInquiry: true };
    await world.secretIs({ ...someCredentials({ profile }), mode: 'test' });
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    world.gateway.ends('INV-1', 'approved');
    await world.pass(10 * minutes);
    await world.secretIs({ ...someCredentials({ version: 'v2', profile }), baseUrl: 'https://live.test' });
    const live = world.send(aPayoutJob());
    await world.pass(10 * minutes);
    const message = expect.stringContaining('this order id was sent to another account of the gateway');
    expect(world.told(live)).toMatchObject([{ status: 'rejected', failure: { code: 'ORDER_ID_REUSED', message } }]);
    expect(world.gateway.posts('INV-1')).toBe(1);
  });
});

describe('an order that was sent twice, as a person said that its first attempt is not paid', () => {
  async function sentTwice(profile = {}) {
    const world = storyWorld({ profile });
    world.gateway.desk('INV-1', 'silent');
    world.gateway.answers('INV-1', 'silent');
    const message = world.send(aPayoutJob());
    await world.pass(2 * hours);
    expect(await world.person.decides('INV-1', 'not-paid', { gatewayOrderId: '8000001' })).toBe('done');
    world.sendAgain(message);
    await world.pass(1 * minutes);
    expect(world.last('INV-1')).toMatchObject({ status: 'accepted', attempts: 2, gatewayOrderId: '9000002' });
    return world;
  }

  it.each([
    ['approved', 'held', ['callback-surprise']],
    ['declined', 'accepted', []],
  ])('a callback of the first that says %s never ends the second: %s', async (word, status, alarms) => {
    const world = await sentTwice();
    await world.callback('INV-1', word, { id: '8000001' });
    await world.pass(5 * minutes);
    expect([world.last('INV-1')?.status, world.alarms('INV-1')]).toEqual([status, alarms]);
  });

  it('the second is asked about, and told, without the id of the first', async () => {
    const world = await sentTwice({ statusInquiry: true });
    const before = world.gateway.sent('INV-1').length;
    world.gateway.desk('INV-1', 'truth');
    world.gateway.ends('INV-1', 'approved');
    await world.pass(1 * hours);
    const asked = world.gateway.sent('INV-1').slice(before);
    expect(asked.flatMap(({ fields }) => fields.filter(([name]) => name === 'orderid'))).toContainEqual([
      'orderid',
      '9000002',
    ]);
    expect(JSON.stringify(asked)).not.toContain('8000001');
    expect(world.last('INV-1')).toMatchObject({ status: 'approved', payoutId: '9000002' });
  });
});

it('an order that was sent, released as not paid, and called off, is paid after all if a callback says so', async () => {
  const world = storyWorld();
  world.gateway.answers('INV-1', 'silent though taken');
  world.send(aPayoutJob());
  await world.pass(2 * hours);
  expect([await world.person.decides('INV-1', 'not-paid'), await world.person.decides('INV-1', 'cancel')]).toEqual([
    'done',
    'done',
  ]);
  expect(world.last('INV-1')?.status).toBe('cancelled');
  await world.callback('INV-1', 'approved');
  await world.pass(5 * minutes);
  expect([world.last('INV-1')?.status, world.alarms('INV-1')]).toEqual(['approved', ['callback-surprise']]);
});

// A3: in doubt, an authentic callback says approved, and the status desk knows no such order for the whole quiet period.

it.each(['plainly', 'naming the end'] as const)(
  'a callback outweighs a desk that knows no such order: not failed, and the file sent %s sends nothing',
  async (how) => {
    // given
    const world = storyWorld({ profile: { statusInquiry: true, resubmitUnknownOrders: true } });
    world.gateway.answers('INV-1', 'silent though taken');
    world.gateway.desk('INV-1', 'no such order');
    const message = world.send(aPayoutJob());
    await world.pass(3 * minutes);
    // when
    world.gateway.ends('INV-1', 'approved');
    await world.callback('INV-1', 'approved');
    await world.pass(3 * hours);
    // then
    expect(world.results('INV-1').map(({ status }) => status)).not.toContain('failed');
    if (how === 'plainly') world.send(aPayoutJob());
    else world.sendAgain(message);
    await world.pass(1 * days);
    expect(world.gateway.posts('INV-1')).toBe(1);
  },
);

// A1: the gateway took the order and something in front of it refused; its callback says so; the waiting job goes again.

describe('POST refused though taken, and an authentic callback says approved', () => {
  /** How many POSTs there were, and what was told last. */
  async function refusedAndCalledBack(reaction: Reaction, profile: object) {
    // given
    const world = storyWorld({ profile });
    world.gateway.answers('INV-1', reaction);
    world.send(aPayoutJob());
    await world.pass(10 * seconds);
    // when
    world.gateway.ends('INV-1', 'approved');
    expect(await world.callback('INV-1', 'approved')).toBe(200);
    await world.pass(1 * days);
    return [world.gateway.posts('INV-1'), world.last('INV-1')?.status];
  }

  it.each([
    ['403 though taken', {}],
    ['403 though taken', { statusInquiry: true }],
    ['429 though taken', {}],
    ['429 though taken', { statusInquiry: true }],
  ] as const)('%s, %j: nothing is sent any more, and approved is told', async (reaction, profile) => {
    expect(await refusedAndCalledBack(reaction, profile)).toEqual([1, 'approved']);
  });
});

describe('released as not paid, then the callback says approved, then the file again', () => {
  it.each(['plainly', 'naming the end'] as const)('%s: it is not sent, and approved is told', async (how) => {
    // given
    const world = storyWorld();
    world.gateway.answers('INV-1', 'silent though taken');
    const message = world.send(aPayoutJob());
    await world.pass(2 * hours);
    expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
    // when
    world.gateway.ends('INV-1', 'approved');
    await world.callback('INV-1', 'approved');
    await world.pass(30 * minutes);
    if (how === 'plainly') world.send(aPayoutJob());
    else world.sendAgain(message);
    await world.pass(1 * days);
    // then
    expect(world.gateway.posts('INV-1')).toBe(1);
    expect(world.last('INV-1')?.status).toBe('approved');
  });
});

// The gateway calls back about an order that was not sent from here; a person decides, and it calls back once more.

it('what was called back as paid is never released as not paid: its job is not sent by any decision', async () => {
  // given
  const world = storyWorld();
  expect(await world.callback('INV-1', 'approved', { id: '9001' })).toBe(200);
  const message = world.send(aPayoutJob());
  await world.pass(2 * hours);
  // when
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('refused');
  world.sendAgain(message);
  await world.pass(1 * days);
  // then
  expect(world.gateway.posts('INV-1')).toBe(0);
  expect(await world.person.decides('INV-1', 'paid')).toBe('done');
  await world.pass(1 * hours);
  expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([0, 'approved']);
});

it('an order that a callback alone has named is not told; its job is held, and a person decides', async () => {
  // given
  const world = storyWorld();
  const callsBack = () => world.callback('INV-1', 'processing', { id: '9001' });
  expect(await callsBack()).toBe(200);
  await world.pass(2 * hours);
  expect(world.results('INV-1')).toEqual([]);
  // when
  const message = world.send(aPayoutJob());
  await world.pass(1 * hours);
  // then
  expect(world.last('INV-1')).toMatchObject({ status: 'held', amount: '10.42', attempts: 0 });
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
  // The very same callback says nothing that the person has not seen.
  expect(await callsBack()).toBe(200);
  await world.pass(1 * hours);
  expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([0, 'failed']);
  world.sendAgain(message);
  await world.pass(1 * hours);
  expect(world.gateway.posts('INV-1')).toBe(1);
});

it.each([
  ['by a proof that can be cut in two ways', '55-INV-1', {}],
  ['of a sale', 'INV-1', { type: 'sale' }],
  ['of a reversal', 'INV-1', { type: 'reversal' }],
])('a callback %s makes no order, and is called no second time', async (_, orderId, call) => {
  const world = storyWorld({ profile: { transactionTypes: { payout: ['payout'] } } });
  expect(await world.callback(orderId, 'approved', { id: '9001', ...call })).toBe(200);
  world.send(aPayoutJob({ orderId }));
  await world.pass(1 * hours);
  expect(world.last(orderId)?.status).toBe('accepted');
});

// M4: the proof of "1INV-7" under the id 900 is the proof of "INV-7" under 9001.

describe('an order id that begins with a digit, whose callbacks are proofs of two orders', () => {
  it('is ended by none of them, however often it comes', async () => {
    const world = storyWorld();
    world.send(aPayoutJob({ orderId: '1001' }));
    await world.pass(1 * minutes);
    for (const says of ['approved', 'declined', 'approved']) expect(await world.callback('1001', says)).toBe(200);
    await world.pass(1 * hours);
    expect(world.results('1001').map(({ status }) => status)).toEqual(['accepted']);
  });

  it('keeps one person from saying "not paid" once one of them says "paid"', async () => {
    const world = storyWorld();
    world.gateway.answers('1001', 'silent though taken');
    world.send(aPayoutJob({ orderId: '1001' }));
    await world.pass(2 * hours);
    expect(world.last('1001')?.status).toBe('held');
    expect(await world.callback('1001', 'approved')).toBe(200);
    await world.pass(5 * minutes);
    expect(await world.person.decides('1001', 'not-paid')).toBe('refused');
    expect([world.last('1001')?.status, await world.person.decides('1001', 'paid')]).toEqual(['held', 'done']);
  });
});

it.each(['before it', 'after it'] as const)(
  'one callback, seven times more with other amounts, and the genuine one %s: one sign, one revision',
  async (comes) => {
    const world = storyWorld();
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    if (comes === 'before it') await world.callback('INV-1', 'approved');
    for (let n = 1; n <= 7; n += 1) expect(await world.callback('INV-1', 'approved', { amount: `${n}0.00` })).toBe(200);
    if (comes === 'after it') await world.callback('INV-1', 'approved');
    await world.pass(1 * hours);
    expect(world.results('INV-1').map(({ status, revision }) => [status, revision])).toEqual([
      ['accepted', 1],
      ['approved', 2],
    ]);
    expect(world.alarms('INV-1').filter((it) => it === 'callback-surprise').length).toBeLessThanOrEqual(1);
  },
);

it.each(['declined', 'approved'] as const)(
  'what the gateway calls back until it hears 200 is told in the end: %s',
  async (status) => {
    // given
    const world = storyWorld();
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    expect(world.last('INV-1')?.status).toBe('accepted');
    // when
    world.ledgerAwayFor(2 * hours);
    world.gateway.ends('INV-1', status);
    expect(await world.callback('INV-1', status)).toBe(503);
    await world.pass(3 * hours);
    expect(await world.callback('INV-1', status)).toBe(200);
    await world.pass(1 * hours);
    // then
    expect(world.last('INV-1')).toMatchObject({ status, final: true });
  },
);

it('what the queue of results did not take is published, though a callback came again meanwhile', async () => {
  const world = storyWorld();
  world.send(aPayoutJob());
  await world.pass(1 * minutes);
  world.gateway.ends('INV-1', 'approved');
  world.resultsAwayFor(1 * hours);
  await world.callback('INV-1', 'approved');
  await world.pass(5 * minutes);
  await world.callback('INV-1', 'approved');
  await world.pass(1 * days);
  expect(world.last('INV-1')?.status).toBe('approved');
});

// The gateway has an order of this name that was not sent from here, and calls back about it again after ours was sent.

it('what the gateway said of an id before anything was sent says nothing of what was sent later', async () => {
  // given: another system's order was declined; a person lets this one be sent, by its end's name
  const world = storyWorld();
  expect(await world.callback('INV-1', 'declined', { id: '7001', amount: '10.42' })).toBe(200);
  const message = world.send(aPayoutJob());
  await world.pass(2 * hours);
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
  await world.pass(30 * minutes);
  world.gateway.answers('INV-1', 'silent though taken');
  world.sendAgain(message);
  await world.pass(1 * hours);
  expect(world.gateway.posts('INV-1')).toBe(1);
  // when
  expect(await world.callback('INV-1', 'declined', { id: '7001', amount: '10.42' })).toBe(200);
  await world.pass(1 * hours);
  world.sendAgain(message);
  await world.pass(1 * days);
  // then
  expect(world.gateway.posts('INV-1')).toBe(1);
  expect(['in-doubt', 'held']).toContain(world.last('INV-1')?.status);
});

// A2: an inquiry (or a callback) has found the order at the gateway; the late refusal of its POST makes it sendable.

/** The POST was refused though taken, the ledger was away for longer than the lease, and the answer is on its way for hours. */
async function refusedLate(reaction: Reaction, profile: object): Promise<StoryWorld> {
  const world = storyWorld({ profile });
  world.answersComeLateBy(2 * hours);
  world.gateway.answers('INV-1', { as: reaction, meanwhile: () => world.ledgerAwayFor(5 * minutes) });
  world.send(aPayoutJob());
  await world.pass(10 * seconds);
  return world;
}

describe('the gateway is found to have the order before the refusal is written', () => {
  it.each(['401 though taken', '403 though taken', '429 though taken'] as const)(
    '%s, and an inquiry finds it: one POST, one id, accepted',
    async (reaction) => {
      const world = await refusedLate(reaction, { statusInquiry: true });
      await world.pass(1 * days);
      expect(world.gateway.posts('INV-1')).toBe(1);
      expect(world.last('INV-1')).toMatchObject({ status: 'accepted', gatewayOrderId: '9000001' });
    },
  );

  it.each([
    ['unknown', '10.42'],
    ['unknown', '10.40'],
    ['processing', '10.40'],
  ] as const)('an inquiry finds it %s, of %s: one POST, and its id is told', async (status, amount) => {
    const world = await refusedLate('403 though taken', { statusInquiry: true });
    world.gateway.changesAmount('INV-1', amount);
    world.gateway.ends('INV-1', status);
    await world.pass(1 * days);
    expect(world.gateway.posts('INV-1')).toBe(1);
    expect(world.last('INV-1')?.gatewayOrderId).toBe('9000001');
  });

  it('by a callback alone: one POST, and approved is told', async () => {
    const world = await refusedLate('403 though taken', {});
    await world.pass(30 * minutes);
    world.gateway.ends('INV-1', 'approved');
    await world.callback('INV-1', 'approved');
    await world.pass(1 * days);
    expect(world.gateway.posts('INV-1')).toBe(1);
    expect(world.last('INV-1')?.status).toBe('approved');
  });
});
